"""Code Agent's codec: what is peculiar to it."""

import json
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from omnihook.dialect import ConfigText, Diagnostic, Failure, Raw, Reading
from omnihook.dialects.code_agent import DIALECT, NAMES
from omnihook.events import (
    Notification,
    PostToolUseFailure,
    PreToolUse,
    SessionEnd,
    Stop,
    SubagentStop,
    UserPromptSubmit,
    rewritten,
)
from omnihook.families.code_agent_payloads import PLAIN, PREFIXED
from omnihook.hooks import Argv, BlockOn, Cause, Command, Hook, Http, Layer, Matcher, Prompt, Source
from omnihook.verdicts import NO_OPINION, Decision, Verdict
from strategies import inputs, json_values, verdicts, words

HOOK = Hook(name="h", events=("PreToolUse",), action=Command(command="true"), source=Source(dialect="code-agent"))
BASH = PreToolUse(session_id="s", cwd="/p", tool_name="Bash", tool_input={"command": "ls"})
REFUSABLE = {"PreToolUse", "UserPromptSubmit", "Stop", "SubagentStop"}


def read(text: str, *, layer: Layer = Layer.USER, path: str = "/h/.claude/settings.json") -> Reading:
    return DIALECT.read_config([ConfigText(path=path, layer=layer, text=text)])


def config(table: object) -> str:
    return json.dumps({"hooks": table})


def bare(reading: Reading) -> list[Hook]:
    return [replace(hook, source=Source()) for hook in reading.hooks]


def reply(stdout: str = "", *, code: int = 0, stderr: str = "", event: object = BASH) -> Verdict | Failure:
    return DIALECT.decode_reply(HOOK, event, Raw(exit_code=code, stdout=stdout, stderr=stderr))  # type: ignore[arg-type]


@given(extra=st.dictionaries(words, json_values), given_input=inputs, stamp=st.integers(0, 10**15))
def test_a_hook_event_comes_back_whole(extra: dict[str, object], given_input: dict[str, object], stamp: int) -> None:
    inner = {"toolName": "Bash", "input": given_input, "output": [1], **extra}
    payload = {"type": "PostToolUse", "timestamp": stamp, "sessionId": "s", "payload": inner, **extra}
    assume("type" not in extra)
    body = DIALECT.encode_event(DIALECT.decode_event(payload, None)).body
    assert {key: body[key] for key in payload} == payload


SHAPES: list[dict[str, object]] = [
    {"type": "PreToolUse", "sessionId": "s", "payload": {"toolName": "Bash", "input": {"command": "ls"}}},
    {"event": "PreToolUse", "sessionId": "s", "toolName": "Bash", "toolInput": '{"command":"ls"}'},
    {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}},
]


@pytest.mark.parametrize("payload", SHAPES, ids=["document", "program", "common"])
def test_an_event_is_understood_in_three_shapes(payload: dict[str, object]) -> None:
    event = DIALECT.decode_event(payload, None)
    assert isinstance(event, PreToolUse)
    assert (event.session_id, event.tool_name, dict(event.tool_input)) == ("s", "Bash", {"command": "ls"})
    wire = DIALECT.encode_event(rewritten(event, tool_input={"command": "pwd"}))
    assert '"ls"' not in json.dumps(wire.body).replace("\\", "")
    assert wire.env["TOOL_INPUT"] == '{"command":"pwd"}'
    assert wire.env["COMMAND"] == "pwd"


def test_the_programs_own_tool_names_are_known() -> None:
    event = DIALECT.decode_event({"toolName": "write_file", "toolInput": {"file_path": "a.ts"}}, "PreToolUse")
    assert isinstance(event, PreToolUse)
    assert event.tool_name == "Write"
    assert DIALECT.encode_event(event).env["TOOL_NAME"] == "write_file"
    assert DIALECT.subjects is not None
    assert set(DIALECT.subjects(event) or ()) == {"Write", "write_file"}


