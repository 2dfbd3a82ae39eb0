"""Columns of known text: what cut and awk's `print $2` leave of each line."""

import re
from collections.abc import Callable

from omnihook.shell.filters import Maker, filtered, interpreter, passed
from omnihook.shell.state import State
from omnihook.shell.values import Command, Stream, Text

_RANGE = re.compile(r"(\d*)(-?)(\d*)")
_MAX_COLUMN = 10_000
_MAX_PROGRAM = 200
_PRINTS_FIELDS = re.compile(r"\s*\{\s*print\s*((?:\$\d+\s*,?\s*)*);?\s*\}\s*|\s*1\s*")


def _cut(command: Command, state: State) -> Stream:
    """`cut -c1-4`, `cut -d: -f2`."""
    given = _options(command.words[1:])
    chosen = given.get("c") or given.get("b") or given.get("f")
    wanted = _ranges(chosen) if chosen is not None else None
    source = passed(command, state).text
    if wanted is None or not source.known:
        return filtered(command, state)
    mark = given.get("d", "\t") if "f" in given else ""
    return _each_line(source, lambda line: _picked(line, mark, wanted))


def _options(words: tuple[str, ...]) -> dict[str, str]:
    """The letters of cut's options with their values; an operand or anything else makes the answer empty."""
    found: dict[str, str] = {}
    row = iter(words)
    for word in row:
        if word[:1] != "-" or word[1:2] not in "cbfd":
            return {}
        found[word[1:2]] = word[2:] or next(row, "")
    return found


def _ranges(text: str) -> list[tuple[int, int]] | None:
    """`1,3-5,7-` as pairs of first and last column."""
    pairs: list[tuple[int, int]] = []
    for piece in text.split(","):
        found = _RANGE.fullmatch(piece)
        if found is None or len(piece) > 9 or not found[1] + found[3]:
            return None
        first = int(found[1] or 1)
        pairs.append((first, (int(found[3]) if found[3] else _MAX_COLUMN) if found[2] else first))
    return sorted(pairs)


def _picked(line: str, mark: str, wanted: list[tuple[int, int]]) -> str:
    if mark and mark not in line:
        return line
    columns = line.split(mark) if mark else list(line)
    kept = [
        column
        for place, column in enumerate(columns[:_MAX_COLUMN], 1)
        if any(first <= place <= last for first, last in wanted)
    ]
    return mark.join(kept)


def _printed_fields(program: str, source: Text) -> Stream | None:
    """What awk makes of known text where its program only prints fields; None for any other program."""
    found = _PRINTS_FIELDS.fullmatch(program) if len(program) <= _MAX_PROGRAM else None
    if found is None or not source.known:
        return None
    numbers = [int(digits) for digits in re.findall(r"\$(\d{1,4})", found[1] or "$0")] or [0]
    mark = " " if "," in (found[1] or "") else ""
    return _each_line(source, lambda line: mark.join(_field(line, number) for number in numbers))


def _field(line: str, number: int) -> str:
    fields = [line, *line.split()]
    return fields[number] if number < len(fields) else ""


def _each_line(source: Text, change: Callable[[str], str]) -> Stream:
    lines = source.text.split("\n")
    changed = "\n".join([change(line) if line else line for line in lines])
    return Stream(Text(changed, source.origins | {"decoded"} if changed != source.text else source.origins))


def _awk(command: Command, state: State) -> Stream:
    """awk on what it is piped; a program that does more than print fields is left to the reader of code."""
    if len(command.argv) == 2 and command.stdin is not None:
        stream = _printed_fields(command.words[1], command.stdin.text)
        if stream is not None:
            return stream
    return interpreter(command, state)


COLUMNS: dict[str, Maker] = {"cut": _cut, **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk)}
"""What commands that pick columns print."""
