"""What names in code stand for: what they are bound to, and what a callee is called through its aliases."""

import re
from abc import ABC, abstractmethod

from omnihook.builtin.guard.languages.nodes import (
    Call,
    Function,
    Group,
    Index,
    Items,
    Joined,
    Literal,
    Member,
    Node,
    Operation,
    Ref,
)
from omnihook.builtin.guard.languages.surroundings import Around
from omnihook.builtin.guard.languages.tokens import TooLong
from omnihook.shell.limiting import Clock
from omnihook.shell.tables import names
from omnihook.shell.values import Text

MAX_DEPTH = 40
_MAX_STEPS = 60_000
_OFTEN = 64  # steps between looks at the clock
_SECONDS = 1.0
_IMPORTS = names("_load require __import__ import_module import")
_NAMING = names("_load require __import__ import_module import method public_method instance_method getattr fn")


class Naming(ABC):
    """The names of one piece of code, and how much work has gone into them."""

    def __init__(self, around: Around) -> None:
        self.around = around
        self.bound: dict[str, list[Text]] = {name: [value] for name, value in around.given}
        self.nodes: dict[str, Node] = {}
        self.functions: dict[str, Function] = {}
        self.tables: dict[int, tuple[Node, Items | None]] = {}
        """Calls that read JSON, and what they are worth."""
        self.written: dict[str, Text] = {}
        """What the code has written to files so far, by path."""
        self.reading: dict[str, list[Text]] = {}
        """Handles that are named when they are opened, and the files they read."""
        self.depth = 0
        self._steps = 0
        self._clock = Clock(_SECONDS)
        # Nodes are kept beside what they are worth: an id means nothing once its object is gone.
        self.worth: dict[int, tuple[Node, list[Text]]] = {}
        self._chains: dict[int, tuple[Node, tuple[str, ...]]] = {}

    def chain(self, node: Node, depth: int = 0) -> tuple[str, ...]:
        """What a callee or owner is called, through aliases: `fs.rmSync` is ("fs", "rmSync")."""
        if depth > MAX_DEPTH:
            return ()
        known = self._chains.get(id(node))
        if known is not None:
            return known[1]
        self.count()
        found = self._chain(node, depth)
        self._chains[id(node)] = (node, found)
        return found

    def _chain(self, node: Node, depth: int) -> tuple[str, ...]:
        match node:
            case Ref(name=name):
                bound = self.nodes.get(name)
                if isinstance(bound, Ref | Member | Call | Index) and bound is not node:
                    return self.chain(bound, depth + 10) or (name,)
                if isinstance(bound, Literal | Joined) and name.startswith("$"):
                    return tuple(text.text for text in self.texts(bound)[:1])
                return (name,)
            case Member(owner=owner, name=name):
                return (*self.chain(owner, depth + 1), name)
            case Index(owner=owner, key=key):
                keys = self.texts(key) if key is not None else []
                return (*self.chain(owner, depth + 1), keys[0].text if keys else "[]")
            case Call(callee=callee, args=args):
                return self._called_chain(callee, args, depth)
            case Group(items=[*_, last]):
                return self.chain(last, depth + 1)
            case Items(items=[only]):
                return self.chain(only, depth + 1)
            case Literal() | Joined():
                return ('"',)
            case Operation(op="/"):
                return ("Path", "()")
            case _:
                return ()

    def _called_chain(self, callee: Node, args: list[Node], depth: int) -> tuple[str, ...]:
        called = self.chain(callee, depth + 1)
        last = called[-1] if called else ""
        first = self.texts(args[0]) if args and last in _NAMING else []
        if last in _IMPORTS and first:
            module = first[0].text.removeprefix("node:").removeprefix("npm:")
            return tuple(part for part in re.split(r"[./]", module) if part and part != "promises") or (module,)
        if last in ("function", "quote") and args:
            return self.chain(args[0], depth + 1)
        if last == "getattr" and len(args) > 1:
            return (*self.chain(args[0], depth + 1), *(text.text for text in self.texts(args[1])[:1]))
        if last in ("method", "public_method", "instance_method", "fn") and first:
            return (*called[:-1], first[0].text)
        if last in ("bind", "promisify", "partial", "curry", "fromfunction") and args and len(called) > 1:
            return called[:-1] if last == "bind" else self.chain(args[0], depth + 1)
        return (*called, "()")

    @abstractmethod
    def texts(self, node: Node | None) -> list[Text]:
        """The strings an expression can be, which a subclass works out."""

    def count(self) -> None:
        """Do one more step of a limited number."""
        self._steps += 1
        if self._steps > _MAX_STEPS or (self._steps % _OFTEN == 0 and self._clock.over):
            raise TooLong

    def forget(self) -> None:
        """Work everything out afresh, since a name has been bound."""
        self.worth.clear()
        self._chains.clear()
        self.tables.clear()
