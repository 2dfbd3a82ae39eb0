"""Every action changes the files as the command line does, and nothing weakens protection inside an agent."""

import json
from collections.abc import Callable

import pytest

from manager.kit import AUTOHAND, CLAUDE, Place, Screen

NATIVE = """# mine
[[hook]]
name = "tests"   # before done
on = "Stop"
run = "echo one"

[[hook]]
on = "PreToolUse"
match = "Bash"
run = "echo two"
guard = true
"""
CASES = {
    "autohand": (".autohand/config.json", json.dumps(AUTOHAND, indent=2), "pre-tool:1"),
    "claude-code": (".claude/settings.json", json.dumps(CLAUDE, indent=4), "PreToolUse:1"),
    "omnihook": (".config/omnihook/hooks.toml", NATIVE, "Stop:1"),
}
Twin = Callable[..., Place]


@pytest.mark.parametrize("dialect", CASES)
def test_toggling_twice_is_as_disable_and_gives_the_bytes_back(place: Place, twin: Twin, dialect: str) -> None:
    name, text, label = CASES[dialect]
    path = place.write(f"~/{name}", text)
    wanted = twin(["disable", label, "--as", dialect])

    async def steps(screen: Screen) -> None:
        await screen.press("space")
        await screen.until("[disabled] echo one")
        assert path.read_bytes() == (wanted.home / name).read_bytes() != text.encode()
        if dialect == "claude-code":  # kept aside: it comes after those in the file
            await screen.until("- [disabled] echo one", "state disabled, and kept")
        await screen.press("space")
        await screen.until("1. [enabled] echo one")

    place.drive(steps, dialect)
    assert path.read_text() == text


@pytest.mark.parametrize("dialect", CASES)
def test_removing_asks_and_takes_no_for_an_answer(place: Place, twin: Twin, dialect: str) -> None:
    name, text, label = CASES[dialect]
    path = place.write(f"~/{name}", text)
    wanted = twin(["remove", label, "--as", dialect])

    async def steps(screen: Screen) -> None:
        for keys in (["enter"], ["escape"], ["n"]):
            await screen.press("d")
            await screen.until("Remove this hook from its file?")
            await screen.press(*keys)
            assert path.read_text() == text
        await screen.press("delete", "right", "enter")
        await screen.until("removed ")

    place.drive(steps, dialect)
    assert path.read_bytes() == (wanted.home / name).read_bytes() != text.encode()


def test_a_hook_that_is_kept_aside_is_removed_for_good(place: Place) -> None:
    path = place.write("~/.claude/settings.json", CLAUDE)

    async def steps(screen: Screen) -> None:
        await screen.press("space")
        await screen.until("- [disabled] echo one")
        await screen.press("t")
        await screen.until("it is kept aside; enable it first")
        await screen.press("escape", "d", "y")
        await screen.until("Total: 1 hooks (1 enabled, 0 disabled)")

    place.drive(steps, "claude-code")
    assert "echo one" not in path.read_text()


def test_the_global_switch_turns_and_turns_back(place: Place) -> None:
    text = json.dumps(AUTOHAND, indent=2)
    path = place.write("~/.autohand/config.json", text)

    async def steps(screen: Screen) -> None:
        await screen.press("g")
        await screen.until("Mode: disabled", "1. [enabled] [switched off] echo one - Log tool usage")
        assert path.read_text() == text.replace('"enabled": true', '"enabled": false', 1)
        await screen.press("g")
        await screen.until("Mode: enabled")

    place.drive(steps, "autohand")
    assert path.read_text() == text


def test_a_dialect_without_a_switch_says_so(place: Place) -> None:
    place.write("~/.gen/settings.json", CLAUDE)

    async def steps(screen: Screen) -> None:
        await screen.press("g")
        await screen.until("has no switch")

    place.drive(steps, "gencode")


@pytest.mark.parametrize("keys", [["space"], ["d", "y"], ["g"]], ids=["disable", "remove", "off"])
def test_nothing_weakens_protection_inside_an_agents_session(place: Place, keys: list[str]) -> None:
    path = place.write("~/.config/omnihook/hooks.toml", NATIVE)

    async def steps(screen: Screen) -> None:
        await screen.press("down")
        await screen.until("kind guard")
        await screen.press(*keys)
        await screen.until("CLAUDECODE")

    place.drive(steps, CLAUDECODE="1")
    assert path.read_text() == NATIVE


def test_a_person_may_disable_a_guard(place: Place, twin: Twin) -> None:
    path = place.write("~/.config/omnihook/hooks.toml", NATIVE)

    async def steps(screen: Screen) -> None:
        await screen.press("down", "space")
        await screen.until("[disabled] echo two")

    place.drive(steps)
    assert path.read_text() == NATIVE + "enabled = false\n"


def test_what_cannot_be_changed_is_said_and_stays(place: Place) -> None:
    path = place.write("~/.autohand/config.json", AUTOHAND)

    async def steps(screen: Screen) -> None:
        await screen.until("1. [enabled] echo one")
        hook = place.desk("autohand").groups()[0].rows[0]
        path.write_text('{"hooks": {"enabled": true, "hooks": []}}')
        await screen.app.do(lambda: screen.app.desk.toggle(hook))
        await screen.until("is no longer in")

    place.drive(steps, "autohand")
    assert path.read_text() == '{"hooks": {"enabled": true, "hooks": []}}'
