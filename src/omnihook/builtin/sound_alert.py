"""`sound-alert`: a sound when a task completes, with whatever the system has to play one; never an error."""

import sys

from omnihook.builtin import places, programs
from omnihook.events import Event
from omnihook.hooks import Context
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict

_LINUX = (
    ("paplay", "/usr/share/sounds/freedesktop/stereo/complete.oga"),
    ("aplay", "-q", "/usr/share/sounds/alsa/Front_Center.wav"),
    ("speaker-test", "-t", "sine", "-f", "880", "-l", "1"),
)
PLAYERS = {
    "darwin": (("afplay", "/System/Library/Sounds/Glass.aiff"),),
    "win32": (
        ("powershell", "-NoProfile", "-Command", "[console]::beep(880, 300)"),
        ("pwsh", "-NoProfile", "-Command", "[console]::beep(880, 300)"),
    ),
}
SECONDS = 3.0  # a test tone has no end of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """There is nothing to choose."""


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Play the sound with the first player that is there and works."""
    for player in PLAYERS.get(sys.platform, _LINUX):
        if _play(player, event, context):
            break
    return None


def _play(player: tuple[str, ...], event: Event, context: Context) -> bool:
    program = programs.found(player[0], context)
    if program is None:
        return False
    ended = programs.run((program, *player[1:]), context, cwd=places.folder(event, context), timeout=SECONDS)
    # Whoever still plays when its time is up did play.
    return ended.code == 0 or ended.timed_out
