"""Whose payload a command was given: told by its spelling and its variables, and read from where that agent puts it."""

from collections.abc import Iterable, Mapping

from omnihook import dialects
from omnihook.cli.common import read_payload
from omnihook.dialect import Dialect
from omnihook.errors import PayloadError
from omnihook.jsontypes import Json, JsonError, JsonObject, loads, loads_object
from omnihook.slotted import dataclass

NAMES = ("hook_event_name", "event", "type", "hookEventName", "event_name")
NAMED = ("HOOK_EVENT", "HOOK_EVENT_NAME", "OMNIHOOK_EVENT")
_TEXTS = frozenset(
    {"session_id", "cwd", "hook_event_name", "tool_name", "tool_use_id", "tool_response", "file_path", "instruction"}
    | {"prompt", "error_message"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An event as it came: the payload, the event's name, and in whose words; `sure` unless that is a guess."""

    payload: JsonObject
    event: str
    dialect: str
    sure: bool


def told(env: Mapping[str, str], event: str | None, dialect: str | None) -> Told:
    """What happened, and in which dialect; raises PayloadError when that cannot be told."""
    payload = _payload(env, dialects.names() if dialect is None else (dialect,))
    name = event or _named(payload) or next((env[name] for name in NAMED if env.get(name)), None)
    if not name:
        raise PayloadError("nothing says which event this is; name it, or send a payload with 'hook_event_name'")
    found, sure = (dialect, True) if dialect is not None else whose(name, env)
    return Told(payload=payload or from_variables(env, found), event=name, dialect=found, sure=sure)


def whose(event: str, env: Mapping[str, str]) -> tuple[str, bool]:
    """The dialect that spells an event this way and sets the variables that are set; the most common is a guess."""
    speakers = [item for item in map(dialects.get, dialects.names()) if any(row.native == event for row in item.names)]
    evidence = {item.name: _evidence(item, event, env) for item in speakers}
    best = max(evidence, key=lambda name: evidence[name], default=dialects.JSON_DEFAULT)
    if evidence.get(best):
        return best, True
    if dialects.JSON_DEFAULT in evidence or not evidence:
        return dialects.JSON_DEFAULT, False
    return best, len(speakers) == 1


def from_variables(env: Mapping[str, str], dialect: str) -> dict[str, Json]:
    """The payload of an agent that tells everything in variables, from those alone."""
    found = {key: _value(env, name) for name, key in dialects.get(dialect).told_by.items() if name in env}
    return {key: text if key in _TEXTS else _json(text) for key, text in found.items()}


def _evidence(dialect: Dialect, event: str, env: Mapping[str, str]) -> int:
    """How many variables say that this agent has called us: all that it always sets, or none counts."""
    always = dialect.encode_event(dialect.decode_event({}, event)).env
    names = {row.native for row in dialect.names}  # a variable that holds the event must hold this one
    set_by_it = all(
        name in env and (value not in names or env[name] in (value, event)) for name, value in always.items()
    )
    return (len(always) if set_by_it else 0) + sum(mark in env for mark in dialect.marks)


def _payload(env: Mapping[str, str], speakers: Iterable[str]) -> JsonObject:
    """From the variable that holds all of it, where an agent sets one because it leaves stdin open, else from stdin."""
    spoken = (dialects.get(name).told_whole for name in speakers)
    whole = next((name for name in spoken if name is not None and name in env), None)
    if whole is None:
        return read_payload()
    try:
        return loads_object(_value(env, whole))
    except JsonError as error:
        raise PayloadError(f"{whole} is not a JSON object: {error}") from None


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
