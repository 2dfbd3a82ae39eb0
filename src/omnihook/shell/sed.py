"""sed scripts, read as GNU sed reads them and in one go: addresses, commands, what each is given."""

import re
from collections.abc import Callable

from omnihook.shell.expressions import plain_expression
from omnihook.shell.values import HOLE
from omnihook.slotted import dataclass

_MAX_ERRORS = 20
_BLANKS = re.compile(r"[ \t;\n\r\f\v}]*+")
_SPACE = re.compile(r"[ \t]*+")
_PLAIN_ADDRESS = re.compile(rf"[\d{HOLE}]++(?:~[\d{HOLE}]++)?+|\$|[+~][\d{HOLE}]++")
_FLAGS = re.compile(r"[gpiImMe0-9]*+")
_LABEL = re.compile(r"[ \t]*+([^\s;}]*+)")
_LINE = re.compile(r"[^\n]*+")
_PART = re.compile(r"[^\n;}]*+")
_TEXT = re.compile(r"(?:[^\\\n]++|\\[\s\S])*+")
_ENDING = re.compile(r"[ \t\r]*+(?:[;\n}#]|\Z)")
_CLASS_START = re.compile(r"\^?+\]?+")
_IN_CLASS = re.compile(r"[^\[\]\n]*+")
_SPECIAL = re.compile(r"\\(?:x([0-9a-fA-F]{2})|o([0-7]{3})|d([0-9]{3})|([0-9])|([\s\S]))|(&)|[^\\&]++|\\")
_BEYOND = re.compile(r"[\\\[\]&\n]")
_MAX_MADE = 4_000_000
_CONTROLS = {"n": "\n", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "r": "\r"}
_CASES: dict[str | None, Callable[[str], str]] = {"L": str.lower, "U": str.upper, "E": str}


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a script. `text` is a file, a shell line, a label or lines of text, by what the letter takes."""

    name: str
    anywhere: bool = True
    """Whether it has no address, and so is done to every line."""
    old: str = ""
    new: str = ""
    flags: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """The commands of a script; `unread` when so much of it is no sed that the rest was left."""

    steps: tuple[Step, ...]
    unread: bool = False


def read(text: str) -> Script:
    """Read a script. What is no sed is left out, though sed would refuse the whole."""
    return _Reader(text).script()


def made(new: str) -> str:
    """The text a replacement makes; a hole stands for what was found."""
    pieces: list[str] = []
    case = once = _CASES["E"]
    for found in _SPECIAL.finditer(new):
        code = found[5]
        if code in _CASES:
            case = once = _CASES[code]
            continue
        if code in ("l", "u"):
            once = _CASES[code.upper()]
            continue
        piece = _piece(found)
        pieces.append(once(piece[:1]) + case(piece[1:]))
        once = case
    return "".join(pieces)


def _piece(found: re.Match[str]) -> str:
    for group, base in ((1, 16), (2, 8), (3, 10)):
        if found[group]:
            return chr(int(found[group], base) & 255)
    if found[4] or found[6]:
        return HOLE
    return _CONTROLS.get(found[5], found[5]) if found[5] else found[0]


def substituted(step: Step, text: str) -> str | None:
    """Known text after `s/old/new/`, for expressions of plain characters, dots, stars and anchors; else None."""
    if step.name != "s" or not step.anywhere or set(step.flags) - {"g", "e"} or step.text:
        return None
    lines = text.split("\n")
    every = "g" in step.flags
    expression = plain_expression(step.old, lines)
    if expression is None or _BEYOND.search(step.old) or _BEYOND.search(step.new):
        return None
    if (len(text) if every else len(lines)) * len(step.new) > _MAX_MADE:
        return None
    wanted = re.compile(expression)
    last = lines.pop() if lines[-1] == "" else None
    changed = [wanted.sub(lambda _: step.new, line, count=0 if every else 1) for line in lines]
    return "\n".join(changed if last is None else [*changed, last])


class _Unreadable(Exception):
    """What stands here is no sed."""


class _Reader:
    """Goes through a script once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def script(self) -> Script:
        steps: list[Step] = []
        errors = 0
        self._take(_BLANKS)
        while self._place < len(self._text) and errors <= _MAX_ERRORS:
            start = self._place
            try:
                steps.append(self._step())
            except _Unreadable:
                errors += 1
                self._place = start
                self._take(_PART)
            self._take(_BLANKS)
        return Script(tuple(steps), errors > _MAX_ERRORS)

    def _take(self, pattern: re.Pattern[str]) -> str:
        """What a pattern finds here, which may be nothing."""
        found = pattern.match(self._text, self._place)
        if found is None:
            return ""
        self._place = found.end()
        return found[found.lastindex or 0]

    def _next(self) -> str:
        """The next character; nothing at the end."""
        mark = self._text[self._place : self._place + 1]
        self._place += 1
        return mark

    def _step(self) -> Step:
        anywhere = not self._addressed()
        name = self._next()
        if name in ("s", "y"):
            return self._substitution(name, anywhere)
        if name in ("a", "i", "c"):
            return Step(name, anywhere, text=self._lines())
        if name in ("r", "R", "w", "W", "e", "#"):
            self._take(_SPACE)
            return Step(name, anywhere, text=self._take(_LINE))
        if name in (":", "b", "t", "T", "q", "Q", "l", "L", "v"):
            return Step(name, anywhere, text=self._take(_LABEL))
        if name and name in "{=dDgGhHnNpPxzF":
            if name != "{" and not _ENDING.match(self._text, self._place):
                raise _Unreadable
            return Step(name, anywhere)
        raise _Unreadable

    def _addressed(self) -> bool:
        """Go past addresses; whether there were any."""
        found = self._address()
        self._take(_SPACE)
        if found and self._text.startswith(",", self._place):
            self._place += 1
            self._take(_SPACE)
            if not self._address():
                raise _Unreadable
        while self._text[self._place : self._place + 1] in ("!", " ", "\t"):
            self._place += 1
        return found

    def _address(self) -> bool:
        mark = self._text[self._place : self._place + 1]
        if mark not in ("/", "\\"):
            return bool(self._take(_PLAIN_ADDRESS))
        self._place += 1
        self._until(mark if mark == "/" else self._next(), brackets=True)
        while self._text[self._place : self._place + 1] in ("I", "M"):
            self._place += 1
        return True

    def _substitution(self, name: str, anywhere: bool) -> Step:
        mark = self._next()
        old = self._until(mark, brackets=name == "s")
        new = self._until(mark, brackets=False)
        if name == "y":
            return Step(name, anywhere, old, new)
        flags, file = self._take(_FLAGS), ""
        if self._text.startswith("w", self._place):
            self._place += 1
            self._take(_SPACE)
            file = self._take(_LINE)
        elif not _ENDING.match(self._text, self._place):
            raise _Unreadable
        return Step(name, anywhere, old, new, flags, file)

    def _until(self, mark: str, *, brackets: bool) -> str:
        """The text up to a mark that neither a backslash nor a pair of brackets keeps from ending it."""
        if mark in ("", "\n", "\\"):
            raise _Unreadable
        text, start = self._text, self._place
        while (sign := self._next()) and (sign != "\n" or not brackets):
            if sign == mark:
                return text[start : self._place - 1].replace("\\" + mark, mark)
            if sign == "\\":
                self._place += 1
            elif sign == "[" and brackets:
                self._class()
        raise _Unreadable

    def _class(self) -> None:
        """Go past `[...]`, which may hold `[:alpha:]` and its like, and closing brackets at the start."""
        self._take(_CLASS_START)
        kinds = {".", ":", "="}
        self._take(_IN_CLASS)
        while (sign := self._next()) == "[":
            kind = self._text[self._place : self._place + 1]
            closed = self._text.find(kind + "]", self._place + 1) if kind in kinds else -1
            if closed >= 0:
                self._place = closed + 2
            else:
                kinds.discard(kind)  # none is closed further on, either
            self._take(_IN_CLASS)
        if sign != "]":
            raise _Unreadable

    def _lines(self) -> str:
        """The text of `a`, `i` and `c`: on this line or, after a backslash, the next, and on while lines end in one."""
        self._take(_SPACE)
        if self._text.startswith("\\", self._place):
            self._place += 1
            self._take(_SPACE)
            if self._text.startswith("\n", self._place):
                self._place += 1
        return self._take(_TEXT)
