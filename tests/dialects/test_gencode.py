"""GenCode's codec: what is peculiar to it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook.dialect import ConfigText, Failure, Raw, Reading, Settings
from omnihook.dialects.gencode import DIALECT, NAMES, VARIABLES, display
from omnihook.events import (
    Event,
    Notification,
    PostToolUse,
    PostToolUseFailure,
    PreToolUse,
    SessionStart,
    Stop,
    UserPromptSubmit,
    rewritten,
)
from omnihook.families.sensitive import script_in_system_folder
from omnihook.hooks import BlockOn, Cause, Command, Hook, Http, Layer, Matcher, Prompt, Source
from omnihook.outcomes import Outcome, Report, Status
from omnihook.plans import Plan
from omnihook.verdicts import NO_OPINION, Decision, Verdict
from strategies import inputs, json_values, verdicts, words

HOOK = Hook(name="h", events=("PreToolUse",), action=Command(command="true"), source=Source(dialect="gencode"))
BASH = PreToolUse(session_id="s", cwd="/p", tool_name="Bash", tool_input={"command": "ls"})


def file(
    table: object, *, path: str = "/p/.gen/settings.json", layer: Layer = Layer.PROJECT, **more: object
) -> ConfigText:
    return ConfigText(path=path, layer=layer, text=json.dumps({"hooks": table, **more}))


def read(table: object, **more: object) -> Reading:
    return DIALECT.read_config([file(table, **more)])


def bare(reading: Reading) -> list[Hook]:
    return [replace(hook, source=Source()) for hook in reading.hooks]


def command(text: str, **more: object) -> dict[str, object]:
    return {"type": "command", "command": text, **more}


@given(extra=st.dictionaries(words, json_values), given_input=inputs)
def test_a_payload_comes_back_whole(extra: dict[str, object], given_input: dict[str, object]) -> None:
    payload = {
        "session_id": "s",
        "cwd": "/p",
        "hook_event_name": "PostToolUse",
        "tool_name": "Task",
        "tool_input": given_input,
        "tool_result": {"success": True},
        "timestamp": "2026-01-18T09:30:00.000Z",
        **extra,
    }
    wire = DIALECT.encode_event(DIALECT.decode_event(payload, None))
    assert wire.body == payload
    assert wire.stdin == json.dumps(wire.body, indent=2, ensure_ascii=False).encode()


def test_the_programs_own_context_is_understood() -> None:
    context = {"event": "PreToolUse", "sessionId": "s", "cwd": "/p", "toolName": "Task", "toolInput": {"a": 1}}
    event = DIALECT.decode_event(context, None)
    assert isinstance(event, PreToolUse)
    assert (event.tool_name, event.session_id) == ("Agent", "s")
    body = DIALECT.encode_event(rewritten(event, tool_input={"a": 2})).body
    assert (body["hook_event_name"], body["tool_name"]) == ("PreToolUse", "Task")
    assert body["tool_input"] == body["toolInput"] == {"a": 2}


def test_an_event_without_a_tool_has_blanks() -> None:
    body = DIALECT.encode_event(Stop(session_id="s", cwd="/p")).body
    assert (body["tool_name"], body["tool_input"]) == ("", {})


def test_arguments_have_their_own_names() -> None:
    event = PreToolUse(tool_name="Grep", tool_input={"pattern": "x", "glob": "*.ts"})
    body = DIALECT.encode_event(event).body
    assert body["tool_input"] == {"pattern": "x", "include": "*.ts"}
    back = DIALECT.decode_event(body, None)
    assert isinstance(back, PreToolUse)
    assert back.tool_input == event.tool_input


@pytest.mark.parametrize(
    ("event", "wanted"),
    [
        (BASH, {"TOOL_NAME": "Bash", "COMMAND": "ls"}),
        (PreToolUse(tool_name="Edit", tool_input={"file_path": "a"}), {"TOOL_NAME": "Edit", "FILE_PATH": "a"}),
        (PreToolUse(tool_name="Grep", tool_input={"path": "src"}), {"TOOL_NAME": "Grep"}),
        (PostToolUse(tool_name="Bash", exit_code=0), {"TOOL_NAME": "Bash", "EXIT_CODE": "0"}),
        (
            PostToolUseFailure(tool_name="Bash", tool_response={"exit_code": 3}),
            {"TOOL_NAME": "Bash", "EXIT_CODE": "3"},
        ),
        (UserPromptSubmit(prompt="x"), {"TOOL_NAME": ""}),
    ],
)
def test_the_variables_of_an_event(event: Event, wanted: dict[str, str]) -> None:
    env = DIALECT.encode_event(replace(event, session_id="s", cwd="/p")).env
    assert env == {"SESSION_ID": "s", "CWD": "/p", "HOOK_EVENT_NAME": event.name, **wanted}
    assert set(env) <= set(VARIABLES) == DIALECT.policy.variables


@pytest.mark.parametrize(
    ("block_on", "code", "wanted"),
    [
        (BlockOn.DIALECT, 0, NO_OPINION),
        (BlockOn.DIALECT, 2, Verdict.block("err")),
        (BlockOn.DIALECT, 1, Failure(cause=Cause.EXIT, message="exit 1: err")),
        (BlockOn.NONZERO, 1, Verdict.block("err")),
        (BlockOn.NONZERO, 0, NO_OPINION),
        (BlockOn.NEVER, 2, Failure(cause=Cause.EXIT, message="exit 2: err")),
    ],
)
def test_only_the_exit_code_decides(block_on: BlockOn, code: int, wanted: Verdict | Failure) -> None:
    raw = Raw(exit_code=code, stdout='{"decision":"block"}', stderr="err\n")
    assert DIALECT.decode_reply(replace(HOOK, block_on=block_on), BASH, raw) == wanted


def test_a_block_without_words_uses_what_was_printed() -> None:
    assert DIALECT.decode_reply(HOOK, BASH, Raw(exit_code=2, stdout="out\n")) == Verdict.block("out")
    assert DIALECT.decode_reply(HOOK, BASH, Raw(exit_code=2)) == Verdict.block("exit 2 with no message")


def test_a_prompt_hook_is_answered_in_structure() -> None:
    said = DIALECT.decode_reply(HOOK, BASH, Raw(stdout='{"decision":"block","reason":"no"}', channel="model"))
    assert said == Verdict.block("no")
    assert isinstance(DIALECT.decode_reply(HOOK, BASH, Raw(stdout="hm", channel="model")), Failure)


@given(verdict=verdicts(), event=st.sampled_from([BASH, PostToolUse(), Stop(), SessionStart(), Notification()]))
def test_a_written_verdict_is_never_weaker_when_read(verdict: Verdict, event: Event) -> None:
    written = DIALECT.encode_reply(event, verdict)
    back = DIALECT.decode_reply(HOOK, event, Raw(exit_code=written.exit_code, stderr=written.stderr))
    assert isinstance(back, Verdict)
    wants_no = verdict.decision >= Decision.ASK or not verdict.continue_
    assert back.refused == (wants_no and DIALECT.effects[event.name].refuse)
    for told in (verdict.additional_context, verdict.updated_input if not verdict.refused else None):
        assert told is None or written.lost


text = st.text(min_size=1, max_size=12).filter(lambda made: bool(made.strip()) and "/" not in made)
entries = st.fixed_dictionaries(
    {"type": st.just("command"), "command": text},
    optional={
        "timeout": st.integers(1, 600_000),
        "blocking": st.booleans(),
        "statusMessage": text,
        "note": json_values,
    },
) | st.fixed_dictionaries({"type": st.just("prompt"), "prompt": text})
matchers = {"matcher": st.sampled_from(["", "*", "Bash", "Write|Edit", "C++"])}
groups = st.fixed_dictionaries({"hooks": st.lists(entries, max_size=3)}, optional=matchers)
flat = st.builds(lambda entry, matcher: {**entry, **matcher}, entries, st.fixed_dictionaries({}, optional=matchers))
tables = st.dictionaries(st.sampled_from([row.native for row in NAMES]), st.lists(groups | flat, max_size=3))


@given(table=tables)
def test_what_was_written_reads_the_same(table: dict[str, object]) -> None:
    first = read(table)
    assert all(item.severity == "warning" for item in first.diagnostics)
    written = DIALECT.write_config(first.hooks)
    assert written.lost == ()
    again = DIALECT.read_config([ConfigText(path="/p/.gen/settings.json", layer=Layer.PROJECT, text=written.text)])
    assert bare(again) == bare(first)


def test_both_shapes_give_the_same_hook() -> None:
    nested = read({"Stop": [{"hooks": [command("x", timeout=500, statusMessage="busy")]}]})
    unnested = read({"Stop": [command("x", timeout=500, statusMessage="busy", matcher="*")]})
    assert bare(nested) == bare(unnested)
    (hook,) = nested.hooks
    assert (hook.timeout, hook.status_message, hook.matcher.everything) == (0.5, "busy", True)


@pytest.mark.parametrize(
    ("more", "background", "block_on"),
    [
        ({}, False, BlockOn.DIALECT),
        ({"blocking": None}, False, BlockOn.DIALECT),
        ({"blocking": True}, False, BlockOn.NONZERO),
        ({"blocking": False}, True, BlockOn.DIALECT),
    ],
)
def test_what_blocking_means(more: dict[str, object], background: bool, block_on: BlockOn) -> None:
    (hook,) = read({"Stop": [command("x", **more)]}).hooks
    assert (hook.background, hook.block_on) == (background, block_on)


def test_levels_are_merged_from_the_lowest_up() -> None:
    def one(path: str, layer: Layer) -> ConfigText:
        return file({"Stop": [command(path.split("/")[1])]}, path=f"/{layer.label}{path}", layer=layer)

    files = [
        one("/.gen/settings.local.json", Layer.LOCAL),
        one("/.mycode/settings.json", Layer.PROJECT),
        one("/.gen/settings.json", Layer.PROJECT),
        one("/.claude/settings.json", Layer.PROJECT),
        one("/.gen/settings.json", Layer.USER),
    ]
    hooks = DIALECT.read_config(files).hooks
    assert [(hook.source.layer.label, hook.action) for hook in hooks] == [
        ("user", Command(command=".gen")),
        ("project", Command(command=".claude")),
        ("project", Command(command=".gen")),
        ("project", Command(command=".mycode")),
        ("local", Command(command=".gen")),
    ]


def test_the_highest_level_s_scalars_stand() -> None:
    files = [
        file({"parallel": False, "maxConcurrent": 2}, layer=Layer.USER),
        file({"parallel": True}, layer=Layer.PROJECT, maxConcurrent=3),
    ]
    wanted = Settings(sequential=False, max_concurrent=3)
    assert DIALECT.read_config(files).settings == {Layer.USER: wanted, Layer.PROJECT: wanted}
    assert read({}).settings == {Layer.PROJECT: Settings(max_concurrent=8)}


def test_a_bad_entry_is_set_aside_alone() -> None:
    table: dict[str, object] = {
        "parallel": "no",
        "maxConcurrent": 0,
        "PreToolUse": [
            command("good"),
            {"type": "webhook"},
            command("x", blocking="yes"),
            command("x", timeout=-1),
            command("/etc/evil.sh"),
            {"matcher": "Bash"},
        ],
        "Stop": [command("good", matcher="Bash")],
        "PostToolUse": [command("good", matcher="(")],
    }
    reading = read(table)
    assert [hook.matcher for hook in reading.hooks] == [
        Matcher(),
        Matcher(text="Bash", never="Stop has no tool to compare with"),
        Matcher(text="(", names=frozenset({"("})),
    ]
    assert [(item.severity, item.pointer[1:]) for item in reading.diagnostics] == [
        ("error", ("parallel",)),
        ("error", ("maxConcurrent",)),
        ("error", ("PreToolUse", 1, "type")),
        ("error", ("PreToolUse", 2, "blocking")),
        ("error", ("PreToolUse", 3, "timeout")),
        ("error", ("PreToolUse", 4, "command")),
        ("error", ("PreToolUse", 5)),
        ("warning", ("Stop", 0, "matcher")),
        ("warning", ("PostToolUse", 0, "matcher")),
    ]


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("/etc/x.sh", "/etc/x.sh"),
        ("cd /tmp && sudo /var/lib/x", "/var/lib/x"),
        ("bash -e /dev/shm/x.sh a", "/dev/shm/x.sh"),
        ("python3.11 /proc/self/x", "/proc/self/x"),
        ("/tmp/../etc/x", "/tmp/../etc/x"),
        ("//sys/x", "//sys/x"),
        ("source /etc/profile", "/etc/profile"),
        ("bash -c '/etc/x.sh'", "/etc/x.sh"),
        ("x=$(/etc/x.sh)", "/etc/x.sh"),
        ("cat /etc/hosts", None),
        ("echo hi > /dev/null", None),
        ("npm run dev", None),
        ("./etc/x.sh", None),
        ("/etcetera/x.sh", None),
        ("/usr/bin/env node /home/me/var/x.js", None),
    ],
)
def test_whose_script_lies_in_a_system_folder(text: str, script: str | None) -> None:
    assert script_in_system_folder(text) == script


def test_structural_twins_are_identical_and_others_are_not() -> None:
    identity = DIALECT.policy.identity
    assert identity is not None
    one, two, three = read({"Stop": [command("x"), {"hooks": [command("x")]}, command("x", timeout=1)]}).hooks
    assert identity(one) == identity(two) != identity(three)


def outcome(**values: object) -> Outcome:
    hook = replace(HOOK, action=Command(command="lint $FILE_PATH ${TOOL_NAME} $FILE_PATHS"))
    return replace(Outcome(hook=hook), **values)


def shown(*outcomes: Outcome, verdict: Verdict = NO_OPINION) -> list[str]:
    event = PostToolUse(tool_name="Edit", tool_input={"file_path": "a b.ts"})
    return display(Report(event=event, plan=Plan(event=event), verdict=verdict, outcomes=outcomes)).splitlines()


def test_the_display_has_a_line_for_the_start_and_one_for_the_end() -> None:
    start = "  ▶ PostToolUse: lint a b.ts Edit $FILE_PATHS"
    failed = Failure(cause=Cause.TIMEOUT, message="it took longer than 1 s and was ended")
    assert shown() == []
    assert shown(outcome(stdout="one\ntwo\n")) == ["Running hooks...", start, "  ✓ two"]
    assert shown(outcome()) == ["Running hooks...", start, "  ✓"]
    assert shown(outcome(stdout="x", verdict=Verdict(system_message="told"))) == ["Running hooks...", start, "  ✓ told"]
    assert shown(outcome(status=Status.LATE)) == ["Running hooks...", start]
    assert shown(outcome(status=Status.TIMEOUT, failure=failed))[-1] == f"  ✗ {failed.message}"


def test_the_display_of_a_block_ends_with_a_sentence() -> None:
    verdict = Verdict.block("one\nTests failed")
    lines = shown(outcome(status=Status.BLOCKED, verdict=verdict), outcome(), verdict=verdict)
    assert lines[2:5:2] == ["  ✗ Tests failed", "  ✓"]
    assert lines[-2:] == ["", "Hook blocked further execution. Please fix what it reports."]


def test_the_display_shows_no_control_characters() -> None:
    assert shown(outcome(stdout="\x1b[2Jgone\u202e"))[-1] == "  ✓ \\x1b[2Jgone\\u202e"


def test_what_other_dialects_can_say_is_listed_as_lost() -> None:
    hooks = [
        Hook(name="a", events=("PostToolUse",), action=Command(command="x"), background=True, timeout=2.0),
        Hook(name="b", events=("Stop",), action=Command(command="x"), block_on=BlockOn.NEVER, priority=1),
        Hook(name="c", events=("FileModified",), action=Prompt(prompt="ok?")),
        Hook(name="d", events=("Stop",), action=Http(url="https://x")),
        Hook(name="e", events=("Stop",), action=Command(command="x"), block_on=BlockOn.NONZERO),
    ]
    written = DIALECT.write_config(hooks)
    assert json.loads(written.text) == {
        "hooks": {
            "PostToolUse": [{"hooks": [command("x", timeout=2000, blocking=False)]}],
            "Stop": [{"hooks": [command("x"), command("x", blocking=True)]}],
        }
    }
    assert list(written.files) == [".gen/settings.json"]
    assert written.lost == (
        "b: priority = 1",
        "b: block_on = 'never'",
        "c: event FileModified",
        "d: action https://x",
    )
