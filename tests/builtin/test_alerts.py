"""Sounds and desktop notifications; no machine that tests run on has a speaker or a desktop, hence stand-ins."""

import shutil

import pytest

from builtin.kit import Place
from omnihook.builtin.desktop_notify import notifiers
from omnihook.builtin.sound_alert import PLAYERS
from omnihook.events import Notification, SessionError, Stop
from omnihook.verdicts import NO_OPINION

NOTIFY = ["--app-name=omnihook", "--", "project"]


def only_stand_ins(place: Place) -> None:
    """A path with nothing on it but stand-ins and a shell."""
    for name in ("sh",):
        (place.stand_ins / name).symlink_to(shutil.which(name) or "")
    place.more["PATH"] = str(place.stand_ins)


@pytest.mark.parametrize(
    ("there", "played"),
    [
        ({"paplay": 0, "aplay": 0, "speaker-test": 0}, ["paplay"]),
        ({"aplay": 0, "speaker-test": 0}, ["aplay"]),
        ({"speaker-test": 0}, ["speaker-test"]),
        ({"paplay": 1, "aplay": 0}, ["paplay", "aplay"]),
        ({"paplay": 1, "aplay": 1, "speaker-test": 1}, ["paplay", "aplay", "speaker-test"]),
        ({}, []),
    ],
    ids=lambda value: "+".join(value) or "none",
)
def test_the_first_player_that_works_plays(place: Place, there: dict[str, int], played: list[str]) -> None:
    only_stand_ins(place)
    for name, code in there.items():
        place.stand_in(name, code)
    assert place.run("sound-alert", Stop()) is None
    assert [name for name in ("paplay", "aplay", "speaker-test") if place.calls(name)] == played


def test_other_systems_have_their_own_players() -> None:
    assert PLAYERS["darwin"] == (("afplay", "/System/Library/Sounds/Glass.aiff"),)
    assert all("[console]::beep(" in player[-1] for player in PLAYERS["win32"])


def test_a_desktop_shows_what_happened(place: Place) -> None:
    place.stand_in("notify-send")
    for event in (Stop(tool_calls_count=3), Notification(message="<b>May I & you?</b>"), SessionError(error="boom")):
        assert place.run("desktop-notify", event) is None
    assert place.calls("notify-send") == [
        [*NOTIFY, "Task complete after 3 tool calls"],
        [*NOTIFY, "&lt;b&gt;May I &amp; you?&lt;/b&gt;"],
        [*NOTIFY, "Error: boom"],
    ]


def test_no_text_becomes_code_on_any_system() -> None:
    hostile = '"; do shell script "rm"'
    (apple,) = notifiers("darwin", "title", hostile)
    assert apple[0] == "osascript"
    assert apple[-2:] == (hostile, "title")
    assert not any(hostile in word for word in apple[:-2])
    assert all(hostile not in word for argv in notifiers("win32", "title", hostile) for word in argv)


@pytest.mark.parametrize("name", ["sound-alert", "desktop-notify"])
def test_a_machine_without_any_of_them_is_no_error(place: Place, name: str) -> None:
    only_stand_ins(place)
    place.write("~/.config/omnihook/hooks.toml", f'[[hook]]\nbuiltin = "{name}"\n')
    report = place.fire("Stop")
    assert [outcome.status.value for outcome in report.outcomes] == ["late"]
    assert [(late.status.value, late.verdict) for late in place.late] == [("ok", NO_OPINION)]


def test_as_a_native_hook_it_runs_in_the_background(place: Place) -> None:
    place.stand_in("paplay")
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "sound-alert"\n')
    place.fire("Stop")
    assert [call[-1].rsplit("/", 1)[-1] for call in place.calls("paplay")] == ["complete.oga"]