def test_a_failed_call_tells_its_error_and_a_prompt_its_text() -> None:
    failed = PostToolUseFailure(session_id="s", cwd="/p", tool_name="Edit", tool_input={"file_path": "a"}, error="no")
    env = DIALECT.encode_event(failed).env
    assert (env["HOOK_ERROR_MESSAGE"], env["FILE_PATH"], env["TOOL_NAME"]) == ("no", "a", "Edit")
    said = DIALECT.encode_event(UserPromptSubmit(prompt="hello")).env
    assert (said["HOOK_USER_PROMPT"], said["TOOL_NAME"], said["TOOL_INPUT"]) == ("hello", "", "{}")


def test_every_documented_variable_is_quoted_for_the_author() -> None:
    assert DIALECT.policy.variables == {*PLAIN, *PREFIXED}
    assert DIALECT.policy.single_quotes


def test_placeholders_are_empty_where_an_event_has_nothing() -> None:
    values = DIALECT.encode_event(SessionEnd(session_id="s", timestamp=0.0)).values
    assert values["TIMESTAMP"] == "1970-01-01T00:00:00.000Z"
    assert (values["EVENT"], values["TOOL_INPUT"], values["COMMAND"]) == ("SessionEnd", "", "")


@pytest.mark.parametrize(
    ("stdout", "wanted"),
    [
        ("", NO_OPINION),
        ("Tool: Bash\nInput: {}", NO_OPINION),
        ('{"unrelated": 1}', NO_OPINION),
        ("ALLOW", Verdict.allow()),
        ("ALLOW: fine\n", Verdict.allow("fine")),
        ("BLOCK: too risky", Verdict.block("too risky")),
        ("block", Verdict.block("blocked by a hook")),
        ("BLOCK this", Verdict.block("this")),
        ("BLOCKED: no word of ours", NO_OPINION),
        ("blocking is bad", NO_OPINION),
        ("Continue reading", NO_OPINION),
        ("CONTINUE: look out", Verdict.context("look out")),
        ("CONTINUE", NO_OPINION),
        ('{"action":"allow","message":"ok"}', Verdict.allow("ok")),
        ('{"action":"block","message":"no"}', Verdict.block("no")),
        ('{"action":"BLOCK"}', Verdict.block("blocked by a hook")),
        ('{"decision":"block","reason":"no"}', Verdict.block("no")),
        ('{"action":"continue","message":"hm"}', Verdict.context("hm")),
        ('{"modifiedInput":{"command":"x"}}', Verdict(updated_input={"command": "x"}, partial=False)),
        (
            '{"action":"continue","modifiedInput":"{\\"command\\":\\"x\\"}"}',
            Verdict(updated_input={"command": "x"}, partial=False),
        ),
        ('{"action":"block","modifiedInput":{"command":"x"}}', Verdict.block("blocked by a hook")),
    ],
)
def test_what_a_script_may_say(stdout: str, wanted: Verdict) -> None:
    assert reply(stdout) == wanted


@pytest.mark.parametrize(
    "stdout",
    [
        "{",
        '{"action":"block"',
        '{"action":"block"} trailing',
        '{"action":"maybe"}',
        '{"action":""}',
        '{"action":true}',
        '{"action":"allow","message":3}',
        '{"action":"continue","modifiedInput":"not json"}',
        '{"action":"continue","modifiedInput":[1]}',
        '{"action":"continue","modifiedInput":{"command":1}}',
        '{"action":"block","action":"allow"}',
        '{"hookSpecificOutput":{"permissionDecision":"deny"}}',
        '{"continue_execution":false}',
        '{"continue":false}',
        "{" * 100_000,
    ],
)
def test_what_cannot_be_read_is_a_failure(stdout: str) -> None:
    found = reply(stdout)
    assert isinstance(found, Failure)
    assert found.cause is Cause.OUTPUT


def test_a_hook_may_report_its_own_error() -> None:
    assert reply('{"action":"error","message":"no disk"}') == Failure(
        cause=Cause.EXIT, message="it reports an error: no disk"
    )


