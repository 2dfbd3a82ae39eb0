"""Reserved words that the grammar takes for commands: `time`, `!` and `coproc` before what is no simple command."""

import re

from omnihook.shell.trees import Finder

COPROCESS = "coproc:"
"""Begins the name of the function that a coprocess with a body is spelled as."""
_COMPOUND = rb"(?=[{(!][ \t\n({]|\(|\[\[[ \t]|(?:if|for|while|until|case|select)[ \t\n])"
_TIMED = re.compile(rb"\btime(?:[ \t]+-p)?[ \t]+(?=time\b|" + _COMPOUND[3:])
_NEGATED = re.compile(rb"!(?=[ \t]+(?:!|time\b|" + _COMPOUND[3:] + rb")")
_BESIDE = re.compile(rb"\bcoproc[ \t]+(?:([A-Za-z_]\w*)[ \t]+)?" + _COMPOUND)
_WORDS = (b"if", b"for", b"while", b"until", b"case", b"select")


def plainer(source: bytes, finder: Finder) -> bytes:
    """The source without `time` and `!` there, and with such a coprocess as a function, which has a body too."""
    # Blanks take the place of words, so that all else stays where the tree says.
    if b"time" in source:
        source = _TIMED.sub(lambda found: _blank(found, finder), source)
    if b"! " in source or b"!\t" in source:
        source = _NEGATED.sub(lambda found: _blank(found, finder), source)
    return _BESIDE.sub(lambda found: _function(found, finder), source) if b"coproc" in source else source


def _blank(found: re.Match[bytes], finder: Finder) -> bytes:
    return b" " * len(found[0]) if _is_word(found, finder) else found[0]


def _function(found: re.Match[bytes], finder: Finder) -> bytes:
    if not _is_word(found, finder) or found[1] in _WORDS:
        return found[0]
    return COPROCESS.encode() + (found[1] or b"COPROC") + b"() "


def _is_word(found: re.Match[bytes], finder: Finder) -> bool:
    """Whether the match is a word of a command, and not part of a text."""
    node = finder.at(found.start())
    if node is None or node.type != "!" or node.parent is None:
        return node is not None and node.type in ("word", "command_name", "ERROR", "program")
    return node.parent.type in ("negated_command", "ERROR")
