"""From rows of nodes to words: which nodes belong together, and what the grammar leaves between them."""

import re

from tree_sitter import Node

from omnihook.shell.part_lowering import Parts, extend
from omnihook.shell.quoting import bare_parts
from omnihook.shell.syntax import Lit, Part, Statement, Word

_ORDINARY = re.compile(rb"[A-Za-z0-9_./:@%+,=^-]+")
_BLANK = re.compile(rb"(?<!\\)[ \t]")
_BLANKS = re.compile(r"(?<!\\)[ \t]+")
_GAP = re.compile(rb"\\\r?\n|\\[ \t\v\f]|[^\\]+|\\")
_BEFORE_COMMENT = frozenset((b" ", b"\t", b"\n", b";", b"&", b"|", b"(", b")"))


class Words(Parts):
    """Lowers the words of one source."""

    def line(self, node: Node) -> bytes:
        """The rest of the source line a node starts on."""
        end = self.source.find(b"\n", node.start_byte)
        return self.source[node.start_byte : end if end >= 0 else len(self.source)]

    def uncommented(self, node: Node) -> Statement | None:
        """What a comment hides that a shell does not take for one: after an escaped or odd blank `#` is a letter."""
        before = self.source[max(node.start_byte - 2, 0) : node.start_byte]
        if not before or (before[-1:] in _BEFORE_COMMENT and before[:-1] != b"\\"):
            return None
        return self.reparse("\\" + self.text(node))

    def row(self, nodes: list[Node]) -> tuple[Word, ...]:
        """The words of a command: nodes that touch, or that only escaped characters part, are one word."""
        words: list[list[Part]] = []
        end = -1
        for node in _flat(nodes):
            start = node.start_byte
            touching = start == end
            if words and not touching and b"\\" in self.source[end:start]:
                touching = self._bridge(words, end, start)
            first, *others = self._pieces(node)
            if words and touching:
                extend(words[-1], node, first)
            else:
                words.append(list(first))
            end = node.end_byte
            if others:
                words.extend([list(other) for other in others if other])
                end = end if others[-1] else -1
        return tuple(map(tuple, words))

    def _pieces(self, node: Node) -> list[Word]:
        """The parts of a node, in several pieces where the grammar took blanks for part of a word (`] .env`)."""
        if node.type != "word":
            return [self.parts(node, quoted=False)]
        start, end = node.start_byte, node.end_byte
        if _ORDINARY.fullmatch(self.source, start, end):
            return [(Lit(self.source[start:end].decode()),)]
        if not _BLANK.search(self.source, start, end):
            return [self.parts(node, quoted=False)]
        return [bare_parts(text) if text else () for text in _BLANKS.split(self.text(node))]

    def _bridge(self, words: list[list[Part]], start: int, end: int) -> bool:
        """Add what the grammar skips between two nodes, escaped spaces and newlines; whether they still touch."""
        touching = True
        for piece in _GAP.findall(self.source, start, end):
            if piece[:1] != b"\\":
                touching = False
            elif piece[1:] in (b" ", b"\t", b"\v", b"\f"):
                if not touching:
                    words.append([])
                words[-1].append(Lit(piece[1:].decode(), quoted=True))
                touching = True
        return touching

    def lower(self, node: Node) -> Word:
        """One word."""
        return self.parts(node, quoted=False)


def _flat(nodes: list[Node]) -> list[Node]:
    """The nodes with concatenations spelled out: the grammar sometimes leaves their last part outside."""
    if not any(node.type == "concatenation" for node in nodes):
        return nodes
    return [part for node in nodes for part in (node.children if node.type == "concatenation" else (node,))]
