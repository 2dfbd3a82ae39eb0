"""The parser of shell text, which cannot be interrupted and takes the square of the time over text it cannot read."""

import re
import time
from bisect import bisect_right
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

_PROBED = (2 * 1024, 16 * 1024, 64 * 1024)
_SLOW = 4e-6  # seconds for each byte; ordinary scripts take a tenth of it
_SECONDS = 1.0
_FEW_NODES = 4_000
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


class TooSlow(Exception):
    """The parser takes too long over a text."""


class Trees:
    """The trees of one text and of what repairs make of it, in limited time."""

    __slots__ = ("_probed", "_until")

    def __init__(self) -> None:
        self._until = time.thread_time() + _SECONDS
        self._probed = False

    def check(self) -> None:
        """Raise `TooSlow` once the time is over."""
        if time.thread_time() > self._until:
            raise TooSlow

    def of(self, source: bytes) -> Tree:
        """The tree of a source. The grammar's scanner asks the C library about characters beyond the table it has, and
        crashes (tree-sitter-bash 0.25.1); to a shell they are letters of a word but of no name, and so is this sign.
        A pipeline that ends the text takes the parser twenty times as long as one with a newline behind it."""
        self.check()
        plain = source if source.isascii() else _BEYOND_ASCII.sub(b"%", source)
        if not self._probed:
            self._probed = True
            _probe(plain)
        if not plain.endswith((b"\n", b"\\")):
            tree = _parser().parse(plain + b"\n")
            if not tree.root_node.has_error:
                return tree
        return _parser().parse(plain)


class Finder:
    """Finds the deepest nodes of a tree. A large one would itself look through all its children each time."""

    __slots__ = ("_below", "_root", "_small", "_trees")

    def __init__(self, tree: Tree, trees: Trees) -> None:
        self._root = tree.root_node
        self._trees = trees
        self._small = tree.root_node.descendant_count < _FEW_NODES
        self._below: dict[int, tuple[list[int], list[Node]]] = {}

    def at(self, spot: int) -> Node | None:
        """The deepest node that holds the byte at a place."""
        if self._small:
            return self._root.descendant_for_byte_range(spot, spot + 1)
        self._trees.check()
        node = self._root
        while True:
            starts, children = self._children(node)
            place = bisect_right(starts, spot) - 1
            if place < 0 or children[place].end_byte <= spot:
                return node
            node = children[place]

    def _children(self, node: Node) -> tuple[list[int], list[Node]]:
        known = self._below.get(node.id)
        if known is None:
            children = [child for child in node.children if child.end_byte > child.start_byte]
            known = self._below[node.id] = ([child.start_byte for child in children], children)
        return known


def _probe(source: bytes) -> None:
    """Give up on a text of whose beginning the parser takes far longer than it takes over texts. Where it takes the
    square, eight times as much text takes sixty-four times as long, which can be waited for after the first probe."""
    for size in _PROBED:
        if 2 * size >= len(source):
            return
        started = time.thread_time()
        _parser().parse(source[:size])
        if time.thread_time() - started > size * _SLOW:
            raise TooSlow


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))
