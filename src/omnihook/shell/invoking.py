"""What happens when a command is reached: functions and aliases, the observer, and the commands inside it.

The shell text inside it, and files of it, are run by `scripts`.
"""

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import replace

from omnihook.shell.builtins import BUILTINS, EVERYTHING
from omnihook.shell.environments import inherit, keep, lend, put_back
from omnihook.shell.fetching import FETCHERS, fetch, own_program
from omnihook.shell.hosts import Inner
from omnihook.shell.hosts_all import HOSTS
from omnihook.shell.hosts_shells import is_input, run_file
from omnihook.shell.hosts_variables import variables
from omnihook.shell.hosts_wrapping import loaded
from omnihook.shell.outputs import output
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.saving import SAVERS, save, store
from omnihook.shell.scripts import MAX_WRAPPERS, Scripts, Walk
from omnihook.shell.state import State
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, SILENT, Command, Stream, Text, combined, unknown
from omnihook.shell.watching import Observer, Progress, Written

MAX_COMMANDS = 3_000
_MAX_TRIED = 40
_MAX_PATTERN = 500
_LOADER = re.compile(r"ld(?:64|-linux|-musl|-\d)?[\w.-]*\.so(?:\.\d+)*")
"""The names of dynamic loaders, which differ from one architecture to the next."""
_PRINTING_HOSTS = names("find gfind git tar curl wget psql mysql sqlite3 man command env socat ssh")
_STARTS_NOTHING = names(
    "echo printf cat export declare typeset readonly chmod mkdir rmdir touch test [ : true ls rm cp mv ln head tail",
    "grep sed sort uniq wc tee cut tr dirname basename realpath",
)
"""Programs that run no other program and read no start-up file."""
_SAME_SHELL = frozenset({"eval", "source", "trap"})


