"""From one node of a word to its parts: quotes undone, expansions kept apart from literal text."""

import re
from collections.abc import Callable

from tree_sitter import Node

from omnihook.shell.here_docs import double_quoted
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.quoting import bare_parts, unescape_ansi_c, unescape_backticks, unescape_double
from omnihook.shell.syntax import Arith, Lit, Part, Proc, Simple, Statement, Sub, Var, Word

MAX_DEPTH = 60
_LOOSE = re.compile(r"(?<!\\)(?:\$[A-Za-z_0-9@*#?!$({-]|`)")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_DOLLAR = Lit("$")
_BACKTICKS = re.compile(r"(?<!\\)`((?:[^`\\]|\\.)*)`", re.S)


class Parts:
    """Lowers the parts of one source's words; `run` lowers statements, `reparse` shell text found inside words."""

    def __init__(
        self, source: bytes, run: Callable[[list[Node]], Statement], reparse: Callable[[str], Statement]
    ) -> None:
        self._depth = 0
        self.doubtful = False
        self.source = source
        self.run = run
        self.reparse = reparse

    def text(self, node: Node) -> str:
        """The source text of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    @staticmethod
    def is_word(node: Node) -> bool:
        """Whether the node is a word or part of one."""
        return node.type in _PARTS

    def parts(self, node: Node, *, quoted: bool) -> Word:
        """The parts of a node; a node we do not know is its literal text."""
        handler = _PARTS.get(node.type, Parts.bare)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ShellTextError(f"a word is nested more than {MAX_DEPTH} levels deep")
        parts = handler(self, node, quoted)
        self._depth -= 1
        return parts

    def bare(self, node: Node, quoted: bool) -> Word:
        """Unquoted text; after some characters the grammar overlooks expansions in it, so they are read again."""
        text = self.text(node)
        if ("$" in text or "`" in text) and _LOOSE.search(text):
            return self._read_again(text)
        return (Lit(text, quoted=True),) if quoted else bare_parts(text)

    def _read_again(self, text: str) -> Word:
        again = self.reparse(f': "{text.replace(chr(34), "")}"')
        return again.words[1] if isinstance(again, Simple) and len(again.words) > 1 else (Lit(text),)

    def raw(self, node: Node, quoted: bool) -> Word:
        """`'text'`."""
        return (Lit(self.text(node)[1:-1], quoted=True),)

    def ansi_c(self, node: Node, quoted: bool) -> Word:
        """`$'text'`."""
        return (Lit(unescape_ansi_c(self.text(node)[2:-1]), quoted=True),)

    def string(self, node: Node, quoted: bool) -> Word:
        """A double-quoted string: literal runs are taken by offset, since the grammar skips some spaces."""
        start, end = node.start_byte + 1, node.end_byte - 1
        if node.type == "translated_string":
            start += 1
        return self._mixed(node, start, end, unescape_double) or (Lit("", quoted=True),)

    def here_doc(self, node: Node, *, raw: bool) -> Word:
        """The body of a here-doc; unless its delimiter was quoted, expansions in it happen.

        They are read anew, as those of a string: the grammar overlooks backticks, and others where a body begins.
        """
        text = self.text(node)
        if raw:
            return (Lit(text, quoted=True),)
        if "$" not in text and "`" not in text:
            return (Lit(unescape_double(text), quoted=True),)
        again = self.reparse(": " + double_quoted(text.encode()).decode())
        if isinstance(again, Simple) and len(again.words) == 2 and not again.redirects:
            return again.words[1]
        self.doubtful = True
        return (Lit(text, quoted=True),)

    def _backticks(self, part: Part) -> Word:
        """Backticks in text, which run."""
        if not isinstance(part, Lit):
            return (part,)
        pieces: list[Part] = []
        for index, text in enumerate(_BACKTICKS.split(part.text)):
            if index % 2:
                pieces.append(Sub(self.reparse(unescape_backticks(text)), quoted=True))
            elif text:
                pieces.append(Lit(unescape_double(text), quoted=True))
        return tuple(pieces)

    def _mixed(self, node: Node, start: int, end: int, unescape: Callable[[str], str]) -> Word:
        expanding = [child for child in node.children if child.type in _EXPANSIONS]
        return self._between(expanding, start, end, unescape)

    def _between(self, expanding: list[Node], start: int, end: int, unescape: Callable[[str], str]) -> Word:
        """Literal text from `start` to `end`, with nodes that expand in it."""
        parts: list[Part] = []
        position = start
        for child in expanding:
            # Blanks between two expansions are in the second one's node, but they are text.
            begin = child.start_byte
            while self.source[begin] in b" \t\n":
                begin += 1
            if begin > position:
                parts.append(self._literal(position, begin, unescape))
            parts.extend(self.parts(child, quoted=True))
            position = child.end_byte
        if position < end:
            parts.append(self._literal(position, end, unescape))
        return tuple(parts)

    def _literal(self, start: int, end: int, unescape: Callable[[str], str]) -> Lit:
        return Lit(unescape(self.source[start:end].decode("utf-8", "replace")), quoted=True)

    def concatenation(self, node: Node, quoted: bool) -> Word:
        """Parts that touch."""
        word: list[Part] = []
        for child in node.children:
            extend(word, child, self.parts(child, quoted=False))
        return tuple(word)

    def simple_expansion(self, node: Node, quoted: bool) -> Word:
        """`$name`."""
        name = self.text(node).lstrip()[1:]
        if len(name) > 1 and name[0] in "0123456789@*#?$!-":
            return (Var(name[0], quoted), Lit(name[1:], quoted))
        return (Var(name, quoted),)

    def expansion(self, node: Node, quoted: bool) -> Word:
        """`${...}`: a name, perhaps a subscript, an operator and what follows it."""
        name, index, prefix, op = "", "", "", ""
        inner: Word = ()
        rest: list[Node] = []
        for child in node.children[1:-1]:
            kind = child.type
            if not name and kind in ("variable_name", "special_variable_name"):
                name = self.text(child)
            elif not name and kind == "subscript":
                name, _, index = self.text(child).partition("[")
                inner = self.expansions(child)
            elif not name:
                prefix += self.text(child)
            elif not op and not child.is_named:
                op = self.text(child)
            else:
                rest.append(child)
        if not name:
            name, prefix = prefix, ""
        if any(mark in self.source[node.start_byte : node.end_byte] for mark in (b"<(", b">(")):
            self.doubtful = True  # the grammar takes process substitutions in here for text
        arg = tuple(part for child in rest for part in self.parts(child, quoted=quoted))
        return (Var(name, quoted, prefix + op, arg, index.rstrip("]"), inner),)

    def command_substitution(self, node: Node, quoted: bool) -> Word:
        """`$(...)`, `` `...` ``, and `$(<file)`, which the grammar gives as a bare redirection."""
        text = self.text(node).lstrip()
        if text.startswith("`") and ("\\" in text or "`" in text[1:-1]):
            return self._backticks(Lit(text))
        return (Sub(self.run(_wrapped_redirect(node)), quoted),)

    def process_substitution(self, node: Node, quoted: bool) -> Word:
        """`<(...)` and `>(...)`."""
        return (Proc(self.run(node.children), output=self.text(node).startswith(">")),)

    def arithmetic(self, node: Node, quoted: bool) -> Word:
        """`$((...))`, `$[...]` and `((...))`: the text between the brackets, with what expands in it."""
        opening = node.children[0].end_byte if node.child_count else node.start_byte
        closing = node.children[-1].start_byte if node.child_count > 1 else node.end_byte
        return (Arith(self._between(_below(node), opening, max(opening, closing), lambda text: text)),)

    def dollar(self, node: Node, quoted: bool) -> Word:
        """A dollar sign that starts nothing; the grammar may put what stands before it into the same node."""
        before = self.text(node)[:-1].strip()
        return (*(bare_parts(before) if before else ()), Lit("$", quoted))

    def nothing(self, node: Node, quoted: bool) -> Word:
        """Empty backticks."""
        return ()

    def substitutions(self, node: Node) -> tuple[Word, ...]:
        """Every word with an expansion below a node that runs nothing else, such as a condition."""
        return tuple([self.parts(child, quoted=True) for child in _below(node)])

    def expansions(self, node: Node) -> Word:
        """The same as one word."""
        return tuple(part for word in self.substitutions(node) for part in word)


def extend(word: list[Part], node: Node, parts: Word) -> None:
    """Add parts to a word that ends where they begin."""
    if word[-1:] == [_DOLLAR] and node.type == "string":
        word.pop()  # `$"text"` is a translated string: the dollar is not part of it
    elif word[-1:] == [_DOLLAR] and parts and isinstance(first := parts[0], Lit):
        # After other parts, `$1` and `$x~` come as a dollar and a word.
        name = _NAME.match(first.text)
        if name is not None:
            rest = bare_parts(first.text[name.end() :]) if first.text[name.end() :] else ()
            word[-1], parts = Var(name[0]), (*rest, *parts[1:])
    word.extend(parts)


def _below(node: Node) -> list[Node]:
    """The outermost nodes below this one that expand, in order."""
    found: list[Node] = []
    todo = list(reversed(node.children))
    while todo:
        child = todo.pop()
        if child.type in _EXPANSIONS:
            found.append(child)
        else:
            todo.extend(reversed(child.children))
    return found


def _wrapped_redirect(node: Node) -> list[Node]:
    return [child for child in node.children if child.type not in ("$(", ")", "`")]


_EXPANSIONS = frozenset(
    {
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    }
)
_PARTS: dict[str, Callable[[Parts, Node, bool], Word]] = {
    "word": Parts.bare,
    "number": Parts.bare,
    "regex": Parts.bare,
    "test_operator": Parts.bare,
    "brace_expression": Parts.bare,
    "extglob_pattern": Parts.bare,
    "variable_name": Parts.bare,
    "string_content": Parts.bare,
    "raw_string": Parts.raw,
    "ansi_c_string": Parts.ansi_c,
    "string": Parts.string,
    "translated_string": Parts.string,
    "concatenation": Parts.concatenation,
    "simple_expansion": Parts.simple_expansion,
    "expansion": Parts.expansion,
    "command_substitution": Parts.command_substitution,
    "process_substitution": Parts.process_substitution,
    "arithmetic_expansion": Parts.arithmetic,
    "$": Parts.dollar,
    "``": Parts.nothing,
}
