"""The walk over code: every call is looked up, its arguments folded, and what it does given as acts."""

from collections.abc import Iterator

from omnihook.builtin.guard.effects import Do, Shell
from omnihook.builtin.guard.languages.binding import bind
from omnihook.builtin.guard.languages.commanding import CommandDeeds
from omnihook.builtin.guard.languages.feeding import fed_shells, printed_texts
from omnihook.builtin.guard.languages.filing import FileDeeds
from omnihook.builtin.guard.languages.keeping import PRINTS
from omnihook.builtin.guard.languages.nodes import (
    Assign,
    Call,
    Function,
    Items,
    Joined,
    Literal,
    Loop,
    Member,
    Named,
    Node,
    Operation,
    Ref,
    Run,
    children,
)
from omnihook.builtin.guard.languages.reaching import Found, owner_of, quoted
from omnihook.builtin.guard.languages.revealing import revealed
from omnihook.builtin.guard.languages.vocabulary import AMBIGUOUS, DEEDS, IMPLICIT, OWNERS, Deed
from omnihook.builtin.guard.languages.wholes import looped, recursive, whole
from omnihook.shell.values import HOLE, Text

_FOREVER = frozenset({"step", "cycle", "loop", "forever", "iterate"})
_BEFORE_BLOCKS = frozenset({Deed.OPEN, Deed.WRITE, Deed.APPEND})
_ARCHIVES = frozenset({"ZipFile", "tarfile", "TarFile", "zipfile", "zip"})


