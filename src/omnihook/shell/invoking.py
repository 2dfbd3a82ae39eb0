"""What happens when a command is reached: functions and aliases, the observer, and the commands inside it."""

import fnmatch
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from omnihook.shell.builtins import BUILTINS
from omnihook.shell.fetching import FETCHERS, fetch, fetched, own_program
from omnihook.shell.hosts import BASIC, Host, Inner, is_input, loaded, run_file
from omnihook.shell.hosts_later import LATER
from omnihook.shell.hosts_many import MANY
from omnihook.shell.hosts_pods import PODS
from omnihook.shell.hosts_projects import PROJECTS
from omnihook.shell.hosts_remote import REMOTE
from omnihook.shell.hosts_runners import RUNNERS
from omnihook.shell.hosts_tasks import TASKS
from omnihook.shell.hosts_tools import TOOLS
from omnihook.shell.hosts_variables import variables
from omnihook.shell.lowering import lower
from omnihook.shell.outputs import output
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.saving import SAVERS, save, store
from omnihook.shell.spawning import spawns
from omnihook.shell.state import State
from omnihook.shell.syntax import Statement
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, SILENT, Command, Stream, Text, combined, unknown
from omnihook.shell.watching import Observer, Progress, Written

MAX_WRAPPERS = 16
MAX_COMMANDS = 3_000
_MAX_RECURSION = 3
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
HOSTS: dict[str, Host] = {**BASIC, **LATER, **TOOLS, **RUNNERS, **REMOTE, **PODS, **MANY, **PROJECTS, **TASKS}
Walk = Callable[[Statement, State, Stream | None], Stream]


