"""Hooks made by a host program: from a decorated function, or from an object with name, events and execute.

A mistake in what is said about a hook is refused here: a guard whose option is ignored is none.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, TypedDict, Unpack, cast, get_args

from omnihook import options
from omnihook.errors import UsageError, suggestion
from omnihook.events import Event
from omnihook.hooks import Action, Context, Function, Hook, HookFunction

Named = str | type[Event]  # how an event is named: by its name or its class


class HookObject(Protocol):
    """A hook written as an object: it may also have `matcher`, `timeout`, `priority` and the other options."""

    @property
    def name(self) -> str:
        """What the hook is called."""
        ...

    @property
    def events(self) -> Iterable[Named]:
        """The events it wants."""
        ...

    def execute(self, event: Event, context: Context) -> object:
        """Look at an event; plain or async, giving a Verdict or None. It may do without the context."""
        ...


class Options(TypedDict, total=False):
    """What may be said about a registered function, as in a native hook entry."""

    name: str | None
    match: str | None
    priority: int
    timeout: float | str | None  # seconds, or "500ms", "30s", "2m"
    tools: str | Iterable[str]
    paths: str | Iterable[str]
    if_: str | None
    guard: bool
    observe: bool
    once: bool
    pure: bool
    shadow: bool  # mode = "shadow"
    background: bool  # async = true
    on_error: str | Mapping[str, str]
    description: str | None


_MAY_BE_NONE = frozenset({"name", "match", "timeout", "if_", "description"})
_FIELDS = {"match": "matcher", "if_": "rule"}  # where the hook calls it otherwise
_NEAR = {
    "matcher": "match",
    "if": "if_",
    "rule": "if_",
    "async": "background",
    "async_": "background",
    "mode": "shadow",
}


def from_function(function: Callable[..., object], events: Iterable[Named], **given: Unpack[Options]) -> Hook:
    """A hook from a function that takes the event, and perhaps a context, and gives a Verdict or None."""
    if not callable(function):
        raise UsageError(f"a hook is a function that takes the event, not {function!r}")
    return _hook(function, events, given, str(getattr(function, "__qualname__", "function")), eager=False)


def check(events: Iterable[Named], given: Mapping[str, object]) -> tuple[tuple[str, ...], dict[str, object]]:
    """The names of events, and what is said about a hook as its fields."""
    names = options.events(events)
    said = {}
    for option, value in given.items():
        if option not in options.READERS:
            near = _NEAR.get(option)
            hint = f", did you mean {near!r}?" if near else suggestion(option, options.READERS)
            raise UsageError(f"unknown option {option!r} of a hook{hint}")
        if value is None and option in _MAY_BE_NONE:
            continue
        said[_FIELDS.get(option, option)] = options.READERS[option](option, value)
    return names, said


def from_object(made: HookObject) -> Hook:
    """A hook from an object with name, events and execute; its other attributes are options where they are named so."""
    if isinstance(made, type):
        raise UsageError(f"register an instance: {made.__name__}(), not the class {made.__name__}")
    missing = [name for name in ("name", "events", "execute") if not hasattr(made, name)]
    if missing:
        hint = '; decorate a function with @engine.on("PreToolUse")' if callable(made) else ""
        raise UsageError(f"{made!r} is no hook: it has no {', '.join(missing)}{hint}")
    named = {name: name for name in options.READERS} | {"matcher": "match"}
    found = ((option, getattr(made, name, None)) for name, option in named.items())
    given = {option: value for option, value in found if value is not None}
    return _hook(made.execute, made.events, given, "hook", eager=True)


def checked(hook: Hook) -> Hook:
    """A hook made by hand, if it can be run."""
    if not isinstance(hook.action, get_args(Action)):
        raise UsageError(f"the action of hook {hook.name!r} is {hook.action!r}; write Command(command=...), say")
    events: object = hook.events
    if not isinstance(events, tuple) or not all(isinstance(name, str) for name in events):
        raise UsageError(f"the events of hook {hook.name!r} are {hook.events!r}; write a tuple of names")
    if not hook.events:
        raise UsageError(f"hook {hook.name!r} has no events")
    return hook


def _hook(
    function: Callable[..., object], events: Iterable[Named], given: Mapping[str, object], name: str, *, eager: bool
) -> Hook:
    names, said = check(events, given)
    name = str(said.pop("name", name))
    action = Function(function=cast("HookFunction", function), contextual=_takes_context(function, name, eager=eager))
    return Hook(name=name, events=names, action=action, **said)  # type: ignore[arg-type]  # by name


def _takes_context(function: Callable[..., object], name: str, *, eager: bool) -> bool:
    """Whether a function wants the context too: where it must be given or, if `eager`, may be given two arguments."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise UsageError(f"hook {name!r} yields; a hook returns a Verdict or None")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return eager
    if _binds(signature, 2) and (eager or not _binds(signature, 1) or _names_context(signature)):
        return True
    if not _binds(signature, 1):
        raise UsageError(f"hook {name!r} takes {signature}; a hook takes the event, and perhaps a context")
    return False


def _binds(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def _names_context(signature: inspect.Signature) -> bool:
    second = list(signature.parameters.values())[1:2]
    return bool(second) and second[0].name in ("context", "ctx")