@pytest.mark.parametrize(
    ("stdout", "stderr", "reason"),
    [
        ("out", "err", "err"),
        ("out", "", "out"),
        ("", "", "exit 7 with no message"),
        ('{"action":"block","message":"why"}', "", "why"),
        ("BLOCK: why", "", "why"),
    ],
)
def test_any_other_exit_blocks_where_that_is_possible(stdout: str, stderr: str, reason: str) -> None:
    assert reply(stdout, stderr=stderr, code=7) == Verdict.block(reason)
    after = reply(stdout, stderr=stderr, code=7, event=SessionEnd())
    assert isinstance(after, Failure)
    assert after.cause is Cause.EXIT


def test_the_events_that_can_be_refused() -> None:
    assert {event for event, effects in DIALECT.effects.items() if effects.refuse} == REFUSABLE
    assert set(DIALECT.effects) == {row.event for row in NAMES}
    for event in (Stop(), SubagentStop()):
        assert reply(code=1, event=event) == Verdict.block("exit 1 with no message")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ALLOW", Verdict.allow()),
        ("Allow. It only lists files.", Verdict.allow("It only lists files.")),
        ("**BLOCK**: dangerous", Verdict.block("dangerous")),
        ("BLOCKED - dangerous", Verdict.block("dangerous")),
        ("continue: careful", Verdict.context("careful")),
        ('{"action":"block","message":"no"}', Verdict.block("no")),
        ('{"decision":"deny","reason":"no"}', Verdict.deny("no")),
        ('```json\n{"action": "allow"}\n```', Verdict.allow()),
    ],
)
def test_what_a_model_may_answer(text: str, wanted: Verdict) -> None:
    assert DIALECT.decode_reply(HOOK, BASH, Raw(stdout=text, channel="model")) == wanted


@pytest.mark.parametrize("text", ["I think so", "Allowing this is unwise", "", "{}", '{"action":"perhaps"}', "42"])
def test_an_answer_without_a_word_is_a_failure(text: str) -> None:
    assert isinstance(DIALECT.decode_reply(HOOK, BASH, Raw(stdout=text, channel="model")), Failure)


@given(verdict=verdicts(), event=st.sampled_from([BASH, UserPromptSubmit(), Stop(), SessionEnd(), Notification()]))
def test_a_written_verdict_is_never_weaker_when_read(verdict: Verdict, event: PreToolUse) -> None:
    written = DIALECT.encode_reply(event, verdict)
    back = DIALECT.decode_reply(
        HOOK, event, Raw(exit_code=written.exit_code, stdout=written.stdout, stderr=written.stderr)
    )
    assert isinstance(back, Verdict)
    if event.name in REFUSABLE and (verdict.decision >= Decision.ASK or not verdict.continue_):
        assert back.decision is Decision.BLOCK
        assert verdict.reason is None or back.reason == verdict.reason
    else:
        assert not back.refused
        assert back.decision is not Decision.APPROVE
        assert back.additional_context == verdict.additional_context
    if verdict.decision in (Decision.APPROVE, Decision.ASK, Decision.DEFER):
        assert written.lost


commands = st.text(min_size=1, max_size=20).filter(str.strip)
entries = st.fixed_dictionaries(
    {"type": st.just("command"), "command": commands},
    optional={
        "timeout": st.integers(1, 600_000) | st.floats(0.5, 1000).map(lambda number: round(number, 4)),
        "note": json_values,
    },
) | st.fixed_dictionaries({"type": st.just("prompt"), "prompt": commands}, optional={"timeout": st.integers(1, 9999)})
groups = st.fixed_dictionaries(
    {"hooks": st.lists(entries, max_size=3)}, optional={"matcher": st.sampled_from(["", "*", "Bash", "Write|Edit"])}
)
tables = st.dictionaries(st.sampled_from([row.native for row in NAMES]), st.lists(groups, max_size=3))


@given(table=tables)
def test_what_was_written_reads_the_same(table: dict[str, object]) -> None:
    first = read(config(table))
    assert first.diagnostics == ()
    written = DIALECT.write_config(first.hooks)
    assert written.lost == ()
    assert bare(read(written.text)) == bare(first)


