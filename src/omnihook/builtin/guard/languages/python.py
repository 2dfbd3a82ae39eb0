"""Python code as nodes, read from its own syntax tree."""

import ast
import itertools
import warnings

from omnihook.builtin.guard.languages.nodes import (
    NOTHING,
    Assign,
    Branch,
    Call,
    Either,
    Function,
    Group,
    Index,
    Items,
    Joined,
    Literal,
    Loop,
    Member,
    Named,
    Node,
    Number,
    Operation,
    Ref,
    Return,
)
from omnihook.builtin.guard.languages.parsing import parse
from omnihook.builtin.guard.languages.tokens import TooLong
from omnihook.shell.values import HOLE, Text

_MAX_CODE = 32 * 1024
_MAX_NODES = 4_000
_UNKNOWN = "_unknown_"


def parse_python(code: str, origins: frozenset[str] = frozenset()) -> list[Node]:
    """The statements of Python code; what is not Python 3 is read as a script language."""
    if len(code) > _MAX_CODE:
        return parse(code, "python", origins)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(_dedented(code.replace(HOLE, _UNKNOWN)))
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        # Python 3.11 loses count of its depth (a SystemError) when something else is compiled in between.
        return parse(code, "python", origins)
    if sum(1 for _ in itertools.islice(ast.walk(tree), _MAX_NODES + 1)) > _MAX_NODES:
        raise TooLong
    return _Reader(origins).block(tree.body)


def _dedented(text: str) -> str:
    lines = text.strip("\n").split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[margin:] if not line[:margin].strip() else line for line in lines)


