"""Where in a text an entry stands: line and column of a pointer into JSON (comments allowed), TOML or frontmatter."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yaml

from omnihook.slotted import dataclass

MAX_FRONTMATTER = 1 << 18  # characters; more takes too long to read
_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_BLANKED = re.compile(r"[^\n]")
_SCALAR = re.compile(r"[^\s,\]}/]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A value in a text: from `start` up to `end`; `key` is where its key begins, if it has one."""

    start: int
    end: int
    key: int | None = None


def uncommented(text: str) -> str:
    """JSON text with its comments blanked, every other character where it was; without comments the text itself."""
    if "//" not in text and "/*" not in text:
        return text
    return _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else _BLANKED.sub(" ", found[0]), text)


def line_of(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of an offset."""
    before = text.count("\n", 0, offset)
    return before + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def locate(path: str, text: str, pointer: Sequence[str | int]) -> tuple[int, int] | None:
    """Line and column of the entry a pointer leads to, or of the nearest entry above it."""
    if path.endswith(".toml"):
        return _toml(text, pointer)
    if path.endswith(".md"):
        return _frontmatter(text, pointer)
    for length in range(len(pointer), 0, -1):
        span = find_json(text, pointer[:length])
        if span is not None:
            return line_of(text, span.start if span.key is None else span.key)
    return None


def find_json(text: str, pointer: Sequence[str | int]) -> Span | None:
    """The span of the value a pointer leads to in JSON text, or None."""
    position, key = blank_end(text, 0), None
    for part in pointer:
        found = _member(text, position, part)
        if found is None:
            return None
        key, position = found
    end = _value_end(text, position)
    return None if end is None else Span(start=position, end=end, key=key)


def members(text: str, position: int) -> Iterator[tuple[str | int, Span]]:
    """Key or index, and span, of every member of the object or list that starts at a position."""
    closer = {"{": "}", "[": "]"}.get(text[position : position + 1])
    index, at = 0, blank_end(text, position + 1)
    while closer is not None and at < len(text) and text[at] != closer:
        key_at: int | None = None
        name: str | int = index
        if closer == "}":
            matched = _STRING.match(text, at)
            if matched is None:
                return
            key_at, name = at, _unquoted(matched[0])
            at = blank_end(text, blank_end(text, matched.end()) + 1)
        end = _value_end(text, at)
        if end is None:
            return
        yield name, Span(start=at, end=end, key=key_at)
        at = blank_end(text, end)
        if text[at : at + 1] == ",":
            at = blank_end(text, at + 1)
        index += 1


def _member(text: str, position: int, part: str | int) -> tuple[int | None, int] | None:
    """The offsets of key and value of one member of the container at a position; the last of equal keys counts."""
    return _places(text, position).get(part)


@lru_cache(maxsize=16_384)  # a file with many entries is asked about each of them
def _places(text: str, position: int) -> dict[str | int, tuple[int | None, int]]:
    return {name: (span.key, span.start) for name, span in members(text, position)}


def _value_end(text: str, position: int) -> int | None:
    opener = text[position : position + 1]
    if opener == '"':
        matched = _STRING.match(text, position)
        return None if matched is None else matched.end()
    if opener not in ("{", "["):
        matched = _SCALAR.match(text, position)
        return None if matched is None else matched.end()
    depth, at = 0, position
    while at < len(text):
        char = text[at]
        if char == '"':
            matched = _STRING.match(text, at)
            if matched is None:
                return None
            at = matched.end()
            continue
        if char == "/" and text[at + 1 : at + 2] in ("/", "*"):
            at = max(blank_end(text, at), at + 1)
            continue
        depth += (char in "{[") - (char in "}]")
        at += 1
        if depth == 0:
            return at
    return None


def blank_end(text: str, position: int) -> int:
    """Where the blanks and comments that start at a position end."""
    matched = _SPACE.match(text, position)
    return position if matched is None else matched.end()


def _unquoted(literal: str) -> str:
    import json  # only when positions are asked for

    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return literal[1:-1]


_TABLE = re.compile(r"^[ \t]*\[\[?[ \t]*([^\]\n]+?)[ \t]*\]\]?", re.MULTILINE)


@lru_cache(maxsize=32)
def _headers(text: str, name: str) -> tuple[tuple[int, int], ...]:
    """Where each table of an array of tables begins, and where the next header of any kind does."""
    found = list(_TABLE.finditer(text))
    ends = [*(m.start() for m in found[1:]), len(text)]
    return tuple(
        (m.end() - len(m[0].lstrip()), end)
        for m, end in zip(found, ends, strict=False)
        if m[1] == name and m[0].lstrip().startswith("[[")
    )


def _toml(text: str, pointer: Sequence[str | int]) -> tuple[int, int] | None:
    if not pointer:
        return None
    start, end = 0, len(text)
    rest = list(pointer)
    if len(rest) > 1 and isinstance(rest[1], int):
        headers = _headers(text, str(rest[0]))
        if rest[1] < len(headers):
            (start, end), rest = headers[rest[1]], rest[2:]
        elif headers:
            return None
        else:
            rest = rest[:1]  # the tables stand in one list behind the key
    for part in rest:
        key = re.compile(rf"^[ \t]*(\"?{re.escape(str(part))}\"?)[ \t]*[=.]", re.MULTILINE)
        found = key.search(text, start, end)
        if found is None:
            break
        start = found.start(1)
    return line_of(text, start)


def _frontmatter(text: str, pointer: Sequence[str | int]) -> tuple[int, int] | None:
    places = _yaml_places(text) if pointer and len(text) <= MAX_FRONTMATTER else {}
    lengths = range(len(pointer), 0, -1)
    return next((places[tuple(pointer[:n])] for n in lengths if tuple(pointer[:n]) in places), None)


@lru_cache(maxsize=32)
def _yaml_places(text: str) -> dict[tuple[str | int, ...], tuple[int, int]]:
    """Line and column of every entry of the frontmatter; none when it cannot be read."""
    import yaml  # only when positions are asked for

    head, _, rest = text.partition("\n")
    end = ("\n" + rest).find("\n---")
    try:
        top = yaml.compose(rest[: max(end, 0)], Loader=yaml.SafeLoader) if head.strip() == "---" else None
    except (yaml.YAMLError, RecursionError):
        top = None
    found: dict[tuple[str | int, ...], tuple[int, int]] = {}
    left: list[tuple[tuple[str | int, ...], yaml.Node | None]] = [((), top)]
    seen: set[int] = set()  # an alias may lead back to what it is in
    while left:
        way, node = left.pop()
        pairs = _yaml_members(node) if id(node) not in seen else []
        seen.add(id(node))
        for name, first, value in pairs:
            found[(*way, name)] = (first.start_mark.line + 2, first.start_mark.column + 1)
            left.append(((*way, name), value))
    return found


def _yaml_members(node: "yaml.Node | None") -> "list[tuple[str | int, yaml.Node, yaml.Node]]":
    """Key or index, where each begins, and its value."""
    match getattr(node, "id", None), getattr(node, "value", None):
        case "mapping", list(pairs):
            return [(str(key.value), key, value) for key, value in pairs]
        case "sequence", list(items):
            return [(number, item, item) for number, item in enumerate(items)]
        case _:
            return []