class Walk(FileDeeds, CommandDeeds):
    """One piece of code: what it binds, and what it does."""

    def acts(self, nodes: list[Node]) -> Iterator[Found]:
        """What the statements do, in order, and then what shows only in the whole."""
        bind(nodes, self.folding)
        self.seen.read(nodes, self.folding)
        for node in nodes:
            yield from self._visit(node)
        yield from whole(self.seen, self.folding)
        if len(self.unwritten) == 1:
            yield from self.kept(list(self.unwritten.values()), printed_texts(nodes, self.folding))
        yield from fed_shells(nodes, self.seen, self.folding)
        yield from revealed(nodes, self.seen, self.folding)

    def _visit(self, node: Node) -> Iterator[Found]:
        if self.handles and isinstance(node, Operation | Joined | Assign):
            written = list(self.appended(node))
            if written:
                yield from written
                return
        match node:
            case Call():
                yield from self._visit_call(node)
                return
            case Ref(name=name) if name in IMPLICIT and self.around.language == "perl":
                yield from self._call(Call(node))
            case Run(text=text):
                yield from self.shell_lines(self.folding.texts(text), text)
            case Loop():
                yield from looped(node, self.folding)
            case Function():
                yield from recursive(node, self.folding)
            case Operation() if self.around.language == "awk":
                yield from self._awk(node)
            case Assign():
                yield from self._visit(node.value)
                self.named(node)
                yield from self._assigned(node)
                for target in node.targets:
                    yield from self._visit(target)
                return
            case Member(name=name) if name in ("text", "bytes", "unlink", "delete", "rmtree", "deleteDir"):
                yield from self._call(Call(node))
        for child in children(node):
            yield from self._visit(child)

    def _visit_call(self, node: Call) -> Iterator[Found]:
        """The arguments, then the call; but a block is run in the folder that the call goes to."""
        chained = self.folding.chain(node.callee)
        kept = self.folder
        enters = bool(chained) and DEEDS.get(chained[-1]) is Deed.FOLDER
        if enters:
            self._enter(node)
        block = next((arg for arg in node.args if isinstance(arg, Function)), None)
        # A block is given what was opened, or is run when all is written.
        opens = block is not None and bool(chained) and DEEDS.get(chained[-1]) in _BEFORE_BLOCKS
        if opens and block is not None:
            yield from self._call(node)
            self.given(node, block)
        for child in children(node)[1 if isinstance(node.callee, Ref) else 0 :]:
            yield from self._visit(child)
        if enters and any(isinstance(arg, Function) for arg in node.args):
            self.folder = kept
        elif not enters and not opens:
            yield from self._call(node)
        if block is not None and chained and chained[-1] in _FOREVER and not self.arguments(node):
            yield from looped(Loop("endless", [], None, block.body), self.folding)

    def _call(self, node: Call) -> Iterator[Found]:
        chained = self.folding.chain(node.callee)
        if not chained or (chained[-1] == "()" and len(chained) > 1):
            return
        last, dotted = chained[-1], [part for part in chained[:-1] if part != "()"]
        if self.opens and last in PRINTS:
            written = list(self.printed(node, last))
            if written:
                yield from written
                return
        yield from self._besides(node, last, dotted)
        if last in ("sync", "call", "apply", "command") and dotted and dotted[-1] in DEEDS and dotted != ["do"]:
            last = dotted.pop()
        deed = self._deed(node, last, dotted)
        if deed is None or (len(chained) == 1 and last in self.folding.functions):
            return
        if last in AMBIGUOUS and not self._owned(dotted, node, last):
            return
        if not self.arguments(node) and last in IMPLICIT and not isinstance(node.callee, Member):
            node = Call(node.callee, [Ref("$_")])
        yield from self._done(deed, node, last, dotted)

    def _deed(self, node: Call, last: str, dotted: list[str]) -> Deed | None:
        """What a call does, where its name alone does not say it or says something else."""
        if last in ("write", "add") and _ARCHIVES.intersection(dotted):
            return None
        if any(isinstance(arg, Named) and arg.name in ("contentsOfFile", "contentsOf") for arg in node.args):
            return Deed.READ
        if last == "load" and self.around.language == "ruby":
            return Deed.INCLUDE
        if last == "new" and dotted[-1:] == ["File"]:
            return Deed.OPEN
        if (last == "call" and dotted == ["do"]) or (last == "foreach" and not dotted):
            return Deed.APPLY
        if last == "text" and "File" in dotted:
            return Deed.READ
        if last == "exec" and self.around.language == "python" and dotted in ([], ["builtins"], ["__builtins__"]):
            return Deed.EVALUATE
        return DEEDS.get(last)

    def _besides(self, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        """What calls do that have no deed of their own: archives, shells that are fed, where text goes."""
        if last in ("write", "add") and _ARCHIVES.intersection(dotted):
            yield from self.paths(Do.READ, self.texts(node.args[:1]))
        elif last == "communicate":
            yield from self.fed(node)
        elif last == "make_archive":
            yield from self.paths(Do.READ, self.texts([*node.args[2:3], *self.keywords(node, "root_dir", "base_dir")]))
        elif last in ("output", "cat", "sink") and node.args:
            yield from self._directed(node, last, dotted)

    def _directed(self, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        """Lua's and R's ways of saying where text goes: `io.output(path)`, `cat(text, file = path)`, `sink(path)`."""
        if last == "cat" and self.around.language == "Rscript":
            yield from self.told(node, ("file",))
        elif last == "sink" or (last == "output" and dotted == ["io"]):
            paths = self.texts(node.args[:1])
            yield from self.paths(Do.WRITE, paths)
            self.note(node, paths)
            self.handles["io"] = paths

    def _owned(self, dotted: list[str], node: Call, last: str) -> bool:
        """Whether an ambiguous name is used for what the table says."""
        if last == "execute" or last == "!":
            return (bool(dotted) and dotted[-1] in ('"', "os", "c")) or isinstance(owner_of(node), Items)
        if last == "exec" and not dotted and self.around.language in ("node", "deno", "bun"):
            return False
        owner = owner_of(node)
        if owner is not None and any(text.pattern is not None for text in self.folding.texts(owner)):
            return True
        return not dotted or bool(OWNERS.intersection(dotted))

    def _done(self, deed: Deed, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        match deed:
            case Deed.TREE | Deed.DELETE:
                yield from self.deleted(deed, node, last, dotted)
            case Deed.MOVE | Deed.COPY:
                yield from self.moved(deed, node, dotted)
            case Deed.READ | Deed.WRITE | Deed.APPEND | Deed.USE:
                yield from self.simple(deed, node, last, dotted)
            case Deed.OPEN:
                yield from self.opened(node, dotted)
            case Deed.MODE | Deed.OWNER:
                yield from self.mode(deed, node, last)
            case Deed.SHELL | Deed.EXECUTE:
                yield from self.commands(deed, node, last, dotted)
            case Deed.EVALUATE:
                yield from self.evaluated(node, last, dotted)
            case Deed.INCLUDE:
                yield from self.included(node, last)
            case Deed.FOLDER:
                return
            case Deed.APPLY:
                yield from self._applied(node, last)

    def _enter(self, node: Call) -> None:
        found = self.texts(self.arguments(node)[:1])
        if found and found[0].known:
            path = found[0].text
            relative = self.folder is not None and not path.startswith(("/", "~"))
            self.folder = f"{self.folder}/{path}" if relative else path

    def _applied(self, node: Call, last: str) -> Iterator[Found]:
        """A function by its name, called with what is beside it: `array_map("unlink", $files)`."""
        arguments: list[Node] = [arg for arg in node.args if not isinstance(arg, Function | Named)]
        arguments += [*self.keywords(node, "target", "func"), *self.keywords(node, "args")]
        for place, arg in enumerate(arguments):
            named = self.folding.texts(arg)[:1] if isinstance(arg, Literal | Joined) else []
            target = Ref(named[0].text) if named else arg
            chained = self.folding.chain(target) if not isinstance(arg, Items) else ()
            if not chained or chained[-1] not in DEEDS or chained[-1] == "()":
                continue
            others = [*arguments[:place], *arguments[place + 1 :]]
            if len(others) == 1 and isinstance(others[0], Call) and self.is_list(others[0]):
                others = others[0].args
            owner = owner_of(node)
            if last not in ("send", "public_send", "__send__") and owner is not None and self.folding.texts(owner):
                others = [owner]
                if named:
                    target, others = Member(owner, named[0].text), []
            members = self.folding.items_of(others[0]) if len(others) == 1 else None
            for given in [[item] for item in members.items] if members is not None else [others]:
                yield from self._call(Call(target, list(given)))
            return

    def _assigned(self, node: Assign) -> Iterator[Found]:
        """`file.text = ...` writes; a process's arguments may be set one by one."""
        for target in node.targets:
            if any(isinstance(inner, Ref) and inner.name == "@ARGV" for inner in (target, *children(target))):
                yield from self.paths(Do.READ, self.texts([node.value]))
            if isinstance(target, Member) and target.name in ("text", "bytes"):
                yield from self.paths(Do.WRITE, self.texts([target.owner]))
                yield from self.kept(self.texts([target.owner]), [self.held(node.value)], afresh=True)
            if isinstance(target, Member) and target.name == "arguments":
                owner = ".".join(part for part in self.folding.chain(target.owner) if part != "()")
                programs = [self.folding.bound.get(f"{owner}.{key}") for key in ("launchPath", "executableURL")]
                program = next((found[0] for found in programs if found), None)
                if program is not None:
                    words = [program, *self.folding.sequence(node.value)]
                    yield Shell(Text(" ".join(map(quoted, words)), self.origins))

    def _awk(self, node: Operation) -> Iterator[Found]:
        """`"cmd" | getline`, `print | "cmd"`, and files that are read or written by name."""
        left, right = self.folding.texts(node.left), self.folding.texts(node.right)
        if node.op == "|":
            given = f" <<< {quoted(left[0]) if left else HOLE}"
            fed = [Text(text.text + given, text.origins) for text in right]
            yield from self.shell_lines(left if _mentions(node.right, "getline") else fed, node)
        elif node.op in (">", ">>"):
            yield from self.paths(Do.WRITE if node.op == ">" else Do.APPEND, right)
            yield from self.kept(right, left[:1], ends="\n")
        elif node.op == "<":
            yield from self.paths(Do.READ, right)


def _mentions(node: Node, name: str) -> bool:
    return (isinstance(node, Ref) and node.name == name) or any(_mentions(child, name) for child in children(node))
