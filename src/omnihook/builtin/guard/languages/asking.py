"""A call whose worth is asked for, and what helps to answer: who can fold its arguments, and texts in pairs."""

import itertools
from collections.abc import Sequence
from typing import Protocol

from omnihook.builtin.guard.languages.nodes import Call, Member, Named, Node
from omnihook.builtin.guard.languages.surroundings import Around
from omnihook.builtin.guard.languages.tokens import TooLong
from omnihook.shell.values import HOLE, Text, joined, unknown
from omnihook.slotted import dataclass

MAX_TEXTS = 1024
MAX_LENGTH = 64 * 1024
GONE = unknown("variable")


class Values(Protocol):
    """Who knows what expressions are worth."""

    around: Around

    def chain(self, node: Node, depth: int = 0) -> tuple[str, ...]:
        """What a callee or owner is called."""

    def texts(self, node: Node | None) -> list[Text]:
        """The strings an expression can be."""

    def sequence(self, node: Node | None) -> list[Text]:
        """The members of a list in order."""


@dataclass(slots=True)
class Asked:
    """One call: its name and owner, the texts of its object and of its first argument, and its arguments."""

    node: Call
    last: str
    owner: str
    mine: list[Text]
    given: list[Text]
    positional: list[Node]

    @property
    def receiver(self) -> Node | None:
        """The object a method is called on."""
        return self.node.callee.owner if isinstance(self.node.callee, Member) else None

    def named(self, *names: str) -> list[Node]:
        """The values of keyword arguments; of all when no name is given."""
        found = [arg for arg in self.node.args if isinstance(arg, Named)]
        return [arg.value for arg in found if not names or arg.name in names]


def first(texts: Sequence[Text]) -> Text:
    """The first text, or a hole."""
    return texts[0] if texts else GONE


def line(items: list[Text], mark: str) -> Text:
    """Texts in a row."""
    if sum(len(item.text) for item in items) > MAX_LENGTH:
        raise TooLong
    return joined(items, mark)


def inside(folder: Text, marks: frozenset[str]) -> Text:
    """Everything in a folder."""
    path = folder.text.rstrip("/") + "/*"
    return Text(path, folder.origins | marks, path)


def narrowed(text: Text) -> Text:
    """A listing of which only some entries are meant."""
    if text.pattern is None or not text.text.endswith("*"):
        return text
    path = text.text + ".x"
    return Text(path, text.origins, path)


def from_network(text: Text) -> bool:
    """Whether all of a text came from the network."""
    return "network" in text.origins and text.text.strip() == HOLE


def pairs(left: list[Text], right: list[Text], between: str = "", *, afresh: bool = False) -> list[Text]:
    """Every text of one list before every text of another; `afresh` when an absolute path drops what is before it."""
    found: list[Text] = []
    if len(left) * len(right) > MAX_TEXTS or sum(len(text.text) for text in (*left, *right)) > MAX_LENGTH:
        raise TooLong
    for one, two in itertools.product(left, right):
        if afresh and two.text.startswith("/"):
            found.append(Text(two.text, two.origins, two.pattern))
            continue
        text = one.text + between + two.text
        glob = one.pattern is not None or two.pattern is not None
        found.append(Text(text, one.origins | two.origins, text if glob else None))
    return found
