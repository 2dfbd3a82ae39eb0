"""What the screen says: groups, counts, details, keys; also when what it shows is hostile."""

import json
import time

from manager.kit import AUTOHAND, CLAUDE, Place, Screen
from omnihook.trust import TrustStore

CONFIG = "~/.autohand/config.json"
UNSAFE = set("\x1b\x07\u202e\u2066\u200b\ud800")
HOSTILE = (
    "[red]x[/red]",
    "[/]",
    "[link=file:///etc/passwd]here[/link]",
    "[@click=app.quit]go[/]",
    "\x1b[2J\x1b]0;title\x07",
    "a\nb\tc\r",
    "\u202eevil\u2066",
    "\ud800 alone",
    "zero\u200bwidth",
    "日本語" * 40,
    "x" * 5000,
    "\\[not]\\",
    "$text-error ${HOME} {0} %s",
)


def test_hooks_are_grouped_by_event_with_counts(place: Place) -> None:
    place.write(CONFIG, AUTOHAND)

    async def steps(screen: Screen) -> None:
        await screen.until("pre-tool (1/2 enabled)", "stop (1/1 enabled)")
        assert "1. [enabled] echo one - Log tool usage" in screen.text
        assert "2. [disabled] echo two" in screen.text
        assert "Total: 3 hooks (2 enabled, 1 disabled)" in screen.text
        assert "Mode: enabled" in screen.text

    place.drive(steps, "autohand")


def test_the_footer_shows_every_key_at_80_columns(place: Place) -> None:
    async def steps(screen: Screen) -> None:
        last = screen.text.splitlines()[-1]
        for words in ("space Toggle", "a Add", "d Remove", "t Test", "g Global", "? Help", "q Quit"):
            assert words in last

    place.drive(steps)


def test_details_follow_the_cursor(place: Place) -> None:
    path = place.write(CONFIG, AUTOHAND)
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if "echo two" in text) - 2

    async def steps(screen: Screen) -> None:
        await screen.until("about Log tool usage", "state enabled", "time-out 5 s, by default")
        await screen.press("down")
        await screen.until("command echo two", "matcher ^run_command$", "state disabled", "time-out 1.5 s")
        assert f"from ~/.autohand/config.json:{line}" in screen.text
        assert "dialect autohand, user" in screen.text
        assert "trust not needed" in screen.text
        await screen.press("j")
        await screen.until("command echo three", "async runs in the background")
        await screen.press("k")
        await screen.until("command echo two")

    place.drive(steps, "autohand")


def test_project_hooks_say_whether_they_are_trusted_and_pinned(place: Place) -> None:
    place.write("check.sh", "#!/bin/sh\n", mode=0o755)
    place.write(
        ".omnihook/hooks.toml", '[[hook]]\non = "Stop"\nrun = "./check.sh"\n\n[[hook]]\non = "Stop"\nrun = "npm i"\n'
    )

    async def untrusted(screen: Screen) -> None:
        await screen.until("1. [enabled] [untrusted] ./check.sh", "trust untrusted", "pins pinned: check.sh")
        await screen.press("down")
        await screen.until("pins open:")

    place.drive(untrusted)
    engine = place.engine()
    TrustStore(engine.folders.state).approve(engine.hooks, engine.folders.project, when=time.time())

    async def trusted(screen: Screen) -> None:
        await screen.until("trust trusted", "state enabled")

    place.drive(trusted)


def test_a_file_changed_by_others_is_shown_at_once(place: Place) -> None:
    path = place.write(CONFIG, AUTOHAND)

    async def steps(screen: Screen) -> None:
        await screen.until("pre-tool (1/2 enabled)")
        path.write_text(path.read_text().replace('"enabled": false', '"enabled": true'))
        await screen.until("pre-tool (2/2 enabled)")

    place.drive(steps, "autohand")


