"""Commands, redirections and assignments that are spelled plainly, read by one expression instead of node by node.

Plain means: no substitutions, no operators on variables, no operators between commands; everything else is left to
`lowering`. What the grammar found to be one command is one, so this only saves looking at each of its words.
"""

import re

from omnihook.shell.quoting import unescape_double
from omnihook.shell.syntax import Assign, Lit, Part, Redirect, Var, Word

_MAX_REMEMBERED = 80
_MAX_WORDS = 8 * 1024
_NAME = rb"[A-Za-z_][A-Za-z0-9_]*+"
_VARIABLE = rb"\$(?:" + _NAME + rb"|[0-9@*#?!$-]|\{(?:" + _NAME + rb"|[0-9]++)\})"
_BARE = rb"[A-Za-z0-9_./:@%+,=^~*?!\[\]-]"
_DOUBLE = rb'"(?:[^"\\$`]++|\\[^\n]|' + _VARIABLE + rb')*+"'
_PART = _BARE + rb"++|'[^']*+'|\\[!-~]|" + _DOUBLE + rb"|" + _VARIABLE
_WORD = rb"(?:" + _PART + rb")++"
_GAP = rb"(?:[ \t]++(?:\\\n[ \t]*+)*+)"
_WORDS = re.compile(_WORD)
_PARTS = re.compile(
    rb"("
    + _BARE
    + rb"++)|'([^']*+)'|\\([!-~])|\"((?:[^\"\\]++|\\.)*+)\"|\$(?:("
    + _NAME
    + rb"|[0-9@*#?!$-])|\{(\w++)\})"
)
_INSIDE = re.compile(rb"((?:[^\\$]++|\\.)++)|\$(?:(" + _NAME + rb"|[0-9@*#?!$-])|\{(\w++)\})")
_COMMAND = re.compile(rb"(?!" + _NAME + rb"(?:\[|\+?=)|!)" + _WORD + rb"(?:" + _GAP + _WORD + rb")*+")
_ASSIGNMENT = re.compile(rb"(" + _NAME + rb")=((?:" + _PART + rb")*+)")
_EACH = re.compile(rb"(?<![A-Za-z0-9_])" + _ASSIGNMENT.pattern)
_PREFIXED = re.compile(rb"(?:" + _ASSIGNMENT.pattern + _GAP + rb")++")
_REDIRECT = re.compile(rb"(\d?)(>>|>\||>&|>|<|&>)[ \t]*+(" + _WORD + rb")")
_QUIET_TEST = re.compile(rb"""[^'`$<>(){}\\]++""")


def command_words(source: bytes, start: int, end: int) -> tuple[Word, ...] | None:
    """The words of a command, or None when it is not plain."""
    if _COMMAND.fullmatch(source, start, end) is None:
        return None
    return tuple([_known.get(piece) or _word(piece) for piece in _WORDS.findall(source, start, end)])


def prefixed_words(source: bytes, start: int, end: int) -> tuple[tuple[Assign, ...], tuple[Word, ...]] | None:
    """The assignments before a command and its words, or None when it is not plain."""
    found = _PREFIXED.match(source, start, end)
    words = command_words(source, found.end(), end) if found is not None else None
    if found is None or words is None:
        return None
    given = _EACH.findall(source, start, found.end())
    return tuple([Assign(name.decode(), _word(value) if value else ()) for name, value in given]), words


def assignment(source: bytes, start: int, end: int) -> Assign | None:
    """`name=word`, or None when it is not plain."""
    found = _ASSIGNMENT.fullmatch(source, start, end)
    if found is None:
        return None
    return Assign(found[1].decode(), _word(found[2]) if found[2] else ())


def redirection(source: bytes, start: int, end: int) -> Redirect | None:
    """`2>file`, or None when it is not plain."""
    found = _REDIRECT.fullmatch(source, start, end)
    return Redirect(found[2].decode(), _word(found[3]), found[1].decode()) if found is not None else None


def says_nothing(source: bytes, start: int, end: int) -> bool:
    """Whether a condition holds nothing that expands."""
    return _QUIET_TEST.fullmatch(source, start, end) is not None


_known: dict[bytes, Word] = {}
"""Short words met before: most words are, and to look here is quicker than to call anything."""


def _word(piece: bytes) -> Word:
    if (known := _known.get(piece)) is not None:
        return known
    word = _read(piece)
    if len(piece) <= _MAX_REMEMBERED:
        if len(_known) >= _MAX_WORDS:
            _known.clear()
        _known[piece] = word
    return word


def _read(piece: bytes) -> Word:
    parts: list[Part] = []
    for bare, single, escaped, double, name, braced in _PARTS.findall(piece):
        if bare:
            parts.append(Lit(bare.decode()))
        elif name or braced:
            parts.append(Var((name or braced).decode()))
        elif double:
            parts.extend(_double(double))
        elif escaped:
            parts.append(Lit(escaped.decode(), quoted=True))
        else:
            parts.append(Lit(single.decode("utf-8", "replace"), quoted=True))
    return tuple(parts)


def _double(text: bytes) -> list[Part]:
    """What stands between double quotes."""
    parts: list[Part] = []
    for literal, name, braced in _INSIDE.findall(text):
        if literal:
            parts.append(Lit(unescape_double(literal.decode("utf-8", "replace")), quoted=True))
        else:
            parts.append(Var((name or braced).decode(), quoted=True))
    return parts
