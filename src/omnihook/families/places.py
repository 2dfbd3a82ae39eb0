"""Payloads whose fields may stand in several places: an interface in one spelling, a wire form in another.

The documents of some agents describe an event as an object of their program and as what a hook receives. Both are
understood; what we write is the first place of each field, and every field that came in is given back.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from omnihook.events import Event
from omnihook.families import fields
from omnihook.families.fields import Field, Kind
from omnihook.jsontypes import Json, JsonError, JsonObject, dumps, loads_object
from omnihook.slotted import dataclass
from omnihook.tools import Vocabulary

Way: TypeAlias = tuple[str, ...]  # keys from the top of the payload down


@dataclass(frozen=True, slots=True)
class Place:
    """A field, and the ways to it: the one we write first, then the others we understand."""

    field: Field
    ways: tuple[Way, ...]


def place(attr: str, *ways: str, kind: Kind = Kind.TEXT, always: bool = False) -> Place:
    """A row; each way is its keys joined by dots."""
    return Place(Field(attr, ways[0], kind, always), tuple(tuple(way.split(".")) for way in ways))


def decode(payload: JsonObject, rows: Sequence[Place], words: Vocabulary) -> dict[str, object]:
    """The attributes found in a payload."""
    gathered: dict[str, Json] = {}
    for row in rows:
        way = _found(payload, row.ways)
        if way is not None:
            gathered[row.field.key] = _object_in_text(_at(payload, way), row.field)
    return fields.decode(gathered, [row.field for row in rows], words)


def encode(event: Event, rows: Sequence[Place], words: Vocabulary, *, agent: str) -> dict[str, Json]:
    """The payload for an event: all that it came with, where that is the same agent, and what it lacks."""
    own = event.agent == agent
    made: dict[str, Json] = dict(event.native) if own else {}
    written = fields.encode(event, [row.field for row in rows], words)
    for row in rows:
        key = row.field.key
        if own and row.field.attr in event.changed:
            way = _found(made, row.ways)
            if way is not None:
                _put(made, way, _like(_at(made, way), written.get(key)))
        if key in written and not _present(made, row.ways[0]):
            _put(made, row.ways[0], written[key])
    return made


def written(event: Event, row: Place, words: Vocabulary, *, agent: str) -> Json:
    """One field as the agent would write it: as it came, where it came from there and has not changed."""
    if event.agent == agent and row.field.attr not in event.changed:
        way = _found(event.native, row.ways)
        if way is not None:
            return _at(event.native, way)
    return fields.encode(event, [row.field], words).get(row.field.key)


def _object_in_text(value: Json, field: Field) -> Json:
    """A tool's input may come as the JSON text of the object."""
    if field.kind is not Kind.INPUT or not isinstance(value, str):
        return value
    try:
        return loads_object(value)
    except JsonError:
        return value


def _like(before: Json, value: Json) -> Json:
    return dumps(value) if isinstance(before, str) and isinstance(value, dict) else value


def _found(payload: JsonObject, ways: Sequence[Way]) -> Way | None:
    return next((way for way in ways if _present(payload, way)), None)


def _present(payload: JsonObject, way: Way) -> bool:
    holder: Json | Mapping[str, Json] = payload
    for key in way:
        if not isinstance(holder, Mapping) or key not in holder:
            return False
        holder = holder[key]
    return True


def _at(payload: JsonObject, way: Way) -> Json:
    value: Json | Mapping[str, Json] = payload
    for key in way:
        assert isinstance(value, Mapping)  # the way was found
        value = value[key]
    return value  # type: ignore[return-value]  # a way has at least one key, so this is inside the payload


def _put(made: dict[str, Json], way: Way, value: Json) -> None:
    """Set a value, copying the objects on the way; where something else stands in the way it is kept."""
    *above, last = way
    holder = made
    for key in above:
        inner = holder.get(key, {})
        if not isinstance(inner, dict):
            return
        copy = dict(inner)
        holder[key] = copy
        holder = copy
    holder[last] = value
