"""Code Agent's tables and lists, row by row: events, files, variables, merge rules, the flow."""

import json
from typing import TYPE_CHECKING

import pytest

from omnihook.engine import Engine
from omnihook.outcomes import Report, Status
from omnihook.verdicts import Decision

if TYPE_CHECKING:
    from conftest import World

SESSION = "sess_abc123"
BASH: dict[str, object] = {"toolName": "Bash", "input": {"command": "npm test"}}
# Each event with a payload as its use case needs it, and whether a hook can refuse it.
EVENTS: dict[str, tuple[dict[str, object], bool]] = {
    "PreToolUse": (BASH, True),
    "PostToolUse": ({**BASH, "output": "fine"}, False),
    "PostToolUseFailure": ({**BASH, "error": "exit 1"}, False),
    "UserPromptSubmit": ({"prompt": "hello"}, True),
    "Stop": ({}, True),
    "SubagentStop": ({}, True),
    "PreCompact": ({}, False),
    "Setup": ({}, False),
    "SessionStart": ({}, False),
    "SessionEnd": ({}, False),
    "Notification": ({"message": "look"}, False),
}


def put(world: "World", hooks: dict[str, object], *, home: bool = False) -> None:
    target = (world.home if home else world.project) / ".claude/settings.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps({"hooks": hooks}))


def entry(*commands: str, matcher: str | None = None, **more: object) -> dict[str, object]:
    made: dict[str, object] = {"hooks": [{"type": "command", "command": command, **more} for command in commands]}
    return made if matcher is None else {"matcher": matcher, **made}


def fire(world: "World", event: str, payload: dict[str, object]) -> Report:
    engine = Engine(str(world.project), only="code-agent", environ=world.environ, trust_project=True, can_ask=False)
    return world.fire("code-agent", event, {"sessionId": SESSION, "payload": payload}, engine=engine)


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_fires_and_is_refused_where_there_is_something_to_refuse(world: "World", event: str) -> None:
    payload, refusable = EVENTS[event]
    put(world, {event: [entry('echo "$HOOK_EVENT $SESSION_ID" > seen; echo stop >&2; exit 1', matcher=".*")]})
    report = fire(world, event, payload)
    assert (world.project / "seen").read_text() == f"{event} {SESSION}\n"
    assert report.refused is refusable
    assert report.outcomes[0].status is (Status.BLOCKED if refusable else Status.BROKEN)


VARIABLES: dict[str, tuple[dict[str, object], str]] = {
    "TOOL_NAME": (BASH, "Bash"),
    "TOOL_INPUT": ({"toolName": "Bash", "input": {"command": "ls"}}, '{"command":"ls"}'),
    "SESSION_ID": (BASH, SESSION),
    "FILE_PATH": ({"toolName": "Edit", "input": {"file_path": "/path/to/file.ts"}}, "/path/to/file.ts"),
    "COMMAND": (BASH, "npm test"),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_each_variable(world: "World", name: str) -> None:
    payload, value = VARIABLES[name]
    put(world, {"PreToolUse": [entry(f'printf %s "${name}"')]})
    (outcome,) = fire(world, "PreToolUse", payload).outcomes
    assert outcome.stdout == value


def test_the_example_values_of_the_variables_are_each_tool_s_own(world: "World") -> None:
    put(world, {"PreToolUse": [entry('echo "${FILE_PATH-none} ${COMMAND-none}"')]})
    (bash,) = fire(world, "PreToolUse", BASH).outcomes
    (edit,) = fire(world, "PreToolUse", {"toolName": "Edit", "input": {"file_path": "a.ts"}}).outcomes
    assert (bash.stdout, edit.stdout) == ("none npm test\n", "a.ts none\n")


@pytest.mark.parametrize("home", [True, False], ids=["global", "project"])
def test_each_file_is_read(world: "World", home: bool) -> None:
    put(world, {"Stop": [entry("echo found")]}, home=home)
    assert [outcome.stdout for outcome in fire(world, "Stop", {}).outcomes] == ["found\n"]


def test_hooks_of_a_level_run_in_the_order_of_their_definition(world: "World") -> None:
    first = [entry("sleep 0.3; echo 1 >> order", "echo 2 >> order"), entry("echo 3 >> order")]
    put(world, {"PreToolUse": first})
    put(world, {"PreToolUse": [entry("echo 4 >> order"), entry("echo 5 >> order")]}, home=True)
    fire(world, "PreToolUse", BASH)
    assert (world.project / "order").read_text().split() == ["1", "2", "3", "4", "5"]


def test_project_hooks_come_before_global_ones(world: "World") -> None:
    put(world, {"Stop": [entry("echo project >> order")]})
    put(world, {"Stop": [entry("echo global >> order")]}, home=True)
    fire(world, "Stop", {})
    assert (world.project / "order").read_text().split() == ["project", "global"]


def test_an_identical_hook_of_both_files_runs_once(world: "World") -> None:
    for home in (True, False):
        put(world, {"Stop": [entry("echo once >> order")]}, home=home)
    report = fire(world, "Stop", {})
    assert (world.project / "order").read_text().split() == ["once"]
    assert [skipped.why for skipped in report.skipped] == ["duplicate"]


def test_the_flow_from_event_to_decision(world: "World") -> None:
    """Load both files, match by event and pattern, run in order, gather, and say allow, block or continue."""
    put(world, {"PreToolUse": [entry("echo ALLOW", matcher="Bash"), entry("echo no; exit 1", matcher="Write")]})
    put(world, {"PreToolUse": [entry('echo "CONTINUE: note"', matcher="Bash")], "Stop": [entry("exit 1")]}, home=True)
    report = fire(world, "PreToolUse", BASH)
    assert [outcome.verdict.decision for outcome in report.outcomes] == [Decision.ALLOW, Decision.NONE]
    assert (report.allowed, report.verdict.additional_context) == (True, "note")
    blocked = fire(world, "PreToolUse", {"toolName": "Write", "input": {}})
    assert (blocked.allowed, blocked.verdict.reason) == (False, "no")
