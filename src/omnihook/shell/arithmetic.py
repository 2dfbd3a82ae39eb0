"""Whole-number arithmetic as the shell, expr and bc write it, for text in which every number is known."""

import operator
import re
from collections.abc import Callable, Mapping

Lookup = Callable[[str], int | None]
_MAX_TEXT = 400
_MAX_DEPTH = 40
_LIMIT = 1 << 63
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+#\w+|0[xX][0-9a-fA-F]+|\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>\*\*|<<=?|>>=?|[-+*/%&|^]=(?!=)|&&|\|\||[<>=!]=|[-+*/%&|^~!<>()?:=,]))"
)
_ASSIGNMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*(\*\*|<<|>>|[-+*/%&|^])?=(?!=)(.*)", re.S)
_LEVELS: tuple[frozenset[str], ...] = (
    frozenset({"||"}),
    frozenset({"&&"}),
    frozenset({"|"}),
    frozenset({"^"}),
    frozenset({"&"}),
    frozenset({"==", "!="}),
    frozenset({"<", ">", "<=", ">="}),
    frozenset({"<<", ">>"}),
    frozenset({"+", "-"}),
    frozenset({"*", "/", "%"}),
    frozenset({"**"}),
)
_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "||": lambda left, right: int(bool(left or right)),
    "&&": lambda left, right: int(bool(left and right)),
    "|": operator.or_,
    "^": operator.xor,
    "&": operator.and_,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "<<": lambda left, right: left << (right & 63),
    ">>": lambda left, right: left >> (right & 63),
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda left, right: _quotient(left, right),
    "%": lambda left, right: left - right * _quotient(left, right),
    "**": lambda left, right: _power(left, right),
}


class _Unknown(Exception):
    """Something in the text is not known, or is no arithmetic."""


def value_of(text: str, lookup: Lookup = lambda name: None, *, octal: bool = True) -> int | None:
    """What an expression comes to, None where that is not known; with `octal`, a leading zero means base eight."""
    if len(text) > _MAX_TEXT:
        return None
    try:
        reader = _Reader(text, lookup, octal=octal)
        value = reader.choice()
        return value if reader.done and abs(value) < _LIMIT else None
    except (_Unknown, ZeroDivisionError):
        return None


def assignment(text: str) -> tuple[str, str] | None:
    """The name and the new value's expression of `name = value` and `name += value`; None for anything else."""
    found = _ASSIGNMENT.fullmatch(text)
    if found is None:
        return None
    return found[1], f"{found[1]} {found[2]} ({found[3]})" if found[2] else found[3]


def _quotient(left: int, right: int) -> int:
    """Division that cuts towards zero."""
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _power(left: int, right: int) -> int:
    if not 0 <= right <= 64 or abs(left) > _LIMIT:
        raise _Unknown
    return int(left**right)


class _Reader:
    """Reads one expression by climbing the operators' levels."""

    def __init__(self, text: str, lookup: Lookup, *, octal: bool) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0
        self._lookup = lookup
        self._octal = octal

    @property
    def done(self) -> bool:
        return self._at >= len(self._tokens)

    def _accept(self, *texts: str) -> str | None:
        if self.done or self._tokens[self._at] not in texts:
            return None
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, text: str) -> None:
        if self._accept(text) is None:
            raise _Unknown

    def choice(self) -> int:
        """`a ? b : c`, or anything that binds more tightly."""
        value = self._binary(0)
        if self._accept("?") is None:
            return value
        yes = self.choice()
        self._expect(":")
        no = self.choice()
        return yes if value else no

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while (sign := self._accept(*_LEVELS[level])) is not None:
            # Powers bind to the right, everything else to the left.
            right = self._binary(level if sign == "**" else level + 1)
            left = int(_OPERATIONS[sign](left, right))
            if abs(left) > _LIMIT:
                raise _Unknown
        return left

    def _unary(self) -> int:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _Unknown
        sign = self._accept("-", "+", "~", "!")
        value = self._operand() if sign is None else self._unary()
        self._depth -= 1
        match sign:
            case "-":
                return -value
            case "~":
                return ~value
            case "!":
                return int(not value)
            case _:
                return value

    def _operand(self) -> int:
        if self.done:
            raise _Unknown
        if self._accept("(") is not None:
            value = self.choice()
            self._expect(")")
            return value
        token = self._tokens[self._at]
        self._at += 1
        if token[0].isdigit():
            return _number(token, octal=self._octal)
        known = self._lookup(token) if token[0].isalpha() or token[0] == "_" else None
        if known is None:
            raise _Unknown
        return known


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise _Unknown
        found.append(match[0].strip())
        place = match.end()
    return found


def _number(text: str, *, octal: bool) -> int:
    """`10`, `0x1f`, `8#777`, and `0777` where a leading zero means base eight."""
    base, mark, digits = text.partition("#")
    try:
        if mark:
            return int(digits, int(base))
        if text[:2].lower() == "0x":
            return int(text, 16)
        return int(text, 8 if octal and text[0] == "0" else 10)
    except ValueError as error:
        raise _Unknown from error
