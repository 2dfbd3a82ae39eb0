"""What Autohand's `/hooks` does, from the command line, on Autohand's own file."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from omnihook.cli import main

if TYPE_CHECKING:
    from conftest import World

Run = Callable[..., str]


@pytest.fixture
def omnihook(world: "World", monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(world.project)

    def run(verb: str, *args: str, code: int = 0) -> str:
        with mock.patch.dict(os.environ, world.environ, clear=True):
            assert main([verb, "--as", "autohand", *args]) == code
        said = capfd.readouterr()
        return said.out + said.err

    return run


def entries(world: "World") -> list[dict[str, object]]:
    found = json.loads((world.home / ".autohand/config.json").read_text())["hooks"]["hooks"]
    assert isinstance(found, list)
    return found


def put(world: "World", *hooks: dict[str, object]) -> None:
    world.write(".autohand/config.json", {"hooks": {"enabled": True, "hooks": list(hooks)}})


TWO: tuple[dict[str, object], ...] = (
    {"event": "pre-tool", "command": "echo a", "description": "first"},
    {"event": "stop", "command": "echo b"},
    {"event": "pre-tool", "command": "echo c", "matcher": "^read_file$"},
)


def test_a_hook_is_added_and_runs(world: "World", omnihook: Run) -> None:
    omnihook("add", "--on", "pre-tool", "--run", "touch added", "--description", "Mark it", "--match", "^write_file$")
    (entry,) = entries(world)
    assert entry == {
        "event": "pre-tool",
        "command": "touch added",
        "description": "Mark it",
        "matcher": "^write_file$",
    }
    world.fire("autohand", "pre-tool", {"tool_name": "write_file", "tool_input": {"path": "a"}})
    assert (world.project / "added").exists()


@pytest.mark.parametrize("name", ["pre-tool:2", "stop:1"])
def test_a_hook_is_disabled_and_enabled_by_its_number(world: "World", omnihook: Run, name: str) -> None:
    put(world, *TWO)
    omnihook("disable", name)
    assert [entry.get("enabled", True) for entry in entries(world)].count(False) == 1
    assert "[disabled]" in omnihook("list")
    omnihook("enable", name)
    assert all(entry.get("enabled", True) for entry in entries(world))
    assert "[disabled]" not in omnihook("list")


def test_a_hook_is_removed_and_the_others_stay_as_they_were(world: "World", omnihook: Run) -> None:
    put(world, *TWO)
    omnihook("remove", "pre-tool:1")
    assert entries(world) == [*TWO[1:]]


def test_a_hook_is_tried_on_a_sample_whatever_its_matcher(world: "World", omnihook: Run) -> None:
    put(world, {**TWO[2], "command": 'echo "$HOOK_EVENT with $HOOK_TOOL"; exit 3', "enabled": False})
    said = omnihook("test", "pre-tool:1", code=1)
    assert "exit 3" in said
    assert "pre-tool with " in said


def test_all_hooks_are_switched_off_at_a_terminal_and_on_again(world: "World", omnihook: Run) -> None:
    put(world, *TWO)
    omnihook("off", code=1)  # not without a terminal
    assert "Mode: enabled" in omnihook("list")
    assert at_terminal(world, "off", "--as", "autohand") == 0
    assert "Mode: disabled" in omnihook("list")
    assert world.fire("autohand", "stop", {}).outcomes == ()
    omnihook("on")
    assert "Mode: enabled" in omnihook("list")
    assert len(world.fire("autohand", "stop", {}).outcomes) == 1


def at_terminal(world: "World", *args: str) -> int:
    """Run a verb as a person does, answering yes."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "omnihook", *args],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=world.project,
        env=world.environ,
        start_new_session=True,
    ) as child:
        os.close(slave)
        os.write(master, b"y\n")
        code = child.wait(15)
    os.close(master)
    return code
