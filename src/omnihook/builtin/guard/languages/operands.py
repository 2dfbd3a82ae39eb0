"""Operands of expressions: strings, numbers, names, lists, tables, functions written in place."""

from omnihook.builtin.guard.languages.cursor import Cursor
from omnihook.builtin.guard.languages.interpolating import Code
from omnihook.builtin.guard.languages.nodes import (
    NOTHING,
    Assign,
    Call,
    Function,
    Group,
    Items,
    Joined,
    Literal,
    Named,
    Node,
    Number,
    Ref,
    Run,
)
from omnihook.builtin.guard.languages.syntaxes import Bare
from omnihook.builtin.guard.languages.tokens import Token
from omnihook.shell.tables import names
from omnihook.shell.values import Text

_SKIPPED = names(
    "new await async const let var my our local not typeof void val final auto try try! try? throw yield global",
    "static public private lazy set tell mut defined",
)  # fmt: skip
_KEYWORDED = names("python Rscript julia scala groovy swift awk octave")


class Operands(Cursor):
    """A value by itself, before anything is done to it."""

    def unary(self) -> Node:
        """An operand with what is before and after it."""
        if self.done:
            return NOTHING
        token = self.token
        if token.kind == "op" and token.text in (
            "!",
            "-",
            "+",
            "~",
            "\\",
            "&",
            "*",
            "...",
            "@",
            "^",
            "++",
            "--",
            "**",
            "?",
        ):
            self.at += 1
            operand = self.unary_again()
            return Group([NOTHING, operand]) if token.text == "!" and self.syntax.name == "node" else operand
        if token.text == "$" and self.syntax.name == "awk":
            self.at += 1
            field = self.unary_again()
            return Ref("$0") if isinstance(field, Number) and field.value == 0 else NOTHING
        declares = token.text in ("my", "our", "local", "let", "const", "var") and self.follows("(", "{", "[")
        if token.kind == "name" and token.text in _SKIPPED and (declares or not self.follows("(", ".", "=", ",")):
            self.at += 1
            return self.unary_again()
        return self.postfix(self.primary())

    def unary_again(self) -> Node:
        """The operand after a prefix."""
        self.enter()
        node = self.unary()
        self.leave()
        return node

    def primary(self) -> Node:
        """An operand by itself."""
        token = self.token
        if token.kind == "op":
            return self._bracket(token)
        self.at += 1
        match token.kind:
            case "string" | "template":
                return self._juxtaposed(self.text_of(token))
            case "run":
                return Run(self.text_of(token))
            case "number":
                return Number(_integer(token.text, self.syntax.name), token.text)
            case "words":
                return Items([Literal(Text(word)) for word in token.parts])
            case "glob":
                inner = token.parts[0]
                if inner.startswith("$"):
                    return Call(Ref("readline"), [Ref(inner)])
                stdin = inner in ("", "STDIN", "<>")
                return Ref("STDIN") if stdin else Call(Ref("glob"), [Literal(self.known(inner))])
            case "regex":
                return Ref("/regex/")
            case _:
                return self._named(token)

    def _juxtaposed(self, node: Node) -> Node:
        """Strings side by side are one string."""
        while not self.done and self.token.kind == "string" and not self.token.newline:
            if self.syntax.bare is Bare.APPLIED or not (self.syntax.adjacent or self.syntax.name == "ruby"):
                break
            node = Joined([node, self.text_of(self.token)])
            self.at += 1
        return node

    def text_of(self, token: Token) -> Node:
        """A string's value."""
        nodes: list[Node] = [
            Group(self.nested(part)) if isinstance(part, Code) else Literal(self.known(part)) for part in token.parts
        ]
        if not nodes:
            return Literal(Text(""))
        return nodes[0] if len(nodes) == 1 and isinstance(nodes[0], Literal) else Joined(nodes)

    def _bracket(self, token: Token) -> Node:
        if token.text == "(":
            items = self.arguments()
            alone = len(items) == 1 and not isinstance(items[0], Named)
            return items[0] if alone and not self.at_op("=>", "->") else Items(items)
        if token.text == "[":
            self.at += 1
            return Items(self.listed("]"))
        if token.text == "{":
            self.at += 1
            return self._braces()
        if token.text == ":" and self.syntax.name in ("ruby", "elixir") and self.at + 1 < len(self.tokens):
            self.at += 2
            name = self.tokens[self.at - 1].text
            return Ref(name) if self.syntax.name == "elixir" else Literal(Text(name))
        if token.text == "->" and self.syntax.name == "ruby":
            self.at += 1
            params = self.parameters()
            return Function("", params, self.block())
        self.at += 0 if token.text in (")", "]", "}", ";", ",") else 1
        return NOTHING

    def _braces(self) -> Node:
        """A table or a block in the place of a value."""
        params = self.bar_parameters()
        body = self.statements(("}",))
        return Function("", params, body) if params else Items(body)

    def _named(self, token: Token) -> Node:
        name = token.text
        if name in ("function", "sub", "fn", "func", "lambda", "proc", "def") and (
            self.at_op("(", "{", "|", "*") or (name in ("function", "sub", "fn") and not self.done)
        ):
            return Function("", self.parameters(), self.block()) if self.at_op("{") else self.function(name)
        if self.at_op(":") and not self.follows(":") and self._is_key():
            self.at += 1
            return Named(name, self.expression(2))
        return Ref(name)

    def _is_key(self) -> bool:
        """Whether `name:` before a value is a key: not in a ternary, not Lua's or Erlang's method call."""
        if ":" in self.syntax.members:
            return False
        before = self.tokens[self.at - 2].text if self.at > 1 else ""
        return before in ("{", ",", "(", "|") or self.syntax.name in ("ruby", "elixir", "swift", "scala")

    def block(self) -> list[Node]:
        """A block in braces or up to `end`."""
        if self.at_op("{"):
            self.at += 1
            self._params = self.bar_parameters()
            return self.statements(("}",))
        self.skip("do")
        return self.ended_body()

    def parameters(self) -> list[str]:
        """The names in a list of parameters, if one is here."""
        if not self.at_op("("):
            return []
        return [item.name for item in map(_parameter, self.arguments()) if isinstance(item, Ref)]

    def bar_parameters(self) -> list[str]:
        """`|x, y|` at the start of a block; `x ->` and `x in` likewise."""
        found: list[str] = []
        if self.at_op("||"):
            self.at += 1
        elif self.at_op("|"):
            self.at += 1
            while not self.done and not self.at_op("|"):
                if self.token.kind == "name":
                    found.append(self.token.text)
                self.at += 1
            self.at += 1
        elif self.syntax.trailing and not self.done and self.token.kind == "name" and self.follows("->", "in", "=>"):
            found.append(self.token.text)
            self.at += 2
        return found

    def arguments(self) -> list[Node]:
        """What is between parentheses."""
        self.at += 1
        return self.listed(")")

    def listed(self, closer: str) -> list[Node]:
        """Values parted by commas up to a closer, which is consumed."""
        self.nest += 1
        heads, self.in_head = self.in_head, False
        found: list[Node] = []
        self.enter()
        while not self.done and not self.at_op(closer):
            before = self.at
            if self.at_op(",", ";"):
                self.at += 1
                continue
            if self.at_op("}", ")", "]"):
                break
            found.append(self._argument())
            if self.at == before:
                self.at += 1
        self.leave()
        self.at += 1
        self.nest -= 1
        self.in_head = heads
        return found

    def _argument(self) -> Node:
        node = self.expression(0)
        if isinstance(node, Assign) and len(node.targets) == 1 and isinstance(node.targets[0], Ref) and not node.adds:
            # `f(x = 1)` names an argument in some languages and assigns in others; both readings hold.
            return Named(node.targets[0].name, node.value) if self.syntax.name in _KEYWORDED else node
        while not self.done and self.token.kind == "name" and self.token.text in ("for", "if") and self.nest:
            self.at += 1
            node = Group([node, self.expression(0)])
        return node


def _parameter(node: Node) -> Node:
    match node:
        case Assign(targets=[target, *_]):
            return target
        case Named(name=name):
            return Ref(name)
        case _:
            return node


def _integer(text: str, language: str) -> int:
    plain = text.replace("_", "").lower()
    try:
        if plain.startswith("0o"):
            return int(plain[2:], 8)
        if plain.startswith(("0x", "0b")):
            return int(plain, 0)
        if plain.startswith("0") and len(plain) > 1 and plain.isdigit() and language not in ("lua", "Rscript", "julia"):
            return int(plain, 8)
        return int(float(plain))
    except (ValueError, OverflowError):
        return 0
