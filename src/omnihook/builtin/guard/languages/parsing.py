"""A forgiving parser for script languages: statements, blocks and loops. What it does not know, it steps over.

Expressions are read by `expressions`.
"""

from omnihook.builtin.guard.languages.expressions import Expressions
from omnihook.builtin.guard.languages.lexing import lex
from omnihook.builtin.guard.languages.nodes import (
    NOTHING,
    Assign,
    Branch,
    Call,
    Function,
    Group,
    Items,
    Literal,
    Loop,
    Member,
    Node,
    Operation,
    Ref,
    Return,
)
from omnihook.builtin.guard.languages.syntaxes import SYNTAXES, Syntax
from omnihook.shell.tables import names
from omnihook.shell.values import Text

_TESTED = names("if unless elif elsif elseif switch case when with guard try begin rescue catch else finally ensure do")
_WITHOUT_TEST = names("try begin else finally ensure do")
_ENDLESS = names("loop forever repeat")
_DEFINES = names("function def defp sub fn func fun")
_MIDDLE = names("else elsif elseif rescue ensure when catch after elif in")


def parse(text: str, language: str, origins: frozenset[str] = frozenset()) -> list[Node]:
    """The statements of a piece of code."""
    syntax = SYNTAXES[language]
    return _Parser(text, syntax, origins).statements(())


