"""A table of fields as a codec: canonical attribute <-> native key, with the vocabulary applied on the way."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import cast

from omnihook.events import Event
from omnihook.families.times import from_iso, iso
from omnihook.jsontypes import Json, JsonObject
from omnihook.slotted import dataclass
from omnihook.tools import (
    Vocabulary,
    canonical_input,
    canonical_tool,
    canonical_value,
    native_input,
    native_tool,
    native_value,
)


class Kind(Enum):
    """How a value is read and written."""

    TEXT = "text"
    FLAG = "flag"
    COUNT = "count"
    JSON = "json"
    OBJECT = "object"
    TEXTS = "texts"
    OBJECTS = "objects"
    MILLISECONDS = "milliseconds"  # seconds with us
    INSTANT = "instant"  # ISO-8601 text; seconds since the epoch with us
    WORD = "word"  # an enumerated value, translated by the vocabulary
    TOOL = "tool"
    INPUT = "input"


@dataclass(frozen=True, slots=True)
class Field:
    """One row: our attribute, their key, and how the value travels; `always` sends null for nothing."""

    attr: str
    key: str
    kind: Kind = Kind.TEXT
    always: bool = False


_LONGEST = 10**15  # milliseconds; more than any clock or duration holds


def event_name(payload: JsonObject, name: str | None, keys: Sequence[str] = ("hook_event_name",)) -> str:
    """The event's name: as the caller gives it, else under the first of some keys that is there; empty for none."""
    given = next((payload[key] for key in keys if key in payload), None) if name is None else name
    return given if isinstance(given, str) else ""


def decode(payload: JsonObject, rows: Iterable[Field], words: Vocabulary) -> dict[str, object]:
    """The attributes found in a payload; a value of the wrong type is left to the untouched payload."""
    found: dict[str, object] = {}
    for row in rows:
        if row.key in payload:
            value = _read(payload[row.key], row, words, found)
            if value is not None:
                found[row.attr] = value
    return found


def encode(event: Event, rows: Sequence[Field], words: Vocabulary) -> dict[str, Json]:
    """The payload for an event: the one it came with, where that is the same dialect, with its changes."""
    made: dict[str, Json] = {}
    for row in rows:
        value = _write(event, row, words)
        if value is not None or row.always:
            made[row.key] = value
    return made


def overlay(event: Event, rows: Sequence[Field], words: Vocabulary) -> dict[str, Json]:
    """The untouched payload with only the rewritten fields replaced."""
    made = dict(event.native)
    for row in rows:
        if row.attr in event.changed:
            made[row.key] = _write(event, row, words)
    return made


def _read(value: Json, row: Field, words: Vocabulary, found: Mapping[str, object]) -> object:
    match row.kind, value:
        case Kind.JSON, _:
            return value
        case Kind.TEXT, str():
            return value
        case Kind.FLAG, bool():
            return value
        case Kind.COUNT, int() if not isinstance(value, bool):
            return value
        case Kind.OBJECT, dict():
            return value
        case Kind.TEXTS, list() if all(isinstance(item, str) for item in value):
            return tuple(value)
        case Kind.OBJECTS, list() if all(isinstance(item, dict) for item in value):
            return tuple(value)
        case Kind.MILLISECONDS, int() | float() if not isinstance(value, bool) and abs(value) < _LONGEST:
            return value / 1000
        case Kind.INSTANT, str():
            return from_iso(value)
        case Kind.WORD, str():
            return canonical_value(words, row.attr, value)
        case Kind.TOOL, str():
            return canonical_tool(words, value)
        case Kind.INPUT, dict():
            return canonical_input(words, str(found.get("tool_name", "")), value)
        case _:
            return None


def _write(event: Event, row: Field, words: Vocabulary) -> Json:
    value: object = getattr(event, row.attr, None)
    if value is None:
        return None
    match row.kind:
        case Kind.MILLISECONDS if isinstance(value, int | float):
            return round(value * 1000)
        case Kind.INSTANT if isinstance(value, int | float):
            return iso(value)
        case Kind.WORD if isinstance(value, str):
            return native_value(words, row.attr, value)
        case Kind.TOOL if isinstance(value, str):
            return native_tool(words, value)
        case Kind.INPUT if isinstance(value, Mapping):
            return dict(native_input(words, str(getattr(event, "tool_name", "")), value))
        case Kind.TEXTS | Kind.OBJECTS if isinstance(value, tuple):
            return list(value)
        case _:
            return cast("Json", value)  # the attribute's own type is JSON already
