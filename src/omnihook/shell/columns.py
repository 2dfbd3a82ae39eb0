"""Columns of known text: what cut and awk's `print $2` leave of each line."""

import operator
import re
from collections.abc import Callable

from omnihook.shell.expressions import plain_expression
from omnihook.shell.filters import Maker, filtered, held, interpreter, one_after_another, passed
from omnihook.shell.options import given as given_options
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.state import State
from omnihook.shell.values import Command, Stream, Text

_RANGE = re.compile(r"(\d*+)(-?)(\d*+)")
_MAX_COLUMN = 10_000
_MAX_PROGRAM = 200
_PIECE = r'"(?:[^"\\]|\\.)*+"|\$(?:\d++|NF\b)'
_PRINTS_FIELDS = re.compile(rf"\s*+\{{\s*+print\s*+((?:(?:{_PIECE})\s*+(?:,\s*+)?+)*+);?\s*+\}}\s*+|\s*+1\s*+")
_PIECES = re.compile(rf"({_PIECE}|,)")


def _cut(command: Command, state: State) -> Stream:
    """`cut -c1-4`, `cut -d: -f2`."""
    given = _options([word for place, word in enumerate(command.words) if place and place not in _operands(command)])
    chosen = given.get("c") or given.get("b") or given.get("f")
    wanted = _ranges(chosen) if chosen is not None else None
    files = [text for place in _operands(command) for text in held(command.argv[place], command, state)]
    source = one_after_another(files) if files else passed(command, state).text
    if wanted is None or not source.known:
        return filtered(command, state)
    mark = given.get("d", "\t") if "f" in given else ""
    return _each_line(source, lambda line: _picked(line, mark, wanted))


def _operands(command: Command) -> list[int]:
    return given_options(command.words, "bcdf")[1]


def _options(words: list[str]) -> dict[str, str]:
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
    """What awk makes of known text where its program only prints fields and texts; None for any other program."""
    found = _PRINTS_FIELDS.fullmatch(program) if len(program) <= _MAX_PROGRAM else None
    if found is None or not source.known:
        return None
    pieces = _PIECES.findall(found[1] or "$0")
    return _each_line(source, lambda line: "".join([_printed(piece, line) for piece in pieces]))


def _printed(piece: str, line: str) -> str:
    if piece[0] != "$":
        return " " if piece == "," else unescape_ansi_c(piece[1:-1])
    fields = [line, *line.split()]
    number = len(fields) - 1 if piece == "$NF" else int(piece[1:5])
    return fields[number] if number < len(fields) else ""


def _of_listing(program: str, listing: Stream) -> Stream | None:
    """The same of listed paths: one field of each line leaves the list, texts around it make lines of it."""
    found = _PRINTS_FIELDS.fullmatch(program) if len(program) <= _MAX_PROGRAM else None
    if found is None or not listing.paths:
        return None
    if '"' not in program:
        return listing if len(_PIECES.findall(found[1] or "$0")) == 1 else None
    lines = Text("".join([path.text + "\n" for path in listing.paths]), listing.origins)
    return _printed_fields(program, lines)


def _each_line(source: Text, change: Callable[[str], str]) -> Stream:
    lines = source.text.split("\n")
    changed = "\n".join([change(line) if line else line for line in lines])
    return Stream(Text(changed, source.origins | {"decoded"} if changed != source.text else source.origins))


def _awk(command: Command, state: State) -> Stream:
    """awk on known text; a program that does more than pick lines or print fields is left to the reader of code."""
    program = command.words[1] if len(command.argv) > 1 else "-"
    if program[:1] == "-":
        return interpreter(command, state)
    files = [text for word in command.argv[2:] for text in held(word, command, state)]
    text = one_after_another(files) if files else command.stdin.text if command.stdin is not None else None
    if not files and command.stdin is not None and (stream := _of_listing(program, command.stdin)) is not None:
        return stream
    stream = None if text is None else _printed_fields(program, text) or _picked_lines(program, text)
    return stream if stream is not None else interpreter(command, state)


def _picked_lines(program: str, source: Text) -> Stream | None:
    """`NR==2`, `NR>1`, `/plain/`, each with `{print}` or nothing behind it."""
    found = _PICKS.fullmatch(program) if len(program) <= _MAX_PROGRAM else None
    lines = source.text.split("\n")
    wanted = plain_expression(found["words"], lines) if found is not None and found["words"] else ""
    if found is None or wanted is None or not source.known:
        return None
    number, pattern = int(found["number"] or 0), re.compile(wanted)
    compare = _COMPARES.get(found["compare"] or "")
    ends = lines[-1:] if lines[-1] == "" else []
    kept = [
        line
        for place, line in enumerate(lines[: len(lines) - len(ends)], 1)
        if (compare(place, number) if compare is not None else pattern.search(line) is not None)
    ]
    return Stream(Text("".join(line + "\n" for line in kept), source.origins))


_PICKS = re.compile(
    r"\s*+(?:NR\s*+(?P<compare>==|>=|<=|>|<|!=)\s*+(?P<number>\d{1,6})|/(?P<words>[^/\\]+)/)"
    r"\s*+(?:\{\s*+print(?:\s*+\$0)?+\s*+;?\s*+\})?\s*+"
)
_COMPARES: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "!=": operator.ne,
}


COLUMNS: dict[str, Maker] = {"cut": _cut, **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk)}
"""What commands that pick columns print."""
