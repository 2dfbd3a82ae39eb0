"""What the verbs share: how they are run, reading stdin, and printing."""

import io
import json
import os
import sys
from collections.abc import Sequence

import click

from omnihook import dialects
from omnihook.dialect import Dialect, events_named
from omnihook.errors import ConfigError, PayloadError, UnknownEvent
from omnihook.events import EVENTS, NATIVE, Event, rewritten
from omnihook.folders import here
from omnihook.jsontypes import Json, JsonError, JsonObject, loads_object
from omnihook.showing import one_line, shown

MAX_PAYLOAD = 256 << 20


def invoke(command: click.Command, args: list[str], name: str, *, wrong: int | None = None) -> int:
    """Run a click command as a verb: its return value is the exit code; wrong usage is 2 or as given, the rest is 1."""
    try:
        code = command.main(args=args, prog_name=f"omnihook {name}", standalone_mode=False)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        told = io.StringIO()
        error.show(told)
        sys.stderr.write(shown(told.getvalue()))
        return error.exit_code if wrong is None else wrong
    except click.Abort:
        return 130
    return code if isinstance(code, int) else 0


def working_directory() -> str:
    """The current directory, or the home when it is gone."""
    return here(os.environ)


def present_directory() -> str:
    """The current directory, for what must not happen in another one; raises when it is gone."""
    try:
        return os.getcwd()
    except OSError:
        raise ConfigError("the current directory is gone; change into one that exists") from None


def event_from(dialect: Dialect, name: str, payload: JsonObject, known: Sequence[str] = ()) -> Event:
    """The event of that name in a dialect, with the common fields filled in that a payload leaves out.

    `known` are further names, under which hooks are registered.
    """
    native = _native_of(dialect, name)
    if not events_named(dialect, native) and name not in EVENTS and name not in known:
        raise UnknownEvent(name, dialect.name, {row.native for row in dialect.names})
    event = dialect.decode_event(payload, native)
    missing: dict[str, object] = {}
    if not event.session_id:
        missing["session_id"] = f"cli-{os.urandom(6).hex()}"
    if not event.cwd:
        missing["cwd"] = working_directory()
    return rewritten(event, **missing) if missing else event


def read_payload() -> JsonObject:
    """The JSON object on stdin; nothing there is an empty object."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    data = sys.stdin.buffer.read(MAX_PAYLOAD + 1)
    if len(data) > MAX_PAYLOAD:
        raise PayloadError(f"the payload on stdin has more than {MAX_PAYLOAD} bytes")
    if not data.strip():
        return {}
    try:
        return loads_object(data)
    except JsonError as error:
        raise PayloadError(f"the payload on stdin is not a JSON object: {error}") from None


def print_json(value: Json) -> None:
    """A value as indented JSON on stdout."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def say(text: str = "") -> None:
    """A line of a result on stdout, made safe to show."""
    sys.stdout.write(shown(text, len(text)) + "\n")


def dotted(name: str, end: str, *, limit: int, width: int) -> str:
    """A name of at most so many characters, and what came of it behind a row of dots up to a width."""
    begun = one_line(name, limit)
    return f"{begun}{'.' * max(3, width - len(begun))}{end}"


def note(text: str) -> None:
    """A line for people on stderr."""
    sys.stderr.write(one_line(text, 2000) + "\n")


def config_pairs(config: Sequence[str], dialect: str | None) -> list[tuple[str, str]]:
    """`[DIALECT:]FILE` options as (dialect, file)."""
    chosen = dialects.get(dialect or NATIVE).name
    pairs = []
    for item in config:
        name, colon, path = item.partition(":")
        pairs.append((name, path) if colon and name in dialects.names() else (_by_name(item, chosen, dialect), item))
    return pairs


def _by_name(path: str, chosen: str, given: str | None) -> str:
    """A JSON file is not ours: without a word on its dialect it is read as the one that most hooks are written in."""
    return dialects.JSON_DEFAULT if given is None and path.endswith(".json") else chosen


def _native_of(dialect: Dialect, name: str) -> str:
    """A dialect's own name, for a name that may be canonical."""
    if any(row.native == name for row in dialect.names):
        return name
    return next((row.native for row in dialect.names if row.event == name), name)
