"""GenCode's tables and lists, row by row: events, variables, matchers, levels, limits, and what is safe."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import modelserver
from omnihook.engine import Engine
from omnihook.events import Stop
from omnihook.outcomes import Report, Status

if TYPE_CHECKING:
    from conftest import World

Stand = Callable[..., tuple[Path, Callable[[str], list[list[str]]]]]
WRITE: dict[str, object] = {"tool_name": "Write", "tool_input": {"file_path": "src/a.ts", "content": "x"}}
BASH: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "npm test"}}
# Each event with its context, and what its hook must find of it on stdin.
EVENTS: dict[str, tuple[dict[str, object], tuple[str, ...]]] = {
    "PreToolUse": (WRITE, ("tool_name", "tool_input")),
    "PostToolUse": (
        {**WRITE, "tool_result": {"success": True, "output": "ok"}},
        ("tool_name", "tool_input", "tool_result"),
    ),
    "PostToolUseFailure": ({**BASH, "error": "exit 1"}, ("tool_name", "tool_input", "error")),
    "UserPromptSubmit": ({"prompt": "hello"}, ("prompt",)),
    "Notification": ({"message": "look here"}, ("message",)),
    "Stop": ({"reason": "done"}, ("reason",)),
    "SessionStart": ({"source": "startup"}, ("source", "session_id")),
    "SubagentStop": ({"subagent_id": "a1"}, ("subagent_id",)),
}


def put(world: "World", table: object, *, path: str = ".gen/settings.json", home: bool = False) -> None:
    target = (world.home if home else world.project) / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(table if isinstance(table, str) else json.dumps({"hooks": table}))


def flat(command: str, **more: object) -> dict[str, object]:
    return {"type": "command", "command": command, **more}


def fire(world: "World", event: str, payload: dict[str, object]) -> Report:
    engine = Engine(str(world.project), only="gencode", environ=world.environ, trust_project=True, can_ask=False)
    return world.fire("gencode", event, payload, engine=engine)


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_fires_with_its_context(world: "World", event: str) -> None:
    payload, keys = EVENTS[event]
    put(world, {event: [flat("cat > got; echo $HOOK_EVENT_NAME")]})
    (outcome,) = fire(world, event, payload).outcomes
    assert (outcome.status, outcome.stdout) == (Status.OK, f"{event}\n")
    got = json.loads((world.project / "got").read_text())
    full = {"session_id": "s1", **payload}
    assert {key: got[key] for key in keys} == {key: full[key] for key in keys}
    assert got["timestamp"].endswith("Z")


VARIABLES: dict[str, tuple[dict[str, object], str]] = {
    "TOOL_NAME": (WRITE, "Write"),
    "FILE_PATH": (WRITE, "src/a.ts"),
    "EXIT_CODE": ({**BASH, "tool_result": {"success": False, "exitCode": 7}}, "7"),
    "SESSION_ID": (WRITE, "s1"),
    "CWD": (WRITE, "{project}"),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_each_variable(world: "World", name: str) -> None:
    payload, value = VARIABLES[name]
    put(world, {"PostToolUse": [flat(f'printf %s "${name}"'), flat(f"printf %s '${name}'")]})
    outcomes = fire(world, "PostToolUse", payload).outcomes
    assert [outcome.stdout for outcome in outcomes] == [value.format(project=world.project)] * 2


@pytest.mark.parametrize(
    ("matcher", "tools"),
    [
        pytest.param("Edit", ["Edit"], id="simple"),
        pytest.param("Edit|Write", ["Edit", "Write"], id="regex"),
        pytest.param("*", ["Edit", "Write", "Bash"], id="wildcard"),
    ],
)
def test_each_kind_of_matcher(world: "World", matcher: str, tools: list[str]) -> None:
    put(world, {"PreToolUse": [flat("true", matcher=matcher)]})
    found = [tool for tool in ("Edit", "Write", "Bash") if fire(world, "PreToolUse", {"tool_name": tool}).outcomes]
    assert found == tools


def test_a_prompt_hook_asks_a_model(world: "World") -> None:
    put(world, {"PreToolUse": [{"type": "prompt", "prompt": "May $TOOL_NAME run?", "matcher": "Write"}]})
    with modelserver.serve() as model:
        model.script(modelserver.calls("answer", decision="block", reason="not today"))
        world_environ = {**world.environ, "OMNIHOOK_MODEL": "any", "OMNIHOOK_BASE_URL": model.openai_url}
        engine = Engine(str(world.project), only="gencode", environ=world_environ, trust_project=True)
        report = world.fire("gencode", "PreToolUse", WRITE, engine=engine)
    assert (report.refused, report.verdict.reason) == (True, "not today")
    assert "Write" in model.asked[0].text


@pytest.mark.parametrize(
    ("code", "success", "blocked"), [(0, True, False), (2, False, True), (1, False, False)], ids=["0", "2", "other"]
)
def test_each_exit_code(world: "World", code: int, success: bool, blocked: bool) -> None:
    put(world, {"PreToolUse": [flat(f"echo out; echo err >&2; exit {code}")]})
    report = fire(world, "PreToolUse", WRITE)
    (outcome,) = report.outcomes
    assert (outcome.status is Status.OK, report.refused, outcome.exit_code) == (success, blocked, code)
    assert (outcome.stdout, outcome.stderr) == ("out\n", "err\n")
    assert bool(report.notices) is (code == 1)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        pytest.param([".gen/settings.json", ".claude/settings.json"], [".claude", ".gen"], id="both-are-read"),
        pytest.param([".claude/settings.json"], [".claude"], id="fallback"),
        pytest.param([".mycode/settings.json"], [".mycode"], id="mycode"),
    ],
)
@pytest.mark.parametrize("home", [True, False], ids=["user", "project"])
def test_which_files_count(world: "World", files: list[str], said: list[str], home: bool) -> None:
    for path in files:
        put(world, {"Stop": [flat(f"echo {path.split('/')[0]}")]}, path=path, home=home)
    assert [outcome.stdout.strip() for outcome in fire(world, "Stop", {}).outcomes] == said


def test_where_gen_has_settings_but_no_hooks_those_of_claude_count(world: "World") -> None:
    put(world, json.dumps({"model": "x"}))
    put(world, {"Stop": [flat("echo claude")]}, path=".claude/settings.json")
    assert [outcome.stdout for outcome in fire(world, "Stop", {}).outcomes] == ["claude\n"]


@pytest.mark.parametrize(("parallel", "order"), [(False, ["a", "b"]), (True, ["b", "a"])])
def test_gen_s_word_counts_where_there_can_be_only_one(world: "World", parallel: bool, order: list[str]) -> None:
    hooks = [flat("sleep 0.8; echo a >> order"), flat("echo b >> order")]
    put(world, {"parallel": parallel, "PreToolUse": hooks})
    put(world, {"parallel": not parallel}, path=".claude/settings.json")
    fire(world, "PreToolUse", WRITE)
    assert (world.project / "order").read_text().split() == order


def test_hooks_of_several_files_are_joined_and_objects_merged(world: "World") -> None:
    put(world, {"Stop": [flat("echo 1")], "PreToolUse": [flat("echo tool")]}, path=".claude/settings.json")
    put(world, {"Stop": [{"matcher": "", "hooks": [flat("echo 2")]}]})
    assert [outcome.stdout for outcome in fire(world, "Stop", {}).outcomes] == ["1\n", "2\n"]
    assert [outcome.stdout for outcome in fire(world, "PreToolUse", WRITE).outcomes] == ["tool\n"]


def test_a_hook_s_timeout_is_milliseconds_and_a_minute_unless_said(world: "World") -> None:
    put(world, {"Stop": [flat("true"), flat("echo", timeout=5000)]}, home=True)
    engine = world.engine("gencode")
    assert [step.timeout for step in engine.plan(Stop()).steps] == [60.0, 5.0]


def test_what_a_file_is_called_never_becomes_shell_text(world: "World") -> None:
    nasty = "a b;touch pwned;$(touch pwned)`touch pwned`'\".ts"
    put(world, {"PostToolUse": [flat("printf '%s|' $FILE_PATH '$FILE_PATH' \"$FILE_PATH\" ${FILE_PATH}")]})
    (outcome,) = fire(world, "PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": nasty}}).outcomes
    assert outcome.stdout == f"{nasty}|" * 4
    assert not list(world.project.glob("pwned*"))


@pytest.mark.parametrize("path", ["/etc/passwd", "../../outside.ts", "foo..bar.ts", "/dev/null"])
def test_a_guard_sees_the_whole_path_wherever_it_points(world: "World", path: str) -> None:
    put(world, {"PreToolUse": [flat('printf %s "$FILE_PATH"')]})
    (outcome,) = fire(world, "PreToolUse", {"tool_name": "Write", "tool_input": {"file_path": path}}).outcomes
    assert outcome.stdout == path


def test_a_hook_has_the_user_s_rights_and_no_more(world: "World") -> None:
    put(world, {"Stop": [flat("id -u; id -g")]})
    (outcome,) = fire(world, "Stop", {}).outcomes
    assert outcome.stdout.split() == [str(os.getuid()), str(os.getgid())]


def test_a_hook_that_is_ended_takes_its_children_along(world: "World") -> None:
    put(world, {"Stop": [flat("sleep 60 & echo $! > child; wait", timeout=300)]})
    begun = time.monotonic()
    assert fire(world, "Stop", {}).outcomes[0].timed_out
    assert time.monotonic() - begun < 8
    stat = Path("/proc", (world.project / "child").read_text().strip(), "stat")
    assert not stat.exists() or stat.read_text().rpartition(") ")[2].startswith("Z")


@pytest.mark.parametrize("event", ["SessionStart", "Stop", "Notification"])
def test_a_claude_code_file_works_as_it_is(world: "World", event: str) -> None:
    nested = {"matcher": "", "hooks": [{"type": "command", "command": "echo ran", "timeout": 5000}]}
    put(world, {event: [nested]}, path=".claude/settings.json", home=True)
    assert [outcome.stdout for outcome in fire(world, event, {}).outcomes] == ["ran\n"]


def test_the_linter_runs_after_an_edit_and_a_sound_at_the_end(world: "World", stand_ins: Stand) -> None:
    """What the proposal wants hooks for: quality, notification, integration, automation."""
    _, calls = stand_ins(world.root, "linter", "beep")
    put(world, {"PostToolUse": [flat("linter $FILE_PATH", matcher="Write")], "Stop": [flat("beep")]})
    fire(world, "PostToolUse", WRITE)
    fire(world, "Stop", {})
    assert (calls("linter"), len(calls("beep"))) == ([["src/a.ts"]], 1)
