"""Expressions of script languages: a precedence climber that takes any spelling of calls, members, lists and blocks."""

from omnihook.builtin.guard.languages.interpolating import Code
from omnihook.builtin.guard.languages.lexing import Token, TooLong
from omnihook.builtin.guard.languages.nodes import (
    NOTHING,
    Assign,
    Call,
    Either,
    Function,
    Group,
    Index,
    Items,
    Joined,
    Literal,
    Member,
    Named,
    Node,
    Number,
    Operation,
    Ref,
    Run,
)
from omnihook.builtin.guard.languages.syntaxes import Bare, Syntax
from omnihook.shell.tables import names
from omnihook.shell.values import Text

MAX_DEPTH = 60
ENDING = names("if unless while until for foreach then do end and or rescue else elsif in of as eq ne lt gt le ge x is"
               " instanceof from")  # fmt: skip
_SKIPPED = names("new await async const let var my our local not typeof void val final auto try try! try? throw yield global"
                 " static public private lazy set tell mut defined")  # fmt: skip
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
_BLOCK_FUNCTIONS = names("map grep sort eval do try first any all sum")


class Expressions:
    """Tokens and a place in them. Subclasses know statements."""

    def __init__(self, tokens: list[Token], syntax: Syntax, origins: frozenset[str]) -> None:
        self.tokens = tokens
        self.syntax = syntax
        self.origins = origins
        self.at = 0
        self.nest = 0
        self.depth = 0
        self.in_head = False

    @property
    def done(self) -> bool:
        """Whether every token has been read."""
        return self.at >= len(self.tokens)

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    def at_op(self, *texts: str) -> bool:
        """Whether the next token is one of these operators."""
        return not self.done and self.token.kind == "op" and self.token.text in texts

    def follows(self, *texts: str) -> bool:
        """Whether the token after the next is one of these."""
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].text in texts

    def skip(self, *texts: str) -> None:
        """Step over these words."""
        while not self.done and self.token.text in texts and self.token.kind in ("name", "op"):
            self.at += 1

    def ended(self) -> bool:
        """Whether a statement ends here."""
        return self.done or (self.token.newline and not self.nest) or self.at_op(";", "}", ")", "]", ",")

    def enter(self) -> None:
        """One level deeper."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooLong

    def leave(self) -> None:
        """One level back."""
        self.depth -= 1

    def statements(self, stops: tuple[str, ...]) -> list[Node]:
        """Statements, which a subclass reads."""
        raise NotImplementedError

    def nested(self, code: str) -> list[Node]:
        """Code inside a string, which a subclass reads."""
        raise NotImplementedError

    def function(self, word: str) -> Node:
        """A function, which a subclass reads."""
        raise NotImplementedError

    def ended_body(self) -> list[Node]:
        """A block that runs to `end`, which a subclass reads."""
        raise NotImplementedError

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
            return self.unary_again()
        if token.text == "$" and self.syntax.name == "awk":
            self.at += 1
            self.unary_again()
            return NOTHING
        if token.kind == "name" and token.text in _SKIPPED and not self.follows("(", ".", "=", ","):
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
                stdin = inner in ("", "STDIN", "<>") or inner.startswith("$")
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
        nodes: list[Node] = []
        for part in token.parts:
            nodes.append(Group(self.nested(part)) if isinstance(part, Code) else Literal(self.known(part)))
        if not nodes:
            return Literal(Text(""))
        return nodes[0] if len(nodes) == 1 and isinstance(nodes[0], Literal) else Joined(nodes)

    def known(self, text: str) -> Text:
        """A literal; holes in it come from where the code's holes come from."""
        return Text(text, self.origins)

    def _bracket(self, token: Token) -> Node:
        if token.text == "(":
            items = self.arguments()
            return items[0] if len(items) == 1 and not self.at_op("=>", "->") else Items(items)
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
            params = self.bar_parameters()
            return _with_block(node, Function("", params, self.ended_body()))
        return self._bare(node, token)

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
        return Call(node, self._bare_list())

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

    def _bare_list(self) -> list[Node]:
        found: list[Node] = []
        while (
            not self.ended() and self._starts_value(self.token) or (not self.done and self.at_op("(", "\\", "{", "["))
        ):
            before = self.at
            found.append(self.expression(2))
            if not self.at_op(",") or self.at == before:
                break
            self.at += 1
        return found

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


_KEYWORDED = names("python Rscript julia scala groovy swift awk octave")


def _with_block(node: Node, block: Function) -> Node:
    return Call(node.callee, [*node.args, block]) if isinstance(node, Call) else Call(node, [block])


def _parameter(node: Node) -> Node:
    match node:
        case Assign(targets=[target, *_]):
            return target
        case Named(name=name):
            return Ref(name)
        case _:
            return node


def _key(node: Node) -> str:
    match node:
        case Ref(name=name):
            return name
        case Literal(text=text):
            return text.text
        case _:
            return ""


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
