"""Files that split and csplit make of a file whose text is known."""

import itertools
import re
from collections.abc import Iterator

from omnihook.shell.expressions import plain_expression
from omnihook.shell.filters import held
from omnihook.shell.options import Given, given, places
from omnihook.shell.picking import count, lines_of
from omnihook.shell.state import State
from omnihook.shell.values import Command, Text, unknown

_MAX_PIECES = 676
_MAX_SEARCHED = 400_000
"""How many lines are looked at for borders."""
_UNSURE = 10
"""How many pieces are taken to exist where their borders are not known."""
_LONG = ("--lines", "--bytes", "--number", "--suffix-length", "--additional-suffix", "--prefix", "--digits")


def split(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    """The pieces of `split [-l N | -b N | -n N] file prefix`, each with its path."""
    options, operands = given(command.words, "abClnt", _LONG)
    text = _source(command, operands, state)
    if text is None:
        return
    prefix = command.words[operands[1]] if len(operands) > 1 else "x"
    ending = _value(command, options, "--additional-suffix") or ""
    width = count(_value(command, options, "-a", "--suffix-length") or "2") or 2
    numbers = any(one.name in ("-d", "--numeric-suffixes") for one in options)
    pieces = _pieces(command, options, text.text) if text.known else [text.text] * _UNSURE
    for piece, suffix in zip(pieces[:_MAX_PIECES], _suffixes(width, numbers=numbers), strict=False):
        yield Text(f"{prefix}{suffix}{ending}"), Text(piece, text.origins)


def _source(command: Command, operands: list[int], state: State) -> Text | None:
    """What is split: a file that is known, or standard input."""
    if operands and command.words[operands[0]] != "-":
        word = command.argv[operands[0]]
        return next(iter(held(word, command, state)), None) if state.path(word.text) in state.files else None
    return command.stdin.text if command.stdin is not None else None


def _pieces(command: Command, options: list[Given], text: str) -> list[str]:
    size = count(_value(command, options, "-b", "--bytes", "-C", "--line-bytes") or "")
    chunks = re.fullmatch(r"(?:[lr]/)?(\d{1,4})", _value(command, options, "-n", "--number") or "")
    if chunks is not None:
        size = -(-len(text) // max(int(chunks[1]), 1))
    if size:
        return [text[at : at + size] for at in range(0, len(text), size)]
    step = count(_value(command, options, "-l", "--lines") or "1000") or 1000
    lines = lines_of(text)
    return ["".join(lines[at : at + step]) for at in range(0, len(lines), step)]


def _value(command: Command, options: list[Given], *names: str) -> str | None:
    return next((command.words[one.place][one.start :] for one in places(options, names)), None)


def _suffixes(width: int, *, numbers: bool) -> Iterator[str]:
    marks = "0123456789" if numbers else "abcdefghijklmnopqrstuvwxyz"
    return ("".join(row) for row in itertools.product(marks, repeat=min(width, 6)))


def split_by_context(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    """The pieces of `csplit file border...`, where borders are lines by number or by a plain expression."""
    options, operands = given(command.words, "bfn", _LONG)
    text = _source(command, operands, state)
    if text is None:
        return
    prefix = _value(command, options, "-f", "--prefix") or "xx"
    width = count(_value(command, options, "-n", "--digits") or "2") or 2
    lines = lines_of(text.text)
    borders = _borders([command.words[place] for place in operands[1:]], lines) if text.known else None
    if borders is None:
        rest = [unknown("file", *text.origins)] * _UNSURE
    else:
        edges = [0, *borders, len(lines)]
        rest = [Text("".join(lines[one:two]), text.origins) for one, two in itertools.pairwise(edges)]
    for number, piece in enumerate(rest[:_MAX_PIECES]):
        yield Text(f"{prefix}{number:0{width}d}"), piece


def _borders(given_: list[str], lines: list[str]) -> list[int] | None:
    """Where pieces begin, as places of lines; None for borders that are not plain."""
    found: list[int] = []
    if len(given_) * len(lines) > _MAX_SEARCHED:
        return None
    for place, border in enumerate(given_):
        if (again := re.fullmatch(r"\{(\d{1,4}|\*)\}", border)) and place:
            times = len(lines) if again[1] == "*" else int(again[1])
            found = _repeated(given_[place - 1], lines, found, times)
        elif (at := _border(border, lines, found[-1] if found else 0)) is not None:
            found.append(at)
        else:
            return None
    return found


def _repeated(border: str, lines: list[str], found: list[int], times: int) -> list[int]:
    for _ in range(min(times, _MAX_PIECES, _MAX_SEARCHED // (len(lines) + 1))):
        step = int(border) if border.isdigit() else 0
        at = found[-1] + step if step else _border(border, lines, found[-1] if found else 0)
        if at is None or at >= len(lines):
            break
        found = [*found, at]
    return found


def _border(border: str, lines: list[str], start: int) -> int | None:
    if border.isdigit():
        return min(max(int(border) - 1, 0), len(lines))
    match = re.fullmatch(r"/(.*)/([-+]\d{1,6})?", border)
    wanted = plain_expression(match[1], lines) if match is not None else None
    if match is None or wanted is None:
        return None
    pattern = re.compile(wanted)
    places_ = (at for at, line in enumerate(lines) if (at > start or not start) and pattern.search(line.rstrip("\n")))
    found = next(places_, None)
    return None if found is None else max(found + int(match[2] or 0), 0)
