"""The walk over code: every call is looked up, its arguments folded, and what it does given as acts."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from omnihook.builtin.guard.commands.deleting import replaced
from omnihook.builtin.guard.commands.modes import mode_rule
from omnihook.builtin.guard.effects import Act, Do, Effect, Note, Shell
from omnihook.builtin.guard.languages.binding import bind
from omnihook.builtin.guard.languages.folding import Folding
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
from omnihook.builtin.guard.languages.surroundings import Around
from omnihook.builtin.guard.languages.vocabulary import AMBIGUOUS, DEEDS, IMPLICIT, NULLS, OWNERS, Deed
from omnihook.builtin.guard.languages.wholes import Seen, looped, recursive, whole
from omnihook.shell.values import HOLE, Text

_MAX_TARGETS = 16
_NETWORK = frozenset({"network"})
_MODULES = frozenset({"os", "shutil", "io", "codecs", "fs", "File", "FileUtils", "Files", "IO", "Dir", "Deno"})
_ARCHIVES = frozenset({"ZipFile", "tarfile", "TarFile", "zipfile", "zip"})


@dataclass(frozen=True, slots=True)
class Code:
    """Code in the same language that the code evaluates."""

    text: Text


Found = Act | Code


class Walk:
    """One piece of code: what it binds, and what it does."""

    def __init__(self, around: Around, origins: frozenset[str]) -> None:
        self._folding = Folding(around)
        self._around = around
        self._origins = origins
        self._folder: str | None = None
        self._seen = Seen()

    def acts(self, nodes: list[Node]) -> Iterator[Found]:
        """What the statements do, in order, and then what shows only in the whole."""
        bind(nodes, self._folding)
        self._seen.read(nodes, self._folding)
        for node in nodes:
            yield from self._visit(node)
        yield from whole(self._seen, self._folding)

    def _visit(self, node: Node) -> Iterator[Found]:
        match node:
            case Call():
                yield from self._visit_call(node)
                return
            case Ref(name=name) if name in IMPLICIT and self._around.language == "perl":
                yield from self._call(Call(node))
            case Run(text=text):
                yield from self._shell_lines(self._folding.texts(text), text)
            case Loop():
                yield from looped(node, self._folding)
            case Function():
                yield from recursive(node, self._folding)
            case Operation() if self._around.language == "awk":
                yield from self._awk(node)
            case Assign():
                yield from self._assigned(node)
            case Member(name=name) if name in ("text", "bytes", "unlink", "delete", "rmtree", "deleteDir"):
                yield from self._call(Call(node))
        for child in children(node):
            yield from self._visit(child)

    def _visit_call(self, node: Call) -> Iterator[Found]:
        """The arguments, then the call; but a block is run in the folder that the call goes to."""
        chained = self._folding.chain(node.callee)
        kept = self._folder
        enters = bool(chained) and DEEDS.get(chained[-1]) is Deed.FOLDER
        if enters:
            self._enter(node)
        for child in children(node)[1 if isinstance(node.callee, Ref) else 0 :]:
            yield from self._visit(child)
        if enters and any(isinstance(arg, Function) for arg in node.args):
            self._folder = kept
        elif not enters:
            yield from self._call(node)

    def _call(self, node: Call) -> Iterator[Found]:
        chained = self._folding.chain(node.callee)
        if not chained:
            return
        last = chained[-1]
        if last == "()" and len(chained) > 1:
            return
        deed = DEEDS.get(last)
        dotted = [part for part in chained[:-1] if part != "()"]
        if last in ("write", "add") and _ARCHIVES.intersection(dotted):
            deed = Deed.READ
            yield from self._paths(Do.READ, self._texts(node.args[:1]))
            return
        if (last == "call" and dotted == ["do"]) or (last == "foreach" and not dotted):
            deed = Deed.APPLY
        elif last in ("sync", "call", "apply", "command") and dotted and dotted[-1] in DEEDS:
            last = dotted.pop()
            deed = DEEDS[last]
        elif last == "text" and "File" in dotted:
            deed = Deed.READ
        elif last == "communicate":
            yield from self._fed(node)
        if last == "exec" and self._around.language == "python" and dotted in ([], ["builtins"], ["__builtins__"]):
            deed = Deed.EVALUATE
        if any(isinstance(arg, Named) and arg.name in ("contentsOfFile", "contentsOf") for arg in node.args):
            deed = Deed.READ
        if last == "make_archive":
            yield from self._paths(Do.READ, self._texts([*node.args[2:3], *self._named(node, "root_dir", "base_dir")]))
        if deed is None or (len(chained) == 1 and last in self._folding.functions):
            return
        if last in AMBIGUOUS and not self._owned(dotted, node, last):
            return
        if not self._arguments(node) and last in IMPLICIT and not isinstance(node.callee, Member):
            node = Call(node.callee, [Ref("$_")])
        yield from self._done(deed, node, last, dotted)

    def _owned(self, dotted: list[str], node: Call, last: str) -> bool:
        """Whether an ambiguous name is used for what the table says."""
        if last == "execute" or last == "!":
            return bool(dotted) and dotted[-1] in ('"', "os", "c") or isinstance(_owner(node), Items)
        if last == "exec" and not dotted and self._around.language in ("node", "deno", "bun"):
            return False
        owner = _owner(node)
        if owner is not None and any(text.pattern is not None for text in self._folding.texts(owner)):
            return True
        return not dotted or bool(OWNERS.intersection(dotted))

    def _done(self, deed: Deed, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        match deed:
            case Deed.TREE | Deed.DELETE:
                yield from self._deleted(deed, node, last, dotted)
            case Deed.MOVE | Deed.COPY:
                yield from self._moved(deed, node, dotted)
            case Deed.READ | Deed.WRITE | Deed.APPEND | Deed.USE:
                yield from self._simple(deed, node, last, dotted)
            case Deed.OPEN:
                yield from self._opened(node, dotted)
            case Deed.MODE | Deed.OWNER:
                yield from self._mode(deed, node, last)
            case Deed.SHELL | Deed.EXECUTE:
                yield from self._commands(deed, node, last, dotted)
            case Deed.EVALUATE:
                yield from self._evaluated(node, last, dotted)
            case Deed.INCLUDE:
                yield from self._included(node, last)
            case Deed.FOLDER:
                return
            case Deed.APPLY:
                yield from self._applied(node, last)

    def _texts(self, nodes: list[Node]) -> list[Text]:
        return [text for node in nodes for text in self._folding.texts(node)][:_MAX_TARGETS]

    def _arguments(self, node: Call) -> list[Node]:
        return [
            arg
            for arg in node.args
            if not isinstance(arg, Named | Function) and not self._is_null(arg)
        ]

    def _is_null(self, arg: Node) -> bool:
        if not isinstance(arg, Ref) or arg.name in self._folding.bound:
            return False
        return arg.name in NULLS and (arg.name != "t" or self._around.language == "lisp")

    def _named(self, node: Call, *names: str) -> list[Node]:
        tables = [item for arg in node.args if isinstance(arg, Items) for item in arg.items]
        return [arg.value for arg in (*node.args, *tables) if isinstance(arg, Named) and arg.name in names]

    def _receiver(self, node: Call, dotted: list[str]) -> list[Text]:
        """The path a method is called on, if it is called on one."""
        owner = _owner(node)
        if owner is None or (dotted and dotted[-1] in _MODULES and not isinstance(owner, Call)):
            return []
        return self._folding.texts(owner)[:_MAX_TARGETS]

    def _targets(self, node: Call, dotted: list[str], count: int = 1) -> list[Text]:
        given = _plain(self._arguments(node))[:count] or self._named(node, *_PATH_NAMES)
        return self._receiver(node, dotted) or self._texts(given)

    def _paths(self, do: Do, texts: list[Text], *, recursive: bool = False) -> Iterator[Found]:
        for text in texts:
            if text.text and not (text.text.startswith("-") and len(text.text) < 5):
                yield Effect(do, self._here(text), recursive)

    def _here(self, text: Text) -> Text:
        """A relative path, from the folder the code went to."""
        if text.text.startswith("file://"):
            text = Text(text.text.removeprefix("file://"), text.origins, text.pattern)
        if self._around.language in _TILDE:
            text = self._around.at_home(text)
        if self._folder is None or text.text.startswith(("/", "~", HOLE)):
            return text
        path = f"{self._folder.rstrip('/')}/{text.text}"
        return Text(path, text.origins, path if text.pattern is not None else None)

    def _deleted(self, deed: Deed, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        recursive_named = any(
            isinstance(value, Ref) and value.name.lower() in ("true", "t") for value in self._named(node, "recursive")
        )
        whole_tree = deed is Deed.TREE or recursive_named or dotted[-1:] == ["Deno"] or "fs-extra" in dotted
        extra = self._texts(self._arguments(node)[1:2])
        whole_tree = whole_tree or (last == "delete" and any(text.text == "rf" for text in extra))
        whole_tree = whole_tree or (last == "Delete" and "Directory" in dotted)
        yield from self._paths(Do.DELETE, self._targets(node, dotted, 16), recursive=whole_tree)

    def _moved(self, deed: Deed, node: Call, dotted: list[str]) -> Iterator[Found]:
        mine = self._receiver(node, dotted)
        given = [self._texts([arg]) for arg in _plain(self._arguments(node) or self._named(node, *_PATH_NAMES))[:2]]
        sources = mine or (given[0] if given else [])
        goals = (given[0] if mine and given else given[1] if len(given) > 1 else []) or self._texts(
            self._named(node, "to", "dst", "toPath")
        )
        yield from self._paths(Do.READ if deed is Deed.COPY else Do.MOVE, sources)
        for goal in goals:
            if deed is Deed.COPY:
                yield from replaced(tuple(sources), self._here(goal))
            else:
                yield Effect(Do.WRITE, self._here(goal))

    def _simple(self, deed: Deed, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        do = {Deed.READ: Do.READ, Deed.WRITE: Do.WRITE, Deed.APPEND: Do.APPEND, Deed.USE: Do.USE}[deed]
        targets = self._targets(node, dotted, 16 if last == "write-region" else 1)
        if last in ("writefile", "writeLines", "write-region", "write.csv"):
            targets = self._texts(self._arguments(node)[1:])
        yield from self._paths(do, targets)
        yield from self._paths(do, self._texts(self._named(node, *_PATH_NAMES)))

    def _opened(self, node: Call, dotted: list[str]) -> Iterator[Found]:
        """`open` with a mode after the path, before it, or as part of it; a bar makes it a command."""
        arguments = [*self._arguments(node), *self._named(node, "mode")]
        texts = self._receiver(node, dotted)[:1] + [text for arg in arguments for text in self._folding.texts(arg)]
        modes = [text.text for text in texts[1:] if _MODE.fullmatch(text.text)]
        modes += [text.text for text in texts[:1] if _MODE_FIRST.fullmatch(text.text) and len(texts) > 1]
        flags = {part for arg in arguments for inner in (arg, *children(arg)) for part in self._folding.chain(inner)}
        writes = any(mark in mode for mode in modes for mark in ">wax+") or bool(flags & _WRITE_FLAGS)
        for text in texts:
            stripped = text.text.strip()
            if stripped in modes:
                if stripped in ("|-", "-|"):
                    yield from self._shell_lines(texts[texts.index(text) + 1 :][:1], node)
                    return
                continue
            if stripped.startswith("|") or stripped.endswith("|"):
                if self._around.language in ("perl", "ruby"):
                    yield from self._shell_lines([Text(stripped.strip("|"), text.origins)], node)
            elif stripped.startswith(">"):
                yield from self._paths(Do.WRITE, [Text(stripped.lstrip("> "), text.origins)])
            else:
                path = Text(stripped.lstrip("< "), text.origins, text.pattern)
                yield from self._paths(Do.WRITE if writes else Do.READ, [path])
            if text is not texts[0] or not modes:
                break

    def _mode(self, deed: Deed, node: Call, last: str) -> Iterator[Found]:
        arguments = [*self._arguments(node), *self._named(node, "mode", "posixPermissions")]
        tables = [
            item.value for arg in arguments if isinstance(arg, Items) for item in arg.items if isinstance(item, Named)
        ]
        if deed is Deed.MODE:
            for argument in (*arguments, *tables):
                rule = self._mode_rule(argument)
                if rule:
                    yield Note(rule, last)
        if last.endswith("_R"):
            yield from self._paths(Do.MODE, self._texts(arguments[1 if deed is Deed.MODE else 2 :]), recursive=True)

    def _mode_rule(self, argument: Node) -> str | None:
        value = self._folding.number(argument)
        if value is not None:
            spelt = getattr(argument, "spelled", "")
            return mode_rule(spelt) if spelt in ("777", "1777", "2777") else mode_rule(oct(value)[2:])
        for text in self._folding.texts(argument):
            if re.fullmatch(r"0?o?[0-7]{3,4}|[ugoa]+[-+=][rwxXst]+(?:,[ugoa]+[-+=][rwxXst]*)*", text.text):
                return mode_rule(text.text)
            if text.text == "rwxrwxrwx":
                return "mode-777"
        return None

    def _commands(self, deed: Deed, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        if last in ("execute", "!", "run") and isinstance(node.callee, Member) and dotted[-1:] in (['"'], ["c"], []):
            yield from self._command([node.callee.owner], node)
            return
        arguments = self._arguments(node)
        arguments += (
            [*self._named(node, "cmd", "args")] if last in ("run", "Command", "subprocess") or not arguments else []
        )
        if last in ("cmd", "command", "Command") and not arguments:
            return
        if deed is Deed.EXECUTE:
            words = [word for arg in arguments for word in self._folding.sequence(arg)]
            line = " ".join(_word(word) for word in (words[1:] if len(words) > 1 else words))
            yield from self._shell_lines([Text(line, self._origins)] if line else [], node)
            return
        if last in ("popen", "open-pipe", "open-pipe*") and len(arguments) > 1:
            arguments = arguments[:1] if last != "open-pipe*" else arguments[1:]
        yield from self._command(arguments, node)

    def _command(self, arguments: list[Node], node: Call) -> Iterator[Found]:
        """One string is a command line; a list, or several, are a command and its arguments."""
        if not arguments:
            return
        first = arguments[0]
        listed = self._folding.sequence(first) if self._is_list(first) else []
        rest = [arg for arg in arguments[1:] if not _is_table(arg)]
        words = [
            word
            for arg in rest
            for word in (self._folding.sequence(arg) if self._is_list(arg) else self._folding.texts(arg)[:1])
        ]
        if listed:
            lines = [Text(" ".join(map(_word, listed)), self._origins)]
        else:
            heads = self._folding.texts(self._unsplit(first))
            joins = (lambda word: word.text) if (self._folding.chain(node.callee) or ("",))[-1] == "system2" else _word
            lines = [
                Text(" ".join([head.text, *map(joins, words)]), head.origins)
                if words and " " not in head.text.strip()
                else head
                for head in heads
            ]
        given = self._texts(self._named(node, "input"))
        lines = [Text(f"{line.text} <<< {_word(given[0])}", line.origins) if given else line for line in lines]
        yield from self._shell_lines(lines, first, self._texts(self._named(node, "cwd", "chdir", "cd"))[:1])

    def _unsplit(self, node: Node) -> Node:
        """A command line that is split into words is that command line."""
        if isinstance(node, Call) and (self._folding.chain(node.callee) or ("",))[-1] in (
            "split",
            "shellsplit",
            "quote",
        ):
            owner = _owner(node)
            return owner if owner is not None and self._folding.texts(owner) else node.args[0] if node.args else node
        return node

    def _fed(self, node: Call) -> Iterator[Found]:
        """Text given to a shell that was started before."""
        owner = _owner(node)
        started = self._folding.nodes.get(owner.name) if isinstance(owner, Ref) else owner
        if isinstance(started, Call) and started.args:
            words = self._folding.sequence(started.args[0])[:1]
            if words and re.fullmatch(r"(?:.*/)?(?:ba|z|da|k)?sh(?: -\w+)*", words[0].text):
                yield from self._shell_lines(self._texts(self._arguments(node)[:1]), node)

    def _is_list(self, node: Node) -> bool:
        if isinstance(node, Ref):
            return isinstance(self._folding.nodes.get(node.name), Items) or node.name.startswith("@")
        if isinstance(node, Call):
            return (self._folding.chain(node.callee) or ("",))[-1] in _LISTS
        return isinstance(node, Items)

    def _shell_lines(self, lines: list[Text], node: Node, folder: list[Text] | None = None) -> Iterator[Found]:
        if not lines and self._seen.fetches and not isinstance(node, Literal):
            lines = [Text(HOLE, _NETWORK)]
        where = folder[0].text if folder else self._folder
        for line in lines[:_MAX_TARGETS]:
            if where and not line.text.startswith(HOLE):
                yield Shell(Text(f"cd {shlex.quote(where)} && {line.text}", line.origins))
            elif line.text.strip(HOLE) or line.origins & _NETWORK:
                yield Shell(line)

    def _evaluated(self, node: Call, last: str, dotted: list[str]) -> Iterator[Found]:
        arguments = self._arguments(node)
        if self._around.language not in _EVALUATORS.get(last, (self._around.language,)):
            return
        if last in ("load", "compile") and dotted and not {"Code", "builtins", "globalThis"}.intersection(dotted):
            return
        texts = self._texts(arguments[-1:] if last == "Function" else arguments[:1])
        for text in texts[:4]:
            if text.text.strip().startswith(HOLE) and text.origins & _NETWORK:
                yield Note("run-remote", f"{self._around.language} evaluates code from the network")
            elif text.known:
                yield Code(text)
        if not texts and arguments and self._seen.fetches and not isinstance(arguments[0], Literal | Function):
            yield Note("run-remote", f"{self._around.language} evaluates code from the network")

    def _included(self, node: Call, last: str) -> Iterator[Found]:
        for text in self._texts(self._arguments(node)[:1]):
            if re.match(r"(?:https?|ftp|data)://?", text.text) and self._around.language not in ("deno", "node", "bun"):
                yield Note("run-remote", f"{last} {text.text}")
            elif "/" in text.text or "." in text.text:
                yield from self._paths(Do.READ, [text])

    def _enter(self, node: Call) -> None:
        found = self._texts(self._arguments(node)[:1])
        if found and found[0].known:
            path = found[0].text
            relative = self._folder is not None and not path.startswith(("/", "~"))
            self._folder = f"{self._folder}/{path}" if relative else path

    def _applied(self, node: Call, last: str) -> Iterator[Found]:
        """A function by its name, called with what is beside it: `array_map("unlink", $files)`."""
        arguments = [arg for arg in node.args if not isinstance(arg, Function)]
        for place, arg in enumerate(arguments):
            named = self._folding.texts(arg)[:1] if isinstance(arg, Literal | Joined) else []
            target = Ref(named[0].text) if named else arg
            chained = self._folding.chain(target) if not isinstance(arg, Items) else ()
            if not chained or chained[-1] not in DEEDS or chained[-1] == "()":
                continue
            others = [*arguments[:place], *arguments[place + 1 :]]
            if len(others) == 1 and isinstance(others[0], Call) and self._is_list(others[0]):
                others = others[0].args
            owner = _owner(node)
            if last not in ("send", "public_send", "__send__") and owner is not None and self._folding.texts(owner):
                others = [owner]
                if named:
                    target, others = Member(owner, named[0].text), []
            yield from self._call(Call(target, list(others)))
            return

    def _assigned(self, node: Assign) -> Iterator[Found]:
        """`file.text = ...` writes; a process's arguments may be set one by one."""
        for target in node.targets:
            if isinstance(target, Ref) and target.name == "@ARGV":
                yield from self._paths(Do.READ, self._texts([node.value]))
            if isinstance(target, Member) and target.name in ("text", "bytes"):
                yield from self._paths(Do.WRITE, self._texts([target.owner]))
            if isinstance(target, Member) and target.name == "arguments":
                owner = ".".join(part for part in self._folding.chain(target.owner) if part != "()")
                programs = [self._folding.bound.get(f"{owner}.{key}") for key in ("launchPath", "executableURL")]
                program = next((found[0] for found in programs if found), None)
                if program is not None:
                    words = [program, *self._folding.sequence(node.value)]
                    yield Shell(Text(" ".join(map(_word, words)), self._origins))

    def _awk(self, node: Operation) -> Iterator[Found]:
        """`"cmd" | getline`, `print | "cmd"`, and files that are read or written by name."""
        left, right = self._folding.texts(node.left), self._folding.texts(node.right)
        if node.op == "|":
            given = f" <<< {_word(left[0]) if left else HOLE}"
            fed = [Text(text.text + given, text.origins) for text in right]
            yield from self._shell_lines(left if _mentions(node.right, "getline") else fed, node)
        elif node.op in (">", ">>"):
            yield from self._paths(Do.WRITE if node.op == ">" else Do.APPEND, right)
        elif node.op == "<":
            yield from self._paths(Do.READ, right)


