"""A reply object read strictly: wrong types and another agent's words are errors, never silence."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from omnihook.jsontypes import Json, JsonError, JsonObject, kind, loads_strict

T = TypeVar("T")

# How agents say a decision. A hook that uses another agent's word means it, and must not be taken for silent.
DECISIVE = frozenset(
    {
        "action",
        "behavior",
        "block",
        "continue",
        "continue_execution",
        "decision",
        "hookSpecificOutput",
        "permission",
        "permissionDecision",
    }
)


# The start of an object that decides something, somewhere inside other text, or without its own beginning.
_BURIED = re.compile(r'(?:^|[{,])"(?:' + "|".join(sorted(DECISIVE)) + r')":')
_TORN = re.compile(r'^[^{\s][^\n]*":.*[}\]]$', re.DOTALL)
_NEAR = 0.85  # two letters of a word like `decision`
_BLANKS = re.compile(r"[\s\x00-\x1f]+")


class Wrong(Exception):
    """A reply that breaks its schema; the text says how."""


def bare(text: str) -> str:
    """A text without a byte order mark and without the blanks around it."""
    return text.strip().removeprefix("\ufeff").strip()


def unheard(text: str) -> str | None:
    """Why a text that is no object must not pass for plain words: it decides something that nobody would hear."""
    if "\0" in text:
        return "it holds a NUL character; it is no text"
    if _BURIED.search(_BLANKS.sub("", text)) is not None:
        return "there is other text around its JSON object"
    return None


def torn(text: str) -> str | None:
    """Why a text looks like the end of an object whose beginning is gone, for places where nobody reads plain words."""
    return "it is not valid JSON: its beginning is missing" if _TORN.match(text) else None


def reply_object(text: str) -> JsonObject | None:
    """The object a reply consists of, None for plain words; raises for text that only begins like an object."""
    stripped = bare(text)
    if not stripped.startswith("{"):
        spoilt = unheard(stripped)
        if spoilt is not None:
            raise Wrong(spoilt)
        return None
    try:
        value = loads_strict(stripped)
    except JsonError as error:
        raise Wrong(f"it is not valid JSON: {error}") from None
    assert isinstance(value, dict)  # it starts with a brace
    return value


def get(reply: Mapping[str, Json], key: str, wanted: type[T]) -> T | None:
    """The value under key, None where it is missing or null; raises when it is of another type."""
    value = reply.get(key)
    if value is None:
        return None
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise Wrong(f"{key!r} must be {kind(wanted())}, not {kind(value)}")
    return value


def refuse_foreign(reply: JsonObject, own: Iterable[str]) -> None:
    """Raise for a reply that says nothing in its dialect's words but decides in another's, or misspells its own."""
    own = tuple(own)
    refuse_misspelt(reply, tuple(key for key in own if key in DECISIVE))
    if any(key in reply for key in own):
        return
    foreign = sorted(DECISIVE & reply.keys())
    if foreign:
        raise Wrong(f"{foreign[0]!r} is another agent's word; this one reads {', '.join(own)}")


def refuse_misspelt(reply: JsonObject, own: Sequence[str]) -> None:
    """Raise for a key that is meant to be one of these: who misspells a refusal has not agreed."""
    for key in reply:
        if not own or key in DECISIVE or key.startswith(tuple(own)):
            continue
        import difflib  # few replies hold a key that nobody knows

        for word in own:
            given, wanted = key[:80].lower(), word.lower()
            swapped = sorted(given) == sorted(wanted)
            if swapped or difflib.SequenceMatcher(None, given, wanted).ratio() >= _NEAR:
                raise Wrong(f"unknown key {key[:80]!r}, did you mean {word!r}?")


def refuse_retyped(changed: JsonObject, given: JsonObject) -> None:
    """Raise for a rewrite that turns an argument into something of another type: no tool expects that."""
    for key, value in changed.items():
        before = given.get(key)
        if value is not None and before is not None and kind(value) != kind(before):
            raise Wrong(f"updatedInput makes {key!r} {kind(value)}; it was {kind(before)}")