def test_without_hooks_only_adding_does_something(place: Place) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("space", "d", "t", "enter", "down", "r")
        assert "Total: 0 hooks (0 enabled, 0 disabled)" in screen.text
        await screen.press("a")
        await screen.until("Add a hook")
        await screen.press("escape")
        await screen.press("question_mark")
        await screen.until("select a hook")

    place.drive(steps)


def test_hostile_text_stays_text(place: Place) -> None:
    entries = [{"event": "stop", "command": text, "description": text, "matcher": text} for text in HOSTILE]
    odd = [{"event": text, "command": "true", "filter": {"path": [text]}} for text in HOSTILE]
    place.write(CONFIG, {"hooks": {"hooks": [*entries, *odd]}})

    async def steps(screen: Screen) -> None:
        await screen.until(f"stop ({len(HOSTILE)}/{len(HOSTILE)} enabled)")
        for text in (*HOSTILE, *HOSTILE):
            assert not UNSAFE & set(screen.text), text
            await screen.press("down")

    place.drive(steps, "autohand")


def test_hostile_hooks_are_asked_about_tried_and_disabled(place: Place) -> None:
    text = "[/]\x1b[2J\u202e[@click=app.quit]x[/]\n"
    place.write(CONFIG, {"hooks": {"hooks": [{"event": text, "command": f"echo '{text}'", "description": text}]}})

    async def steps(screen: Screen) -> None:
        for key, wanted in (("d", "Remove this hook"), ("n", "Mode"), ("t", "result ok"), ("escape", "Mode")):
            await screen.press(key)
            await screen.until(wanted)
            assert not UNSAFE & set(screen.text)
        await screen.press("space")
        await screen.until("(0/1 enabled)")
        assert not UNSAFE & set(screen.text)

    place.drive(steps, "autohand")
    [hook] = json.loads((place.home / ".autohand/config.json").read_text())["hooks"]["hooks"]
    assert hook == {"event": text, "command": f"echo '{text}'", "description": text, "enabled": False}


def test_markup_is_shown_as_it_is_written(place: Place) -> None:
    text = "[b]echo[/b] [red]"
    place.write(CONFIG, {"hooks": {"hooks": [{"event": "stop", "command": text, "description": text}]}})

    async def steps(screen: Screen) -> None:
        await screen.until(f"1. [enabled] {text} - {text}", f"command {text}", f"about {text}")
        await screen.press("d")
        await screen.until(f"stop: {text}")

    place.drive(steps, "autohand")


def test_hooks_of_claude_code_are_shown_in_its_words(place: Place) -> None:
    place.write("~/.claude/settings.json", CLAUDE)

    async def steps(screen: Screen) -> None:
        await screen.until("PreToolUse (1/1 enabled)", "Stop (1/1 enabled)", "matcher Bash", "time-out 7 s")

    place.drive(steps, "claude-code")


def test_a_quarantined_hook_says_so_and_comes_back(place: Place) -> None:
    place.write(CONFIG, AUTOHAND)
    desk = place.desk("autohand")
    desk.engine.quarantine.hold(desk.engine.hooks[0], since=time.time(), reason="it broke 5 times")

    async def steps(screen: Screen) -> None:
        await screen.until("[quarantined] echo one - Log tool usage", "it broke 5 times")
        await screen.press("space")
        await screen.until("brought back pre-tool:1")
        assert "[quarantined]" not in screen.text

    before = (place.home / ".autohand/config.json").read_bytes()
    place.drive(steps, "autohand")
    assert (place.home / ".autohand/config.json").read_bytes() == before


def test_a_broken_file_is_named(place: Place) -> None:
    path = place.write(CONFIG, '{"hooks": [')

    async def steps(screen: Screen) -> None:
        await screen.until("1 problem: p")
        await screen.press("p")
        await screen.until("config.json", "not valid JSON")
        await screen.press("escape", "g")
        await screen.until("broken")

    place.drive(steps, "autohand")
    assert path.read_text() == '{"hooks": ['
