"""What printf and echo write: formats filled in, escapes undone."""

import re
from collections.abc import Sequence

from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.values import Text

_MAX_ROUNDS = 1_000
_FIELD = re.compile(r"(%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%])")
_HIDING = re.compile(r"\\(?:x[0-9a-fA-F]|u[0-9a-fA-F]|U[0-9a-fA-F]|0?[1-7][0-7])")
"""Escapes that spell ordinary characters; those for newlines and tabs hide nothing."""
_CONVERSIONS = {"o": "o", "x": "x", "X": "X", "d": "d", "i": "d", "u": "d"}


def printed(words: Sequence[Text]) -> Text:
    """What `printf` makes of a format and its values; marked `decoded` where escapes hid what it says."""
    form, values = words[0], words[1:]
    origins: frozenset[str] = frozenset().union(*[word.origins for word in words])
    if hides(form.text) or ("%b" in form.text and any(hides(value.text) for value in values)):
        origins |= {"decoded"}
    return Text(_formatted(form.text, [value.text for value in values]), origins)


def hides(text: str) -> bool:
    """Whether escapes in a text stand for characters that could as well be written."""
    return "\\" in text and _HIDING.search(text) is not None


def _formatted(form: str, values: list[str]) -> str:
    """printf repeats its format until the values are used up."""
    pieces = _FIELD.split(form)
    wanted = sum(1 for piece in pieces[1::2] if piece != "%%")
    rounds = max(1, -(-len(values) // wanted)) if wanted else 1
    left = list(reversed(values))
    result: list[str] = []
    for _ in range(min(rounds, _MAX_ROUNDS)):
        for index, piece in enumerate(pieces):
            if index % 2 == 0:
                result.append(unescape_ansi_c(piece))
            elif piece == "%%":
                result.append("%")
            else:
                result.append(_converted(piece[-1], left.pop() if left else ""))
    return "".join(result)


def _converted(kind: str, value: str) -> str:
    if kind == "b":
        return unescape_ansi_c(value)
    if kind == "c":
        return value[:1]
    number = re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}|[0-9]{1,9}", value) if kind in _CONVERSIONS else None
    if number is None:
        return value
    base = (
        16
        if value[:2] in ("0x", "0X")
        else 8
        if value[0] == "0" and value.isdigit() and set(value) <= set("01234567")
        else 10
    )
    return format(int(value, base), _CONVERSIONS[kind])
