"""Expressions of script languages: a precedence climber over operands."""

from omnihook.builtin.guard.languages.nodes import (
    Assign,
    Call,
    Either,
    Function,
    Group,
    Items,
    Joined,
    Literal,
    Named,
    Node,
    Operation,
    Ref,
)
from omnihook.builtin.guard.languages.postfixes import Postfixes
from omnihook.shell.tables import names

_ASSIGNS = names("= <- <<- := += .= <<= ||= ??= *= ..= ^=")
_LEVELS: dict[str, int] = {
    **dict.fromkeys(("or", "and", "xor"), 1),
    **dict.fromkeys(_ASSIGNS, 2),
    "=>": 2,
    "->": 2,
    "?": 3,
    **dict.fromkeys(("||", "&&", "??", "|>", ">>=", "//"), 4),
    **dict.fromkeys(("==", "!=", "===", "!==", "<", ">", "<=", ">=", "=~", "!~", "<=>"), 6),
    **dict.fromkeys(("eq", "ne", "lt", "gt", "le", "ge", "is", "instanceof"), 6),
    **dict.fromkeys(("|", "&", "^"), 7),
    **dict.fromkeys(("..", "...", "..<"), 8),
    **dict.fromkeys(("+", "-", ".", "<>", "++", "~", "<<", ">>"), 9),
    **dict.fromkeys(("*", "/", "%", "x"), 10),
    "**": 11,
}  # fmt: skip
_CHOICES = frozenset({"||", "or", "??", "//", "?:"})


class Expressions(Postfixes):
    """Operators between operands."""

    def expression(self, level: int) -> Node:
        """One expression whose operators bind at least as tightly as `level`."""
        self.enter()
        node = self.unary()
        while (operator := self._operator()) is not None and _LEVELS[operator] >= max(level, 1):
            if self.at >= len(self.tokens):
                break
            self.at += 1
            node = self._binary(node, operator)
        self.leave()
        return node

    def _operator(self) -> str | None:
        """The binary operator here, if one continues the expression."""
        if self.done:
            return None
        token = self.token
        if token.kind not in ("op", "name") or token.text not in _LEVELS:
            return None
        if token.newline and not self.nest and token.text in ("-", "*", "<", "in", "as", "x", "&", "."):
            return None
        if token.text == "x" and self.syntax.name not in ("perl", "raku"):
            return None
        return token.text

    def _binary(self, left: Node, operator: str) -> Node:
        if operator in _ASSIGNS:
            adds = operator in ("+=", ".=", "<<=", "*=", "..=", "^=")
            return Assign([left], self.expression(2), adds)
        if operator in ("=>", "->"):
            return self._arrow(left)
        if operator == "?":
            first = self.expression(3)
            if self.at_op(":"):
                self.at += 1
                return Group([left, Either([first, self.expression(3)])])
            return Group([left, first])
        right = self.expression(_LEVELS[operator] + 1)
        if operator == "<<" and isinstance(left, Ref):
            return Assign([left], right, adds=True)
        if operator in self.syntax.joins:
            parts = left.parts if isinstance(left, Joined) else [left]
            return Joined([*parts, right])
        if operator in _CHOICES:
            return Either([left, right])
        if operator == "|>":
            return Call(right.callee, [left, *right.args]) if isinstance(right, Call) else Call(right, [left])
        if operator == ">>=":
            return Call(right.callee, [*right.args, left]) if isinstance(right, Call) else Call(right, [left])
        return Operation(operator, left, right)

    def _arrow(self, left: Node) -> Node:
        """`x => body` is a function in JavaScript and an entry of a table elsewhere."""
        if self.syntax.name in ("node", "deno", "bun", "scala", "java", "groovy", "julia", "elixir"):
            params = [
                item.name for item in (left.items if isinstance(left, Items) else [left]) if isinstance(item, Ref)
            ]
            if self.at_op("{"):
                self.at += 1
                return Function("", params, self.statements(("}",)))
            return Function("", params, [self.expression(2)])
        value = self.expression(2)
        return Named(_key(left), value)


def _key(node: Node) -> str:
    match node:
        case Ref(name=name):
            return name
        case Literal(text=text):
            return text.text
        case _:
            return ""
