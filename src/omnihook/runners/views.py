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
from omnihook.slotted import copier, dataclass

E = TypeVar("E", bound=Event)
_FIXED = frozenset((FrozenDict, FrozenList, type(EMPTY), type(None), str, bool, int, float))
_NESTED = re.compile("Mapping|dict|list|tuple|Json")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """How to copy an event of one class: which fields may hold lists or objects, and how a copy is made."""

    nested: tuple[str, ...]
    read: Callable[[Event], tuple[object, ...]]  # the nested fields
    copy: Callable[..., Event] | None  # given the event, its time and the nested fields; None for a host's open class


_layouts: dict[type[Event], _Layout] = {}


def view(event: E) -> E:
    """The event with frozen values; itself when they are."""
    layout = _layouts.get(type(event)) or _layout(type(event))
    if _FIXED.issuperset(map(type, layout.read(event))):
        return event
    return stamped(event, event.timestamp)


def stamped(event: E, now: float | None) -> E:
    """The event with frozen values and the time it was fired at: what `replace` makes, in a fifth of its time."""
    layout = _layouts.get(type(event)) or _layout(type(event))
    values = [value if type(value) in _FIXED else _frozen(value, event) for value in layout.read(event)]
    if layout.copy is None:
        return replace(event, timestamp=now, **dict(zip(layout.nested, values, strict=True)))  # type: ignore[arg-type]  # its own
    return cast("E", layout.copy(event, now, *values))


def _frozen(value: object, event: Event) -> object:
    try:
        return frozen(cast("Json", value))
    except RecursionError:
        raise UsageError(f"the values of the {event.name} event are nested too deeply") from None


def _layout(kind: type[Event]) -> _Layout:
    nested = tuple(field.name for field in fields(kind) if _NESTED.search(str(field.type)))
    made = _layouts[kind] = _Layout(
        nested=nested,
        read=attrgetter(*nested),  # every event has several
        copy=None if kind.__dictoffset__ else copier(kind, ("timestamp", *nested)),  # may keep more than its fields
    )
    return made
