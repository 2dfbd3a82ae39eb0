"""What variables tell of a tool call: its file, its shell command, its exit code."""

from omnihook.events import Event, ToolEvent
from omnihook.jsontypes import take
from omnihook.tools import shell_text, touched

# Their path is a folder to look in, not a file that the call is about.
_SEARCHES = frozenset({"LS", "Glob", "Grep"})


def file_path(event: Event) -> str | None:
    """The file an event is about: the one it names, or the first that its tool call touches."""
    named = getattr(event, "file_path", None)
    if isinstance(named, str) and named:
        return named
    if not isinstance(event, ToolEvent) or event.tool_name in _SEARCHES:
        return None
    files = touched(event.tool_name, event.tool_input)
    return files[0].path if files else None


def command(event: Event) -> str | None:
    """The shell text that a tool call runs, or the `command` of a tool we do not know."""
    if not isinstance(event, ToolEvent):
        return None
    text = shell_text(event.tool_name, event.tool_input)
    return text if text is not None else take(event.tool_input, "command", str)


def exit_code(event: Event) -> int | None:
    """The exit code of a tool that has run, as told by the event or by the tool's answer."""
    code = getattr(event, "exit_code", None)
    if isinstance(code, int):
        return code
    response = getattr(event, "tool_response", None)
    if not isinstance(response, dict):
        return None
    found = (take(response, key, int) for key in ("exit_code", "exitCode", "returncode"))
    return next((code for code in found if code is not None), None)
