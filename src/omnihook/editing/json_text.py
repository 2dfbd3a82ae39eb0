"""Editing JSON text by splicing, comments allowed: members are replaced, cut out, put back and appended."""

import json
import re
from collections.abc import Sequence
from itertools import pairwise

from omnihook.jsontypes import Json
from omnihook.positions import Span, blank_end, find_json, members
from omnihook.slotted import dataclass

_COMMENT = re.compile(r"//[^\n]*?(?=\r?\n|\Z)|/\*.*?\*/", re.DOTALL)
_BLANKS = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)[^\s]")

Pointer = Sequence[str | int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A member as it stood: its text with its key, the blanks before it, and those before the closing bracket."""

    text: str
    lead: str = ""
    tail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """An object or a list in a text: its brackets, and its members from their keys on."""

    open: int
    close: int
    items: tuple[Span, ...]
    names: tuple[str | int, ...]

    def number(self, name: str | int) -> int:
        """Which member is meant; the last of equal keys counts."""
        found = [number for number, held in enumerate(self.names) if held == name]
        if not found:
            raise KeyError(name)
        return found[-1]


def replace_value(text: str, pointer: Pointer, value: Json) -> str:
    """The text with the value at a pointer replaced."""
    span = _span(text, pointer)
    return text[: span.start] + json.dumps(value, ensure_ascii=False) + text[span.end :]


def rename_key(text: str, pointer: Pointer, name: str) -> str:
    """The text with the last key of a pointer spelt otherwise."""
    span = _span(text, pointer)
    assert span.key is not None
    _, end = json.JSONDecoder(strict=False).raw_decode(text, span.key)
    return text[: span.key] + json.dumps(name, ensure_ascii=False) + text[end:]


def insert(text: str, pointer: Pointer, value: Json) -> str:
    """The text with a value added at a pointer that is not there yet, below what is there of the way to it.

    A number as the last part means the end of a list; objects and lists that are missing are made.
    """
    if not text.strip():
        return json.dumps(_nested(pointer, value), indent=2, ensure_ascii=False) + "\n"
    for length in range(len(pointer) - 1, -1, -1):
        if find_json(text, pointer[:length]) is not None:
            return _append(text, pointer[:length], _nested(pointer[length + 1 :], value), pointer[length])
    raise KeyError(pointer)


def cut(text: str, pointer: Pointer) -> tuple[str, Piece]:
    """The text without a member, its comma and the blanks around it; and the member, to be put back."""
    box = _box(text, pointer[:-1])
    number = box.number(pointer[-1])
    item, last = box.items[number], number == len(box.items) - 1
    first, before = _first(item), _before(text, box, number)
    comma = blank_end(text, item.end)
    gone = [(first, item.end)]
    if not last:
        gone.append((item.end if _blank(text, item.end, comma) else comma, comma + 1))
    elif number:
        gone.append((before - 1, before))
    end = gone[-1][1] if not last else item.end
    lead = _lead(text, before, first, end)
    gone.append((lead, first))
    tail = text[box.items[-1].end : box.close]
    if last and not number and lead == before and not tail.strip():
        gone.append((item.end, box.close))
    piece = Piece(text=text[first : item.end], lead=text[lead:first], tail="" if tail.strip() else tail)
    return _without(text, gone), piece


def put(text: str, pointer: Pointer, number: int, piece: Piece) -> str:
    """The text with a member put into the object or list at a pointer, at a place among the others."""
    box = _box(text, pointer)
    if not box.items:
        inner = text[box.open + 1 : box.close]
        made = inner + piece.text + piece.tail if inner.strip() else piece.lead + piece.text + piece.tail
        return text[: box.open + 1] + made + text[box.close :]
    if number < len(box.items):
        at = _before(text, box, number)
        return text[:at] + piece.lead + piece.text + "," + text[at:]
    return _put_last(text, box, piece)


def _put_last(text: str, box: _Box, piece: Piece) -> str:
    end = box.items[-1].end
    comments = list(_COMMENT.finditer(text, end, box.close))
    at = comments[-1].end() if comments else end
    comma = "" if text[blank_end(text, end) :][:1] == "," else ","
    lead = "\n" + piece.lead if comments and "\n" not in piece.lead else piece.lead
    return text[:end] + comma + text[end:at] + lead + piece.text + text[at:]


def _append(text: str, pointer: Pointer, value: Json, name: str | int) -> str:
    """Add a member at the end, laid out as its neighbours are."""
    box = _box(text, pointer)
    if (text[box.open] == "[") is not isinstance(name, int):
        raise KeyError((*pointer, name))  # a list has no names, an object no numbers
    line, unit = "\r\n" if "\r\n" in text else "\n", _unit(text)
    base = text[text.rfind("\n", 0, box.open) + 1 :]
    base = base[: len(base) - len(base.lstrip(" \t"))]
    lead, tail = (line + base + unit, line + base) if "\n" in text.strip() else ("", "")
    if box.items:
        first = _first(box.items[-1])
        before = _before(text, box, len(box.items) - 1)
        lead = text[_lead(text, before, first, box.items[-1].end) : first]
        if "\n" not in lead:
            lead = " "
    elif text[box.open + 1 : box.close].strip():
        lead = ""
    body = json.dumps(value, ensure_ascii=False)
    if "\n" in lead:
        indent = lead[lead.rfind("\n") + 1 :]
        body = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", line + indent)
    key = "" if isinstance(name, int) else json.dumps(name, ensure_ascii=False) + ": "
    return put(text, pointer, len(box.items), Piece(text=key + body, lead=lead, tail=tail))


def _nested(pointer: Pointer, value: Json) -> Json:
    made = value
    for part in reversed(pointer):
        made = [made] if isinstance(part, int) else {part: made}
    return made


def _span(text: str, pointer: Pointer) -> Span:
    span = find_json(text, pointer)
    if span is None:
        raise KeyError(tuple(pointer))
    return span


def _box(text: str, pointer: Pointer) -> _Box:
    span = _span(text, pointer)
    if text[span.start] not in "{[":
        raise KeyError(tuple(pointer))
    found = list(members(text, span.start))
    return _Box(
        open=span.start,
        close=span.end - 1,
        items=tuple(item for _, item in found),
        names=tuple(name for name, _ in found),
    )


def _first(item: Span) -> int:
    return item.start if item.key is None else item.key


def _before(text: str, box: _Box, number: int) -> int:
    """Right behind the bracket or comma before a member."""
    return box.open + 1 if number == 0 else blank_end(text, box.items[number - 1].end) + 1


def _blank(text: str, start: int, end: int) -> bool:
    return not text[start:end].strip()


def _lead(text: str, before: int, first: int, end: int) -> int:
    """Where the blanks before a member begin that may go with it, up to `end`, without joining two lines wrongly."""
    comments = list(_COMMENT.finditer(text, before, first))
    if not comments:
        return before
    line_ends = _BLANKS.match(text, end)
    assert line_ends is not None
    if comments[-1][0].startswith("//") and "\n" not in line_ends[0]:
        return first
    return comments[-1].end()


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return "  " if found is None else found[1]


def _without(text: str, gone: list[tuple[int, int]]) -> str:
    made, at = "", 0
    ordered = sorted(gone)
    assert all(one[1] <= other[0] for one, other in pairwise(ordered))
    for start, end in ordered:
        made += text[at:start]
        at = end
    return made + text[at:]
