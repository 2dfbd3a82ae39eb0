"""Files that code opens and writes to: which handle is which file, and what each holds from then on."""

from collections.abc import Iterator

from omnihook.builtin.guard.effects import Do
from omnihook.builtin.guard.languages import strings
from omnihook.builtin.guard.languages.loading import READERS
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
from omnihook.builtin.guard.languages.reaching import Found, Reach, owner_of
from omnihook.builtin.guard.languages.vocabulary import DEEDS, Deed
from omnihook.shell.state import absolute
from omnihook.shell.tables import names
from omnihook.shell.values import EMPTY, HOLE, Text
from omnihook.shell.watching import Written

PRINTS = names(
    "print printf say puts write write_nonblock syswrite fwrite fputs fprintf writeSync writelines writeLines cat",
    "print_line end << concat WriteLine Write WriteString Fprintf Fprint Fprintln writeln println append p",
)
"""Functions and methods that write to a handle."""
_FILLED = frozenset({"printf", "fprintf", "Fprintf"})
_LINES = frozenset({"puts", "say", "println", "Fprintln", "writeln", "WriteLine", "print_line", "writeLines"})
_LOADS = READERS | {name for name, deed in DEEDS.items() if deed in (Deed.INCLUDE, Deed.EVALUATE)}
_PASSING = names("assert BufferedWriter PrintWriter TextIOWrapper NewWriter OutputStreamWriter closing")
"""Functions that give back the handle they are given, or one for it."""
_MAX_TEXT = 64 * 1024
_MAX_PATHS = 8


