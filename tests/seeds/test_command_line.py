"""`omnihook fire`, `list` and the rest as each of the five agents, in a scratch home, with real processes."""

import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from omnihook.cli import main

if TYPE_CHECKING:
    from conftest import World

DATA = Path(__file__).parent


@dataclass(frozen=True)
class Agent:
    """How an agent spells the call of a shell command, and where its hooks are."""

    event: str
    payload: dict[str, object]
    user: str  # its file below the home
    project: str | None  # and below the project, where it has one
    context: str | None  # a command that adds a context and, where it can, rewrites the command to `pwd`

    def file(self, *commands: str) -> object:
        """The file with these commands before a shell command runs."""
        match self.user:
            case ".autohand/config.json":
                return {"hooks": {"hooks": [{"event": "pre-tool", "command": command} for command in commands]}}
            case ".codemie/codemie-cli.config.json":
                return {"activeProfile": "p", "profiles": {"p": {"hooks": _nested(commands)}}}
            case _:
                return {"hooks": _nested(commands)}


def _nested(commands: tuple[str, ...]) -> object:
    return {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": c} for c in commands]}]}


CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
AGENTS = {
    "autohand": Agent(
        "pre-tool",
        {"tool_name": "run_command", "tool_input": {"command": "ls"}},
        ".autohand/config.json",
        None,
        """echo '{"updatedInput": {"command": "pwd"}, "additionalContext": "note"}'""",
    ),
    "codemie": Agent(
        "PreToolUse",
        CALL,
        ".codemie/codemie-cli.config.json",
        None,
        """echo '{"updatedInput": {"command": "pwd"}, "additionalContext": "note"}'""",
    ),
    "code-agent": Agent(
        "PreToolUse",
        {"payload": {"toolName": "Bash", "input": {"command": "ls"}}},
        ".claude/settings.json",
        ".claude/settings.json",
        """echo '{"action": "continue", "message": "note", "modifiedInput": {"command": "pwd"}}'""",
    ),
    "claude-agent-rs": Agent(
        "pre_tool_use",
        CALL,
        ".claude/settings.json",
        ".claude/settings.json",
        """echo '{"updated_input": {"command": "pwd"}, "additional_context": "note"}'""",
    ),
    "gencode": Agent("PreToolUse", CALL, ".gen/settings.json", ".gen/settings.json", None),
}


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def runs(self) -> list[dict[str, object]]:
        found = self.json["runs"]
        assert isinstance(found, list)
        return found


@dataclass(frozen=True)
class Shell:
    """The command line in the world's home and project."""

    world: "World"
    capture: pytest.CaptureFixture[str]

    def __call__(self, *args: str, stdin: object = None) -> Said:
        given = "" if stdin is None else json.dumps(stdin)
        with mock.patch.dict(os.environ, self.world.environ, clear=True), pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
            patch.chdir(self.world.project)
            code = main(list(args))
        said = self.capture.readouterr()
        assert "Traceback" not in said.err
        return Said(code, said.out, said.err)

    def fire(self, name: str, *args: str) -> Said:
        """Fire the agent's shell command as that agent."""
        agent = AGENTS[name]
        return self("fire", agent.event, "--as", name, *args, stdin=agent.payload)


@pytest.fixture
def omnihook(world: "World", capfd: pytest.CaptureFixture[str]) -> Shell:
    return Shell(world, capfd)


def put(root: Path, path: str, content: object) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(content))


# What each agent reads when a hook of its own has refused: exit code, stdout, stderr.
ANSWERS: dict[str, tuple[int, object, str]] = {
    "autohand": (2, None, "no\n"),
    "codemie": (0, {"decision": "block", "reason": "no", "additionalContext": "no"}, ""),
    "code-agent": (1, "no\n", "no\n"),
    "claude-agent-rs": (0, {"continue_execution": False, "stop_reason": "no"}, ""),
    "gencode": (2, None, "no\n"),
}


@pytest.mark.parametrize("name", AGENTS)
def test_a_refusal_is_reported_and_answered_in_the_agent_s_words(world: "World", omnihook: Shell, name: str) -> None:
    agent = AGENTS[name]
    put(world.home, agent.user, agent.file("echo no >&2; exit 2"))
    found = omnihook.fire(name, "--json")
    assert found.code == 0
    assert (found.json["decision"], found.json["reason"], found.json["event"]) == ("block", "no", "PreToolUse")
    (run,) = found.runs
    assert (run["status"], run["exit_code"], run["dialect"]) == ("blocked", 2, name)
    assert str(run["source"]).startswith(f"{world.home}/{agent.user}:")
    code, out, err = ANSWERS[name]
    answer = omnihook.fire(name, "--exit-code")
    assert (answer.code, answer.err) == (code, err)
    if isinstance(out, dict):
        assert json.loads(answer.out) == out
    else:
        assert answer.out == (out or "")


@pytest.mark.parametrize("name", [name for name, agent in AGENTS.items() if agent.context])
def test_a_rewrite_and_a_context_are_reported(world: "World", omnihook: Shell, name: str) -> None:
    agent = AGENTS[name]
    put(world.home, agent.user, agent.file(agent.context or ""))
    found = omnihook.fire(name, "--json").json
    assert (found["updated_input"], found["additional_context"]) == ({"command": "pwd"}, "note")
    assert "pwd" in omnihook.fire(name, "--exit-code").out


