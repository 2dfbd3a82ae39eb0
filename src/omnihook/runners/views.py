"""An event as hooks may see it: the same values, in lists and objects that cannot be changed.

A hook that could change them would change what the host does and what later hooks see, past every record and guard.
"""

import re
from collections.abc import Callable
from dataclasses import fields, replace
from operator import attrgetter
from typing import TypeVar, cast

from omnihook.errors import UsageError
from omnihook.events import Event
from omnihook.jsontypes import EMPTY, FrozenDict, FrozenList, Json, frozen
from omnihook.slotted import dataclass

E = TypeVar("E", bound=Event)
_Put = Callable[[Event, object], None]
_FIXED = frozenset((FrozenDict, FrozenList, type(EMPTY), type(None), str, bool, int, float))
_NESTED = re.compile("Mapping|dict|list|tuple|Json")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """How to copy an event of one class: its fields, where the time is, and which may hold lists or objects."""

    names: tuple[str, ...]
    read: Callable[[Event], tuple[object, ...]]
    puts: tuple[_Put, ...]
    time: int
    nested: tuple[int, ...]
    read_nested: Callable[[Event], tuple[object, ...]]


_layouts: dict[type[Event], _Layout] = {}


def view(event: E) -> E:
    """The event with frozen values; itself when they are."""
    layout = _layouts.get(type(event)) or _layout(type(event))
    if _FIXED.issuperset(map(type, layout.read_nested(event))):
        return event
    return stamped(event, event.timestamp)


def stamped(event: E, now: float | None) -> E:
    """The event with frozen values and the time it was fired at: what `replace` makes, in a third of its time."""
    kind = type(event)
    layout = _layouts.get(kind) or _layout(kind)
    values = list(layout.read(event))
    values[layout.time] = now
    for spot in layout.nested:
        value = values[spot]
        if type(value) not in _FIXED:
            values[spot] = _frozen(value, event)
    if kind.__dictoffset__:  # a host's own class, which may keep more than its fields
        return replace(event, **dict(zip(layout.names, values, strict=True)))  # type: ignore[arg-type]  # its own fields
    made = object.__new__(kind)
    for put, value in zip(layout.puts, values, strict=True):
        put(made, value)
    return made


def _frozen(value: object, event: Event) -> object:
    try:
        return frozen(cast("Json", value))
    except RecursionError:
        raise UsageError(f"the values of the {event.name} event are nested too deeply") from None


def _layout(kind: type[Event]) -> _Layout:
    every = fields(kind)
    names = tuple(item.name for item in every)
    nested = tuple(number for number, item in enumerate(every) if _NESTED.search(str(item.type)))
    made = _layouts[kind] = _Layout(
        names=names,
        read=attrgetter(*names),
        puts=tuple(_setter(kind, name) for name in names),
        time=names.index("timestamp"),
        nested=nested,
        read_nested=attrgetter(*(names[number] for number in nested)),  # every event has several
    )
    return made


def _setter(kind: type[Event], name: str) -> _Put:
    slot = getattr(kind, name, None)  # a host's own class may have a default there
    found: _Put | None = getattr(slot, "__set__", None)
    return found or (lambda event, value: object.__setattr__(event, name, value))
