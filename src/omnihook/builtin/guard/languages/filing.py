"""Deeds on files: deleting, moving, copying, reading, writing, opening, modes."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.commands.deleting import replaced
from omnihook.builtin.guard.commands.modes import mode_rule
from omnihook.builtin.guard.effects import Do, Effect, Note
from omnihook.builtin.guard.languages.keeping import Keeping
from omnihook.builtin.guard.languages.nodes import Call, Items, Named, Node, Ref, children
from omnihook.builtin.guard.languages.reaching import PATH_NAMES, Found, plain
from omnihook.builtin.guard.languages.vocabulary import Deed
from omnihook.shell.values import Text

_MODE = re.compile(r"[<>+|-]{1,3}(?::.*)?|[rwabtx+U]{1,4}(?::.*)?")
_MODE_FIRST = re.compile(r"[<>+|-]{1,3}(?::.*)?")
_TEXT_FIRST = frozenset({"writefile", "writeLines", "write-region", "write.csv"})
_WRITE_FLAGS = frozenset({"O_WRONLY", "O_RDWR", "O_TRUNC", "O_CREAT", "O_APPEND"})


class FileDeeds(Keeping):
    """What calls do to files."""

    def deleted(self, deed: Deed, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        """Paths that go, with all that is below them if the function or an option says so."""
        recursive_named = any(
            isinstance(value, Ref) and value.name.lower() in ("true", "t") for value in self.keywords(node, "recursive")
        )
        whole_tree = deed is Deed.TREE or recursive_named or dotted[-1:] == ["Deno"] or "fs-extra" in dotted
        extra = self.texts(self.arguments(node)[1:2])
        whole_tree = whole_tree or (last == "delete" and any(text.text == "rf" for text in extra))
        whole_tree = whole_tree or (last == "Delete" and "Directory" in dotted)
        yield from self.paths(Do.DELETE, self.targets(node, dotted, None), recursive=whole_tree)

    def moved(self, deed: Deed, node: Call, dotted: list[str]) -> Iterator[Found]:
        """A path that goes elsewhere or is copied there."""
        mine = self.receiver(node, dotted)
        given = [self.texts([arg]) for arg in plain(self.arguments(node) or self.keywords(node, *PATH_NAMES))[:2]]
        sources = mine or (given[0] if given else [])
        goals = (given[0] if mine and given else given[1] if len(given) > 1 else []) or self.texts(
            self.keywords(node, "to", "dst", "toPath")
        )
        yield from self.paths(Do.READ if deed is Deed.COPY else Do.MOVE, sources)
        for goal in goals:
            if deed is Deed.COPY:
                yield from replaced(tuple(sources), self.here(goal))
            else:
                yield Effect(Do.WRITE, self.here(goal))
        held = [self.folding.content(self.here(source).text) for source in sources[:1]]
        yield from self.kept(goals, [text for text in held if text is not None], afresh=True)

    def simple(self, deed: Deed, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        """Paths that are read, written or used."""
        do = {Deed.READ: Do.READ, Deed.WRITE: Do.WRITE, Deed.APPEND: Do.APPEND, Deed.USE: Do.USE}[deed]
        targets = self.targets(node, dotted, None if last == "write-region" else 1)
        if last in _TEXT_FIRST or (last == "write" and self.around.language == "Rscript"):
            targets = self.texts(self.arguments(node)[1:2])
        if last == "createWriteStream":
            self.note(node, targets[:1])
        yield from self.paths(do, targets)
        yield from self.paths(do, self.texts(self.keywords(node, *PATH_NAMES)))
        if deed in (Deed.WRITE, Deed.APPEND) and targets:
            given = self.arguments(node)
            first = last in _TEXT_FIRST or self.around.language == "Rscript" or self.receiver(node, dotted)
            rest = [arg for arg in given[1:] if not (isinstance(arg, Items) and not arg.items)]
            content = [self.held(arg) for arg in (given[:1] if first else rest[:1])]
            yield from self.kept(targets, content, afresh=deed is Deed.WRITE)

    def opened(self, node: Call, dotted: list[str]) -> Iterator[Found]:
        """`open` with a mode after the path, before it, or as part of it; a bar makes it a command."""
        arguments = [*self.arguments(node), *self.keywords(node, "mode")]
        texts = self.receiver(node, dotted)[:1] + [text for arg in arguments for text in self.folding.texts(arg)]
        modes = [text.text for text in texts[1:] if _MODE.fullmatch(text.text)]
        modes += [text.text for text in texts[:1] if _MODE_FIRST.fullmatch(text.text) and len(texts) > 1]
        flags = {part for arg in arguments for inner in (arg, *children(arg)) for part in self.folding.chain(inner)}
        writes = any(mark in mode for mode in modes for mark in ">wax+") or bool(flags & _WRITE_FLAGS)
        for text in texts:
            stripped = text.text.strip()
            if stripped in modes:
                if stripped in ("|-", "-|"):
                    yield from self.shell_lines(texts[texts.index(text) + 1 :][:1], node)
                    return
                continue
            if stripped.startswith("|") or stripped.endswith("|"):
                if self.around.language in ("perl", "ruby"):
                    yield from self.shell_lines([Text(stripped.strip("|"), text.origins)], node)
            elif stripped.startswith(">"):
                self.note(node, [Text(stripped.lstrip("> "), text.origins)], appends=stripped.startswith(">>"))
                yield from self.paths(Do.WRITE, [Text(stripped.lstrip("> "), text.origins)])
            else:
                path = Text(stripped.lstrip("< "), text.origins, text.pattern)
                self.note(node, [path] if writes else [], appends=any("a" in mode or ">>" in mode for mode in modes))
                yield from self.paths(Do.WRITE if writes else Do.READ, [path])
            if text is not texts[0] or not modes:
                break
        others = (
            self.folding.texts(arguments[0])[1:] if writes and arguments and not self.receiver(node, dotted) else []
        )
        self.note(node, [text for text in others if not _MODE_FIRST.fullmatch(text.text)])

    def mode(self, deed: Deed, node: Call, last: str) -> Iterator[Found]:
        """A mode in any spelling, and trees whose modes or owners change."""
        arguments = [*self.arguments(node), *self.keywords(node, "mode", "posixPermissions")]
        tables = [
            item.value for arg in arguments if isinstance(arg, Items) for item in arg.items if isinstance(item, Named)
        ]
        if deed is Deed.MODE:
            for argument in (*arguments, *tables):
                rule = self._mode_rule(argument)
                if rule:
                    yield Note(rule, last)
        if last.endswith("_R"):
            yield from self.paths(Do.MODE, self.texts(arguments[1 if deed is Deed.MODE else 2 :]), recursive=True)

    def _mode_rule(self, argument: Node) -> str | None:
        value = self.folding.number(argument)
        if value is not None:
            spelt = getattr(argument, "spelled", "")
            return mode_rule(spelt) if spelt in ("777", "1777", "2777") else mode_rule(oct(value)[2:])
        for text in self.folding.texts(argument):
            if re.fullmatch(r"0?o?[0-7]{3,4}|[ugoa]+[-+=][rwxXst]+(?:,[ugoa]+[-+=][rwxXst]*)*", text.text):
                return mode_rule(text.text)
            if text.text == "rwxrwxrwx":
                return "mode-777"
        return None
