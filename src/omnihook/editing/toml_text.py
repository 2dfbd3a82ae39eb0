"""Editing TOML text by splicing: the keys of the document and of its arrays of tables, and whole tables.

The text has been parsed before, so scanning it only has to find where things are.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from omnihook.jsontypes import Json
from omnihook.slotted import dataclass

_KEY = re.compile(r"""[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*""")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
QUOTED = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)

Pointer = Sequence[str | int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A logical line: a table's header, a pair whose value may span lines, or something else (None as its key)."""

    start: int
    end: int  # behind its line break
    key: tuple[str, ...] | None = None
    header: str = ""  # "[" or "[["
    value: tuple[int, int] = (0, 0)


def lines(text: str) -> Iterator[Line]:
    """Every logical line."""
    at = 0
    while at < len(text):
        line = _line(text, at)
        yield line
        at = line.end


def replace_value(text: str, pointer: Pointer, value: Json) -> str:
    """The text with the value of a pair replaced."""
    start, end = _pair(text, pointer).value
    return text[:start] + literal(value) + text[end:]


def find_value(text: str, pointer: Pointer) -> tuple[int, int] | None:
    """Where the value of a pair stands; None when there is no such pair."""
    try:
        return _pair(text, pointer).value
    except KeyError:
        return None


def insert(text: str, pointer: Pointer, value: Json) -> str:
    """The text with a pair added at the end of its table, or a table added at the end of the file."""
    if isinstance(pointer[-1], int):
        assert isinstance(value, dict)
        return _append_table(text, str(pointer[0]), value)
    made = f"{bare(str(pointer[-1]))} = {literal(value)}"
    pairs = [line for line in _own_lines(text, pointer[:-1]) if line.key is not None]
    if pairs:
        return _insert_line(text, pairs[-1], made)
    return made + _break(text) + (_break(text) + text if text.strip() else "")


def drop(text: str, pointer: Pointer) -> str:
    """The text without a pair and its line; a blank line after it goes too where the pair opens the file."""
    pair = _pair(text, pointer)
    if text[pair.end - 1 : pair.end] != "\n":
        return text[: _end_of_previous(text, pair.start)]
    return text[: pair.start] + text[_blank_after(text, pair.end) if pair.start == 0 else pair.end :]


def cut(text: str, pointer: Pointer) -> str:
    """The text without a table of an array and the blank line before it; comments between tables stay."""
    region = _region(text, pointer)
    inside = [line for line in region if line.key is not None]
    start, end = inside[0].start, inside[-1].end
    blank = _blank_before(text, start)
    if text[end - 1 : end] != "\n":
        return text[: _end_of_previous(text, blank)]
    return text[:blank] + text[_blank_after(text, end) if start == 0 else end :]


def literal(value: Json) -> str:
    """A value as TOML."""
    import tomlkit  # only where a file is written

    return tomlkit.item(value).as_string()


def _append_table(text: str, name: str, entry: Mapping[str, Json]) -> str:
    line = _break(text)
    made = line.join([f"[[{name}]]", *(f"{bare(key)} = {literal(value)}" for key, value in entry.items())])
    if not text:
        return made + line
    if not text.endswith("\n"):
        return text + line + line + made
    return text + line + made + line


def _insert_line(text: str, after: Line, made: str) -> str:
    line, end = _break(text), after.end
    if text[end - 1 : end] == "\n":
        return text[:end] + made + line + text[end:]
    return text + line + made


def _end_of_previous(text: str, start: int) -> int:
    """Where the text of the line before a line ends."""
    end = start - 1 if text[start - 1 : start] == "\n" else start
    return end - 1 if text[end - 1 : end] == "\r" else max(end, 0)


def _blank_before(text: str, start: int) -> int:
    """Where the blank line before a line begins, or the line itself when there is none."""
    if start == 0:
        return 0
    previous = text.rfind("\n", 0, max(start - 1, 0)) + 1
    return start if text[previous:start].strip() else previous


def _blank_after(text: str, end: int) -> int:
    """Where the blank line that begins at an end of line ends, or that place itself when there is none."""
    found = _LINE.match(text, end)
    return end if found is None or found[0].strip() else found.end()


def _pair(text: str, pointer: Pointer) -> Line:
    for line in _own_lines(text, pointer[:-1]):
        if line.key == (pointer[-1],) and not line.header:
            return line
    raise KeyError(tuple(pointer))


def _own_lines(text: str, pointer: Pointer) -> list[Line]:
    """The header and pairs that belong to a table itself and not to one inside it."""
    found = _region(text, pointer) if pointer else list(lines(text))
    own: list[Line] = []
    for number, line in enumerate(found):
        if line.header and (number or not pointer):
            break
        own.append(line)
    return own


def _region(text: str, pointer: Pointer) -> list[Line]:
    """The lines of one table of an array, with the tables inside it."""
    name, number = str(pointer[0]), int(pointer[1])
    found: list[Line] = []
    count = -1
    for line in lines(text):
        if line.header and line.key is not None:
            if line.header == "[[" and line.key == (name,):
                count += 1
            elif line.key[0] != name and count == number:
                break
        if count > number:
            break
        if count == number:
            found.append(line)
    if not found:
        raise KeyError(tuple(pointer))
    return found


def _line(text: str, at: int) -> Line:
    whole = _LINE.match(text, at)
    assert whole is not None
    body = whole[0].strip()
    if not body or body.startswith("#"):
        return Line(start=at, end=whole.end())
    if body.startswith("["):
        opener = "[[" if body.startswith("[[") else "["
        key, _ = keys(text, text.index("[", at) + len(opener))
        return Line(start=at, end=whole.end(), key=key, header=opener)
    key, equals = keys(text, at)
    start = equals + 1
    while text[start : start + 1] in (" ", "\t"):
        start += 1
    end = _value_end(text, start)
    rest = _LINE.match(text, end)
    assert rest is not None
    return Line(start=at, end=rest.end(), key=key, value=(start, end))


def keys(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """A dotted key, and where it ends."""
    parts: list[str] = []
    while (found := _KEY.match(text, at)) is not None:
        quoted = found[1]
        parts.append(found[2] or found[3] or "" if quoted is None else _unescaped(quoted))
        at = found.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    return tuple(parts), at


def _unescaped(text: str) -> str:
    import tomllib

    return str(tomllib.loads(f'x = "{text}"')["x"])


def _value_end(text: str, at: int) -> int:
    """Where a value ends: before the blanks, comment or line break after it."""
    depth, end = 0, at
    while at < len(text):
        char = text[at]
        if char in "\"'":
            found = QUOTED.match(text, at)
            assert found is not None
            at = end = found.end()
            continue
        if char == "#" and depth:
            at = text.find("\n", at)
            continue
        if depth == 0 and char in "#\n":
            break
        depth += (char in "[{") - (char in "]}")
        at += 1
        if not char.isspace():
            end = at
    return end


def bare(key: str) -> str:
    """A key as TOML."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else literal(key)


def _break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
