"""Code in parentheses (Emacs Lisp, Scheme, Racket, Clojure, Common Lisp) as nodes."""

import re

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
    Number,
    Ref,
)
from omnihook.builtin.guard.languages.tokens import MAX_TOKENS, TooLong
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.values import Text

_TOKEN = re.compile(r"""\s+|;[^\n]*|"(?:\\.|[^"\\])*"|[()\[\]{}]|#?['`,@]+|[^\s()\[\]{}";]+""", re.S)
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_MAX_DEPTH = 60
Form = "list[Form] | Node"


def parse_lisp(text: str, origins: frozenset[str] = frozenset()) -> list[Node]:
    """The forms of a piece of code."""
    reader = _Reader(text, origins)
    found: list[Node] = []
    while not reader.done:
        found.append(reader.form(0))
    return found


class _Reader:
    """Tokens and a place in them."""

    def __init__(self, text: str, origins: frozenset[str]) -> None:
        found = _TOKEN.findall(text[: MAX_TOKENS * 16])
        self._tokens = [token for token in found if token.strip() and not token.startswith(";")]
        if len(self._tokens) > MAX_TOKENS:
            raise TooLong
        self._origins = origins
        self._at = 0

    @property
    def done(self) -> bool:
        return self._at >= len(self._tokens)

    def form(self, depth: int) -> Node:
        """One form; quotes before it are dropped."""
        if depth > _MAX_DEPTH:
            raise TooLong
        token = self._tokens[self._at]
        self._at += 1
        if token in _CLOSERS:
            items: list[Node] = []
            while not self.done and self._tokens[self._at] not in _CLOSERS.values():
                items.append(self.form(depth + 1))
            self._at += 1
            return _meant(items) if token == "(" else Items(items)
        if token in _CLOSERS.values():
            return NOTHING
        if token.strip("#'`,@") == "":
            return NOTHING if self.done else self.form(depth + 1)
        return self._atom(token)

    def _atom(self, token: str) -> Node:
        if token.startswith('"'):
            return Literal(Text(unescape_ansi_c(token[1:-1]), self._origins))
        if re.fullmatch(r"#o[0-7]+", token):
            return Number(int(token[2:], 8), token)
        if re.fullmatch(r"-?[0-9]{1,400}", token):
            return Number(int(token), token)
        return _symbol(token.lstrip("'"))


def _symbol(name: str) -> Node:
    """`clojure.java.shell/sh` and `uiop:run-program` are members."""
    owner, mark, last = re.sub(r"::", ":", name).rpartition("/" if "/" in name.strip("/") and "->" not in name else ":")
    if mark and owner and last and name not in ("delete-directory/files",):
        return Member(_dotted(owner), last)
    return Ref(name)


def _dotted(name: str) -> Node:
    first, *rest = name.split(".")
    node: Node = Ref(first)
    for part in rest:
        node = Member(node, part)
    return node


def _meant(items: list[Node]) -> Node:
    """A list as what its first word makes of it."""
    head = items[0].name if items and isinstance(items[0], Ref) else ""
    rest = items[1:]
    match head:
        case "setq" | "define" | "def" | "defvar" | "set!" | "setf" | "defparameter" | "defconst" if len(rest) > 1:
            if isinstance(rest[0], Call) and isinstance(rest[0].callee, Ref):
                return Function(rest[0].callee.name, _names(rest[0].args), rest[1:])
            return Assign([rest[0]], rest[1])
        case "defun" | "defn" | "defmacro" if len(rest) > 1 and isinstance(rest[0], Ref):
            return Function(rest[0].name, _names([rest[1]]), rest[2:])
        case "lambda" | "fn" | "λ" if rest:
            return Function("", _names([rest[0]]), rest[1:])
        case "let" | "let*" | "letrec" | "when-let" | "if-let" if rest:
            return Group([*_bindings(rest[0]), *rest[1:]])
        case "while" if rest:
            return Loop("while", [], rest[0], rest[1:])
        case "loop" | "forever":
            return Loop("endless", [], None, rest)
        case "dolist" | "for" | "doseq" | "dotimes" if rest:
            bound = _bindings(rest[0]) or _bindings(Items([rest[0]]))
            targets = [name for item in bound for name in _names(item.targets)]
            return Loop("each", targets, bound[0].value if bound else None, rest[1:])
        case "if" | "when" | "unless" | "cond" if rest:
            return Branch(rest[0], rest[1:])
        case _:
            if head.startswith(".") and len(head) > 1 and rest:
                return Call(Member(rest[0], head.lstrip(".-")), rest[1:])
            return Call(items[0], rest) if items else NOTHING


def _bindings(node: Node) -> list[Assign]:
    """`((x 1) (y 2))` and `[x 1 y 2]`."""
    if isinstance(node, Items):
        names = node.items[::2]
        return [Assign([name], value) for name, value in zip(names, node.items[1::2], strict=False)]
    found: list[Assign] = []
    listed = [node.callee, *node.args] if isinstance(node, Call) else []
    if isinstance(node, Call) and isinstance(node.callee, Ref) and len(node.args) == 1:
        return [Assign([node.callee], node.args[0])]
    for item in listed:
        if isinstance(item, Call) and item.args:
            found.append(Assign([item.callee], item.args[0]))
        elif isinstance(item, Items) and len(item.items) == 2:
            found.append(Assign([item.items[0]], item.items[1]))
    return found


def _names(nodes: list[Node]) -> list[str]:
    found: list[str] = []
    for node in nodes:
        match node:
            case Ref(name=name):
                found.append(name)
            case Call(callee=callee, args=args):
                found.extend(_names([callee, *args]))
            case Items(items=items):
                found.extend(_names(items))
            case _:
                pass
    return found