def test_what_a_gencode_hook_prints_is_for_people(world: "World", omnihook: Shell) -> None:
    agent = AGENTS["gencode"]
    put(world.home, agent.user, agent.file("""echo '{"decision": "block"}'"""))
    found = omnihook.fire("gencode", "--json")
    assert found.json["decision"] is None
    assert found.runs[0]["stdout"] == '{"decision": "block"}\n'


@pytest.mark.parametrize("name", AGENTS)
def test_a_broken_hook_goes_on_visibly_or_refuses_as_the_agent_s_rule_is(
    world: "World", omnihook: Shell, name: str
) -> None:
    agent = AGENTS[name]
    put(world.home, agent.user, agent.file("no-such-program"))
    found = omnihook.fire(name, "--json")
    (run,) = found.runs
    assert (run["status"], run["cause"]) == ("broken", "start")
    assert found.json["decision"] == ("deny" if name == "claude-agent-rs" else None)
    assert found.json["notices"]


@pytest.mark.parametrize("name", AGENTS)
def test_a_project_s_own_file_needs_trust_or_is_not_read(world: "World", omnihook: Shell, name: str) -> None:
    agent = AGENTS[name]
    put(world.project, agent.project or agent.user, agent.file("touch ran; echo no >&2; exit 2"))
    found = omnihook.fire(name, "--json")
    assert found.json["decision"] is None
    assert [(run["status"], run["why"]) for run in found.runs] == ([("skipped", "untrusted")] if agent.project else [])
    assert not (world.project / "ran").exists()
    trusted = omnihook.fire(name, "--json", "--trust-project")
    assert (trusted.json["decision"] == "block") is (agent.project is not None)
    assert (world.project / "ran").exists() is (agent.project is not None)


@pytest.mark.parametrize("name", AGENTS)
def test_without_any_file_there_is_no_opinion(world: "World", omnihook: Shell, name: str) -> None:
    found = omnihook.fire(name, "--json")
    assert (found.code, found.json["decision"], found.runs) == (0, None, [])


@pytest.mark.parametrize("name", AGENTS)
def test_an_event_the_agent_does_not_have_is_named(world: "World", omnihook: Shell, name: str) -> None:
    found = omnihook("fire", "sometimes", "--as", name)
    assert found.code == 1
    assert "sometimes" in found.err


def test_a_debug_profile_writes_its_log_from_the_command_line_too(world: "World", omnihook: Shell) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "exit 1"}]}]}
    profile = {"debug": True, "hooks": hooks}
    put(world.home, ".codemie/codemie-cli.config.json", {"activeProfile": "p", "profiles": {"p": profile}})
    assert omnihook("fire", "Stop", "--as", "codemie").code == 0
    [log] = (world.home / ".codemie/logs").iterdir()
    assert '"event":"Stop"' in log.read_text()
    assert log.stat().st_mode & 0o077 == 0


GENCODE = {
    "PostToolUse": [{"matcher": "Edit|Write", "type": "command", "command": "npm run lint:fix"}],
    "Stop": [{"type": "command", "command": "afplay done.mp3"}],
    "SessionStart": [{"type": "command", "command": 'echo "Welcome!"'}],
}


@pytest.mark.parametrize("args", [("--as", "gencode"), ("--read", "gencode")], ids=["as", "read"])
def test_the_table_is_the_document_s(world: "World", omnihook: Shell, args: tuple[str, ...]) -> None:
    put(world.home, ".gen/settings.json", {"hooks": GENCODE})
    assert omnihook("list", "--table", *args).out == (DATA / "gencode/table.txt").read_text()


def test_a_long_action_widens_the_table(world: "World", omnihook: Shell) -> None:
    long = "npm run a-very-long-script-name-that-needs-room"
    put(world.home, ".gen/settings.json", {"hooks": {"Stop": [{"type": "command", "command": long}]}})
    lines = omnihook("list", "--table", "--as", "gencode").out.splitlines()
    assert f"│ Stop               │ {long} │" in lines
    assert len({len(line) for line in lines[1:]}) == 1


def test_the_display_counts_what_is_switched_off(world: "World", omnihook: Shell) -> None:
    entries = [
        {"event": "pre-tool", "command": "a", "enabled": False},
        {"event": "stop", "command": "b", "description": "bye"},
        {"event": "pre-tool", "command": "c"},
    ]
    put(world.home, ".autohand/config.json", {"hooks": {"enabled": True, "hooks": entries}})
    rule = "─" * 50
    assert omnihook("list", "--as", "autohand").out.splitlines() == [
        "Hooks", rule, "Mode: enabled", "",
        "pre-tool (1/2 enabled)", "  1. [disabled] a", "  2. [enabled] c", "",
        "stop (1/1 enabled)", "  1. [enabled] b - bye", "",
        rule, "Total: 3 hooks (2 enabled, 1 disabled)",
    ]  # fmt: skip
    put(world.home, ".autohand/config.json", {"hooks": {"enabled": False, "hooks": entries}})
    assert "Mode: disabled" in omnihook("list", "--as", "autohand").out
