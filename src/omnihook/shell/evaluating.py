"""Walk a script as a shell would, without running anything, and show an observer each command it comes to."""

import fnmatch
import itertools
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from omnihook.shell import syntax
from omnihook.shell.builtins import BUILTINS
from omnihook.shell.expanding import Expander
from omnihook.shell.hosts import BASIC, Host, Inner
from omnihook.shell.hosts_many import MANY
from omnihook.shell.hosts_remote import REMOTE
from omnihook.shell.hosts_tools import ENVIRONMENT_COMMANDS, TOOLS
from omnihook.shell.lowering import lower
from omnihook.shell.outputs import output
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.state import State, Surroundings
from omnihook.shell.syntax import Assign, Proc, Redirect, Simple, Statement, Word
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, SILENT, Command, Opened, Stream, Text, combined, unknown

MAX_WRAPPERS = 16
MAX_NESTING = 90
MAX_COMMANDS = 3_000
MAX_WORDS = 5_000
_MAX_CHOICES = 16

HOSTS: dict[str, Host] = {**TOOLS, **REMOTE, **MANY, **BASIC}


class Observer(Protocol):
    """Who is shown what a script does."""

    def command(self, command: Command) -> list[Text]:
        """A command is about to run; gives back shell text that runs inside it."""

    def script(self, text: Text, via: str, command: Command) -> None:
        """Shell text is about to run that is wholly unknown."""

    def bomb(self, name: str) -> None:
        """A function calls itself in a pipe or in the background, or a loop without end spawns."""

    def broken(self, text: str) -> None:
        """Shell text that does not parse is about to run."""


