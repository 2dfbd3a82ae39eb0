"""Some of the lines or characters of known text: what head, tail, tac, sort, grep, paste, fold and dd leave of it."""

import re
from collections.abc import Callable

from omnihook.shell.expressions import plain_expression
from omnihook.shell.filters import held, one_after_another
from omnihook.shell.options import Given, given
from omnihook.shell.state import State
from omnihook.shell.values import Command, Stream, Text

_VALUES = {
    **dict.fromkeys(("head", "tail"), "nc"),
    **dict.fromkeys(("grep", "egrep", "fgrep"), "efmABCD"),
    "sort": "kotTS",
    "uniq": "fsw",
    "tac": "s",
    "nl": "bdfhilnpsvw",
    "fold": "w",
    "paste": "d",
    "expand": "t",
    "strings": "ent",
    "shuf": "eino",
    "rg": "efmABCgtT",
}
"""The options of each that take a value."""
_LONG = ("--lines", "--bytes", "--width", "--delimiters", "--regexp")
_OBSOLETE = re.compile(r"[-+](\d{1,9})")
_COUNT = re.compile(r"([-+]?)(\d{1,9})([bkKMG]?)B?")
_UNITS = {"": 1, "b": 512, "k": 1024, "K": 1024, "M": 1024**2, "G": 1024**3}
_MAX_PASTED = 2_000
Options = dict[str, str]
"""The options by their names, with their values; a flag's is empty."""


def source(command: Command, state: State) -> tuple[Options, list[Text]]:
    """The options of a filter, and what it reads, file by file: a pattern before the files is not one."""
    options, operands = given(command.words, _VALUES.get(command.name, ""), _LONG)
    named = {one.name: _value(command, one) for one in options}
    places = [place for place in operands if not (command.words[place][:1] == "+" and command.name == "tail")]
    if command.name in ("grep", "egrep", "fgrep", "rg") and not {"-e", "-f", "--regexp"}.intersection(named):
        named["-e"] = command.words[places[0]] if places else ""
        places = places[1:]
    for word in command.words[1:] if command.name in ("head", "tail") else ():
        if obsolete := _OBSOLETE.fullmatch(word):
            named["-n"] = word if word[0] == "+" else obsolete[1]
    texts = [text for place in places for text in held(command.argv[place], command, state)]
    if not places and command.stdin is not None:
        texts = [command.stdin.text]
    return named, texts


def _value(command: Command, option: Given) -> str:
    return command.words[option.place][option.start :] if option.place >= 0 else ""


def picked(command: Command, state: State) -> Stream | None:
    """What one of these filters prints; None where what it reads is not known at all."""
    options, texts = source(command, state)
    if not texts or not any(text.known for text in texts):
        return None
    if command.name == "paste":
        return Stream(_pasted(options, texts))
    whole = one_after_another(texts)
    pick = _PICKS.get(command.name)
    changed = whole.text if pick is None else pick(options, whole.text)
    return Stream(Text(changed, whole.origins - {"endless"} if command.name == "head" else whole.origins))


