"""Editing hooks that TOML text has in one value, `hook = [{ ... }, { ... }]`: their pairs, and whole tables.

The text has been parsed before, so scanning it only has to find where things are.
"""

import re
from collections.abc import Sequence

from omnihook.editing import toml_text
from omnihook.jsontypes import Json
from omnihook.slotted import dataclass

Pointer = Sequence[str | int]
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t\r\n]*")
_BREAK = re.compile(r"\r?\n")
_REMARK = re.compile(r"[ \t]*#[^\r\n]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """A table of the list, or a pair of a table, in which `value` is where the value begins."""

    start: int
    end: int
    key: tuple[str, ...] = ()
    value: int = 0


def holds(text: str, pointer: Pointer) -> bool:
    """Whether a pointer leads into a list that is written as one value."""
    return len(pointer) > 1 and isinstance(pointer[1], int) and _array(text, str(pointer[0])) is not None


def find_value(text: str, pointer: Pointer) -> tuple[int, int] | None:
    """Where the value of a pair stands; None when there is no such pair."""
    pairs = _pairs(text, _table(text, pointer))
    found = next((pair for pair in pairs if pair.key == (pointer[2],)), None)
    return None if found is None else (found.value, found.end)


def replace_value(text: str, pointer: Pointer, value: Json) -> str:
    """The text with the value of a pair replaced."""
    found = find_value(text, pointer)
    if found is None:
        raise KeyError(tuple(pointer))
    return text[: found[0]] + toml_text.literal(value) + text[found[1] :]


def insert(text: str, pointer: Pointer, value: Json) -> str:
    """The text with a pair added at the end of its table, or a table added at the end of the list."""
    if len(pointer) == 2:
        assert isinstance(value, dict)
        pairs = [f"{toml_text.bare(key)} = {toml_text.literal(item)}" for key, item in value.items()]
        return _append(text, str(pointer[0]), f"{{ {', '.join(pairs)} }}")
    table = _table(text, pointer)
    made = f"{toml_text.bare(str(pointer[2]))} = {toml_text.literal(value)}"
    held = _pairs(text, table)
    if held:
        return text[: held[-1].end] + f", {made}" + text[held[-1].end :]
    return text[: table.start] + f"{{ {made} }}" + text[table.end :]


def drop(text: str, pointer: Pointer) -> str:
    """The text without a pair and its comma."""
    pairs = _pairs(text, _table(text, pointer))
    number = next((n for n, pair in enumerate(pairs) if pair.key == (pointer[2],)), None)
    if number is None:
        raise KeyError(tuple(pointer))
    if number:
        return text[: pairs[number - 1].end] + text[pairs[number].end :]
    return text[: pairs[0].start] + text[pairs[1].start if len(pairs) > 1 else pairs[0].end :]


def cut(text: str, pointer: Pointer) -> str:
    """The text without a table of the list and its comma; comments stay."""
    tables = _tables(text, str(pointer[0]))
    number, table = int(pointer[1]), _table(text, pointer)
    comma = _after(text, table.end)
    if text[comma : comma + 1] == ",":
        end = _space_end(text, comma + 1)
        last = number == len(tables) - 1
        return text[: table.start] + text[comma + 1 if last or text[end] == "#" else end :]
    if number and not text[tables[number - 1].end : table.start].strip(" \t\r\n,"):
        return text[: tables[number - 1].end] + text[table.end :]
    return text[: table.start] + text[table.end :]


def _append(text: str, name: str, made: str) -> str:
    """Add a table at the end of the list, laid out as the one before it."""
    tables, array = _tables(text, name), _array(text, name)
    assert array is not None
    if not tables:
        return _first(text, array, made)
    last, comma = tables[-1], _after(text, tables[-1].end)
    before = text[tables[-2].end if len(tables) > 1 else array[0] + 1 : last.start]
    closed = text[comma : comma + 1] == ","
    at = comma + 1 if closed else last.end
    # What is said behind the last one on its line is about that one.
    remark = _REMARK.match(text, at)
    end = at if remark is None else remark.end()
    lead = _lead(text, before, alone=remark is not None)
    return text[:at] + ("" if closed else ",") + text[at:end] + lead + made + ("," if closed else "") + text[end:]


def _first(text: str, array: tuple[int, int], made: str) -> str:
    """Put a table into an empty list; comments in it stay, and end with their line."""
    start, end = array[0] + 1, array[1] - 1
    if not text[start:end].strip():
        return text[:start] + made + text[end:]
    return text[:end].rstrip(" \t") + "  " + made + _lead(text, "", alone=True).rstrip(" ") + text[end:]


def _lead(text: str, before: str, *, alone: bool) -> str:
    """What stands before a new table: what does before the others, but a line break where it must be `alone`."""
    breaks = list(_BREAK.finditer(before))
    if breaks:
        return before[breaks[-1].start() :]
    found = _BREAK.search(text)
    return f"{found[0]}  " if alone and found is not None else " "


def _array(text: str, name: str) -> tuple[int, int] | None:
    """Where the list of that name stands, if it is one value of the document."""
    for line in toml_text.lines(text):
        if line.header:
            return None
        if line.key == (name,) and text[line.value[0]] == "[":
            return line.value
    return None


def _tables(text: str, name: str) -> list[_Span]:
    found = _array(text, name)
    if found is None:
        raise KeyError(name)
    spans, at = [], _after(text, found[0] + 1)
    while text[at] != "]":
        end = _value_end(text, at)
        spans.append(_Span(start=at, end=end))
        at = _after(text, end)
        at = _after(text, at + 1) if text[at] == "," else at
    return spans


def _table(text: str, pointer: Pointer) -> _Span:
    tables, number = _tables(text, str(pointer[0])), int(pointer[1])
    if number >= len(tables) or text[tables[number].start] != "{":
        raise KeyError(tuple(pointer))
    return tables[number]


def _pairs(text: str, table: _Span) -> list[_Span]:
    spans, at = [], _after(text, table.start + 1)
    while text[at] != "}":
        key, equals = toml_text.keys(text, at)
        value = _after(text, equals + 1)
        end = _value_end(text, value)
        spans.append(_Span(start=at, end=end, key=key, value=value))
        at = _after(text, end)
        at = _after(text, at + 1) if text[at] == "," else at
    return spans


def _value_end(text: str, at: int) -> int:
    """Where a value inside brackets ends: before the blanks, comment, comma or bracket after it."""
    depth, end = 0, at
    while depth or text[at] not in ",]}#\n":
        quoted = toml_text.QUOTED.match(text, at)
        if quoted is not None:
            at = end = quoted.end()
        elif text[at] == "#":
            at = text.index("\n", at)
        else:
            depth += (text[at] in "[{") - (text[at] in "]}")
            at += 1
            end = end if text[at - 1].isspace() else at
    return end


def _after(text: str, at: int) -> int:
    """Where the blanks and comments from a place on end."""
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _space_end(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
