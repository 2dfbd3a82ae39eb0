"""The four logging hooks: one line each, shown to the user and, when a file is named, appended to it."""

import os
import time
from dataclasses import dataclass

from omnihook.builtin import places
from omnihook.builtin.programs import Trouble
from omnihook.events import Event, FileModified, SessionEnd, SessionStart, Stop
from omnihook.hooks import Context
from omnihook.showing import one_line
from omnihook.verdicts import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`file`: where to keep the lines as well; relative to the session's folder, `~` is the home."""

    file: str | None = None


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Say what happened in one line."""
    line = one_line(line_of(event))
    if options.file:
        _append(_target(options.file, event, context), line)
    return Verdict(system_message=line)


def line_of(event: Event) -> str:
    """The line for an event; what the agent did not tell is left out."""
    match event:
        case SessionStart(source=source):
            return f"Session started: {source}" if source else "Session started"
        case SessionEnd(reason=reason, duration=duration):
            after = "" if duration is None else f" after {round(duration * 1000)}ms"
            return f"Session ended: {reason}{after}" if reason else f"Session ended{after}"
        case Stop(tokens_used=tokens, tool_calls_count=calls):
            told = [f"{tokens} tokens"] if tokens is not None else []
            told += [f"{calls} tool calls"] if calls is not None else []
            return f"Turn complete: {', '.join(told)}" if told else "Turn complete"
        case FileModified(file_path=path, change_type=change):
            return f"File {change or 'change'}: {path}"
        case _:
            return event.name


def _target(name: str, event: Event, context: Context) -> str:
    path = places.home(context) + name[1:] if name.startswith("~/") else name
    return os.path.join(places.folder(event, context), path)


def _append(path: str, line: str) -> None:
    """One write at the end of the file, so that lines of several sessions do not mix."""
    text = f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n".encode("utf-8", "backslashreplace")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, text)
        finally:
            os.close(handle)
    except OSError as error:
        raise Trouble(f"{path} could not be written: {error.strerror}") from None
