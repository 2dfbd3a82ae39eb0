"""What is peculiar to Autohand's dialect."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook import dialects
from omnihook.converting import convert
from omnihook.dialect import ConfigText, Failure, Raw, Reading
from omnihook.dialects import get
from omnihook.dialects.autohand import DIALECT, rpc_notifications
from omnihook.events import (
    Event,
    FileModified,
    Notification,
    PermissionRequest,
    PostToolUse,
    PostToolUseFailure,
    PreToolUse,
    SessionEnd,
    SessionError,
    SessionStart,
    Stop,
    StopFailure,
    SubagentStop,
    UserPromptSubmit,
    rewritten,
)
from omnihook.families.autohand_payloads import KEYS, VARIABLES
from omnihook.hooks import Argv, Cause, Command, Hook, Http, Layer, Matcher, Source
from omnihook.jsontypes import Json
from omnihook.matching import Index
from omnihook.verdicts import NO_OPINION, Decision, Verdict
from strategies import json_values

DATA = Path(__file__).parents[1] / "seeds" / "autohand"
CALL = PreToolUse(tool_name="Write", tool_input={"file_path": "a", "content": "b"}, agent="autohand")
HOOK = Hook(name="h", events=("PreToolUse",), action=Command(command="true"), source=Source(dialect="autohand"))


def read(*entries: Json, text: str | None = None, **more: Json) -> Reading:
    document = json.dumps({"hooks": {"hooks": list(entries), **more}}) if text is None else text
    return DIALECT.read_config([ConfigText(path="/h/.autohand/config.json", layer=Layer.USER, text=document)])


def wire(event: Event) -> dict[str, str]:
    return dict(DIALECT.encode_event(event).env)


def answered(text: str, code: int = 0, stderr: str = "", event: Event = CALL) -> Verdict | Failure:
    return DIALECT.decode_reply(HOOK, event, Raw(exit_code=code, stdout=text, stderr=stderr))


def matches(hook: Json, event: Event) -> bool:
    hooks = read(hook).hooks
    return bool(Index(hooks, {"autohand": DIALECT}).match(event))


# Configuration


def test_an_entry_with_everything() -> None:
    entry: Json = {
        "event": "pre-tool",
        "command": "./x.sh",
        "description": "d",
        "enabled": False,
        "timeout": 1500,
        "async": True,
        "matcher": "^run",
        "filter": {"tool": ["run_command"], "path": ["src/**"]},
    }
    [hook] = read(entry).hooks
    assert hook == Hook(
        name="pre-tool:1",
        events=("PreToolUse",),
        native_events=("pre-tool",),
        action=Command(command="./x.sh"),
        matcher=Matcher(text="^run", pattern="^run"),
        tools=("run_command",),
        paths=("src/**",),
        timeout=1.5,
        background=True,
        enabled=False,
        description="d",
        source=Source(
            dialect="autohand", layer=Layer.USER, path="/h/.autohand/config.json", pointer=("hooks", "hooks", 0)
        ),
        entry=entry,
    )


def test_numbers_restart_per_event_and_count_what_is_kept() -> None:
    found = read(
        {"event": "stop", "command": "a"},
        {"event": "pre-tool", "command": "b"},
        {"event": "stop"},
        {"event": "stop", "command": "c"},
    )
    assert [hook.name for hook in found.hooks] == ["stop:1", "pre-tool:1", "stop:2"]
    assert [item.pointer for item in found.diagnostics] == [("hooks", "hooks", 2)]


@pytest.mark.parametrize(
    ("entry", "pointer", "word"),
    [
        ("echo", (), "must be an object"),
        ({"command": "x"}, (), "no 'event'"),
        ({"event": "stop", "command": " "}, ("command",), "empty"),
        ({"event": "stop", "command": 1}, ("command",), "string"),
        ({"event": "stop", "command": "x", "timeout": "5"}, ("timeout",), "number"),
        ({"event": "stop", "command": "x", "timeout": 0}, ("timeout",), "more than 0"),
        ({"event": "stop", "command": "x", "async": 1}, ("async",), "true or false"),
        ({"event": "stop", "command": "x", "filter": []}, ("filter",), "an object"),
        ({"event": "stop", "command": "x", "filter": {"tool": "a"}}, ("tool",), "list of strings"),
    ],
)
def test_a_bad_entry_is_set_aside_alone(entry: Json, pointer: tuple[str, ...], word: str) -> None:
    found = read(entry, {"event": "stop", "command": "kept"})
    assert [hook.action for hook in found.hooks] == [Command(command="kept")]
    [item] = found.diagnostics
    assert item.pointer == ("hooks", "hooks", 0, *pointer)
    assert word in item.message


@pytest.mark.parametrize(
    ("text", "code"),
    [("{", "syntax"), ("[]", "syntax"), ('{"hooks": 1}', "entry"), ('{"hooks": {"hooks": {}}}', "entry")],
)
def test_a_file_that_cannot_be_used_is_a_diagnostic(text: str, code: str) -> None:
    found = read(text=text)
    assert (found.hooks, [item.code for item in found.diagnostics]) == ((), [code])


@pytest.mark.parametrize("text", ["", "{}", '{"hooks": null}', '{"hooks": {}}', '{"provider": "x"}'])
def test_a_file_without_hooks_is_fine(text: str) -> None:
    assert (read(text=text).hooks, read(text=text).diagnostics) == ((), ())


@pytest.mark.parametrize("pattern", ["*", "(", "[a"])
def test_an_invalid_matcher_never_fires_and_is_said(pattern: str) -> None:
    found = read({"event": "pre-tool", "command": "x", "matcher": pattern})
    assert [item.code for item in found.diagnostics] == ["bad-regex"]
    assert not matches({"event": "pre-tool", "command": "x", "matcher": pattern}, CALL)


@pytest.mark.parametrize("event", ["file-modified", "pre-prompt", "stop", "post-response", "session-error"])
@pytest.mark.parametrize("pattern", ["nothing", "*"])
def test_a_matcher_is_ignored_where_there_is_nothing_to_match(event: str, pattern: str) -> None:
    found = read({"event": event, "command": "x", "matcher": pattern})
    assert [item.code for item in found.diagnostics] == ["ignored"]
    assert matches({"event": event, "command": "x", "matcher": pattern}, DIALECT.decode_event({}, event))


def test_an_unknown_event_is_kept_and_named() -> None:
    found = read({"event": "pre-tol", "command": "x"}, {"event": "automode:start", "command": "y"})
    assert [(item.code, item.severity) for item in found.diagnostics] == [
        ("unknown-event", "error"),
        ("unknown-event", "warning"),
    ]
    assert "did you mean 'pre-tool'" in found.diagnostics[0].message
    assert matches({"event": "automode:start", "command": "y"}, DIALECT.decode_event({}, "automode:start"))


def test_time_outs_have_no_upper_bound() -> None:
    [hook] = read({"event": "stop", "command": "x", "timeout": 10**12}).hooks
    assert hook.timeout == 86_400


@pytest.mark.parametrize(("value", "enabled"), [(True, True), (False, False), (None, True), ("no", True)])
def test_only_a_literal_false_switches_all_hooks_off(value: Json, enabled: bool) -> None:
    assert read(enabled=value).settings[Layer.USER].enabled is enabled


entries = st.fixed_dictionaries(
    {"event": st.sampled_from([*sorted({row.native for row in DIALECT.names}), "other"]), "command": st.text()},
    optional={
        "description": st.text(max_size=5) | st.none(),
        "enabled": st.booleans() | st.none(),
        "timeout": st.integers(-5, 10**7) | st.floats(0.001, 1e9) | st.none(),
        "async": st.booleans(),
        "matcher": st.sampled_from(["", "^a$", "*", "a|b", "(?=x)"]),
        "filter": st.fixed_dictionaries({}, optional={"tool": st.just(["a"]), "path": st.just(["src/**"])}),
        "custom": json_values,
    },
)


@given(st.lists(entries, max_size=5))
def test_reading_what_was_written_gives_the_same_hooks(given_entries: list[Json]) -> None:
    first = read(*given_entries).hooks
    again = read(text=DIALECT.write_config(first).text).hooks
    same = Source()
    assert [replace(h, source=same) for h in again] == [replace(h, source=same) for h in first]


def test_a_changed_hook_is_written_with_the_change_and_its_unknown_keys() -> None:
    [hook] = read({"event": "post-response", "command": "x", "mine": [1], "timeout": 10}).hooks
    written = DIALECT.write_config([replace(hook, enabled=False, timeout=2.5, matcher=Matcher())])
    [entry] = json.loads(written.text)["hooks"]["hooks"]
    assert entry == {"event": "post-response", "command": "x", "enabled": False, "timeout": 2500, "mine": [1]}
    assert written.lost == ()


def test_another_dialect_s_hooks_are_written_in_autohand_s_words() -> None:
    theirs = Hook(
        name="guard",
        events=("PreToolUse", "PostToolUse", "PreCompact"),
        action=Argv(argv=("check", "a b")),
        matcher=Matcher(text="Bash|Write", names=frozenset({"Bash", "Write"})),
        tools=("Edit",),
        rule="Bash(git *)",
        timeout=600,
    )
    http = Hook(name="remote", events=("Stop",), action=Http(url="https://x"))
    written = convert([theirs, http], get("omnihook"), DIALECT)
    shared = {
        "command": "check 'a b'",
        "timeout": 600_000,
        "matcher": "^(run_command|write_file)$",
        "filter": {"tool": ["search_replace"]},
    }
    assert json.loads(written.text)["hooks"]["hooks"] == [
        {"event": "pre-tool", **shared},
        {"event": "post-tool", **shared},
    ]
    assert written.lost == (
        "guard: autohand has no event PreCompact",
        "guard: pre-tool, post-tool of autohand also means PostToolUseFailure",
        "guard: post-tool of autohand cannot refuse",
        "remote: stop of autohand cannot refuse",
        "guard: rule = 'Bash(git *)'",
        "remote: action https://x",
    )


@pytest.mark.parametrize(
    "name", ["sound-alert", "auto-format", "slack-notify", "git-auto-stage", "security-guard", "smart-commit"]
)
def test_the_default_hooks_are_those_of_the_document_switched_off(name: str) -> None:
    assert DIALECT.defaults is not None
    made = DIALECT.defaults("/h")
    text, mode = made["/h/.autohand/config.json"]
    installed = json.loads(text)["hooks"]["hooks"]
    documented = json.loads((DATA / f"{name}.json").read_text())
    assert {**documented, "enabled": False} in installed
    assert mode == 0o600
    assert made[f"/h/.autohand/hooks/{name}.sh"] == (f'#!/bin/sh\nexec omnihook builtin {name} "$@"\n', 0o755)


def test_all_default_hooks_are_read_without_complaint_and_none_runs() -> None:
    assert DIALECT.defaults is not None
    found = read(text=DIALECT.defaults("/h")["/h/.autohand/config.json"][0])
    assert (len(found.hooks), found.diagnostics, [hook for hook in found.hooks if hook.enabled]) == (10, (), [])


# Matching


@pytest.mark.parametrize(
    ("hook", "event", "fires"),
    [
        ({"event": "pre-tool", "matcher": "command"}, {"tool_name": "run_command"}, True),
        ({"event": "pre-tool", "matcher": "Command"}, {"tool_name": "run_command"}, False),
        ({"event": "post-tool", "matcher": "^$"}, {}, True),
        ({"event": "notification", "matcher": "^idle$"}, {"notification_type": "idle"}, True),
        ({"event": "session-start", "matcher": "resume"}, {"session_type": "resume"}, True),
        ({"event": "session-start", "matcher": "resume"}, {"session_type": "startup"}, False),
        ({"event": "session-end", "matcher": "quit|exit"}, {"session_end_reason": "quit"}, True),
        ({"event": "subagent-stop", "matcher": "scout"}, {"subagent_name": "scout", "subagent_type": "x"}, False),
        ({"event": "subagent-stop", "matcher": "scout"}, {"subagent_type": "scout"}, True),
        ({"event": "permission-request", "matcher": "read"}, {"tool_name": "read_file"}, True),
        ({"event": "pre-tool", "filter": {"tool": ["run"]}}, {"tool_name": "run_command"}, False),
        ({"event": "pre-tool", "filter": {"tool": ["search_replace"]}}, {"tool_name": "append_file"}, False),
        ({"event": "pre-tool", "filter": {"tool": ["append_file"]}}, {"tool_name": "append_file"}, True),
        ({"event": "stop", "filter": {"tool": ["a"]}}, {}, False),
        ({"event": "stop", "filter": {"path": ["**"]}}, {}, False),
        ({"event": "stop", "filter": {"path": [], "tool": []}}, {}, True),
        ({"event": "file-modified", "filter": {"path": ["*.{ts,js}"]}}, {"file_path": "a.ts"}, True),
        ({"event": "file-modified", "filter": {"path": ["!*.ts"]}}, {"file_path": "a.ts"}, False),
        ({"event": "file-modified", "filter": {"path": ["**/*"]}}, {"file_path": ".env"}, False),
        ({"event": "file-modified", "filter": {"path": [".env*"]}}, {"file_path": ".env"}, True),
    ],
)
def test_what_fires(hook: dict[str, Json], event: dict[str, Json], fires: bool) -> None:
    native = str(hook["event"])
    assert matches({**hook, "command": "x"}, DIALECT.decode_event(event, native)) is fires


def test_hooks_know_other_agents_tools_by_autohand_s_names() -> None:
    hook: Json = {"event": "pre-tool", "command": "x", "matcher": "^(run_command|delete_path|write_file)$"}
    assert matches(hook, PreToolUse(agent="claude-code", tool_name="Bash", tool_input={"command": "ls"}))
    assert not matches(hook, PreToolUse(agent="claude-code", tool_name="Read"))
    compacted = SessionStart(agent="claude-code", source="compact")
    assert matches({"event": "session-start", "command": "x", "matcher": "resume"}, compacted)


# Events


def test_the_document_s_input_comes_back_as_it_was() -> None:
    payload = json.loads((DATA / "input.json").read_text())
    made = DIALECT.encode_event(DIALECT.decode_event(payload, None))
    assert made.stdin == json.dumps(payload, separators=(",", ":")).encode()
    assert tuple(payload) == KEYS


def test_an_event_of_another_agent_has_all_keys_and_autohand_s_words() -> None:
    event = PostToolUse(
        agent="claude-code",
        session_id="s",
        cwd="/w",
        tool_name="Write",
        tool_input={"file_path": "/w/a", "content": "b"},
        tool_use_id="t",
        tool_response={"type": "create"},
        duration=0.25,
    )
    body = dict(DIALECT.encode_event(event).body)
    assert tuple(body) == KEYS
    assert {key: value for key, value in body.items() if value is not None} == {
        "session_id": "s",
        "cwd": "/w",
        "hook_event_name": "post-tool",
        "tool_name": "write_file",
        "tool_input": {"path": "/w/a", "content": "b"},
        "tool_use_id": "t",
        "tool_response": {"type": "create"},
        "tool_success": True,
        "duration": 250,
    }


def test_a_failed_tool_is_told_as_such() -> None:
    event = PostToolUseFailure(agent="claude-code", tool_name="Bash", error="exit 1")
    env = wire(event)
    assert (env["HOOK_EVENT"], env["HOOK_SUCCESS"], env["HOOK_OUTPUT"]) == ("post-tool", "false", "exit 1")
    again = DIALECT.decode_event({"tool_success": False, "tool_response": "boom"}, "post-tool")
    assert isinstance(again, PostToolUseFailure)
    assert again.error == "boom"


def test_there_are_thirty_variables_one_for_each_key() -> None:
    assert len(VARIABLES) == 30
    assert sorted(VARIABLES.values()) == sorted(KEYS)


ALL: tuple[tuple[Event, dict[str, str]], ...] = (
    (
        CALL,
        {"HOOK_EVENT": "pre-tool", "HOOK_TOOL": "write_file", "HOOK_ARGS": '{"path":"a","content":"b"}'},
    ),
    (
        replace(CALL, session_id="s", cwd="/w", tool_use_id="t"),
        {
            "HOOK_EVENT": "pre-tool",
            "HOOK_SESSION_ID": "s",
            "HOOK_WORKSPACE": "/w",
            "HOOK_TOOL": "write_file",
            "HOOK_TOOL_CALL_ID": "t",
            "HOOK_ARGS": '{"path":"a","content":"b"}',
        },
    ),
    (
        FileModified(file_path="a", change_type="delete", tool_name="Delete"),
        {"HOOK_EVENT": "file-modified", "HOOK_PATH": "a", "HOOK_CHANGE_TYPE": "delete"},
    ),
    (
        UserPromptSubmit(prompt="do", mentioned_files=("a", "b")),
        {"HOOK_EVENT": "pre-prompt", "HOOK_INSTRUCTION": "do", "HOOK_MENTIONED_FILES": '["a","b"]'},
    ),
    (
        Stop(tokens_used=0, tool_calls_count=2, turn_tool_calls=1, turn_duration=1.5, duration=3.0),
        {
            "HOOK_EVENT": "stop",
            "HOOK_TOKENS": "0",
            "HOOK_TOOL_CALLS_COUNT": "2",
            "HOOK_TURN_TOOL_CALLS": "1",
            "HOOK_TURN_DURATION": "1500",
            "HOOK_DURATION": "3000",
        },
    ),
    (SessionStart(source="clear"), {"HOOK_EVENT": "session-start", "HOOK_SESSION_TYPE": "clear"}),
    (
        SessionEnd(reason="logout", duration=0.0),
        {"HOOK_EVENT": "session-end", "HOOK_SESSION_END_REASON": "quit", "HOOK_DURATION": "0"},
    ),
    (
        SessionError(error="e", error_code="E1"),
        {"HOOK_EVENT": "session-error", "HOOK_ERROR": "e", "HOOK_ERROR_CODE": "E1"},
    ),
    (StopFailure(error="rate_limit"), {"HOOK_EVENT": "session-error", "HOOK_ERROR": "rate_limit"}),
    (
        SubagentStop(subagent="1", subagent_name="n", subagent_type="t", success=False, error="e", duration=0.5),
        {
            "HOOK_EVENT": "subagent-stop",
            "HOOK_SUBAGENT_ID": "1",
            "HOOK_SUBAGENT_NAME": "n",
            "HOOK_SUBAGENT_TYPE": "t",
            "HOOK_SUBAGENT_SUCCESS": "false",
            "HOOK_SUBAGENT_ERROR": "e",
            "HOOK_SUBAGENT_DURATION": "500",
        },
    ),
    (
        PermissionRequest(tool_name="Read", tool_input={"file_path": "x"}, permission_type="tool"),
        {
            "HOOK_EVENT": "permission-request",
            "HOOK_TOOL": "read_file",
            "HOOK_ARGS": '{"path":"x"}',
            "HOOK_PATH": "x",
            "HOOK_PERMISSION_TYPE": "tool",
        },
    ),
    (
        Notification(notification_type="idle", message="hi"),
        {"HOOK_EVENT": "notification", "HOOK_NOTIFICATION_TYPE": "idle", "HOOK_NOTIFICATION_MSG": "hi"},
    ),
)


@pytest.mark.parametrize(("event", "env"), ALL, ids=lambda value: getattr(value, "name", ""))
def test_the_variables_of_each_event(event: Event, env: dict[str, str]) -> None:
    assert wire(event) == env


@given(st.dictionaries(st.sampled_from(KEYS), json_values), st.sampled_from([row.native for row in DIALECT.names]))
def test_any_payload_comes_back_whole_and_can_be_told_to_an_editor(payload: dict[str, Json], name: str) -> None:
    event = DIALECT.decode_event(payload, name)
    body = DIALECT.encode_event(event).body
    assert {key: body[key] for key in payload if key != "hook_event_name"} == {
        key: value for key, value in payload.items() if key != "hook_event_name"
    }
    for _, params in rpc_notifications(event):
        json.dumps(params)


def test_a_rewrite_is_sent_in_autohand_s_words() -> None:
    event = DIALECT.decode_event({"tool_name": "write_file", "tool_input": {"path": "a"}, "x": 1}, "pre-tool")
    assert isinstance(event, PreToolUse)
    body = DIALECT.encode_event(rewritten(event, tool_input={"file_path": "b"})).body
    assert (body["tool_input"], body["x"]) == ({"path": "b"}, 1)


def test_canonical_names_are_understood_too() -> None:
    assert DIALECT.encode_event(DIALECT.decode_event({}, "PreToolUse")).body["hook_event_name"] == "pre-tool"


# Replies


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", NO_OPINION),
        ("all fine", NO_OPINION),
        ("[1]", NO_OPINION),
        ("note: {}", NO_OPINION),
        ("{}", NO_OPINION),
        ((DATA / "response.json").read_text(), Verdict.approve("Approved by automation")),
        ('{"decision": "deny", "reason": "no"}', Verdict.deny("no")),
        ('{"decision": "block"}', Verdict.block()),
        ('\ufeff{"decision": "ask"}\n', Verdict(decision=Decision.ASK, ordinary=True)),
        ('{"continue": false, "stopReason": "x"}', Verdict(continue_=False, stop_reason="x")),
        ('{"additionalContext": "c"}', Verdict.context("c")),
        ('{"updatedInput": {"path": "z"}}', Verdict.rewrite(file_path="z")),
        ('{"decision": null, "unknown": 1}', NO_OPINION),
    ],
)
def test_answers(text: str, verdict: Verdict) -> None:
    assert answered(text) == verdict


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"decision": "deny"',
        '{"decision": "deny"} and more',
        '{"decision": "approve"}',
        '{"decision": "Deny"}',
        '{"decision": true}',
        '{"decision": "allow", "decision": "deny"}',
        '{"continue": "false"}',
        '{"continue": 0}',
        '{"updatedInput": []}',
        '{"updatedInput": {"type": "delete_path"}}',
        '{"updatedInput": {"__proto__": {}}}',
        '{"additionalContext": 1}',
        '{"reason": {}}',
        '{"hookSpecificOutput": {"permissionDecision": "deny"}}',
        '{"action": "block"}',
    ],
)
def test_broken_answers(text: str) -> None:
    found = answered(text)
    assert isinstance(found, Failure)
    assert found.cause is Cause.OUTPUT


@pytest.mark.parametrize(
    ("code", "stderr", "verdict"),
    [(2, " no \n", Verdict.block("no")), (2, "", Verdict.block("blocked by a hook that gave no reason"))],
)
def test_exit_2_blocks_whatever_stdout_says(code: int, stderr: str, verdict: Verdict) -> None:
    assert answered('{"decision": "allow"}', code, stderr) == verdict


@pytest.mark.parametrize(
    ("code", "stderr", "cause"),
    [
        (1, "", Cause.EXIT),
        (127, "sh: x: not found", Cause.START),
        (2, "sh: 0: cannot open x: No such file", Cause.START),
        (2, "Traceback (most recent call last):\n  x\nValueError: y", Cause.EXIT),
    ],
)
def test_other_ends_are_failures(code: int, stderr: str, cause: Cause) -> None:
    found = answered("", code, stderr)
    assert isinstance(found, Failure)
    assert found.cause is cause


@pytest.mark.parametrize(
    "verdict",
    [
        NO_OPINION,
        Verdict.approve("ok"),
        Verdict(decision=Decision.ASK, ordinary=True, reason="hm"),
        Verdict.deny("no"),
        Verdict.block("no"),
        Verdict(decision=Decision.BLOCK, reason="no", additional_context="c"),
        Verdict(continue_=False, stop_reason="x"),
        Verdict(additional_context="c", updated_input={"file_path": "z"}),
    ],
)
def test_a_verdict_is_read_as_it_was_written(verdict: Verdict) -> None:
    reply = DIALECT.encode_reply(CALL, verdict)
    assert answered(reply.stdout, reply.exit_code, reply.stderr) == verdict
    assert reply.lost == ()


def test_a_block_of_words_only_is_an_exit_code() -> None:
    reply = DIALECT.encode_reply(CALL, Verdict.block("no"))
    assert (reply.exit_code, reply.stdout, reply.stderr) == (2, "", "no")


def test_no_objection_is_not_an_approval() -> None:
    assert DIALECT.encode_reply(CALL, Verdict.allow()).stdout == ""


def test_a_whole_new_input_becomes_a_patch_or_a_refusal() -> None:
    same = Verdict(updated_input={"file_path": "z", "content": "b"}, partial=False)
    assert json.loads(DIALECT.encode_reply(CALL, same).stdout) == {"updatedInput": {"path": "z"}}
    less = DIALECT.encode_reply(CALL, Verdict(updated_input={"file_path": "z"}, partial=False))
    assert json.loads(less.stdout)["decision"] == "deny"
    assert less.lost == ("rewrite -> deny: content cannot be removed",)


def test_what_has_no_place_is_listed() -> None:
    reply = DIALECT.encode_reply(CALL, Verdict(system_message="m", updated_output=1, suppress_output=True))
    assert reply.stdout == ""
    assert len(reply.lost) == 3


# JSON-RPC

AT = 1_768_730_400.5
ISO = "2026-01-18T10:00:00.500Z"
NOTIFICATIONS: tuple[tuple[Event, str, dict[str, Json]], ...] = (
    (
        replace(CALL, tool_use_id="t"),
        "preTool",
        {"toolId": "t", "toolName": "write_file", "args": {"path": "a", "content": "b"}},
    ),
    (PreToolUse(), "preTool", {"toolId": "", "toolName": "", "args": {}}),
    (
        PostToolUse(tool_name="Bash", tool_response="out", duration=0.1),
        "postTool",
        {"toolId": "", "toolName": "run_command", "success": True, "duration": 100, "output": "out"},
    ),
    (
        PostToolUseFailure(tool_name="Bash", error="bad"),
        "postTool",
        {"toolId": "", "toolName": "run_command", "success": False, "duration": 0, "output": "bad"},
    ),
    (
        FileModified(file_path="a", tool_use_id="t"),
        "fileModified",
        {"filePath": "a", "changeType": "modify", "toolId": "t"},
    ),
    (UserPromptSubmit(prompt="p"), "prePrompt", {"instruction": "p", "mentionedFiles": []}),
    (SessionStart(), "sessionStart", {"sessionType": "startup"}),
    (SessionEnd(), "sessionEnd", {"reason": "exit", "duration": 0}),
    (SessionError(), "sessionError", {"error": ""}),
    (
        SessionError(error="e", error_code="c", context={"a": 1}),
        "sessionError",
        {"error": "e", "code": "c", "context": {"a": 1}},
    ),
    (
        SubagentStop(subagent="i", success=True, duration=2.0),
        "subagentStop",
        {"subagentId": "i", "subagentName": "", "subagentType": "", "success": True, "duration": 2000},
    ),
    (
        PermissionRequest(tool_name="Bash", tool_input={"command": "ls"}),
        "permissionRequest",
        {"tool": "run_command", "command": "ls", "args": {"command": "ls"}},
    ),
    (
        PermissionRequest(tool_name="Read", tool_input={"file_path": "a"}),
        "permissionRequest",
        {"tool": "read_file", "path": "a", "args": {"path": "a"}},
    ),
    (Notification(), "notification", {"notificationType": "", "message": ""}),
)


@pytest.mark.parametrize(("event", "method", "params"), NOTIFICATIONS, ids=lambda value: getattr(value, "name", ""))
def test_the_notification_of_each_event(event: Event, method: str, params: dict[str, Json]) -> None:
    assert rpc_notifications(replace(event, timestamp=AT)) == (
        (f"autohand.hook.{method}", {**params, "timestamp": ISO}),
    )


@pytest.mark.parametrize(
    ("event", "duration"),
    [(Stop(), 0), (Stop(duration=1.0), 1000), (Stop(duration=1.0, turn_duration=0.5), 500)],
)
def test_a_turn_s_end_is_told_twice(event: Stop, duration: int) -> None:
    params = {"tokensUsed": 0, "toolCallsCount": 0, "duration": duration, "timestamp": ISO}
    assert rpc_notifications(replace(event, timestamp=AT)) == (
        ("autohand.hook.stop", params),
        ("autohand.hook.postResponse", params),
    )


def test_a_tool_that_did_not_say_how_it_went_has_not_succeeded() -> None:
    [(_, params)] = rpc_notifications(DIALECT.decode_event({"tool_name": "shell"}, "post-tool"))
    assert (params["success"], params["toolName"]) == (False, "shell")


def test_other_events_are_not_told() -> None:
    for name in ("PreCompact", "automode:start"):
        assert rpc_notifications(DIALECT.decode_event({}, name)) == ()


def test_a_hook_of_claude_code_answers_in_autohand_and_the_other_way_round() -> None:
    theirs = dialects.get("claude-code")
    event = DIALECT.decode_event({"tool_name": "run_command", "tool_input": {"command": "rm"}}, "pre-tool")
    assert theirs.encode_event(event).body["tool_name"] == "Bash"
    ours = DIALECT.encode_event(
        theirs.decode_event({"tool_name": "Bash", "tool_input": {"command": "rm"}}, "PreToolUse")
    )
    assert ours.body["tool_name"] == "run_command"