class Invoker:
    """Runs commands for an evaluator, which walks the statements of scripts found inside them."""

    def __init__(self, observer: Observer, walk: Walk, progress: Progress, known: frozenset[str]) -> None:
        self._observer = observer
        self._progress = progress
        self._known = known
        self.scripts = Scripts(observer, walk, progress)
        self.idle: Command | None = None
        """The last command that ran nothing else and changed nothing but, perhaps, files."""

    def invoke(self, command: Command, state: State, depth: int) -> Stream:
        """Show one command, then what it runs; gives back what it prints."""
        self._count(depth)
        name = command.name
        first = command.argv[0]
        if depth == 0 and (state.functions or state.aliases) and "/" not in first.text:
            if name in state.aliases:
                return combined([self._alias(command, state), self._invoked(command, state, depth)])
            if name in state.functions:
                if command.redirects and name not in self._known:
                    self._observer.command(replace(command, argv=()))  # what it opens for the function's body
                kept = lend(command.env, state)
                stream = self.scripts.call(name, command.argv[1:], state, command.stdin)
                put_back(kept, state)
                if name not in self._known:
                    return stream
        return self._invoked(command, state, depth)

    def again(self, command: Command) -> None:
        """Show a command once more that did nothing before."""
        self._count(0)
        self._observer.command(command)

    def _invoked(self, command: Command, state: State, depth: int) -> Stream:
        """The command itself, whatever functions and aliases have its name."""
        if state.links and "/" in command.argv[0].text:
            program = state.links.get(state.path(command.argv[0].text))
            if program is not None:
                command = replace(command, argv=(Text(program), *command.argv[1:]))
        first, name = command.argv[0], command.name
        if first.pattern is not None or HOLE in first.text:
            return self._computed(command, state, depth)
        inside = self._observer.command(command)
        self._inside(inside, command, state, depth)
        builtin = BUILTINS.get(name)
        if builtin is not None:
            builtin(command, state)
        if name in SAVERS:
            save(command, state)
        elif name in FETCHERS:
            fetch(command, state)
        stream = self._hosted(command, state, depth)
        if inside or builtin is not None:
            self.idle = None
        return stream

    def _inside(self, inside: Sequence[Text | Written], command: Command, state: State, depth: int) -> None:
        """What the observer saw in a command: scripts that it runs, and files that it writes."""
        for found in inside:
            if isinstance(found, Written):
                store(found.path, found.text, state, append=True)
            else:
                self.scripts.run(Inner(script=found), command, state.copy(), depth + 1)

    def _count(self, depth: int) -> None:
        progress = self._progress
        progress.steps += 1
        if progress.steps > MAX_COMMANDS:
            raise ShellTextError(f"more than {MAX_COMMANDS} commands")
        progress.clock.check()
        if depth > MAX_WRAPPERS:
            raise ShellTextError(f"more than {MAX_WRAPPERS} wrappers around one command")

    def _alias(self, command: Command, state: State) -> Stream:
        """A script's shell may or may not expand aliases, so the command itself is weighed as well."""
        line = " ".join((state.aliases[command.name], *(word.text for word in command.argv[1:])))
        inner = state.copy()
        del inner.aliases[command.name]
        return self.scripts.run(Inner(script=Text(line)), command, inner, 1)

    def _hosted(self, command: Command, state: State, depth: int) -> Stream:
        """Run what the command runs, and say what it prints."""
        host = HOSTS.get(command.name)
        if host is None and _LOADER.fullmatch(command.name):
            host = loaded
        program = own_program(command, state) if state.files else None
        if program is not None:
            inners = [run_file(program, command.argv[1:], state)]
        elif host is not None:
            inners = host(command)
        else:
            inners = []
        if not inners:
            self.idle = command
            return self._printed(command, state)
        for inner in inners:
            if inner.via == "configured":
                keep(inner.env, state)
        streams = [self._inner(inner, command, state, depth + 1) for inner in inners]
        own = self._printed(command, state) if command.name in _PRINTING_HOSTS else SILENT
        return own if own is not SILENT else combined(streams)

    def _printed(self, command: Command, state: State) -> Stream:
        """What the command itself prints; not worked out where nothing reads it."""
        return output(command, state) if self._progress.heard else SILENT

    def _computed(self, command: Command, state: State, depth: int) -> Stream:
        """A command name that is a glob or unknown: try the names it can stand for, and the words after it."""
        first = command.argv[0]
        if first.pattern is not None:
            wanted = first.pattern.rsplit("/", 1)[-1]
            if len(wanted) > _MAX_PATTERN:
                raise ShellTextError("a command's name is a pattern too long to try")
            matching = sorted(name for name in self._known if fnmatch.fnmatchcase(name, wanted))
            for name in matching[:_MAX_TRIED]:
                self.invoke(replace(command, argv=(Text(name), *command.argv[1:])), state, depth + 1)
        self._inside(self._observer.command(command), command, state, depth)
        rest = command.argv[1:]
        if first.text == HOLE and rest and re.match(r"[A-Za-z./]", rest[0].text):
            self.invoke(replace(command, argv=rest, redirects=()), state, depth + 1)
        return Stream(unknown("command", *first.origins))

    def started(self, command: Command, state: State) -> None:
        """Run what variables that were set before make a program run first, with what files hold by now."""
        if command.name not in BUILTINS and command.name not in _STARTS_NOTHING:
            inner = state.copy()
            inner.startups = ()
            env = tuple([(name, value) for name, _ in state.startups for value in state.variables.get(name, ())])
            self.environment(env, command, inner)

    def environment(self, env: tuple[tuple[str, Text], ...], command: Command, state: State) -> bool:
        """Run variables that some program runs as a command; says whether there are any."""
        inners = variables(env, state.files)
        for inner in inners:
            if inner.file is not None and is_input(inner.file.text, command):
                text = command.stdin.text if command.stdin is not None else None
                self.scripts.run(Inner(script=text, via="pipe"), command, state.copy(), 1)
            elif inner.file is not None:
                self.scripts.run_file(inner.file, Inner(), command, state.copy(), 1)
            elif inner.argv:
                self._inner(inner, command, state, 1)
            else:
                self.scripts.run(inner, command, state.copy(), 1)
        return bool(inners)

    def _inner(self, inner: Inner, command: Command, state: State, depth: int) -> Stream:
        own = inner.via in _SAME_SHELL or command.name in ("command", "builtin", "exec", "time")
        state = state if own and not inner.context else state.copy()
        if not own:
            # Another shell knows only those that were exported.
            state.functions = {name: body for name, body in state.functions.items() if name in state.exported}
            if state.variables and EVERYTHING not in state.exported:
                state.unsure = frozenset(state.variables) - state.exported
        kept = lend(command.env, state)
        state.context |= inner.context
        if inner.cwd is not None:
            state.cwds = (Text(state.surroundings.home) if inner.cwd.text == "~" else inner.cwd,)
        if inner.mounts is not None:
            state.mounts = inner.mounts
        if (command.env or inner.env) and not own:
            inherit((*command.env, *inner.env), state)
        stream = self._within(inner, command, state, depth)
        put_back(kept, state)
        return stream

    def _within(self, inner: Inner, command: Command, state: State, depth: int) -> Stream:
        """Run a command, a file or a text inside a command, with what it finds there."""
        if inner.argv:
            self.environment(inner.env, command, state)
            # Not by `replace`, which takes longer than all else that is done for most wrappers.
            nested = Command(
                inner.argv,
                state.cwd,
                command.stdin,
                (),
                (*command.env, *inner.env),
                state.context,
                state.mounts,
                command.home,
                state.files,
                command.links,
            )
            return self.invoke(nested, state, depth)
        if inner.file is not None:
            return self.scripts.run_file(inner.file, inner, command, state, depth)
        return self.scripts.run(inner, command, state, depth)
