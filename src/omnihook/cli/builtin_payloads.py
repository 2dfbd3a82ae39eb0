"""Whose payload a command was given: told by its spelling and its variables, and read from where that agent puts it."""

from collections.abc import Mapping
from dataclasses import dataclass

from omnihook import dialects
from omnihook.cli.common import read_payload
from omnihook.errors import PayloadError
from omnihook.families import autohand_payloads
from omnihook.jsontypes import Json, JsonError, JsonObject, loads, loads_object

WHOLE = "CODEMIE_HOOK_INPUT"  # the payload itself, from an agent that leaves stdin open and silent
NAMES = ("hook_event_name", "event", "hookEventName", "event_name")
NAMED = ("HOOK_EVENT", "HOOK_EVENT_NAME", "OMNIHOOK_EVENT")
_TEXTS = frozenset(
    {"session_id", "cwd", "hook_event_name", "tool_name", "tool_use_id", "tool_response", "file_path", "instruction"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An event as it came: the payload, the event's name, and in whose words."""

    payload: JsonObject
    event: str
    dialect: str


def told(env: Mapping[str, str], event: str | None, dialect: str | None) -> Told:
    """What happened, and in which dialect; raises PayloadError when that cannot be told."""
    payload = _payload(env)
    name = event or _named(payload) or next((env[name] for name in NAMED if env.get(name)), None)
    if not name:
        raise PayloadError("nothing says which event this is; name it, or send a payload with 'hook_event_name'")
    return Told(payload=payload, event=name, dialect=dialect or whose(name, env))


def whose(event: str, env: Mapping[str, str]) -> str:
    """The dialect that spells an event this way: one whose variables are set, else the most common."""
    speakers = [item for item in map(dialects.get, dialects.names()) if any(row.native == event for row in item.names)]
    for item in speakers:
        if any(mark in env for mark in item.marks):
            return item.name
    known = [item.name for item in speakers]
    return dialects.JSON_DEFAULT if dialects.JSON_DEFAULT in known or not known else known[0]


def from_variables(env: Mapping[str, str]) -> dict[str, Json]:
    """The payload of an agent that tells everything in variables too, from those alone."""
    found = {key: _value(env, name) for name, key in autohand_payloads.VARIABLES.items() if name in env}
    return {key: text if key in _TEXTS else _json(text) for key, text in found.items()}


def _payload(env: Mapping[str, str]) -> JsonObject:
    if WHOLE in env:
        try:
            return loads_object(_value(env, WHOLE))
        except JsonError as error:
            raise PayloadError(f"{WHOLE} is not a JSON object: {error}") from None
    return read_payload() or from_variables(env)


def _named(payload: JsonObject) -> str | None:
    return next((value for key in NAMES if isinstance(value := payload.get(key), str) and value), None)


def _value(env: Mapping[str, str], name: str) -> str:
    """A variable; one that was too long for the system has its whole value in a file."""
    path = env.get(f"{name}_FILE")
    if path is None:
        return env[name]
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise PayloadError(f"{name}_FILE cannot be read: {error.strerror}") from None


def _json(text: str) -> Json:
    """Objects, numbers and flags are written as JSON; what is not JSON is text."""
    try:
        return loads(text)
    except JsonError:
        return text
