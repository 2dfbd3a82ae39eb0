"""What a host gives an engine: values, checked so that a mistake is said at once, and functions, which may raise."""

import math
import os
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from operator import attrgetter

from omnihook.errors import UsageError
from omnihook.events import Event, ToolEvent
from omnihook.hooks import Hook

Cancelled = Callable[[], bool]
Gate = Callable[[Hook, Event], str | None]
Tell = Callable[[str], object]
_TEXTS = ("session_id", "cwd", "agent", "subagent")
_texts: Callable[[Event], tuple[object, ...]] = attrgetter(*_TEXTS)
DEEPEST = 16  # events fired by hooks of events fired by hooks ...
_depth: ContextVar[int] = ContextVar("omnihook_depth", default=0)


def deeper() -> int:
    """Go one event deeper and give the depth to go back to; raises UsageError where hooks fire events without end."""
    depth = _depth.get()
    if depth >= DEEPEST:
        raise UsageError(f"hooks fire events inside each other, {DEEPEST} deep; does a hook fire its own event?")
    _depth.set(depth + 1)
    return depth


def back(depth: int) -> None:
    """Leave an event. A plain number instead of a token, for a coroutine may be ended in another context."""
    _depth.set(depth)


def event(given: object) -> Event:
    """An event that can be fired: a value of an event class, with texts and objects where they belong."""
    if not isinstance(given, Event):
        shown = f"the class {given.__name__}" if isinstance(given, type) else repr(given)[:80]
        raise UsageError(f'fire takes an event such as PreToolUse(session_id="1", tool_name="Bash"), not {shown}')
    for value in _texts(given):
        if not isinstance(value, str):
            raise _mistake(given, next(name for name in _TEXTS if getattr(given, name) is value), "a text")
    if not isinstance(given.metadata, (dict, Mapping)):  # asking for dict first is much quicker
        raise _mistake(given, "metadata", "a dict")
    if isinstance(given, ToolEvent):
        if not isinstance(given.tool_name, str):
            raise _mistake(given, "tool_name", "a text")
        if not isinstance(given.tool_input, (dict, Mapping)):
            raise _mistake(given, "tool_input", "a dict")
    return given


def deadline(given: object) -> float | None:
    """A moment of the monotonic clock; infinitely far is none."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or math.isnan(given):
        raise UsageError(f"deadline must be a moment such as time.monotonic() + 5, not {given!r}")
    return None if given == math.inf else float(given)


def names(option: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """One name or several."""
    found = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in found):
        raise UsageError(f"{option} must be names, not {given!r}")
    return found


def files(given: Iterable[object]) -> tuple[tuple[str, str], ...]:
    """Config files, each with its dialect."""
    return tuple(_file(pair) for pair in given)


def folder(given: "str | os.PathLike[str] | None") -> str | None:
    """A path as text."""
    try:
        return None if given is None else os.fsdecode(given)
    except TypeError:
        raise UsageError(f"project must be a path, not {given!r}") from None


def held_cancelled(cancelled: Cancelled, tell: Tell) -> Cancelled:
    """The same question; one that raises is answered with no, and told of once."""
    told: list[str] = []

    def asked() -> bool:
        try:
            return bool(cancelled())
        except Exception as error:  # noqa: BLE001 - a host that cannot say whether it gave up has not
            if not told:
                told.append(f"cancelled= raised {type(error).__name__}: {error}; the hooks went on")
                tell(told[0])
            return False

    return asked


def held_gate(gate: Gate, tell: Tell) -> Gate:
    """The same gate; where it raises, a guard runs and any other hook does not, and both are told of."""

    def asked(hook: Hook, event: Event) -> str | None:
        try:
            reason = gate(hook, event)
        except Exception as error:  # noqa: BLE001 - it is the host's, and the hooks must be decided on all the same
            reason = f"its gate raised {type(error).__name__}: {error}"
            tell(f"hook {hook.name} {'ran although' if hook.guard else 'did not run:'} {reason}")
            return None if hook.guard else reason
        return reason if reason is None else str(reason)

    return asked


def _file(pair: object) -> tuple[str, str]:
    match pair:
        case (str(dialect), str(path)):
            return dialect, path
        case _:
            raise UsageError(f'config takes pairs such as ("claude-code", "settings.json"), not {pair!r}')


def _mistake(given: Event, name: str, wanted: str) -> UsageError:
    return UsageError(f"{name} of the {type(given).__name__} event must be {wanted}, not {getattr(given, name)!r}")
