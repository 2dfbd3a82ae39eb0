"""Hooks made by a host program: from a decorated function, or from an object with name, events and execute."""

import inspect
from collections.abc import Callable, Iterable
from typing import Protocol, TypedDict, Unpack, cast

from omnihook.events import NATIVE, Event
from omnihook.families.patterns import native_matcher
from omnihook.hooks import Context, Function, Hook, HookFunction, Source


class HookObject(Protocol):
    """A hook written as an object: it may also have `matcher`, `timeout` and `priority`."""

    @property
    def name(self) -> str:
        """What the hook is called."""
        ...

    @property
    def events(self) -> Iterable[str]:
        """The events it wants."""
        ...

    def execute(self, event: Event, context: Context) -> object:
        """Look at an event; plain or async, giving a Verdict or None."""
        ...


class Options(TypedDict, total=False):
    """What may be said about a registered function, as in a native hook entry."""

    name: str
    match: str
    priority: int
    timeout: float
    paths: Iterable[str]
    if_: str
    guard: bool
    observe: bool
    once: bool


def from_function(function: Callable[..., object], events: Iterable[str], **options: Unpack[Options]) -> Hook:
    """A hook from a function that takes the event, and perhaps a context, and gives a Verdict or None."""
    return Hook(
        name=options.get("name") or str(getattr(function, "__qualname__", "function")),
        events=tuple(events),
        action=Function(function=cast("HookFunction", function), contextual=_takes_context(function)),
        matcher=native_matcher(options.get("match")),
        priority=options.get("priority", 0),
        timeout=options.get("timeout"),
        paths=tuple(options.get("paths", ())),
        rule=options.get("if_"),
        guard=options.get("guard", False),
        observe=options.get("observe", False),
        once=options.get("once", False),
    )


def from_object(made: HookObject) -> Hook:
    """A hook from an object with name, events and execute, and perhaps matcher, timeout and priority."""
    pattern = getattr(made, "matcher", None)
    return Hook(
        name=made.name,
        events=tuple(str(event) for event in made.events),
        action=Function(function=cast("HookFunction", made.execute), contextual=True),
        matcher=native_matcher(getattr(pattern, "pattern", pattern)),
        timeout=getattr(made, "timeout", None),
        priority=getattr(made, "priority", 0),
        source=Source(dialect=NATIVE),
    )


def _takes_context(function: Callable[..., object]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len([p for p in positional if p.default is p.empty]) >= 2