def test_a_project_file_comes_before_a_users() -> None:
    files = [
        ConfigText(
            path="/h", layer=Layer.USER, text=config({"Stop": [{"hooks": [{"type": "command", "command": "u"}]}]})
        ),
        ConfigText(
            path="/p", layer=Layer.PROJECT, text=config({"Stop": [{"hooks": [{"type": "command", "command": "p"}]}]})
        ),
    ]
    found = DIALECT.read_config(files).hooks
    assert [(hook.name, hook.action) for hook in found] == [
        ("Stop:1", Command(command="p")),
        ("Stop:2", Command(command="u")),
    ]


def test_times_are_milliseconds() -> None:
    (hook,) = read(config({"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 10}]}]})).hooks
    assert hook.timeout == 0.01
    assert (DIALECT.policy.timeout, DIALECT.policy.prompt_timeout) == (5.0, 10.0)


def test_a_bad_entry_is_set_aside_alone() -> None:
    good = {"type": "command", "command": "good"}
    table = {
        "PreToolUse": [
            {"matcher": "(", "hooks": [good]},
            {"matcher": "*", "hooks": [good, {"type": "script"}, {"type": "command"}, "text"]},
            {"hooks": [{**good, "timeout": 0}, {**good, "timeout": "5"}]},
            "text",
        ],
        "PreTolUse": [],
    }
    reading = read(config(table))
    assert [hook.matcher for hook in reading.hooks] == [Matcher()]
    assert [item.pointer for item in reading.diagnostics] == [
        ("hooks", "PreToolUse", 0, "matcher"),
        ("hooks", "PreToolUse", 1, "hooks", 1, "type"),
        ("hooks", "PreToolUse", 1, "hooks", 2),
        ("hooks", "PreToolUse", 1, "hooks", 3),
        ("hooks", "PreToolUse", 2, "hooks", 0, "timeout"),
        ("hooks", "PreToolUse", 2, "hooks", 1, "timeout"),
        ("hooks", "PreToolUse", 3),
        ("hooks", "PreTolUse"),
    ]
    assert isinstance(reading.diagnostics[0], Diagnostic)
    assert reading.diagnostics[0].code == "bad-regex"
    assert "did you mean 'PreToolUse'?" in reading.diagnostics[-1].message


def test_identical_hooks_share_type_text_and_matcher() -> None:
    identity = DIALECT.policy.identity
    assert identity is not None
    one = replace(HOOK, timeout=1.0)
    assert identity(one) == identity(HOOK)
    assert identity(replace(HOOK, matcher=Matcher(text="x", pattern="x"))) != identity(HOOK)
    assert identity(replace(HOOK, action=Prompt(prompt="true"))) != identity(HOOK)


def test_what_other_dialects_can_say_is_listed_as_lost() -> None:
    hooks = [
        Hook(
            name="a",
            events=("PreToolUse",),
            action=Argv(argv=("echo", "a b")),
            matcher=Matcher(names=frozenset({"Bash"})),
        ),
        Hook(name="b", events=("FileModified", "Stop"), action=Command(command="x"), once=True, paths=("*.py",)),
        Hook(name="c", events=("Stop",), action=Http(url="https://x")),
        Hook(name="d", events=("Stop",), action=Command(command="x"), enabled=False, block_on=BlockOn.NONZERO),
        Hook(name="e", events=("Stop",), action=Command(command="x"), matcher=Matcher(text="[", never="bad")),
    ]
    written = DIALECT.write_config(hooks)
    assert json.loads(written.text) == {
        "hooks": {
            "PreToolUse": [{"matcher": "^(Bash)$", "hooks": [{"type": "command", "command": "echo 'a b'"}]}],
            "Stop": [{"hooks": [{"type": "command", "command": "x"}]}],
        }
    }
    assert set(written.lost) == {
        "b: once = True",
        "b: paths = ('*.py',)",
        "b: event FileModified",
        "c: action https://x",
        "d: enabled = false (the hook is left out)",
        "e: matcher '[' (the hook is left out)",
    }
