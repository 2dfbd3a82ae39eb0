"""The parser of shell text, which cannot be interrupted and takes the square of the time over text it cannot read."""

import re
import time
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Parser, Tree

_LONG = 4 * 1024
_PROBED = 2 * 1024
_NOTICED = 0.05  # seconds
_SLOW = 4e-6  # seconds for each byte; ordinary scripts take a tenth of it
_SECONDS = 1.0
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


class TooSlow(Exception):
    """The parser takes too long over a text."""


class Trees:
    """The trees of one text and of what repairs make of it, in limited time."""

    __slots__ = ("_until",)

    def __init__(self) -> None:
        self._until = time.thread_time() + _SECONDS

    def of(self, source: bytes) -> Tree:
        """The tree of a source. The grammar's scanner asks the C library about characters beyond the table it has, and
        crashes (tree-sitter-bash 0.25.1); to a shell they are letters of a word but of no name, and so is this sign.
        A pipeline that ends the text takes the parser twenty times as long as one with a newline behind it."""
        if time.thread_time() > self._until:
            raise TooSlow
        plain = source if source.isascii() else _BEYOND_ASCII.sub(b"%", source)
        if len(plain) > _LONG:
            _probe(plain)
        if not plain.endswith((b"\n", b"\\")):
            tree = _parser().parse(plain + b"\n")
            if not tree.root_node.has_error:
                return tree
        return _parser().parse(plain)


def _probe(source: bytes) -> None:
    """Give up on a text of which a part takes far longer than texts do: twice as much would take four times that."""
    size = _PROBED
    while size < len(source):
        started = time.thread_time()
        _parser().parse(source[:size])
        taken = time.thread_time() - started
        if taken > _NOTICED and taken > size * _SLOW:
            raise TooSlow
        size *= 2


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))
