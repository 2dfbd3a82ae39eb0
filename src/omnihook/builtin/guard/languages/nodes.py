"""What code in any language is read into: expressions, calls, loops and functions, and nothing about their spelling."""

from collections.abc import Iterator
from dataclasses import field

from omnihook.shell.values import Text
from omnihook.slotted import dataclass

# Not frozen, like `Text`: a script makes hundreds, and freezing doubles the time. Nobody changes one.


@dataclass(slots=True, eq=False, repr=False)
class Literal:
    """A string that is written out."""

    text: Text


@dataclass(slots=True, eq=False, repr=False)
class Number:
    """A whole number; `spelled` keeps how it was written, since a mode may be spelt in decimal."""

    value: int
    spelled: str


@dataclass(slots=True, eq=False, repr=False)
class Joined:
    """Strings one after the other: a sum of strings, an interpolation."""

    parts: "list[Node]"


@dataclass(slots=True, eq=False, repr=False)
class Ref:
    """A name."""

    name: str


@dataclass(slots=True, eq=False, repr=False)
class Member:
    """`owner.name`, in whatever spelling."""

    owner: "Node"
    name: str


@dataclass(slots=True, eq=False, repr=False)
class Index:
    """`owner[key]`; the key is None for a slice or nothing at all."""

    owner: "Node"
    key: "Node | None"


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A function, named or not, or a block given to a call."""

    name: str
    params: list[str]
    body: "list[Node]"


@dataclass(slots=True, eq=False, repr=False)
class Call:
    """A call; a block after it is its last argument."""

    callee: "Node"
    args: "list[Node]" = field(default_factory=list)


@dataclass(slots=True, eq=False, repr=False)
class Items:
    """A list, tuple or table, or arguments in parentheses."""

    items: "list[Node]"


@dataclass(slots=True, eq=False, repr=False)
class Named:
    """A keyword argument, or an entry of a table."""

    name: str
    value: "Node"


@dataclass(slots=True, eq=False, repr=False)
class Either:
    """One of several: `a || b`, `c ? a : b`."""

    options: "list[Node]"


@dataclass(slots=True, eq=False, repr=False)
class Operation:
    """Any other operator."""

    op: str
    left: "Node"
    right: "Node"


@dataclass(slots=True, eq=False, repr=False)
class Run:
    """Text that a shell runs: backticks and relatives."""

    text: "Node"


@dataclass(slots=True, eq=False, repr=False)
class Assign:
    """Names bound to a value; `adds` when the value is appended."""

    targets: "list[Node]"
    value: "Node"
    adds: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Loop:
    """`each`: the targets go through a source. `while`: as long as a test holds. `endless`: no test at all."""

    kind: str
    targets: list[str]
    head: "Node | None"
    body: "list[Node]"


@dataclass(slots=True, eq=False, repr=False)
class Branch:
    """What happens only if a test holds."""

    test: "Node"
    body: "list[Node]"


@dataclass(slots=True, eq=False, repr=False)
class Return:
    """What a function gives back."""

    value: "Node"


@dataclass(slots=True, eq=False, repr=False)
class Group:
    """Statements in order, or parts of something not understood as a whole."""

    items: "list[Node]"


Node = (
    Literal | Number | Joined | Ref | Member | Index | Function | Call | Items | Named | Either | Operation | Run
    | Assign | Loop | Branch | Return | Group
)  # fmt: skip
NOTHING = Group([])


def children(node: Node) -> "list[Node]":
    """The nodes directly below one, in the order they are evaluated."""
    match node:
        case Literal() | Number() | Ref():
            return []
        case Call(callee=callee, args=args):
            return [callee, *args]
        case Member(owner=owner):
            return [owner]
        case Joined(parts=items) | Items(items=items) | Either(options=items) | Group(items=items):
            return items
        case Index(owner=owner, key=key):
            return [owner] if key is None else [owner, key]
        case Function(body=body):
            return body
        case Named(value=value) | Return(value=value) | Run(text=value):
            return [value]
        case Operation(left=left, right=right):
            return [left, right]
        case Assign(targets=targets, value=value):
            return [value, *targets]
        case Loop(head=head, body=body):
            return body if head is None else [head, *body]
        case Branch(test=test, body=body):
            return [test, *body]


def below(node: Node) -> Iterator[Node]:
    """The node and everything below it, outermost first."""
    todo = [node]
    while todo:
        current = todo.pop()
        yield current
        todo.extend(reversed(children(current)))