class _Reader:
    """From the standard library's nodes to ours."""

    def __init__(self, origins: frozenset[str]) -> None:
        self._origins = origins

    def block(self, body: list[ast.stmt]) -> list[Node]:
        return [self._statement(item) for item in body]

    def _statement(self, node: ast.stmt) -> Node:
        match node:
            case ast.Expr(value=value):
                return self.value(value)
            case ast.Assign(targets=targets, value=value):
                return Assign([self.value(target) for target in _flat(targets)], self.value(value))
            case ast.AnnAssign(target=target, value=value) if value is not None:
                return Assign([self.value(target)], self.value(value))
            case ast.AugAssign(target=target, value=value):
                return Assign([self.value(target)], self.value(value), adds=True)
            case ast.Return(value=value):
                return Return(NOTHING if value is None else self.value(value))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return Function(node.name, _parameters(node.args), self.block(node.body))
            case ast.For() | ast.AsyncFor():
                return Loop("each", _names(node.target), self.value(node.iter), self.block(node.body + node.orelse))
            case ast.While(test=test, body=body, orelse=orelse):
                return Loop("while", [], self.value(test), self.block(body + orelse))
            case ast.If(test=test, body=body, orelse=orelse):
                return Group([Branch(self.value(test), self.block(body)), *self.block(orelse)])
            case ast.With() | ast.AsyncWith():
                return Group([*(self._entered(item) for item in node.items), *self.block(node.body)])
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                caught = [item for handler in handlers for item in handler.body]
                return Group(self.block(body + caught + orelse + final))
            case ast.ClassDef(body=body):
                return Group(self.block(body))
            case ast.Import(names=names):
                return Group([self._imported(alias) for alias in names])
            case ast.ImportFrom(module=module, names=names):
                owner = _module(module or "")
                return Group([Assign([Ref(name.asname or name.name)], Member(owner, name.name)) for name in names])
            case ast.Break() | ast.Continue():
                return Ref("break" if isinstance(node, ast.Break) else "continue")
            case _:
                return Group([self._any(child) for child in ast.iter_child_nodes(node)])

    def _any(self, node: ast.AST) -> Node:
        if isinstance(node, ast.stmt):
            return self._statement(node)
        if isinstance(node, ast.expr):
            return self.value(node)
        return Group([self._any(child) for child in ast.iter_child_nodes(node)])

    def _entered(self, item: ast.withitem) -> Node:
        value = self.value(item.context_expr)
        return Assign([self.value(item.optional_vars)], value) if item.optional_vars is not None else value

    def _imported(self, alias: ast.alias) -> Node:
        if alias.asname:
            return Assign([Ref(alias.asname)], _module(alias.name))
        return NOTHING

    def value(self, node: ast.expr) -> Node:
        """An expression."""
        match node:
            case ast.Constant(value=str(value)):
                text = value.replace(_UNKNOWN, HOLE)
                return Literal(Text(text, self._origins if HOLE in text else frozenset()))
            case ast.Constant(value=bytes(value)):
                return Literal(Text(value.decode("utf-8", "replace")))
            case ast.Constant(value=bool(value)):
                return Ref(str(value).lower())
            case ast.Constant(value=int(value)):
                return Number(value, str(value))
            case ast.Name(id=name):
                return Ref(name) if name != _UNKNOWN else Literal(Text(HOLE, self._origins))
            case ast.Attribute(value=value, attr=name):
                return Member(self.value(value), name)
            case ast.Call(func=function, args=args, keywords=keywords):
                named: list[Node] = [Named(key.arg or "", self.value(key.value)) for key in keywords]
                return Call(self.value(function), [*map(self.value, args), *named])
            case ast.Starred(value=value) | ast.Await(value=value) | ast.FormattedValue(value=value):
                return self.value(value)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return Items([self.value(item) for item in items])
            case ast.Dict(keys=keys, values=values):
                return Items([self._entry(key, value) for key, value in zip(keys, values, strict=True)])
            case ast.JoinedStr(values=parts):
                return Joined([self.value(part) for part in parts])
            case _:
                return self._compound(node)

    def _compound(self, node: ast.expr) -> Node:
        match node:
            case ast.BinOp(op=ast.Add()):
                return self._sum(node)
            case ast.BinOp(left=left, op=operator, right=right):
                return Operation(_OPERATORS.get(type(operator), "?"), self.value(left), self.value(right))
            case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
                return Call(Member(self.value(value), "reverse"))
            case ast.Subscript(value=value, slice=ast.Slice()):
                return Index(self.value(value), None)
            case ast.Subscript(value=value, slice=key):
                return Index(self.value(value), self.value(key))
            case ast.Compare(left=left, comparators=[*others]):
                return Operation("==", self.value(left), Group([self.value(item) for item in others]))
            case ast.BoolOp(op=ast.Or(), values=values):
                return Either([self.value(item) for item in values])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return Group([self.value(test), Either([self.value(body), self.value(orelse)])])
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._comprehension(node.elt, node.generators)
            case ast.DictComp():
                return self._comprehension(node.value, node.generators)
            case ast.Lambda(args=args, body=body):
                return Function("", _parameters(args), [self.value(body)])
            case ast.NamedExpr(target=target, value=value):
                return Assign([self.value(target)], self.value(value))
            case _:
                return Group([self._any(child) for child in ast.iter_child_nodes(node)])

    def _sum(self, node: ast.expr) -> Node:
        """A sum, read along its left side in a loop: it may have thousands of terms."""
        terms: list[Node] = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            terms.append(self.value(node.right))
            node = node.left
        return Joined([self.value(node), *reversed(terms)])

    def _entry(self, key: ast.expr | None, value: ast.expr) -> Node:
        named = isinstance(key, ast.Constant) and isinstance(key.value, str)
        return Named(str(key.value) if named and isinstance(key, ast.Constant) else "", self.value(value))

    def _comprehension(self, element: ast.expr, generators: list[ast.comprehension]) -> Node:
        body: list[Node] = [self.value(element)]
        for part in reversed(generators):
            for test in part.ifs:
                body = [Branch(self.value(test), body)]
            body = [Loop("each", _names(part.target), self.value(part.iter), body)]
        return body[0]


def _module(name: str) -> Node:
    first, *rest = name.split(".")
    node: Node = Ref(first)
    for part in rest:
        node = Member(node, part)
    return node


def _flat(targets: list[ast.expr]) -> list[ast.expr]:
    return [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]


def _names(node: ast.expr) -> list[str]:
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]


def _parameters(args: ast.arguments) -> list[str]:
    return [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Div: "/",
    ast.Mod: "%",
    ast.Mult: "*",
    ast.BitOr: "|",
    ast.Sub: "-",
    ast.LShift: "<<",
}
