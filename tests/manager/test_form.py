"""Adding a hook by the form: it says what is wrong while one types, and writes what the command line writes."""

import json
from collections.abc import Callable

import pytest

from manager.kit import AUTOHAND, Place, Screen
from omnihook.hooks import Layer
from omnihook.manager.entries import Entries

GOOD = {"event": "pre-tool", "command": "echo hi"}


def test_the_form_writes_what_the_command_line_writes(place: Place, twin: Callable[..., Place]) -> None:
    path = place.write("~/.autohand/config.json", AUTOHAND)
    options = ["--description", "Say hi", "--match", "^run", "--paths", "src/**/*.ts", "--timeout", "2s", "--async"]
    wanted = twin(["add", "--as", "autohand", "--on", "pre-tool", "--run", "echo hi", *options])

    async def steps(screen: Screen) -> None:
        await screen.press("a")
        await screen.until("Event pre-tool")
        for text in ("echo hi", "Say hi", "^run", "src/**/*.ts", "2s"):
            await screen.type(text)
            await screen.press("enter")
        await screen.press("tab", "space")
        await screen.until("in the background: yes")
        await screen.press("ctrl+s")
        await screen.until("pre-tool (2/3 enabled)", "3. [enabled] echo hi - Say hi")

    place.drive(steps, "autohand")
    assert path.read_bytes() == (wanted.home / ".autohand/config.json").read_bytes()


def test_a_first_hook_goes_into_a_new_file_of_the_project(place: Place, twin: Callable[..., Place]) -> None:
    wanted = twin(["add", "--on", "PreToolUse", "--run", "true"])

    async def steps(screen: Screen) -> None:
        await screen.press("a")
        await screen.until("when it runs", "Where this project's")
        await screen.type("pretool")
        await screen.until("one of: PreToolUse")
        await screen.press("right", "tab")
        await screen.type("true")
        await screen.press("ctrl+s")
        await screen.until("PreToolUse (1/1 enabled)", "[untrusted]")

    place.drive(steps)
    assert (place.project / ".omnihook/hooks.toml").read_bytes() == (
        wanted.project / ".omnihook/hooks.toml"
    ).read_bytes()


def test_nothing_is_written_while_something_is_wrong_or_when_given_up(place: Place) -> None:
    path = place.write("~/.autohand/config.json", AUTOHAND)

    async def steps(screen: Screen) -> None:
        await screen.press("a")
        await screen.press("ctrl+s")
        await screen.until("a command is needed")
        await screen.type("true")
        await screen.press("tab", "tab")
        await screen.type("(")
        await screen.until("matcher '(' can never match")
        await screen.press("ctrl+s")
        await screen.until("Add a hook")
        await screen.press("backspace", "tab", "tab")
        await screen.type("5 parsecs")
        await screen.until("is not a time; write 500ms, 30s or 2m")
        await screen.press("escape")
        await screen.until("space Toggle")

    place.drive(steps, "autohand")
    assert json.loads(path.read_text()) == AUTOHAND


@pytest.mark.parametrize(
    ("dialect", "entries", "field", "words"),
    [
        ("autohand", {}, "event", "an event is needed"),
        ("autohand", {**GOOD, "event": "pre-tol"}, "event", "did you mean 'pre-tool'?"),
        ("autohand", {**GOOD, "command": "  "}, "command", "a command is needed"),
        ("autohand", {**GOOD, "command": "./nowhere.sh"}, "command", "depends on the directory"),
        ("autohand", {**GOOD, "command": "nosuchprogram x"}, "command", "is not a program on the path"),
        ("autohand", {**GOOD, "matcher": "["}, "matcher", "can never match"),
        ("autohand", {**GOOD, "event": "stop", "matcher": "x"}, "matcher", "the matcher is ignored"),
        ("autohand", {**GOOD, "event": "stop", "paths": "src/*"}, "paths", "has no path"),
        ("autohand", {**GOOD, "timeout": "soon"}, "timeout", "is not a time"),
        ("autohand", {**GOOD, "timeout": "0"}, "timeout", "between 0 and a day"),
        ("autohand", {**GOOD, "layer": Layer.LOCAL}, "form", "has no local file"),
        ("claude-code", {"event": "PreToolUse", "command": "true", "description": "x"}, "form", "cannot say this"),
        ("omnihook", {"event": "PreToolUse", "command": "true", "matcher": "Bsh"}, "matcher", "did you mean"),
    ],
)
def test_each_mistake_is_told_at_its_field(
    place: Place, dialect: str, entries: dict[str, object], field: str, words: str
) -> None:
    problems = place.desk(dialect).problems(Entries(**entries))  # type: ignore[arg-type]
    assert field in problems
    assert words in problems[field].text


def test_several_mistakes_are_told_at_once(place: Place) -> None:
    problems = place.desk("autohand").problems(Entries(event="pre-tool", matcher="(", timeout="soon"))
    assert sorted(problems) == ["command", "matcher", "timeout"]


def test_a_hook_without_mistakes_has_no_problems(place: Place) -> None:
    entries = Entries(event="pre-tool", command="echo hi", matcher="^run", paths="a/*, b/*", timeout="1.5")
    assert place.desk("autohand").problems(entries) == {}
    assert not (place.home / ".autohand").exists()
