"""From the nodes of redirections to values: operators, targets, here-docs, and words that belong to the command."""

import re

from tree_sitter import Node

from omnihook.shell.plain import redirection
from omnihook.shell.syntax import Redirect, Word
from omnihook.shell.word_lowering import Words

_DELIMITER = re.compile(r"\\?[\w.+-]+|'[^'$`\\]+'|\"[^\"$`\\]+\"")
REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
"""The kinds of node that redirect."""


class Redirects:
    """Lowers the redirections of one source, whose words `words` lowers and may find doubtful."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def lower(self, node: Node, further: list[Word]) -> list[Redirect]:
        """One redirection; what the grammar hangs under a here-doc besides its body is not lowered here.

        Words behind the target, which the grammar counts to the redirection, are added to `further`.
        """
        plain = None if node.has_error else redirection(self.words.source, node.start_byte, node.end_byte)
        if plain is not None:
            return [plain]
        fd, op = "", ""
        words: list[Node] = []
        for child in node.children:
            kind = child.type
            if kind == "file_descriptor":
                fd = self.words.text(child)
            elif kind == "heredoc_body":
                doc = Redirect("<<", self.words.here_doc(child, raw=self._raw(node)), fd)
                return [doc, *self._nested(node, further)]
            elif not child.is_named and not op:
                op = kind
            elif self.words.is_word(child):
                words.append(child)
        if node.type == "heredoc_redirect":
            return [Redirect(op, (), fd), *self._nested(node, further)]
        target, *others = self.words.row(words) or ((),)
        further.extend(others)
        return [Redirect(op, target, fd), *self._nested(node, further)]

    def _raw(self, node: Node) -> bool:
        """Whether the delimiter is quoted; an odd one, or a second here-doc on the line, confuses the grammar."""
        starts = [self.words.text(child) for child in node.children if child.type == "heredoc_start"]
        line = self.words.line(node)
        if len(starts) != 1 or not _DELIMITER.fullmatch(starts[0]) or line.count(b"<<") > 1 + line.count(b"<<<"):
            self.words.doubtful = True
        return any(mark in start for start in starts for mark in "'\"\\")

    def _nested(self, node: Node, further: list[Word]) -> list[Redirect]:
        inner = [child for child in node.children if child.type in REDIRECTS]
        return [redirect for child in inner for redirect in self.lower(child, further)]

    def swallowed_dash(self, body: Node, doc: Node) -> bool:
        """The grammar gives no node for the dash of `cat - <<EOF`."""
        between = self.words.source[body.end_byte : doc.end_byte].split(b"<<", 1)[0]
        return between.strip(b" \t\\\n") == b"-"

    def arguments(self, doc: Node) -> list[Node]:
        """The command's words that the grammar hangs under a here-doc."""
        found: list[Node] = []
        for child in doc.children:
            found.extend(child.children if child.type == "ERROR" else [child])
        return [child for child in found if self.words.is_word(child)]