class Evaluator:
    """One walk. Raises `ShellTextError` when a cap is reached, which never means that the rest is harmless."""

    def __init__(self, observer: Observer, surroundings: Surroundings, names: Iterable[str] = ()) -> None:
        self._observer = observer
        self._surroundings = surroundings
        self._names = tuple(names)
        self._expander = Expander(self._substitution, self._process)
        self._steps = 0
        self._written_names: set[str] = set()
        self._nesting = 0
        self._calls: list[tuple[str, int]] = []
        self._spawning = 0
        self._called: set[str] = set()
        self._pending: list[tuple[Statement, State]] = []
        self._traps: list[tuple[Inner, Command, State]] = []
        self._pipes = itertools.count(63, -1)

    def run(self, text: str) -> None:
        """Walk a whole text, then the functions it defines and never calls."""
        try:
            self._run(text)
        except RecursionError as error:
            raise ShellTextError("the command is nested too deeply") from error

    def _run(self, text: str) -> None:
        state = State(self._surroundings, (Text(self._surroundings.cwd),))
        script = lower(text)
        if script.broken:
            self._observer.broken(text)
        self._statement(script.body, state, None)
        while self._traps:
            inner, command, at_exit = self._traps.pop()
            self._script(inner, command, at_exit, 1)
        for name in [name for name in state.functions if name not in self._called]:
            alone = state.copy()
            alone.context |= {"uncalled"}
            self._call(name, (), alone, None, unknown_arguments=True)

    def _statement(self, node: Statement, state: State, stdin: Stream | None) -> Stream:
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise ShellTextError(f"commands are nested more than {MAX_NESTING} levels deep")
        try:
            return self._dispatch(node, state, stdin)
        finally:
            self._nesting -= 1

    def _dispatch(self, node: Statement, state: State, stdin: Stream | None) -> Stream:
        match node:
            case Simple():
                return self._simple(node, state, stdin)
            case syntax.Sequence():
                return combined([self._statement(item, state, stdin) for item in node.items])
            case syntax.Pipeline():
                return self._pipeline(node, state, stdin)
            case syntax.Background():
                self._spawning += 1
                self._statement(node.body, state.copy(), stdin)
                self._spawning -= 1
                return SILENT
            case syntax.Maybe():
                return self._branches((node.body,), state, stdin)
            case syntax.Branches():
                first = self._statement(node.first, state, stdin)
                return combined([first, self._branches(node.arms, state, stdin)])
            case syntax.Block():
                return self._block(node, state, stdin)
            case syntax.For():
                return self._for(node, state, stdin)
            case syntax.While():
                return self._while(node, state, stdin)
            case syntax.Function():
                state.functions[node.name] = node.body
                self._called.discard(node.name)
                return SILENT
            case syntax.Test():
                for word in node.words:
                    self._expander.text(word, state)
                return SILENT

    def _branches(self, arms: tuple[Statement, ...], state: State, stdin: Stream | None) -> Stream:
        copies = [state.copy() for _ in arms]
        streams = [self._statement(arm, copy, stdin) for arm, copy in zip(arms, copies, strict=True)]
        state.join(copies)
        return combined(streams)

    def _pipeline(self, node: syntax.Pipeline, state: State, stdin: Stream | None) -> Stream:
        self._spawning += 1
        stream = stdin
        for stage in node.stages:
            stream = self._statement(stage, state.copy(), stream)
        self._spawning -= 1
        return stream if stream is not None else SILENT

    def _block(self, node: syntax.Block, state: State, stdin: Stream | None) -> Stream:
        inner = state.copy() if node.subshell else state
        opened = self._opened(node.redirects, inner)
        stdin = self._input(opened, inner, stdin)
        if opened:
            self._observer.command(Command((), inner.cwd, stdin, opened, context=inner.context))
        self._spawning += node.subshell
        stream = self._statement(node.body, inner, stdin)
        self._spawning -= node.subshell
        return self._written(opened, stream, state)

    def _for(self, node: syntax.For, state: State, stdin: Stream | None) -> Stream:
        values = state.arguments if node.words is None else self._expander.words(node.words, state)
        streams: list[Stream] = []
        if values and len(values) > 1 and all(value.text.isdigit() for value in values):
            values = values[:1]  # one number is as good as another
        for value in values if values is not None else (unknown("variable"),):
            state.assign(node.name, value)
            streams.append(self._statement(node.body, state, stdin))
        return combined(streams)

    def _while(self, node: syntax.While, state: State, stdin: Stream | None) -> Stream:
        """The body runs twice when it changed what the shell remembers, so that later rounds are seen too."""
        self._statement(node.condition, state, stdin)
        if _endless(node.condition) and _spawns(node.body):
            self._observer.bomb("loop")
        before = (dict(state.variables), state.cwds)
        stream = self._statement(node.body, state, stdin)
        if (state.variables, state.cwds) != before and self._nesting < 12:
            stream = self._statement(node.body, state, stdin)
        return stream

    def _simple(self, node: Simple, state: State, stdin: Stream | None) -> Stream:
        choices = _choices(node, state)
        if not choices:
            return self._one(node, state, stdin)
        kept, cwds = dict(state.variables), state.cwds
        streams: list[Stream] = []
        for choice in choices:
            state.variables = {**kept, **{name: (value,) for name, value in choice if name}}
            state.cwds = tuple(value for name, value in choice if not name) or cwds
            streams.append(self._one(node, state, stdin))
        for name, values in kept.items():
            if len(values) > 1:
                state.variables.setdefault(name, values)
        if state.cwds[-1] in cwds:
            state.cwds = cwds
        return streams[0]

    def _one(self, node: Simple, state: State, stdin: Stream | None) -> Stream:
        argv = self._expander.words(node.words, state) if len(node.words) <= MAX_WORDS else ()
        if max(len(argv), len(node.words)) > MAX_WORDS:
            raise ShellTextError(f"a command has more than {MAX_WORDS} words")
        env = tuple((item.name, self._assigned(item, state)) for item in node.assigns)
        opened = self._opened(node.redirects, state) if node.redirects else ()
        stdin = self._input(opened, state, stdin) if opened else stdin
        declares = bool(argv) and argv[0].text in _DECLARATIONS
        if not argv or declares:
            self._remember(node.assigns, env, state)
        command = self._command(argv, state, stdin, opened, env)
        if not argv:
            if opened or env:
                self._observer.command(command)
                self._environment(env, command, state)
            return stdin if stdin is not None and opened else SILENT
        if (env and not declares) or declares:
            self._environment(env, command, state)
        stream = self._invoke(command, state, 0)
        state.previous = argv
        if opened:
            stream = self._written(opened, stream, state)
        return self._flush(stream) if self._pending else stream

    def _command(
        self,
        argv: tuple[Text, ...],
        state: State,
        stdin: Stream | None,
        opened: tuple[Opened, ...],
        env: tuple[tuple[str, Text], ...],
    ) -> Command:
        contents: tuple[tuple[str, Text], ...] = ()
        if state.files and any(word.text.rsplit("/", 1)[-1] in self._written_names for word in argv):
            known = ((word.text, state.files.get(state.path(word.text))) for word in argv)
            contents = tuple((path, text) for path, text in known if text is not None)
        home = state.surroundings.home
        return Command(argv, state.cwd, stdin, opened, env, state.context, state.mounts, home, contents)

    def _assigned(self, item: Assign, state: State) -> Text:
        if item.inner:
            self._expander.text(item.inner, state)
        return self._expander.text(item.value, state)

    def _remember(self, assigns: tuple[Assign, ...], values: tuple[tuple[str, Text], ...], state: State) -> None:
        for item, (name, value) in zip(assigns, values, strict=True):
            if item.items is not None:
                elements = self._expander.words(item.items, state)
                state.arrays[name] = (*state.arrays.get(name, ()), *elements) if item.append else elements
                state.variables.pop(name, None)
            elif item.index:
                state.arrays[name] = (*state.arrays.get(name, ()), value)
            elif item.append:
                before = state.known_value(name)
                text = before.text if before is not None else ""
                state.assign(name, Text(text + value.text, value.origins | (before.origins if before else frozenset())))
            else:
                state.assign(name, value)

    def _environment(self, env: tuple[tuple[str, Text], ...], command: Command, state: State) -> None:
        """Variables that some program runs as a command."""
        for name, value in env:
            if name in ("BASH_ENV", "ENV") and value.text:
                self._script_file(Inner(file=value), command, state.copy(), 1)
            if name in ENVIRONMENT_COMMANDS and value.text.strip():
                inner = Text(value.text.lstrip("|"), value.origins)
                self._script(Inner(script=inner), command, state.copy(), 1)

    def _opened(self, redirects: tuple[Redirect, ...], state: State) -> tuple[Opened, ...]:
        return tuple(Opened(item.op, self._expander.text(item.target, state), item.fd) for item in redirects)

    def _input(self, opened: tuple[Opened, ...], state: State, stdin: Stream | None) -> Stream | None:
        for item in opened:
            if item.op == "<<<":
                stdin = Stream(Text(item.target.text + "\n", item.target.origins))
            elif item.op == "<<":
                stdin = Stream(item.target)
            elif item.op == "<" and item.fd in ("", "0"):
                stdin = Stream(self._file(item.target, state))
        return stdin

    def _file(self, path: Text, state: State) -> Text:
        """What a file holds: known if this command wrote it."""
        if path.text.startswith(("/dev/tcp/", "/dev/udp/")):
            return unknown("network")
        return state.files.get(state.path(path.text), unknown("file"))

    def _written(self, opened: tuple[Opened, ...], stream: Stream, state: State) -> Stream:
        """Remember what a redirection writes; what went to a file does not go on."""
        for item in opened:
            if item.writes and item.fd in ("", "1") and item.op != ">&":
                self._store(item.target, stream.text, state, append=">>" in item.op)
                stream = SILENT
        return stream

    def _store(self, path: Text, text: Text, state: State, *, append: bool = False) -> None:
        place = state.path(path.text)
        self._written_names.add(place.rsplit("/", 1)[-1])
        before = state.files.get(place) if append else None
        if before is not None:
            text = Text(before.text + text.text, before.origins | text.origins)
        state.files[place] = text

    def _flush(self, stream: Stream) -> Stream:
        """Run what stands behind `>(...)`, now that what is written to it is known."""
        pending, self._pending = self._pending, []
        for script, state in pending:
            self._statement(script, state, stream)
        return stream

    def _substitution(self, script: Statement, state: State) -> Stream:
        return self._statement(script, state, None)

    def _process(self, part: Proc, state: State) -> Text:
        path = f"/dev/fd/{next(self._pipes)}"
        if part.output:
            self._pending.append((part.script, state.copy()))
            return Text(path)
        self._written_names.add(path.rsplit("/", 1)[-1])
        state.files[path] = self._statement(part.script, state.copy(), None).text
        return Text(path, frozenset({"process"}))

    def _invoke(self, command: Command, state: State, depth: int) -> Stream:
        """Show one command, then what it runs; gives back what it prints."""
        self._steps += 1
        if self._steps > MAX_COMMANDS:
            raise ShellTextError(f"more than {MAX_COMMANDS} commands")
        if depth > MAX_WRAPPERS:
            raise ShellTextError(f"more than {MAX_WRAPPERS} wrappers around one command")
        name = command.name
        if name in state.functions:
            return self._call(name, command.argv[1:], state, command.stdin)
        if name in state.aliases and depth < MAX_WRAPPERS:
            line = " ".join((state.aliases[name], *(word.text for word in command.argv[1:])))
            inner = state.copy()
            del inner.aliases[name]
            return self._script(Inner(script=Text(line)), command, inner, depth + 1)
        if command.argv[0].pattern is not None or not command.argv[0].known:
            return self._computed(command, state, depth)
        for text in self._observer.command(command):
            self._script(Inner(script=text), command, state.copy(), depth + 1)
        builtin = BUILTINS.get(name)
        if builtin is not None:
            builtin(command, state)
        if name in ("curl", "wget", "tee", "cp", "mv", "ln", "install", "dd", "aria2c"):
            self._downloads(command, state)
        host = HOSTS.get(name) or (
            BASIC["sh"] if "/" in command.argv[0].text and self._is_file(command, state) else None
        )
        if host is None:
            return output(command, state)
        if host is BASIC["sh"] and name not in HOSTS:
            inners = [Inner(file=command.argv[0], arguments=command.argv[1:])]
        else:
            inners = host(command)
        streams = [self._inner(inner, command, state, depth + 1) for inner in inners]
        own = output(command, state) if name in _PRINTING_HOSTS or not streams else SILENT
        return own if own is not SILENT else combined(streams)

    def _is_file(self, command: Command, state: State) -> bool:
        return state.path(command.argv[0].text) in state.files

    def _computed(self, command: Command, state: State, depth: int) -> Stream:
        """A command name that is a glob or unknown: try the names it can stand for, and the words after it."""
        first = command.argv[0]
        streams: list[Stream] = []
        if first.pattern is not None:
            wanted = first.pattern.rsplit("/", 1)[-1]
            matching = [name for name in self._names if fnmatch.fnmatchcase(name, wanted)]
            tried = [_renamed(command, name) for name in matching[:40]]
            streams.extend(self._invoke(renamed, state, depth + 1) for renamed in tried)
        self._observer.command(command)
        rest = command.argv[1:]
        if first.text == HOLE and rest and re.match(r"[A-Za-z./]", rest[0].text):
            inner = replace(command, argv=rest, redirects=())
            streams.append(self._invoke(inner, state, depth + 1))
        return Stream(unknown("command", *first.origins))

    def _downloads(self, command: Command, state: State) -> None:
        """Remember files that now hold text from the network, or a copy of such a file."""
        words = command.argv
        if command.name in ("curl", "wget", "aria2c"):
            for path in _saved(command):
                self._store(path, unknown("network"), state)
        elif command.name == "tee" and command.stdin is not None:
            for word in words[1:]:
                if not word.text.startswith("-"):
                    self._store(word, command.stdin.text, state)
        elif command.name != "dd":
            operands = [word for word in words[1:] if not word.text.startswith("-")]
            source = state.files.get(state.path(operands[0].text)) if len(operands) == 2 else None
            if source is not None:
                self._store(operands[1], source, state)

    def _inner(self, inner: Inner, command: Command, state: State, depth: int) -> Stream:
        own = inner.via in ("eval", "source", "trap") or command.name in ("command", "builtin", "exec", "time")
        state = state if own and not inner.context else state.copy()
        state.context |= inner.context
        if inner.cwd is not None:
            home = state.surroundings.home
            state.cwds = (Text(home) if inner.cwd.text == "~" else inner.cwd,)
        if inner.mounts is not None:
            state.mounts = inner.mounts
        if inner.argv:
            env = (*command.env, *inner.env)
            self._environment(inner.env, command, state)
            nested = self._command(inner.argv, state, command.stdin, (), env)
            return self._invoke(nested, state, depth)
        if inner.file is not None:
            return self._script_file(inner, command, state, depth)
        return self._script(inner, command, state, depth)

    def _script_file(self, inner: Inner, command: Command, state: State, depth: int) -> Stream:
        assert inner.file is not None
        content = state.files.get(state.path(inner.file.text))
        if content is None:
            if inner.file.text.rsplit("/", 1)[-1] in ("", HOLE):
                self._observer.script(inner.file, inner.via, command)
            return Stream(unknown("command"))
        via = inner.via
        if content.origins & {"network"} and "process" not in inner.file.origins:
            via = "saved"
        return self._script(Inner(script=content, via=via, arguments=inner.arguments), command, state, depth)

    def _script(self, inner: Inner, command: Command, state: State, depth: int) -> Stream:
        """Walk shell text found inside a command."""
        text = inner.script
        if text is None or not text.text.strip():
            return SILENT
        if depth > MAX_WRAPPERS:
            raise ShellTextError(f"more than {MAX_WRAPPERS} scripts inside one another")
        if text.text.strip().startswith(HOLE) and (text.text.strip() == HOLE or text.origins & {"network"}):
            self._observer.script(text, inner.via, command)
            return Stream(unknown("command", "shell", *text.origins))
        if inner.via == "trap":
            self._traps.append((Inner(script=text), command, state))
            return SILENT
        if inner.arguments is not None:
            state.arguments = inner.arguments
        if inner.name is not None:
            state.assign("0", inner.name)
        if "decoded" in text.origins:
            self._observer.script(text, "decoded", command)
        state.holes = text.origins
        script = lower(text.text)
        if script.broken:
            self._observer.broken(text.text)
        stdin = None if inner.via == "pipe" else command.stdin
        self._nesting += depth
        stream = self._statement(script.body, state, stdin)
        self._nesting -= depth
        return stream

    def _call(
        self,
        name: str,
        arguments: tuple[Text, ...],
        state: State,
        stdin: Stream | None,
        *,
        unknown_arguments: bool = False,
    ) -> Stream:
        """Walk a function's body; one that comes back to itself while spawning is a bomb."""
        self._called.add(name)
        for called, spawning in self._calls:
            if called == name:
                if self._spawning > spawning:
                    self._observer.bomb(name)
                return SILENT
        self._calls.append((name, self._spawning))
        kept, state.arguments = state.arguments, None if unknown_arguments else arguments
        stream = self._statement(state.functions[name], state, stdin)
        state.arguments = kept
        self._calls.pop()
        return stream


