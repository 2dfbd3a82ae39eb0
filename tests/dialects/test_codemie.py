"""What is peculiar to CodeMie's dialect."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook import debugging
from omnihook.dialect import ConfigText, Failure, Raw, Reading, Settings
from omnihook.dialects.codemie import DIALECT, free_text, identity
from omnihook.events import Event, PostToolUse, PreToolUse, SessionStart, Stop, UserPromptSubmit, rewritten
from omnihook.families.codemie_payloads import VARIABLES
from omnihook.hooks import Cause, Command, Hook, Http, Layer, Matcher, Prompt, Source
from omnihook.jsontypes import Json
from omnihook.outcomes import Outcome, Report, Status
from omnihook.plans import Plan, Skipped
from omnihook.verdicts import NO_OPINION, Decision, Verdict
from strategies import json_values

DATA = Path(__file__).parents[1] / "seeds" / "codemie"
EVENTS = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop")
CALL = PreToolUse(tool_name="Bash", tool_input={"command": "ls", "timeout": 5}, agent="codemie")
HOOK = Hook(
    name="PreToolUse:1", events=("PreToolUse",), action=Command(command="true"), source=Source(dialect="codemie")
)


def read(hooks: Json = None, *, text: str | None = None, **profile: Json) -> Reading:
    document = {"version": 2, "activeProfile": "work", "profiles": {"work": {"hooks": hooks, **profile}, "other": {}}}
    made = json.dumps(document) if text is None else text
    return DIALECT.read_config([ConfigText(path="/h/c.json", layer=Layer.USER, text=made)])


def group(*hooks: Json, matcher: Json = None) -> Json:
    return {"hooks": list(hooks)} if matcher is None else {"matcher": matcher, "hooks": list(hooks)}


def answered(
    text: str, code: int = 0, stderr: str = "", event: Event = CALL, channel: str = "process"
) -> Verdict | Failure:
    return DIALECT.decode_reply(HOOK, event, Raw(exit_code=code, stdout=text, stderr=stderr, channel=channel))


# Configuration


def test_the_document_s_configuration() -> None:
    found = read(text=(DATA / "config.json").read_text())
    first, second = found.hooks
    assert (first.name, first.action, first.timeout, first.matcher) == (
        "PreToolUse:1",
        Command(command="/path/to/pre-tool-hook.sh"),
        60.0,
        Matcher(text="Bash|Write", pattern="Bash|Write", whole=True),
    )
    assert second.matcher.everything
    assert first.source.owner == "profile:default"
    assert first.source.pointer == ("profiles", "default", "hooks", "PreToolUse", 0, "hooks", 0)
    assert found.diagnostics == ()
    assert found.settings[Layer.USER] == Settings(
        max_retries=5,
        provider="openai",
        base_url="https://api.openai.com/v1",
        api_key="your-api-key",
        model="gpt-4",
    )


def test_only_the_active_profile_counts() -> None:
    hooks = {"Stop": [group({"type": "command", "command": "x"})]}
    document = {"activeProfile": "a", "profiles": {"a": {"debug": True, "maxHookRetries": 0}, "b": {"hooks": hooks}}}
    found = read(text=json.dumps(document))
    assert found.hooks == ()
    assert (found.settings[Layer.USER].debug, found.settings[Layer.USER].max_retries) == (True, 0)


def test_a_profile_named_default_is_active_where_none_is_named() -> None:
    hooks = {"Stop": [group({"type": "command", "command": "x"})]}
    assert len(read(text=json.dumps({"version": 2, "profiles": {"default": {"hooks": hooks}}})).hooks) == 1


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("", []),
        ("{}", []),
        ('{"version": 1}', ["version"]),
        ("{", ["syntax"]),
        ('{"profiles": []}', ["entry"]),
        ('{"activeProfile": "wrk", "profiles": {"work": {}}}', ["profile"]),
        ('{"profiles": {"default": {"hooks": []}}}', ["entry"]),
        ('{"profiles": {"default": {"hooks": {"Stop": {}}}}}', ["entry"]),
        ('{"profiles": {"default": {"maxHookRetries": "5"}}}', ["entry"]),
        ('{"profiles": {"default": {"hooks": {"PreTool": []}}}}', ["unknown-event"]),
    ],
)
def test_files_that_are_odd(text: str, codes: list[str]) -> None:
    found = read(text=text)
    assert (found.hooks, [item.code for item in found.diagnostics]) == ((), codes)


@pytest.mark.parametrize(
    ("hook", "word"),
    [
        ({"command": "x"}, "the hook has no 'type'"),
        ({"type": "http", "command": "x"}, "unknown hook type 'http'"),
        ({"type": "command"}, "no 'command'"),
        ({"type": "prompt", "prompt": ""}, "empty"),
        ({"type": "command", "command": "x", "timeout": 0}, "between 0 and a day"),
        ({"type": "command", "command": "x", "timeout": "1"}, "number"),
        ("x", "must be an object"),
    ],
)
def test_a_bad_hook_is_set_aside_alone(hook: Json, word: str) -> None:
    found = read({"Stop": [group(hook, {"type": "command", "command": "kept"})]})
    assert [(h.name, h.action) for h in found.hooks] == [("Stop:1", Command(command="kept"))]
    [item] = found.diagnostics
    assert word in item.message
    assert item.pointer[:7] == ("profiles", "work", "hooks", "Stop", 0, "hooks", 0)


def test_a_matcher_that_is_no_pattern_sets_its_hooks_aside() -> None:
    found = read({"PreToolUse": [group({"type": "command", "command": "x"}, matcher="Bash(")]})
    assert (found.hooks, [item.code for item in found.diagnostics]) == ((), ["bad-regex"])


def test_a_matcher_is_ignored_without_a_tool() -> None:
    found = read({"Stop": [group({"type": "command", "command": "x"}, matcher="Bash(")]})
    assert found.hooks[0].matcher.everything
    assert DIALECT.subjects is not None
    assert [DIALECT.subjects(e) for e in (UserPromptSubmit(), SessionStart(), Stop())] == [None, None, None]


def test_spaces_around_a_matcher_are_pointed_out() -> None:
    found = read({"PreToolUse": [group({"type": "command", "command": "x"}, matcher="Bash ")]})
    assert [(item.code, item.severity, item.pointer[-1]) for item in found.diagnostics] == [
        ("spaces", "warning", "matcher")
    ]


hooks = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["command", "prompt", "other"])},
        optional={
            "command": st.text(max_size=5),
            "prompt": st.text(max_size=5),
            "timeout": st.integers(-1, 10**7) | st.floats(0.001, 1e6),
            "custom": json_values,
        },
    ),
    max_size=3,
)
groups = st.lists(
    st.fixed_dictionaries(
        {"hooks": hooks}, optional={"matcher": st.sampled_from(["", "*", "Bash", "a|b", "(", " x", ".*", "a.b"])}
    ),
    max_size=3,
)


@given(st.dictionaries(st.sampled_from([*EVENTS, "SessionEnd", "Tomorrow"]), groups))
def test_reading_what_was_written_gives_the_same_hooks(table: Json) -> None:
    first = read(table).hooks
    again = read(text=DIALECT.write_config(first).text).hooks
    assert [replace(h, source=Source()) for h in again] == [replace(h, source=Source()) for h in first]


def test_another_dialect_s_hooks_match_the_same_names() -> None:
    theirs = Hook(
        name="h",
        events=("PreToolUse", "FileModified"),
        action=Command(command="x"),
        matcher=Matcher(text="Ba", pattern="Ba"),
        timeout=1.5,
        paths=("*.py",),
    )
    remote = Hook(name="r", events=("Stop",), action=Http(url="https://x"))
    written = DIALECT.write_config([theirs, remote])
    [hook] = read(text=written.text).hooks
    assert hook.matcher == Matcher(text="^(?:.*(?:Ba).*)$", pattern="^(?:.*(?:Ba).*)$", whole=True)
    assert hook.timeout == 1.5
    assert written.lost == ("h: paths = ('*.py',)", "h: event FileModified", "r: action https://x")


def test_identical_hooks_are_those_with_the_same_action_and_time_out() -> None:
    assert identity(HOOK) == identity(replace(HOOK, name="other", timeout=60.0, matcher=Matcher(text="x")))
    assert identity(HOOK) != identity(replace(HOOK, timeout=1.0))
    assert identity(HOOK) != identity(replace(HOOK, action=Prompt(prompt="true")))


# Events


@pytest.mark.parametrize("name", EVENTS)
def test_the_document_s_inputs_come_back_as_they_were(name: str) -> None:
    payload = json.loads((DATA / f"{name}.json").read_text())
    event = DIALECT.decode_event(payload, None)
    made = DIALECT.encode_event(event)
    assert (event.name, made.stdin) == (name, None)
    assert json.loads(made.env["CODEMIE_HOOK_INPUT"]) == payload == made.body
    assert tuple(made.env) == VARIABLES


def test_the_input_is_printed_over_several_lines() -> None:
    text = DIALECT.encode_event(Stop(agent="codemie", native={"é": "\ud800"})).env["CODEMIE_HOOK_INPUT"]
    assert text.startswith('{\n  "hook_event_name": "Stop"')
    assert json.loads(text)["é"] == "\ud800"


def test_metadata_of_a_tool_has_a_field() -> None:
    event = DIALECT.decode_event(json.loads((DATA / "PostToolUse.json").read_text()), None)
    assert isinstance(event, PostToolUse)
    assert event.tool_metadata == {"filePath": "test.txt", "bytesWritten": 100}
    assert event.tool_response == "File written successfully"


def test_an_event_of_another_agent_is_told_in_codemie_s_words() -> None:
    event = PostToolUse(
        agent="claude-code",
        session_id="s",
        cwd="/w",
        tool_name="Write",
        tool_input={"file_path": "a"},
        tool_response={"type": "create"},
        permission_mode="default",
        transcript_path="/t",
    )
    made = DIALECT.encode_event(event)
    assert made.body == {
        "hook_event_name": "PostToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": "a"},
        "tool_output": '{"type":"create"}',
        "session_id": "s",
        "cwd": "/w",
        "transcript_path": "/t",
        "permission_mode": "manual",
    }
    assert made.env["CODEMIE_AGENT_NAME"] == "claude-code"
    assert made.env["CODEMIE_PERMISSION_MODE"] == "manual"


def test_the_placeholders_of_prompts() -> None:
    values = DIALECT.encode_event(replace(CALL, session_id="s", cwd="/w")).values
    assert values == {
        "TOOL_NAME": "Bash",
        "TOOL_INPUT": '{"command":"ls","timeout":5}',
        "PROMPT": "",
        "SESSION_ID": "s",
        "CWD": "/w",
    }
    assert DIALECT.encode_event(UserPromptSubmit(prompt="do")).values["PROMPT"] == "do"


def test_the_profile_of_a_hook_fills_in_for_the_event_s() -> None:
    hook = replace(HOOK, source=Source(dialect="codemie", owner="profile:work"))
    assert DIALECT.hook_env is not None
    assert DIALECT.hook_env(hook, CALL) == {"CODEMIE_PROFILE_NAME": "work"}
    assert DIALECT.hook_env(hook, replace(CALL, profile_name="mine")) == {}


KEYS = ("hook_event_name", "tool_name", "tool_input", "tool_output", "tool_metadata", "session_id", "cwd", "prompt")


@given(st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), json_values), st.sampled_from(EVENTS))
def test_any_payload_comes_back_whole(payload: dict[str, Json], name: str) -> None:
    body = DIALECT.encode_event(DIALECT.decode_event(payload, name)).body
    expected = {**payload, "hook_event_name": name}
    assert {key: body[key] for key in expected} == expected


def test_a_rewrite_replaces_only_itself() -> None:
    event = DIALECT.decode_event({"tool_name": "Bash", "tool_input": {"command": "a"}, "x": 1}, "PreToolUse")
    assert isinstance(event, PreToolUse)
    body = DIALECT.encode_event(rewritten(event, tool_input={"command": "b"})).body
    assert (body["tool_input"], body["x"]) == ({"command": "b"}, 1)


# Replies


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", Verdict.allow()),
        ("{}", Verdict.allow()),
        ("plain words", Verdict(decision=Decision.ALLOW, additional_context="plain words")),
        ("[1]", Verdict(decision=Decision.ALLOW, additional_context="[1]")),
        ('{"decision": "allow"}', Verdict.allow()),
        ('{"decision": "approve", "reason": "r"}', Verdict.approve("r")),
        ('{"decision": "deny", "reason": "r"}', Verdict.deny("r")),
        ('{"decision": "block"}', Verdict.block()),
        (
            '{"updatedInput": {"command": "x"}, "additionalContext": "c", "suppressOutput": true}',
            Verdict(
                decision=Decision.ALLOW,
                updated_input={"command": "x"},
                additional_context="c",
                suppress_output=True,
            ),
        ),
    ],
)
def test_answers(text: str, verdict: Verdict) -> None:
    assert answered(text) == verdict


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"decision": "block"',
        '{"decision": "ask"}',
        '{"decision": "BLOCK"}',
        '{"decision": 1}',
        '{"decision": "deny", "decision": "allow"}',
        '{"reason": 1}',
        '{"updatedInput": "x"}',
        '{"suppressOutput": "yes"}',
        '{"continue": false}',
        '{"hookSpecificOutput": {"permissionDecision": "deny"}}',
    ],
)
def test_broken_answers(text: str) -> None:
    found = answered(text)
    assert isinstance(found, Failure)
    assert found.cause is Cause.OUTPUT


@pytest.mark.parametrize(
    ("stdout", "stderr", "context"),
    [("out", "err", "err\n\nout"), ("", "err", "err"), ("out", "", "out"), ("", "", None)],
)
def test_exit_2_blocks_and_tells_all_it_wrote(stdout: str, stderr: str, context: str | None) -> None:
    reason = stderr or "blocked by a hook that gave no reason"
    assert answered(stdout, 2, stderr) == Verdict(decision=Decision.BLOCK, reason=reason, additional_context=context)


def test_other_codes_fail_and_tell_what_they_wrote() -> None:
    assert answered("out", 1, "err") == Failure(
        cause=Cause.EXIT, message="exit 1: err", said=Verdict.context("err\n\nout")
    )
    assert answered("", 1) == Failure(cause=Cause.EXIT, message="exit 1")


@pytest.mark.parametrize("channel", ["process", "model"])
@pytest.mark.parametrize("event", [UserPromptSubmit(), SessionStart(), Stop()], ids=lambda event: event.name)
def test_deny_is_block_where_there_is_no_call(event: Event, channel: str) -> None:
    assert answered('{"decision": "deny", "reason": "r"}', event=event, channel=channel) == Verdict.block("r")


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("I would block that", Decision.DENY),
        ("DENY.", Decision.DENY),
        ("Please reject", Decision.DENY),
        ("must prevent", Decision.DENY),
        ("Unblocked", Decision.ALLOW),
        ("blocker removed", Decision.ALLOW),
        ("fine", Decision.ALLOW),
    ],
)
def test_free_words_of_a_model(text: str, decision: Decision) -> None:
    assert free_text(text) == Verdict(decision=decision, reason=text)
    assert answered(text, channel="model") == Verdict(decision=decision, reason=text)


def test_an_unknown_decision_of_a_model_is_broken() -> None:
    assert isinstance(answered('{"decision": "perhaps"}', channel="model"), Failure)


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict.allow("ok"),
        Verdict.approve("ok"),
        Verdict.deny("no"),
        Verdict.block("no"),
        Verdict(decision=Decision.ALLOW, updated_input={"command": "x"}, additional_context="c", suppress_output=True),
    ],
)
def test_a_verdict_is_read_as_it_was_written(verdict: Verdict) -> None:
    reply = DIALECT.encode_reply(CALL, verdict)
    assert (answered(reply.stdout, reply.exit_code), reply.lost) == (verdict, ())


@pytest.mark.parametrize(
    ("verdict", "event", "said"),
    [
        (NO_OPINION, CALL, {}),
        (Verdict.ask("sure?"), CALL, {"decision": "deny", "reason": "sure?"}),
        (Verdict(continue_=False, stop_reason="s"), CALL, {"decision": "deny", "reason": "s"}),
        (Verdict.deny("no"), Stop(), {"decision": "block", "reason": "no"}),
        (
            Verdict(updated_input={"command": "ls"}, partial=False),
            CALL,
            {"decision": "deny", "reason": "a hook rewrote the input and the rewrite cannot be applied here"},
        ),
    ],
)
def test_what_has_no_word_is_said_more_strictly(verdict: Verdict, event: Event, said: dict[str, Json]) -> None:
    text = DIALECT.encode_reply(event, verdict).stdout
    assert (json.loads(text) if text else {}) == said


def test_the_debug_line_counts_as_codemie_does(tmp_path: Path) -> None:
    failure = Failure(cause=Cause.EXIT, message="exit 1")
    event = replace(CALL, session_id="s", timestamp=1_768_730_400.5)
    report = Report(
        event=event,
        plan=Plan(event=event),
        verdict=Verdict.block("no"),
        outcomes=(
            Outcome(hook=HOOK, verdict=Verdict.block("no"), status=Status.BLOCKED),
            Outcome(hook=HOOK, failure=failure, status=Status.BROKEN),
        ),
        skipped=(Skipped(hook=HOOK, why="duplicate"),),
        duration=0.25,
    )
    head, _, tail = debugging.line(report, "PreToolUse").partition(" hooks ")
    assert head == "[2026-01-18T10:00:00.500Z] [DEBUG]"
    assert json.loads(tail) == {
        "event": "PreToolUse",
        "session": "s",
        "decision": "block",
        "reason": "no",
        "executed": 2,
        "succeeded": 1,
        "failed": 1,
        "duration_ms": 250,
        "errors": ["PreToolUse:1: exit 1"],
        "skipped": ["PreToolUse:1: duplicate"],
    }
    debugging.append(report, "PreToolUse", home=str(tmp_path), path=DIALECT.debug_log or "")
    assert (tmp_path / ".codemie/logs/debug-2026-01-18.log").read_text() == f"{head} hooks {tail}\n"
