"""What a program says about a hook it registers: each value read as in a native entry, or refused in one sentence."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar

from omnihook.errors import UsageError
from omnihook.events import EVENTS, Event
from omnihook.families.entries import BadEntry
from omnihook.families.patterns import native_matcher
from omnihook.hooks import Cause, Matcher, OnError
from omnihook.jsontypes import Json
from omnihook.matching.rules import parse

T = TypeVar("T")

# A name as near as this to a known event is a mistake; any other may be an event of tomorrow.
_CUTOFF = 0.85
_KNOWN = {name.lower(): name for name in EVENTS}


def events(given: object) -> tuple[str, ...]:
    """The names of events given by name or class, one or several."""
    found = tuple(_event(item) for item in _flat(given))
    if not found:
        raise UsageError('name at least one event, as in @engine.on("PreToolUse")')
    return found


def word(option: str, value: object) -> str:
    """A text that says something."""
    if not isinstance(value, str) or not value:
        raise UsageError(f"{option} must be a text, not {value!r}")
    return value


def _flat(given: object) -> Iterable[object]:
    several = (list, tuple, set, frozenset)
    items = given if isinstance(given, several) else (given,)
    return [part for item in items for part in (item if isinstance(item, several) else (item,))]


def _event(given: object) -> str:
    if isinstance(given, type) and issubclass(given, Event):
        return given.__name__
    if not isinstance(given, str):
        shown = f"function {getattr(given, '__name__', given)!r}" if callable(given) else repr(given)
        raise UsageError(f'{shown} is no event; name one, as in @engine.on("PreToolUse")')
    if given in EVENTS:
        return given
    plain = given.lower().replace("_", "").replace("-", "")
    near = get_close_matches(plain, _KNOWN, n=1, cutoff=_CUTOFF)
    if near or not given:
        hint = f", did you mean {_KNOWN[near[0]]!r}?" if near else ""
        raise UsageError(f"unknown event {given!r}{hint}")
    return given


def _number(option: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{option} must be a whole number, not {value!r}")
    return value


def _flag(option: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{option} must be True or False, not {value!r}")
    return value


def _words(option: str, value: object) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) else value
    if not isinstance(items, (Sequence, set, frozenset)) or not all(isinstance(item, str) for item in items):
        raise UsageError(f"{option} must be a list of texts, not {value!r}")
    return tuple(items)


def _matcher(option: str, value: object) -> Matcher:
    pattern = getattr(value, "pattern", value)  # of a compiled regular expression
    if not isinstance(pattern, str):
        raise UsageError(f'{option} must be a text such as "Write|Edit", not {value!r}')
    return _read(native_matcher, pattern)


def _rule(option: str, value: object) -> str:
    if not isinstance(value, str) or parse(value) is None:
        raise UsageError(f'{option} {value!r} cannot be read; write it as "Tool(pattern)"')
    return value


def _seconds(option: str, value: object) -> float:
    from omnihook.families.toml_values import duration  # only where somebody says it

    if not isinstance(value, str | int | float):
        raise UsageError(f'{option} must be seconds or a time such as "30s", not {value!r}')
    return _read(duration, value)


def _on_error(option: str, value: object) -> Mapping[Cause, OnError]:
    from omnihook.families.toml_values import read_on_error

    if not isinstance(value, str | dict):
        raise UsageError(f'{option} must be a word such as "deny" or a dict of causes, not {value!r}')
    return _read(read_on_error, value)


def _read(reader: Callable[..., T], value: Json) -> T:
    try:
        return reader(value)
    except BadEntry as error:
        raise UsageError(error.message if error.fix is None else f"{error.message}; {error.fix}") from None


READERS: Mapping[str, Callable[[str, object], object]] = {
    "name": word,
    "match": _matcher,
    "priority": _number,
    "timeout": _seconds,
    "tools": _words,
    "paths": _words,
    "if_": _rule,
    "guard": _flag,
    "observe": _flag,
    "once": _flag,
    "pure": _flag,
    "shadow": _flag,
    "background": _flag,
    "on_error": _on_error,
    "description": word,
}