_DECLARATIONS = frozenset({"export", "declare", "typeset", "local", "readonly"})
_PRINTING_HOSTS = names("find gfind git tar curl wget psql mysql sqlite3 man command env socat ssh")


def _renamed(command: Command, name: str) -> Command:
    return replace(command, argv=(Text(name), *command.argv[1:]))


def _choices(node: Simple, state: State) -> list[tuple[tuple[str, Text], ...]]:
    """Every combination of values of variables that may hold several; empty when there is but one."""
    if not state.forked:
        return []
    many = {name: values for name, values in state.variables.items() if len(values) > 1}
    used = {name: many[name] for name in _variables(node) if name in many} if many else {}
    if len(state.cwds) > 1:
        used[""] = state.cwds
    if not used:
        return []
    rows = [[(name, value) for value in values] for name, values in used.items()]
    return list(itertools.islice(itertools.product(*rows), _MAX_CHOICES))


def _variables(node: Simple) -> set[str]:
    words: list[Word] = [*node.words, *(item.value for item in node.assigns), *(item.target for item in node.redirects)]
    found: set[str] = set()
    for word in words:
        for part in word:
            if isinstance(part, syntax.Var):
                found.add(part.name)
                words_inside = part.arg
                found.update(inner.name for inner in words_inside if isinstance(inner, syntax.Var))
    return found