class Keeping(Reach):
    """Handles that are open for writing, and what is written to them."""

    def note(self, node: Call, paths: list[Text], *, appends: bool = False) -> None:
        """Remember that a call opens files for writing; its handle may be an argument, or what it gives back."""
        known = [path for path in paths if path.text.strip(HOLE)]
        if not known:
            return
        self.unwritten.update({path.text: path for path in known if path.known})
        self.emptied.update(self.here(path).text for path in known if not appends)
        known = [*self.opens.get(id(node), (node, []))[1], *known][:_MAX_PATHS]
        self.opens[id(node)] = (node, known)
        name = _handle_name(node.args[0]) if node.args else ""
        if name and self.around.language in ("perl", "raku"):
            self.handles[name] = known

    def named(self, node: Assign) -> None:
        """`f = open(...)`: from here on the name is that handle."""
        if node.adds:
            return
        value = node.value.items[-1] if isinstance(node.value, Group) and node.value.items else node.value
        paths = self._paths_of(value)
        for target in node.targets:
            if isinstance(target, Ref) and paths:
                self.handles[target.name] = paths
            elif isinstance(target, Ref):
                self.handles.pop(target.name, None)

    def given(self, node: Call, block: Function) -> None:
        """`File.open(...) { |f| ... }`: the block's first name is that handle."""
        known = self.opens.get(id(node))
        if known is not None:
            for name in block.params[:1]:
                self.handles[name] = known[1]

    def printed(self, node: Call, last: str) -> Iterator[Found]:
        """What a call writes to a handle that is known; nothing for any other call."""
        owner = owner_of(node)
        paths = self._paths_of(owner) if owner is not None else []
        content: list[Node] = [arg for arg in node.args if not isinstance(arg, Named | Function)]
        if not paths:
            paths = [path for value in self.keywords(node, "file", "con") for path in self._paths_of(value)]
        if not paths and content:
            paths, content = self._first_handle(content)
        if not paths and owner is None:
            paths = self.handles.get("STDOUT", [])
        if paths and content:
            yield from self.kept(paths, self._contents(content, last), ends="\n" if last in _LINES else "")

    def _first_handle(self, args: list[Node]) -> tuple[list[Text], list[Node]]:
        """A handle before the text; perl's `print F "text"` looks like a call of the handle."""
        first = args[0]
        paths = self._paths_of(first)
        if paths:
            return paths, args[1:]
        if isinstance(first, Call) and isinstance(first.callee, Ref):
            return self.handles.get(first.callee.name, []), [*first.args, *args[1:]]
        return [], args

    def _contents(self, nodes: list[Node], last: str) -> list[Text]:
        if last in _FILLED and nodes:
            rest = [text.text for node in nodes[1:] for text in self.folding.texts(node)[:1]]
            return [Text(strings.filled(text.text, rest), text.origins) for text in self.folding.texts(nodes[0])]
        return [self.held(node) for node in nodes]

    def held(self, node: Node) -> Text:
        """What a node writes: the members of a list one after the other, and what it may be line by line."""
        if isinstance(node, Items) or self.folding.items_of(node) is not None:
            texts = self.folding.sequence(node)
            return Text("".join(text.text for text in texts), frozenset().union(*(text.origins for text in texts)))
        texts = self.folding.texts(node)
        return Text(
            "\n".join(text.text for text in texts) or HOLE, frozenset().union(*(text.origins for text in texts))
        )

    def appended(self, node: Node) -> Iterator[Found]:
        """`f << a << b`: what is put into a handle that is known, in order; nothing for any other sum."""
        name, parts = _put_into(node)
        paths = self.handles.get(name, [])
        if paths:
            yield from self.kept(paths, [self.held(part) for part in parts])

    def kept(self, paths: list[Text], content: list[Text], *, ends: str = "", afresh: bool = False) -> Iterator[Found]:
        """What files hold from now on, so that running one later is no mystery.

        What a file held before may still have been run, so it stays; `afresh` begins a line of its own.
        """
        text = "".join(item.text for item in content) + ends
        if len(text) > _MAX_TEXT:
            text = f"{HOLE}\n"
        if not text.strip(HOLE + " \n"):
            # Nobody can say what a file holds that was known before.
            paths = [path for path in paths if content and path.known and self._was_written(self.here(path).text)]
            afresh, text = True, f"{HOLE}\n"
        origins: frozenset[str] = frozenset().union(*(item.origins for item in content))
        for path in paths[:_MAX_PATHS]:
            if path.known:
                self.unwritten.pop(path.text, None)
                place = self.here(path)
                again = (afresh or place.text in self.emptied) and self._was_written(place.text)
                self.emptied.discard(place.text)
                self.kept_in.add(place.text)
                written = Text(f"\n{text}" if again else text, origins)
                self._remember(place.text, written)
                yield Written(place, written)

    def _was_written(self, path: str) -> bool:
        return path in self.kept_in or absolute(path, self.around.folder) in self.around.files

    def _remember(self, path: str, text: Text) -> None:
        """Keep what the code has written, for what it loads further on."""
        place = absolute(path, self.around.folder)
        before = self.folding.written.get(place) or self.around.files.get(place, EMPTY)
        self.folding.written[place] = Text(before.text + text.text, before.origins | text.origins)
        if not self.seen.called.isdisjoint(_LOADS):
            self.folding.forget()

    def told(self, node: Call, names_: tuple[str, ...]) -> Iterator[Found]:
        """`cat(text, file = "x")`: a path, rather than a handle, by name."""
        paths = self.texts(self.keywords(node, *names_))
        yield from self.paths(Do.WRITE, paths)
        yield from self.kept(paths, [self.held(arg) for arg in self.arguments(node)], afresh=True)

    def _paths_of(self, node: Node) -> list[Text]:
        """The files that an expression is a handle of."""
        match node:
            case Ref(name=name):
                return self.handles.get(name, [])
            case Call(args=args):
                known = self.opens.get(id(node))
                if known is None and args and (self.folding.chain(node.callee) or ("",))[-1] in _PASSING:
                    return self._paths_of(args[0])
                return known[1] if known is not None else []
            case Either(options=[first, *_]):
                return self._paths_of(first)
            case Items(items=[Ref(name=name)]) | Group(items=[*_, Ref(name=name)]):
                return self.handles.get(name, [])
            case Literal() | _:
                return []


def _handle_name(node: Node) -> str:
    """The name of a handle that is opened: a bare word, a variable, `my $f`, or a text."""
    match node:
        case Ref(name=name):
            return name
        case Group(items=[*_, Ref(name=name)]) | Items(items=[Ref(name=name)]):
            return name
        case _:
            return ""


def _put_into(node: Node) -> tuple[str, list[Node]]:
    """The name that texts are added to, and the texts."""
    match node:
        case Assign(targets=[Ref(name=name)], value=value, adds=True):
            return name, [value]
        case Joined(parts=[first, *rest]):
            name, parts = _put_into(first)
            return name, [*parts, *rest]
        case Operation(op="<<", left=first, right=right):
            name, parts = _put_into(first)
            return name, [*parts, right]
        case _:
            return "", []