_PATH_NAMES = ("path", "atPath", "at", "src", "source", "file", "filename", "contentsOfFile", "name", "dir", "top")
_TILDE = frozenset({"lisp", "Rscript", "vim", "pwsh", "tclsh", "octave"})
_MODE = re.compile(r"[<>+|-]{1,3}(?::.*)?|[rwabtx+U]{1,4}(?::.*)?")
_MODE_FIRST = re.compile(r"[<>+|-]{1,3}(?::.*)?")
_EVALUATORS = {
    "assert": ("php",),
    "create_function": ("php",),
    "compile": ("python",),
    "load": ("lua", "python"),
    "Function": ("node", "deno", "bun"),
    "evaluate": ("groovy",),
}
"""Names that evaluate code in some languages only."""
_WRITE_FLAGS = frozenset({"O_WRONLY", "O_RDWR", "O_TRUNC", "O_CREAT", "O_APPEND"})
_LISTS = frozenset({"c", "of", "asList", "list", "List", "tuple", "Cmd", "array", "vec", "map", "concat"})


def _owner(node: Call) -> Node | None:
    return node.callee.owner if isinstance(node.callee, Member) else None


def _plain(arguments: list[Node]) -> list[Node]:
    """Arguments that are not tables of options."""
    return [arg for arg in arguments if not _is_table(arg)] or arguments[:1]


def _is_table(node: Node) -> bool:
    return isinstance(node, Items) and bool(node.items) and all(isinstance(item, Named) for item in node.items)


def _mentions(node: Node, name: str) -> bool:
    return isinstance(node, Ref) and node.name == name or any(_mentions(child, name) for child in children(node))


def _word(text: Text) -> str:
    """A word quoted for the shell, with holes left bare so that they stay holes."""
    return text.text if HOLE in text.text else shlex.quote(text.text)