def _saved(command: Command) -> list[Text]:
    """The files a download command writes."""
    words = command.argv
    urls = [word for word in words[1:] if "://" in word.text]
    for index, word in enumerate(words[1:], 1):
        text = word.text
        named = (
            re.fullmatch(r"-[a-zA-Z]*o|--output|-[a-zA-Z]*O|--output-document", text)
            if command.name != "curl"
            else re.fullmatch(r"-[a-zA-Z]*o|--output", text)
        )
        if named and index + 1 < len(words):
            return [words[index + 1]]
        if text.startswith(("--output=", "--output-document=")):
            return [Text(text.partition("=")[2], word.origins)]
        if command.name == "curl" and re.fullmatch(r"-[a-zA-Z]*O|--remote-name", text):
            return [_url_name(url) for url in urls]
    return [_url_name(url) for url in urls] if command.name != "curl" else []


def _url_name(url: Text) -> Text:
    return Text(re.sub(r"[?#].*", "", url.text).rstrip("/").rsplit("/", 1)[-1], url.origins)


def _endless(condition: Statement) -> bool:
    """`while true`, `while :`, `until false`, `for ((;;))`."""
    match condition:
        case Simple(words=((syntax.Lit(text=text),), *_)):
            return text in ("true", ":", "false", "1")
        case syntax.Test(words=()):
            return True
        case _:
            return False


def _spawns(body: Statement) -> bool:
    """Whether each round leaves a process behind and nothing waits."""
    names: set[str] = set()
    background = False
    todo = [body]
    while todo:
        node = todo.pop()
        match node:
            case Simple(words=((syntax.Lit(text=text), *_), *_)):
                names.add(text)
            case syntax.Background():
                background = True
            case syntax.Sequence():
                todo.extend(node.items)
            case syntax.Block() | syntax.Maybe():
                todo.append(node.body)
            case syntax.Branches():
                todo.extend((node.first, *node.arms))
            case _:
                pass
    return background and names.isdisjoint({"wait", "sleep", "break", "exit", "read", "return"})