def lines_of(text: str) -> list[str]:
    """Lines with their ends; the last may have none."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def count(text: str) -> int | None:
    """A number as these programs spell it, with a unit; None for anything else."""
    match = _COUNT.fullmatch(text)
    return int(match[1] + match[2]) * _UNITS[match[3]] if match is not None else None


def _head(options: Options, text: str) -> str:
    characters = count(options.get("-c", options.get("--bytes", "")))
    if characters is not None:
        return text[:characters]
    wanted = count(options.get("-n", options.get("--lines", "10")))
    return "".join(lines_of(text)[:wanted])


def _tail(options: Options, text: str) -> str:
    given_ = options.get("-c", options.get("--bytes"))
    whole: list[str] = lines_of(text) if given_ is None else list(text)
    given_ = options.get("-n", options.get("--lines", "10")) if given_ is None else given_
    wanted = count(given_)
    if wanted is None:
        return text
    if given_.startswith("+"):
        return "".join(whole[max(wanted - 1, 0) :])
    return "".join(whole[-abs(wanted) :]) if wanted else ""


def _tac(options: Options, text: str) -> str:
    return "".join(reversed(lines_of(text)))


def _sort(options: Options, text: str) -> str:
    lines = sorted(line.rstrip("\n") for line in lines_of(text))
    ordered = list(dict.fromkeys(lines)) if "-u" in options else lines
    return "".join(line + "\n" for line in (reversed(ordered) if "-r" in options else ordered))


def _grep(options: Options, text: str) -> str:
    """The lines that a plain expression matches; of any other, it may as well be all."""
    lines = lines_of(text)
    wanted = plain_expression(options.get("-e", options.get("--regexp", "")), lines)
    if wanted is None or "-f" in options or not {"-n", "-c", "-o", "-l", "-A", "-B", "-C"}.isdisjoint(options):
        return text
    pattern = re.compile(wanted, re.IGNORECASE if "-i" in options else 0)
    return "".join(line for line in lines if bool(pattern.search(line.rstrip("\n"))) != ("-v" in options))


def _numbered(options: Options, text: str) -> str:
    return "".join(f"{number:6d}\t{line}" for number, line in enumerate(lines_of(text), 1))


def _folded(options: Options, text: str) -> str:
    width = count(options.get("-w", options.get("--width", "80"))) or 80
    rows = [line.rstrip("\n") for line in lines_of(text)]
    parts = [row[at : at + width] for row in rows for at in range(0, len(row) or 1, width)]
    return "".join(part + "\n" for part in parts)


def _pasted(options: Options, texts: list[Text]) -> Text:
    """Lines side by side, or with `-s` the lines of each file after one another."""
    marks = options.get("-d", options.get("--delimiters", "\t")).replace("\\n", "\n").replace("\\t", "\t")
    marks = "" if marks == "\\0" else marks
    columns = [[line.rstrip("\n") for line in lines_of(text.text)][:_MAX_PASTED] for text in texts]
    rows = columns if "-s" in options else [list(row) for row in _rows(columns)]
    lines = [_marked(row, marks) + "\n" for row in rows]
    return Text("".join(lines), frozenset({"decoded"}).union(*(text.origins for text in texts)))


def _rows(columns: list[list[str]]) -> list[list[str]]:
    longest = max(map(len, columns), default=0)
    return [[column[at] if at < len(column) else "" for column in columns] for at in range(longest)]


def _marked(row: list[str], marks: str) -> str:
    parts = [part + (marks[place % len(marks)] if marks else "") for place, part in enumerate(row[:-1])]
    return "".join([*parts, *row[-1:]])


_PICKS: dict[str, Callable[[Options, str], str]] = {
    "head": _head,
    "tail": _tail,
    "tac": _tac,
    "sort": _sort,
    **dict.fromkeys(("grep", "egrep", "fgrep"), _grep),
    "nl": _numbered,
    "fold": _folded,
}


def converted(command: Command, state: State) -> Text | None:
    """What dd writes: a part of a file that is known, or of what it is piped; None where neither is."""
    operands = dict(word.split("=", 1) for word in command.words[1:] if "=" in word)
    text = command.stdin.text if command.stdin is not None else None
    if "if" in operands:
        text = state.files.get(state.path(operands["if"]))
    if text is None or not text.known:
        return text
    size = count(operands.get("bs", operands.get("ibs", "512"))) or 512
    start = (count(operands.get("skip", "0")) or 0) * (1 if "skip_bytes" in operands.get("iflag", "") else size)
    wanted = count(operands.get("count", ""))
    end = None if wanted is None else start + wanted * (1 if "count_bytes" in operands.get("iflag", "") else size)
    part, origins = text.text[start:end], text.origins
    for name, change in _CASES.items():
        if name in operands.get("conv", "").split(","):
            part, origins = change(part), origins | {"decoded"}
    return Text(part, origins)


_CASES: dict[str, Callable[[str], str]] = {"lcase": str.lower, "ucase": str.upper}
