"""What comes after an operand: members, indexes, calls with and without parentheses, blocks."""

from omnihook.builtin.guard.languages.nodes import Call, Function, Index, Joined, Literal, Member, Node, Number, Ref
from omnihook.builtin.guard.languages.operands import Operands
from omnihook.builtin.guard.languages.syntaxes import Bare
from omnihook.builtin.guard.languages.tokens import Token
from omnihook.shell.tables import names
from omnihook.shell.values import Text

ENDING = names("if unless while until for foreach then do end and or rescue else elsif in of as eq ne lt gt le ge x is"
               " instanceof from")  # fmt: skip
_PRINTS = names("print printf say")
_BLOCK_FUNCTIONS = names("map grep sort eval do try first any all sum")


class Postfixes(Operands):
    """An operand with everything that belongs to it."""

    def postfix(self, node: Node) -> Node:
        """Members, indexes, calls and blocks after an operand."""
        while not self.done:
            following = self._after(node)
            if following is None:
                return node
            node = following
        return node

    def _after(self, node: Node) -> Node | None:
        token = self.token
        broken = token.newline and not self.nest
        if token.kind == "op":
            if token.text in self.syntax.members and not (broken and token.text not in (".", "->", "?.", "&.")):
                return self._member(node, token)
            if broken:
                return None
            if token.text == "(" and not (token.spaced and isinstance(node, Literal | Number)):
                return Call(node, self.arguments())
            if token.text == "[" and not (token.spaced and self._takes_bare(node)):
                return self._index(node)
            if token.text == "{":
                return self._brace_after(node, token)
            if token.text in ("++", "--") and not token.spaced:
                self.at += 1
                return node
        if broken:
            return None
        if token.kind == "template" and not token.spaced and isinstance(node, Ref | Member):
            self.at += 1
            return Call(node, [self.text_of(token)])
        if token.kind == "name" and token.text == "do" and self._takes_do(node):
            self.at += 1
            params = self.bar_parameters() or self._do_parameters()
            return _with_block(node, Function("", params, self.ended_body()))
        return self._bare(node, token)

    def _do_parameters(self) -> list[str]:
        """Julia's `do f`, up to the end of the line."""
        found: list[str] = []
        while self.syntax.name == "julia" and not self.done and self.token.kind == "name" and not self.token.newline:
            found.append(self.token.text)
            self.at += 1
            self.skip(",")
        return found

    def _takes_do(self, node: Node) -> bool:
        ruby = self.syntax.name in ("ruby", "elixir", "julia")
        return ruby and not self.in_head and isinstance(node, Ref | Member | Call)

    def _member(self, node: Node, token: Token) -> Node | None:
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
        if following is None or (token.text == "." and "." in self.syntax.joins):
            return None
        if token.text == ":" and not (following.kind == "name" and not following.spaced):
            return None
        if following.kind == "name" or following.kind == "number":
            self.at += 2
            return Member(node, following.text)
        if following.text in ("!", "!!") and self.syntax.name == "scala":
            self.at += 2
            return Call(Member(node, "!"))
        if following.text in ("(", "[", "{"):
            self.at += 1
            if following.text == "{":
                return self._index(node)
            return Call(node, self.arguments()) if following.text == "(" else self._index(node)
        if following.kind == "string" and token.text != ":":
            self.at += 2
            return Index(node, self.text_of(following))
        return None

    def _index(self, node: Node) -> Node:
        closer = "]" if self.token.text == "[" else "}"
        self.at += 1
        items = self.listed(closer)
        if not items and self.at_op("{"):
            self.at += 1
            return self._braces()
        if len(items) == 1 and isinstance(items[0], Ref) and closer == "}":
            return Index(node, Literal(Text(items[0].name)))
        return Index(node, items[0] if len(items) == 1 else None)

    def _brace_after(self, node: Node, token: Token) -> Node | None:
        if self.syntax.name == "perl" and isinstance(node, Ref | Index):
            name = node.name if isinstance(node, Ref) else "$"
            if name.startswith(("$", "@", "%")) and not token.spaced:
                return self._index(node)
            if name in _BLOCK_FUNCTIONS:
                self.at += 1
                function = Function("", ["$_"], self.statements(("}",)))
                self.skip(",")
                return Call(node, [function, *self._bare_list()])
            if name in _PRINTS and token.spaced:
                self.at += 1
                return Call(node, [*self.statements(("}",))[:1], *self._bare_list()])
            return None
        if self.syntax.bare is Bare.STRINGS and isinstance(node, Ref | Member):
            self.at += 1
            return Call(node, [self._braces()])
        if not self.syntax.trailing or self.in_head or not isinstance(node, Ref | Member | Call):
            return None
        self.at += 1
        params = self.bar_parameters()
        return _with_block(node, Function("", params, self.statements(("}",))))

    def _takes_bare(self, node: Node) -> bool:
        """Whether arguments without parentheses may follow."""
        if not isinstance(node, Ref | Member) or not self.syntax.bare:
            return False
        name = node.name
        if self.syntax.bare is Bare.WORDS:
            return name in self.syntax.bare_names
        return self.syntax.bare is not Bare.NONE and not name.startswith(("$", "@", "%"))

    def _bare(self, node: Node, token: Token) -> Node | None:
        if not self._takes_bare(node) or (not token.spaced and token.kind == "name"):
            return self._side_by_side(node, token)
        if self.syntax.bare is Bare.STRINGS:
            if token.kind != "string":
                return None
            self.at += 1
            return Call(node, [self.text_of(token)])
        if not self._starts_value(token):
            return None
        if self.syntax.bare is Bare.APPLIED:
            return Call(node, self._applied())
        return Call(node, self._bare_list(prints=isinstance(node, Ref) and node.name in _PRINTS))

    def _side_by_side(self, node: Node, token: Token) -> Node | None:
        """Values put together by standing side by side."""
        if not self.syntax.adjacent or self.syntax.name == "python" or not self._starts_value(token):
            return None
        parts = node.parts if isinstance(node, Joined) else [node]
        return Joined([*parts, self.unary()])

    def _starts_value(self, token: Token) -> bool:
        if token.kind == "name":
            return token.text not in ENDING or (token.text == "x" and self.syntax.name not in ("perl", "raku"))
        if token.kind == "op":
            if token.text == "$" and self.syntax.name == "awk":
                return True
            if token.text in ("[", "\\", "->") or (token.text == "(" and self.syntax.bare is Bare.APPLIED):
                return token.spaced
            following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
            tight = following is not None and not following.spaced
            return token.text in (":", "&", "*") and token.spaced and tight and self.syntax.name in ("ruby", "elixir")
        return True

    def _bare_list(self, *, prints: bool = False) -> list[Node]:
        found: list[Node] = []
        while (not self.ended() and self._starts_value(self.token)) or (
            not self.done and self.at_op("(", "\\", "{", "[")
        ):
            before = self.at
            found.append(self.expression(2))
            if prints and self._after_handle(found):
                continue
            if not self.at_op(",") or self.at == before:
                break
            self.at += 1
        return found

    def _after_handle(self, found: list[Node]) -> bool:
        """Whether a value follows `print $handle` without a comma."""
        alone = len(found) == 1 and isinstance(found[0], Ref) and found[0].name.startswith("$")
        if not alone or self.syntax.name != "perl" or self.done:
            return False
        token = self.token
        return token.kind in ("string", "template") or (token.kind == "name" and token.text[:1] in ("$", "@"))

    def _applied(self) -> list[Node]:
        """Arguments parted by nothing; `$` makes the rest one argument."""
        found: list[Node] = []
        while not self.ended() and self._starts_value(self.token):
            before = self.at
            kept = self.syntax
            found.append(self._member_only())
            self.syntax = kept
            if self.at_op("$"):
                self.at += 1
                found.append(self.expression(2))
            if self.at == before:
                break
        return found

    def _member_only(self) -> Node:
        node = self.primary()
        while self.at_op(".") and self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].kind == "name":
            node = Member(node, self.tokens[self.at + 1].text)
            self.at += 2
        return node


def _with_block(node: Node, block: Function) -> Node:
    return Call(node.callee, [*node.args, block]) if isinstance(node, Call) else Call(node, [block])
