"""The four logging hooks: one line each, shown to the user and, when a file is named, appended to it."""

import errno
import os
import secrets
import stat
import time

from omnihook.builtin import places
from omnihook.builtin.troubles import Trouble
from omnihook.events import Event, FileModified, SessionEnd, SessionStart, Stop
from omnihook.hooks import Context
from omnihook.showing import one_line
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`file`: where to keep the lines as well; relative to the session's folder, `~` is the home."""

    file: str | None = None


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Say what happened in one line."""
    line = one_line(line_of(event))
    if options.file:
        _append(_target(options.file, event, context), _redacted(line))
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


def _redacted(line: str) -> str:
    """The line without secrets: the name of a file or the reason of an end may hold one, and a log is kept."""
    from omnihook.journal.redaction import Redactor  # takes longer than the rest, and few name a file

    return Redactor(secrets.token_bytes(16)).text(line)


def _target(name: str, event: Event, context: Context) -> str:
    if "\0" in name:
        raise Trouble(f"{one_line(name)} could not be written: no file has such a name")
    if name.startswith("~/"):
        return os.path.normpath(places.home(context) + name[1:])
    folder = places.folder(event, context)
    path = os.path.normpath(os.path.join(folder, name))
    if not os.path.isabs(name) and not (
        _below(path, folder) and _below(os.path.realpath(path), os.path.realpath(folder))
    ):
        raise Trouble(f"{one_line(name)} leads out of the session's folder; give the whole path if that is meant")
    return path


def _below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _append(path: str, line: str) -> None:
    """One write at the end of the file, so that lines of several sessions do not mix."""
    text = f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n".encode("utf-8", "backslashreplace")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # A pipe that nobody reads would keep us waiting for ever, and a link may lead anywhere.
        handle = os.open(path, _FLAGS, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
            os.write(handle, text)
        finally:
            os.close(handle)
    except OSError as error:
        why = {errno.ELOOP: "it is a link", errno.ENXIO: "it is not a regular file"}.get(
            error.errno or 0, error.strerror
        )
        raise Trouble(f"{one_line(path)} could not be written: {why}") from None
