"""claude-agent-rs's codec: what is peculiar to it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook.dialect import ConfigText, Failure, Raw, Reading
from omnihook.dialects.claude_agent_rs import DIALECT
from omnihook.events import (
    Event,
    PostToolUse,
    PreToolUse,
    SessionEnd,
    Stop,
    SubagentStart,
    SubagentStop,
    UserPromptSubmit,
    rewritten,
)
from omnihook.hooks import Cause, Command, Hook, Layer, Matcher, OnError, Prompt, Source
from omnihook.verdicts import NO_OPINION, Decision, Verdict
from strategies import inputs, json_values, verdicts, words

SPELLINGS = {
    "PreToolUse": ("pre_tool_use", "preToolUse"),
    "PostToolUse": ("post_tool_use", "postToolUse"),
    "PostToolUseFailure": ("post_tool_use_failure", "postToolUseFailure"),
    "UserPromptSubmit": ("user_prompt_submit", "userPromptSubmit"),
    "Stop": ("stop", "stop"),
    "SubagentStart": ("subagent_start", "subagentStart"),
    "SubagentStop": ("subagent_stop", "subagentStop"),
    "PreCompact": ("pre_compact", "preCompact"),
    "SessionStart": ("session_start", "sessionStart"),
    "SessionEnd": ("session_end", "sessionEnd"),
}
HOOK = Hook(name="check", events=("PreToolUse",), action=Command(command="true"), source=Source(dialect=DIALECT.name))
BASH = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"})


def read(
    text: str, *, role: str = "settings", path: str = "/h/.claude/settings.json", root: str | None = None
) -> Reading:
    return DIALECT.read_config([ConfigText(path=path, layer=Layer.USER, text=text, role=role, root=root)])


def config(table: object) -> str:
    return json.dumps({"hooks": table})


def bare(reading: Reading) -> list[Hook]:
    return [replace(hook, source=Source()) for hook in reading.hooks]


def reply(stdout: str = "", *, code: int = 0, stderr: str = "", event: Event = BASH) -> Verdict | Failure:
    return DIALECT.decode_reply(HOOK, event, Raw(exit_code=code, stdout=stdout, stderr=stderr))


@pytest.mark.parametrize("event", SPELLINGS)
def test_an_event_has_three_spellings_and_is_sent_in_one(event: str) -> None:
    snake, camel = SPELLINGS[event]
    for name in (event, snake, camel):
        decoded = DIALECT.decode_event({"event": name, "session_id": "s"}, None)
        assert decoded.name == event
        wire = DIALECT.encode_event(decoded)
        assert (wire.body["event"], wire.env["EVENT"]) == (snake, snake)


@given(extra=st.dictionaries(words, json_values), given_input=inputs, event=st.sampled_from(sorted(SPELLINGS)))
def test_a_payload_comes_back_whole(extra: dict[str, object], given_input: dict[str, object], event: str) -> None:
    payload = {"event": SPELLINGS[event][0], "session_id": "s", "tool_name": "Task", "tool_input": given_input, **extra}
    wire = DIALECT.encode_event(DIALECT.decode_event(payload, None))
    assert {key: wire.body[key] for key in payload} == payload
    assert wire.stdin is not None
    assert json.loads(wire.stdin) == wire.body


def test_an_event_without_a_tool_says_so_with_nulls() -> None:
    wire = DIALECT.encode_event(Stop(session_id="abc", cwd="/p", timestamp=0.0))
    assert wire.stdin == (
        b'{"event":"stop","session_id":"abc","tool_name":null,"tool_input":null,"cwd":"/p",'
        b'"timestamp":"1970-01-01T00:00:00.000Z"}'
    )


@pytest.mark.parametrize(
    ("event", "wanted"),
    [
        (UserPromptSubmit(prompt="hi"), {"prompt": "hi"}),
        (PostToolUse(tool_name="Agent", tool_response={"ok": 1}), {"tool_name": "Task", "tool_result": {"ok": 1}}),
        (
            SubagentStart(subagent="a", subagent_type="t", description="d"),
            {"subagent_id": "a", "subagent_type": "t", "description": "d"},
        ),
        (SubagentStop(subagent="a", success=False, error="e"), {"subagent_id": "a", "success": False, "error": "e"}),
        (Stop(metadata={"k": 1}), {"metadata": {"k": 1}}),
    ],
)
def test_stdin_also_carries(event: Event, wanted: dict[str, object]) -> None:
    body = DIALECT.encode_event(event).body
    assert {key: body[key] for key in wanted} == wanted
    assert DIALECT.encode_event(replace(DIALECT.decode_event(body, None), native={})).body == body


def test_a_rewritten_input_is_sent() -> None:
    event = DIALECT.decode_event({"event": "pre_tool_use", "tool_name": "Bash", "tool_input": {"command": "ls"}}, None)
    assert isinstance(event, PreToolUse)
    assert DIALECT.encode_event(rewritten(event, tool_input={"command": "x"})).body["tool_input"] == {"command": "x"}


@pytest.mark.parametrize(
    ("stdout", "wanted"),
    [
        ("", NO_OPINION),
        ("done", NO_OPINION),
        ("[1]", NO_OPINION),
        ('{"log": 1}', NO_OPINION),
        ('{"continue_execution": true}', Verdict.allow()),
        ('{"stop_reason": null, "updated_input": null}', NO_OPINION),
        (
            '{"continue_execution": false}',
            Verdict.block("blocked by a hook"),
        ),
        (
            '{"continue_execution": false, "stop_reason": "no"}',
            replace(Verdict.block("no"), stop_reason="no"),
        ),
        ('{"updated_input": {"command": "x"}}', Verdict(updated_input={"command": "x"}, partial=False)),
        ('{"suppress_logging": true}', Verdict(suppress_logging=True)),
        ('{"system_message": "m", "additional_context": "c"}', Verdict(system_message="m", additional_context="c")),
    ],
)
def test_what_a_hook_may_print(stdout: str, wanted: Verdict) -> None:
    assert reply(stdout) == wanted


@pytest.mark.parametrize(
    "stdout",
    [
        "{",
        '{"continue_execution": "false"}',
        '{"continue_execution": 0}',
        '{"continue_execution": true, "continue_execution": false}',
        '{"stop_reason": 1}',
        '{"updated_input": "x"}',
        '{"updated_input": {"command": ["x"]}}',
        '{"suppress_logging": "yes"}',
        '{"continue_execution": true} and more',
        '{"decision": "block"}',
        '{"action": "block"}',
        '{"hookSpecificOutput": {}}',
    ],
)
def test_what_cannot_be_read_is_a_failure(stdout: str) -> None:
    found = reply(stdout)
    assert isinstance(found, Failure)
    assert found.cause is Cause.OUTPUT
    assert DIALECT.policy.on_error is OnError.DENY


@pytest.mark.parametrize(
    ("stdout", "stderr", "reason"),
    [
        ("", "", "hook 'check' failed with exit code 3"),
        ("", " why\n", "why"),
        ('{"stop_reason": "told"}', "why", "told"),
        ("{", "", "hook 'check' failed with exit code 3"),
    ],
)
def test_any_other_exit_blocks_where_that_is_possible(stdout: str, stderr: str, reason: str) -> None:
    found = reply(stdout, stderr=stderr, code=3)
    assert isinstance(found, Verdict)
    assert (found.decision, found.reason) == (Decision.BLOCK, reason)
    after = reply(stdout, stderr=stderr, code=3, event=Stop())
    assert isinstance(after, Failure)
    assert after.cause is Cause.EXIT


def test_the_events_that_can_be_refused() -> None:
    can = {event for event, effects in DIALECT.effects.items() if effects.refuse}
    assert can == {"PreToolUse", "UserPromptSubmit", "SubagentStart", "SessionStart"}
    assert [event for event, effects in DIALECT.effects.items() if effects.rewrite] == ["PreToolUse"]


@given(verdict=verdicts(), event=st.sampled_from([BASH, UserPromptSubmit(), Stop(), SessionEnd()]))
def test_a_written_verdict_is_never_weaker_when_read(verdict: Verdict, event: Event) -> None:
    written = DIALECT.encode_reply(event, verdict)
    back = DIALECT.decode_reply(HOOK, event, Raw(exit_code=written.exit_code, stdout=written.stdout))
    assert isinstance(back, Verdict)
    wants_no = verdict.decision >= Decision.ASK or not verdict.continue_
    assert back.refused == (wants_no and DIALECT.effects[event.name].refuse)
    assert back.decision is not Decision.APPROVE
    assert (back.additional_context, back.system_message) == (verdict.additional_context, verdict.system_message)
    if wants_no and not back.refused:
        assert f"refusal at {event.name}" in written.lost


text = st.text(min_size=1, max_size=12).filter(str.strip)
options = {
    "timeout_secs": st.integers(1, 600),
    "matcher": st.sampled_from(["", "*", "Bash", "Write|Edit"]),
    "extra_env": st.dictionaries(words, text, max_size=2),
    "priority": st.integers(-5, 100),
    "note": json_values,
}
plain = text | st.fixed_dictionaries({"command": text}, optional=options)
actions = st.fixed_dictionaries({"type": st.just("command"), "command": text}, optional={"timeout": st.integers(1, 60)})
rules = st.fixed_dictionaries(
    {"hooks": st.lists(actions, max_size=2)}, optional={"matcher": st.sampled_from(["", "*", "Bash", "a|b"])}
)
names = st.sampled_from([*SPELLINGS, *(camel for _, camel in SPELLINGS.values())])
tables = st.dictionaries(names, st.dictionaries(text, plain, max_size=3) | st.lists(plain | rules, max_size=3))


@given(table=tables)
def test_what_was_written_reads_the_same(table: dict[str, object]) -> None:
    first = read(config(table))
    assert first.diagnostics == ()
    written = DIALECT.write_config(first.hooks)
    assert written.lost == ()
    assert bare(read(written.text)) == bare(first)


def test_every_shape_gives_the_same_hook() -> None:
    shapes: dict[str, object] = {
        "preToolUse": {"check": {"command": "x", "timeout_secs": 9, "matcher": "Bash", "extra_env": {"A": "b"}}},
        "postToolUse": ["x", {"command": "x", "timeout_secs": 9}],
        "Stop": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 9}]}],
    }
    one, two, three, four = read(config(shapes)).hooks
    assert (one.name, one.events, one.timeout, one.env) == ("check", ("PreToolUse",), 9.0, {"A": "b"})
    assert (one.slot, two.slot) == ("PreToolUse/check", None)
    assert [hook.name for hook in (two, three, four)] == ["post-tool-use-0", "post-tool-use-1", "stop-0"]
    assert [hook.timeout for hook in (two, three, four)] == [None, 9.0, 9.0]
    assert one.matcher == four.matcher == Matcher(text="Bash", pattern="Bash")


def test_a_bad_entry_is_set_aside_alone() -> None:
    table: dict[str, object] = {
        "preToolUse": {
            "a": 3,
            "b": {"timeout_secs": 1},
            "c": {"command": "x", "matcher": "["},
            "d": {"command": "x", "priority": "high"},
            "e": {"command": "x", "extra_env": {"A": 1}},
            "f": {"command": "x", "timeout_secs": -1},
            "good": "x",
        },
        "stop": [{"hooks": "x"}, {"hooks": [{"type": "prompt", "prompt": "x"}]}, " ", "good"],
        "sessionEnd": "cleanup",
        "preToolUze": {},
    }
    reading = read(config(table))
    assert [hook.name for hook in reading.hooks] == ["good", "stop-0"]
    assert [item.pointer for item in reading.diagnostics] == [
        ("hooks", "preToolUse", "a"),
        ("hooks", "preToolUse", "b"),
        ("hooks", "preToolUse", "c"),
        ("hooks", "preToolUse", "d", "priority"),
        ("hooks", "preToolUse", "e", "extra_env"),
        ("hooks", "preToolUse", "f", "timeout_secs"),
        ("hooks", "stop", 0, "hooks"),
        ("hooks", "stop", 1, "hooks", 0, "type"),
        ("hooks", "stop", 2),
        ("hooks", "sessionEnd"),
        ("hooks", "preToolUze"),
    ]


@pytest.mark.parametrize(
    "document",
    [
        {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}},
        {"PreToolUse": [{"command": "x", "matcher": "Bash"}], "description": "flat", "version": 1},
    ],
    ids=["nested", "flat"],
)
def test_both_forms_of_a_plugin_file(document: dict[str, object]) -> None:
    reading = read(json.dumps(document), role="plugin", path="/p/tidy/hooks/hooks.json", root="/p/tidy")
    (hook,) = reading.hooks
    assert reading.diagnostics == ()
    assert (hook.name, hook.matcher.text, hook.slot) == ("tidy:pre-tool-use-0", "Bash", None)
    assert (hook.source.root, DIALECT.policy.plugin_variable) == ("/p/tidy", "CLAUDE_PLUGIN_ROOT")


def test_a_flat_plugin_file_may_be_named_on_the_command_line() -> None:
    named = ConfigText(path="/x/hooks.json", layer=Layer.FLAG, text='{"PreToolUse": ["echo"]}')
    assert [hook.name for hook in DIALECT.read_config([named]).hooks] == ["pre-tool-use-0"]
    found = replace(named, layer=Layer.USER)
    assert DIALECT.read_config([found]) == Reading()


def test_frontmatter_that_is_no_yaml_is_told_about() -> None:
    reading = read("---\nhooks: [\n---\n", role="frontmatter", path="/h/.claude/agents/x.md")
    assert [item.code for item in reading.diagnostics] == ["syntax"]
    assert read("no frontmatter", role="frontmatter", path="/h/.claude/agents/x.md") == Reading()


def test_what_other_dialects_can_say_is_listed_as_lost() -> None:
    hooks = [
        Hook(name="a", events=("PreToolUse",), action=Command(command="x"), matcher=Matcher(names=frozenset({"Bash"}))),
        Hook(name="a", events=("PreToolUse",), action=Command(command="y"), priority=3, env={"A": "b"}, timeout=2.5),
        Hook(name="b", events=("Notification", "Stop"), action=Command(command="x"), background=True),
        Hook(name="c", events=("Stop",), action=Prompt(prompt="safe?")),
    ]
    written = DIALECT.write_config(hooks)
    assert json.loads(written.text) == {
        "hooks": {
            "preToolUse": {
                "a": {"command": "x", "matcher": "^(Bash)$"},
                "a-2": {"command": "y", "timeout_secs": 2.5, "extra_env": {"A": "b"}, "priority": 3},
            },
            "stop": {"b": "x"},
        }
    }
    assert written.lost == ("b: background = True", "b: event Notification", "c: prompt (the hook is left out)")