class Invoker:
    """Runs commands for an evaluator, which walks the statements of scripts found inside them."""

    def __init__(self, observer: Observer, walk: Walk, progress: Progress, known: frozenset[str]) -> None:
        self._observer = observer
        self._walk = walk
        self._progress = progress
        self._known = known
        self._traps: list[tuple[Inner, Command, State]] = []
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
                kept = _set(command.env, state)
                stream = self.call(name, command.argv[1:], state, command.stdin)
                _put_back(kept, state)
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
                self._script(Inner(script=found), command, state.copy(), depth + 1)

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
        return self._script(Inner(script=Text(line)), command, inner, 1)

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
                state.variables.update({name: (value,) for name, value in inner.env})
                state.startups = tuple(dict((*state.startups, *inner.env)).items())
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
                self._script(Inner(script=text, via="pipe"), command, state.copy(), 1)
            elif inner.file is not None:
                self._script_file(inner.file, Inner(), command, state.copy(), 1)
            elif inner.argv:
                self._inner(inner, command, state, 1)
            else:
                self._script(inner, command, state.copy(), 1)
        return bool(inners)

    def _inner(self, inner: Inner, command: Command, state: State, depth: int) -> Stream:
        own = inner.via in _SAME_SHELL or command.name in ("command", "builtin", "exec", "time")
        state = state if own and not inner.context else state.copy()
        if not own:
            # Another shell knows only those that were exported.
            state.functions = {name: body for name, body in state.functions.items() if name in state.exported}
        kept = _set(command.env, state)
        state.context |= inner.context
        if inner.cwd is not None:
            state.cwds = (Text(state.surroundings.home) if inner.cwd.text == "~" else inner.cwd,)
        if inner.mounts is not None:
            state.mounts = inner.mounts
        if (command.env or inner.env) and not own:
            self._inherit((*command.env, *inner.env), state)
        stream = self._within(inner, command, state, depth)
        _put_back(kept, state)
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
            return self._script_file(inner.file, inner, command, state, depth)
        return self._script(inner, command, state, depth)

    def _inherit(self, env: tuple[tuple[str, Text], ...], state: State) -> None:
        """Let what a program starts know the variables that make programs run something first."""
        kept = tuple([item for item in env if variables((item,), {})])
        if kept:
            state.variables.update({name: (value,) for name, value in kept})
            state.startups = tuple(dict((*state.startups, *kept)).items())

    def _script_file(self, path: Text, inner: Inner, command: Command, state: State, depth: int) -> Stream:
        """Run a script file: known if this script wrote it, taken as reviewed if it is named, else unseen."""
        known = state.matching(path.pattern) if path.pattern is not None else []
        if known:
            files = [Text(place) for place in known]
            return combined([self._script_file(file, inner, command, state.copy(), depth) for file in files])
        place = state.path(path.text)
        place = state.links.get(place, place)
        content = state.files.get(place)
        if content is None and state.files:
            content = fetched(place, state.files)
        if content is None:
            if path.text.rsplit("/", 1)[-1] in ("", HOLE):
                self._observer.script(path, inner.via, command)
            return Stream(unknown("command"))
        piped = "process" in path.origins or path.text.startswith(("/dev/fd/", "/proc/self/fd/"))
        piped = piped or "fifo" in content.origins
        saved = content.origins & {"network"} and not piped
        # `sh file` is called `file`, which would be looked for on the path; whoever writes `$0` means the script.
        own = path if "/" in path.text else Text("./" + path.text, path.origins)
        name = own if inner.name is None and inner.via != "source" else inner.name
        ran = replace(inner, script=content, file=None, via="saved" if saved else inner.via, name=name)
        arguments = " ".join([word.text for word in inner.arguments or ()])
        called = f"{place} {arguments}"
        if not self._enter(called):
            return SILENT
        stream = self._script(ran, command, state, depth)
        self._progress.calls.pop()
        return stream

    def _enter(self, called: str) -> bool:
        """Note that a function or script starts; one that comes back to itself while spawning is a bomb.

        False when it has come back often enough.
        """
        progress = self._progress
        before = [spawning for name, spawning in progress.calls if name == called]
        bomb = bool(before) and progress.spawning > before[0]
        if bomb:
            self._observer.bomb(called.strip())
        if bomb or len(before) >= _MAX_RECURSION:
            return False
        progress.calls.append((called, progress.spawning))
        return True

    def _script(self, inner: Inner, command: Command, state: State, depth: int) -> Stream:
        """Walk shell text found inside a command."""
        text = inner.script
        if text is None or not text.text.strip():
            return SILENT
        if depth > MAX_WRAPPERS or self._progress.scripts > MAX_WRAPPERS:
            raise ShellTextError(f"more than {MAX_WRAPPERS} scripts inside one another")
        bare = text.text.strip()
        if bare.startswith(HOLE) and (bare == HOLE or text.origins & {"network"}):
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
        if "endless" in text.origins and spawns(lower(text.text).body):
            self._observer.bomb(command.name)
        state.holes = text.origins
        return self._walk_text(text.text, state, None if inner.via == "pipe" else command.stdin)

    def _walk_text(self, text: str, state: State, stdin: Stream | None) -> Stream:
        script = lower(text)
        if script.broken:
            self._observer.broken(text)
        self._progress.scripts += 1
        stream = self._walk(script.body, state, stdin)
        self._progress.scripts -= 1
        return stream

    def run_traps(self) -> None:
        """Run what was set aside for the end, with what the shell remembers by then."""
        while self._traps:
            inner, command, state = self._traps.pop()
            self._script(inner, command, state, 1)

    def call(self, name: str, arguments: tuple[Text, ...] | None, state: State, stdin: Stream | None) -> Stream:
        """Walk a function's body; `arguments` is None when nobody knows what it will be called with."""
        self._progress.called.add(name)
        if not self._enter(name):
            return SILENT
        kept, state.arguments = state.arguments, arguments
        caller = state.variables.get("FUNCNAME")
        state.variables["FUNCNAME"] = (Text(name),)
        stream = self._walk(state.functions[name], state, stdin)
        state.arguments = kept
        if caller is None:
            state.variables.pop("FUNCNAME", None)
        else:
            state.variables["FUNCNAME"] = caller
        self._progress.calls.pop()
        return stream


Kept = list[tuple[str, tuple[Text, ...] | None, tuple[Text, ...] | None]]


def _set(env: tuple[tuple[str, Text], ...], state: State) -> Kept:
    """`NAME=value command`: what the command runs finds the variable set. Gives back what it was before."""
    kept = [(name, state.variables.get(name), state.arrays.get(name)) for name, _ in env]
    for name, value in env:
        state.assign(name, value)
    return kept


def _put_back(kept: Kept, state: State) -> None:
    """Once the command is over, the variables are what they were."""
    for name, value, array in kept:
        for known, before in ((state.variables, value), (state.arrays, array)):
            if before is not None:
                known[name] = before
            else:
                known.pop(name, None)
