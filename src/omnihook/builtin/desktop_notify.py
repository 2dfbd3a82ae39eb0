"""`desktop-notify`: tells the desktop when a task completes or the agent wants attention; never an error."""

import html
import sys

from omnihook.builtin import places, programs
from omnihook.events import Event, Notification, SessionEnd, SessionError, Stop
from omnihook.hooks import Context
from omnihook.showing import one_line
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict

SECONDS = 5.0
# What is shown travels as an argument or a variable, so that no text becomes code.
_APPLE = ("on run argv", "display notification (item 1 of argv) with title (item 2 of argv)", "end run")
_WINDOWS = (
    "Add-Type -AssemblyName System.Windows.Forms; $n = New-Object System.Windows.Forms.NotifyIcon; "
    "$n.Icon = [System.Drawing.SystemIcons]::Information; $n.Visible = $true; "
    "$n.ShowBalloonTip(5000, $env:OMNIHOOK_TITLE, $env:OMNIHOOK_TEXT, 'Info'); Start-Sleep 4"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`title`: what to show instead of the project's name."""

    title: str | None = None


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Show the notification with the first program that is there and works."""
    title = one_line(options.title or places.project_name(event, context), 80)
    text = one_line(text_of(event), 240)
    for argv in notifiers(sys.platform, title, text):
        program = programs.found(argv[0], context)
        if program is None:
            continue
        told = {"OMNIHOOK_TITLE": title, "OMNIHOOK_TEXT": text}
        where = places.folder(event, context)
        if programs.run((program, *argv[1:]), context, cwd=where, timeout=SECONDS, more=told).code == 0:
            break
    return None


def text_of(event: Event) -> str:
    """What to tell of an event."""
    match event:
        case Notification(message=message) if message:
            return message
        case Stop(tool_calls_count=calls) if calls:
            return f"Task complete after {calls} tool calls"
        case Stop():
            return "Task complete"
        case SessionEnd():
            return "Session ended"
        case SessionError(error=error) if error:
            return f"Error: {error}"
        case _:
            return event.name


def notifiers(platform: str, title: str, text: str) -> tuple[tuple[str, ...], ...]:
    """The programs of a platform that show a notification, the best first."""
    if platform == "darwin":
        script = tuple(word for line in _APPLE for word in ("-e", line))
        return (("osascript", *script, text, title),)
    if platform == "win32":
        return tuple((name, "-NoProfile", "-Command", _WINDOWS) for name in ("powershell", "pwsh"))
    # The body is markup to most notification servers.
    return (("notify-send", "--app-name=omnihook", "--", title, html.escape(text, quote=False)),)