class _Parser(Expressions):
    """Statements on top of expressions."""

    def __init__(self, text: str, syntax: Syntax, origins: frozenset[str]) -> None:
        super().__init__(lex(text, syntax), syntax, origins)

    def nested(self, code: str) -> list[Node]:
        """Code inside a string of this code."""
        inner = _Parser(code, self.syntax, self.origins)
        inner.depth = self.depth + 1
        return inner.statements(())

    def statements(self, stops: tuple[str, ...]) -> list[Node]:
        """Statements up to one of the stops, which is consumed, or to the end."""
        kept, self.nest = self.nest, 0
        heads, self.in_head = self.in_head, False
        found: list[Node] = []
        self.enter()
        while not self.done:
            if self.token.text in stops and self.token.kind in ("op", "name"):
                self.at += 1
                break
            before = self.at
            if self.token.kind == "op" and self.token.text in (";", ",", ")", "]", "}"):
                self.at += 1
                continue
            found.append(self.statement())
            if self.at == before:
                self.at += 1
        self.leave()
        self.nest, self.in_head = kept, heads
        return found

    def statement(self) -> Node:
        """One statement, with the modifiers after it."""
        word = self.token.text if self.token.kind == "name" else ""
        node = self._keyword(word) if word else None
        if node is None:
            node = self.expression(0)
        return self._modified(node)

    def _modified(self, node: Node) -> Node:
        while not self.done and self.token.kind == "name" and not self.token.newline:
            word = self.token.text
            if word not in ("if", "unless", "while", "until", "for", "foreach"):
                break
            self.at += 1
            head = self.expression(0)
            if word in ("if", "unless"):
                node = Branch(head, [node])
            elif word in ("for", "foreach"):
                node = Loop("each", ["$_"], head, [node])
            else:
                node = Loop(word, [], head, [node])
        return node

    def _keyword(self, word: str) -> Node | None:
        if self.called(word) or self.follows(".", "="):
            return None
        if word in ("while", "until"):
            self.at += 1
            return Loop(word, [], self.head(), self.body())
        if word == "for" or (word == "foreach" and self.syntax.name in ("perl", "raku", "php", "pwsh")):
            self.at += 1
            return self._for()
        if word in _ENDLESS and self.follows("{", "do", "repeat"):
            return self._endless(word)
        if word in _DEFINES:
            self.at += 1
            return self.function(word)
        if word == "return":
            self.at += 1
            return Return(NOTHING if self.ended() else self.expression(0))
        if word in ("import", "from") and self.syntax.name in ("node", "deno", "bun"):
            return self._import()
        if word in _TESTED and not (word == "do" and self.syntax.name == "perl" and not self.follows("{")):
            self.at += 1
            test: Node = NOTHING if word in _WITHOUT_TEST else self.head()
            return Branch(test, self.body()) if word not in _WITHOUT_TEST else Group(self.body())
        return None

    def called(self, word: str) -> bool:
        """Whether a keyword is used as a name here: a member, a key."""
        return bool(self.at) and self.tokens[self.at - 1].text in (".", "->", "::", "?.")

    def _endless(self, word: str) -> Node:
        self.at += 1
        if word == "repeat" and self.syntax.name == "lua":
            body = self.statements(("until",))
            return Loop("until", [], self.expression(0), body)
        return Loop("endless", [], None, self.body())

    def _for(self) -> Node:
        """`for x in xs`, `for (x of xs)`, `for (;;)`, `foreach (xs as $x)`, `for my $x (xs)`."""
        self.skip("my", "our", "let", "const", "var", "await", "final")
        targets = self._targets() if not self.at_op("(") else []
        start = self.at
        if self.at_op("("):
            self.at += 1
            self.nest += 1
            head, targets = self._for_parens(targets)
            self.nest -= 1
        else:
            self.skip("in", "of", "=", "<-")
            head = self.head()
        if self.at == start:
            self.at += 1
        kind = "while" if isinstance(head, Operation) and head.op == ";" else "each"
        if kind == "while" and isinstance(head, Operation):
            return Group([head.left, Loop("while", [], head.right, self.body())])
        return Loop("each", targets or ["$_"], head, self.body())

    def _for_parens(self, targets: list[str]) -> tuple[Node, list[str]]:
        self.skip("my", "let", "const", "var", "final")
        items: list[Node] = []
        parts = 0
        while not self.done and not self.at_op(")"):
            if self.at_op(";"):
                parts += 1
                self.at += 1
                if parts == 1:
                    test: Node = Ref("true") if self.at_op(";") else self.expression(0)
                    items.append(Operation(";", Group(list(items)), test))
                continue
            if self.token.kind == "name" and self.token.text in ("in", "of", "as") and items:
                as_word = self.token.text == "as"
                self.at += 1
                other = self.expression(0)
                source, names_from = (items[-1], other) if as_word else (other, items[-1])
                targets, items = _ref_names(names_from), [source]
                continue
            before = self.at
            items.append(self.expression(0))
            if self.at_op(":"):
                self.at += 1
                targets, items = _ref_names(items[-1]), [self.expression(0)]
            if self.at_op(","):
                self.at += 1
            if self.at == before:
                self.at += 1
        self.at += 1
        loop = next((item for item in items if isinstance(item, Operation) and item.op == ";"), None)
        if loop is not None:
            return loop, targets
        return (items[0] if len(items) == 1 else Items(items)), targets

    def _targets(self) -> list[str]:
        found: list[str] = []
        while not self.done and self.token.kind == "name" and self.token.text not in ("in", "of"):
            found.append(self.token.text)
            self.at += 1
            if self.at_op(","):
                self.at += 1
        return found

    def head(self) -> Node:
        """The test or source of a control statement, in parentheses or up to its body."""
        if self.at_op("(") and not self.syntax.ends and self.syntax.name not in ("swift", "python", "ghc", "ocaml"):
            items = self.arguments()
            return items[0] if len(items) == 1 else Items(items)
        kept, self.in_head = self.in_head, True
        node = NOTHING if self.ended() else self.expression(0)
        self.in_head = kept
        return node

    def body(self) -> list[Node]:
        """What a control statement governs: a block in braces, up to `end`, or one statement."""
        if self.at_op("{"):
            self.at += 1
            return self.statements(("}",))
        if self.syntax.ends:
            self.skip("then", "do")
            return self.ended_body()
        if self.at_op(":"):
            self.at += 1
        self.skip("then", "do")
        return [] if self.done else [self.statement()]

    def ended_body(self) -> list[Node]:
        """Statements up to `end`; branches in between count as more of the same."""
        return self.statements(("end",))

    def function(self, word: str) -> Node:
        """A function, after the word that starts it."""
        name = ""
        while (not self.done and self.token.kind == "name") or self.at_op("*", ".", "::"):
            name = self.token.text if self.token.kind == "name" else name
            self.at += 1
            if word == "sub":
                break
        params = self.parameters()
        if word in ("fn", "lambda") and name and self.at_op("->", ":"):
            name, params = "", [name]
        if self.at_op("->") and self.syntax.ends:
            self.at += 1
            return Function(name, params, self.ended_body())
        if self.at_op("=", "->", "=>"):
            self.at += 1
            return Function(name, params, [self.expression(1)])
        while self.at_op("->", ":") or (not self.done and self.token.text == "use"):
            self.at += 1
            if not self.ended() and not self.at_op("{"):
                self.expression(4)
        if self.syntax.ends and not self.at_op("{"):
            self.skip("do")
            return Function(name, params, self.ended_body())
        return Function(name, params, self.body())

    def _import(self) -> Node:
        """`import fs, { rmSync as r } from 'fs'`: each name stands for a member of the module."""
        self.at += 1
        listed: list[tuple[str, str]] = []
        whole: list[str] = []
        inside = False
        while not self.done and self.token.kind not in ("string", "template"):
            if self.at_op("("):
                return self.postfix(Call(Ref("import"), self.arguments()))
            inside = self.at_op("{") or (inside and not self.at_op("}"))
            if self.token.kind == "name" and self.token.text not in ("as", "from", "type"):
                name = self.token.text
                renamed = self.at and self.tokens[self.at - 1].text == "as"
                if inside and renamed and listed:
                    listed[-1] = (listed[-1][0], name)
                elif inside:
                    listed.append((name, name))
                else:
                    whole.append(name)
            self.at += 1
            if self.at - len(self.tokens) >= 0 or len(listed) > 50:
                return NOTHING
        module = "".join(self.token.parts) if not self.done else ""
        self.at += 1
        owner: Node = Call(Ref("require"), [Literal(Text(module))])
        # What goes by this name runs its template as a command, whichever module it is the whole of.
        bound: list[Node] = [Assign([Ref(name)], Member(owner, name) if name == "$" else owner) for name in whole]
        bound += [Assign([Ref(name)], Member(owner, original)) for original, name in listed]
        return Group([owner, *bound])


def _ref_names(node: Node) -> list[str]:
    match node:
        case Ref(name=name):
            return [name]
        case Items(items=items) | Group(items=items):
            return [name for item in items for name in _ref_names(item)]
        case Assign(targets=targets):
            return [name for target in targets for name in _ref_names(target)]
        case Operation(left=left, right=right):
            return [*_ref_names(left), *_ref_names(right)]
        case _:
            return []
