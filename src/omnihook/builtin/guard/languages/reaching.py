"""What a call reaches: its arguments as texts, paths from the folder the code is in, lines for a shell."""

import shlex
from collections.abc import Iterator

from omnihook.builtin.guard.effects import Act, Do, Effect, Shell
from omnihook.builtin.guard.languages.folding import Folding
from omnihook.builtin.guard.languages.nodes import Call, Function, Items, Joined, Literal, Member, Named, Node, Ref
from omnihook.builtin.guard.languages.surroundings import Around
from omnihook.builtin.guard.languages.vocabulary import NULLS
from omnihook.builtin.guard.languages.wholes import Seen
from omnihook.shell.values import HOLE, Text
from omnihook.slotted import dataclass

_NETWORK = frozenset({"network"})
_MODULES = frozenset({"os", "shutil", "io", "codecs", "fs", "File", "FileUtils", "Files", "IO", "Dir", "Deno"})
_LISTS = frozenset({"c", "of", "asList", "list", "List", "tuple", "Cmd", "array", "vec", "map"})
_GLOBBING = frozenset({"Rscript", "pwsh"})
"""Languages whose functions on files take globs."""
_TILDE = frozenset({"lisp", "Rscript", "vim", "pwsh", "tclsh", "octave"})
PATH_NAMES = ("path", "atPath", "at", "src", "source", "file", "filename", "contentsOfFile", "name", "dir", "top")


@dataclass(frozen=True, slots=True)
class Code:
    """Code in the same language that the code evaluates."""

    text: Text


Found = Act | Code
"""What a walk gives: acts, and code inside the code."""


class Reach:
    """One piece of code on the way through it."""

    def __init__(self, around: Around, origins: frozenset[str]) -> None:
        self.folding = Folding(around)
        self.around = around
        self.origins = origins
        self.folder: str | None = None
        self.seen = Seen()
        self.unwritten: dict[str, Text] = {}
        """Files that are open for writing, of which nothing was written by name so far."""
        self.opens: dict[int, tuple[Node, list[Text]]] = {}
        """Calls that open files for writing; a node is kept beside its id, which means nothing without it."""
        self.handles: dict[str, list[Text]] = {}
        self.kept_in: set[str] = set()
        self.emptied: set[str] = set()

    def texts(self, nodes: list[Node]) -> list[Text]:
        """The texts of several nodes."""
        return [text for node in nodes for text in self.folding.texts(node)]

    def arguments(self, node: Call) -> list[Node]:
        """Arguments by position, without functions and names that stand for nothing."""
        return [arg for arg in node.args if not isinstance(arg, Named | Function) and not self.is_null(arg)]

    def is_null(self, arg: Node) -> bool:
        """Whether an argument is a name that stands for no text."""
        if not isinstance(arg, Ref) or arg.name in self.folding.bound:
            return False
        return arg.name in NULLS and (arg.name != "t" or self.around.language == "lisp")

    def keywords(self, node: Call, *names: str) -> list[Node]:
        """The values of keyword arguments, and of such entries in a table of options."""
        tables = [item for arg in node.args if isinstance(arg, Items) for item in arg.items]
        return [arg.value for arg in (*node.args, *tables) if isinstance(arg, Named) and arg.name in names]

    def receiver(self, node: Call, dotted: list[str]) -> list[Text]:
        """The path a method is called on, if it is called on one."""
        owner = owner_of(node)
        if owner is None or (dotted and dotted[-1] in _MODULES and not isinstance(owner, Call)):
            return []
        return self.folding.texts(owner)

    def targets(self, node: Call, dotted: list[str], count: int | None = 1) -> list[Text]:
        """The paths a call works on: its object, its first arguments, or those named as paths."""
        given = plain(self.arguments(node))[:count] or self.keywords(node, *PATH_NAMES)
        return self.receiver(node, dotted) or self.texts(given)

    def paths(self, do: Do, texts: list[Text], *, recursive: bool = False) -> Iterator[Found]:
        """One effect for each path."""
        for text in texts:
            if text.text and not (text.text.startswith("-") and len(text.text) < 5):
                yield Effect(do, self.here(text), recursive)

    def here(self, text: Text) -> Text:
        """A relative path, from the folder the code went to."""
        if text.text.startswith("file://"):
            text = Text(text.text.removeprefix("file://"), text.origins, text.pattern)
        if self.around.language in _TILDE:
            text = self.around.at_home(text)
        if self.around.language in _GLOBBING and text.pattern is None and "*" in text.text:
            text = Text(text.text, text.origins, text.text)
        if self.folder is None or text.text.startswith(("/", "~", HOLE)):
            return text
        path = f"{self.folder.rstrip('/')}/{text.text}"
        return Text(path, text.origins, path if text.pattern is not None else None)

    def is_list(self, node: Node) -> bool:
        """Whether an argument is a list of words rather than one text."""
        if isinstance(node, Call):
            return (self.folding.chain(node.callee) or ("",))[-1] in _LISTS
        if isinstance(node, Joined):
            return any(self.folding.items_of(part) for part in node.parts)
        return self.folding.items_of(node) is not None or (isinstance(node, Ref) and node.name.startswith("@"))

    def shell_lines(self, lines: list[Text], node: Node, folder: list[Text] | None = None) -> Iterator[Found]:
        """Lines a shell runs, in a folder if one is given or the code went to one."""
        if not lines and self.seen.fetches and not isinstance(node, Literal):
            lines = [Text(HOLE, _NETWORK)]
        where = folder[0].text if folder else self.folder
        for line in lines:
            if where and not line.text.startswith(HOLE):
                yield Shell(Text(f"cd {shlex.quote(where)} && {line.text}", line.origins))
            elif line.text.strip(HOLE) or line.origins & _NETWORK:
                yield Shell(line)


def owner_of(node: Call) -> Node | None:
    """The object a method is called on."""
    return node.callee.owner if isinstance(node.callee, Member) else None


def plain(arguments: list[Node]) -> list[Node]:
    """Arguments that are not tables of options."""
    return [arg for arg in arguments if not is_table(arg)] or arguments[:1]


def is_table(node: Node) -> bool:
    """Whether a node is nothing but named entries."""
    return isinstance(node, Items) and bool(node.items) and all(isinstance(item, Named) for item in node.items)


def quoted(text: Text) -> str:
    """A word quoted for the shell, with holes left bare so that they stay holes."""
    return text.text if HOLE in text.text else shlex.quote(text.text)
