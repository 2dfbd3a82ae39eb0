"""A reply object read strictly: wrong types and another agent's words are errors, never silence."""

import re
from collections.abc import Iterable, Mapping
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


# The start of an object that decides something, somewhere inside other text.
_BURIED = re.compile(r'[{,]"(?:' + "|".join(sorted(DECISIVE)) + r')":')
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
    """Raise for a reply that says nothing in its dialect's words but decides in another's."""
    if any(key in reply for key in own):
        return
    foreign = sorted(DECISIVE & reply.keys())
    if foreign:
        raise Wrong(f"{foreign[0]!r} is another agent's word; this one reads {', '.join(own)}")


def refuse_retyped(changed: JsonObject, given: JsonObject) -> None:
    """Raise for a rewrite that turns an argument into something of another type: no tool expects that."""
    for key, value in changed.items():
        before = given.get(key)
        if value is not None and before is not None and kind(value) != kind(before):
            raise Wrong(f"updatedInput makes {key!r} {kind(value)}; it was {kind(before)}")
