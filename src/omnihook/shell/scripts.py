"""Shell text that commands run: in their arguments, in files and functions, and in traps for the end."""

from collections.abc import Callable
from dataclasses import replace

from omnihook.shell.fetching import fetched
from omnihook.shell.hosts import Inner
from omnihook.shell.lowering import lower
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.spawning import spawns
from omnihook.shell.state import State
from omnihook.shell.syntax import Statement
from omnihook.shell.values import HOLE, SILENT, Command, Stream, Text, combined, unknown
from omnihook.shell.watching import Observer, Progress

MAX_WRAPPERS = 16
_MAX_RECURSION = 3
Walk = Callable[[Statement, State, Stream | None], Stream]


class Scripts:
    """Runs the scripts found inside commands, whose statements an evaluator walks."""

    def __init__(self, observer: Observer, walk: Walk, progress: Progress) -> None:
        self._observer = observer
        self._walk = walk
        self._progress = progress
        self._traps: list[tuple[Inner, Command, State]] = []

    def run(self, inner: Inner, command: Command, state: State, depth: int) -> Stream:
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
        return self._walked(text.text, state, None if inner.via == "pipe" else command.stdin)

    def _walked(self, text: str, state: State, stdin: Stream | None) -> Stream:
        script = lower(text)
        if script.broken:
            self._observer.broken(text)
        self._progress.scripts += 1
        stream = self._walk(script.body, state, stdin)
        self._progress.scripts -= 1
        return stream

    def run_file(self, path: Text, inner: Inner, command: Command, state: State, depth: int) -> Stream:
        """Run a script file: known if this script wrote it, taken as reviewed if it is named, else unseen."""
        known = state.matching(path.pattern) if path.pattern is not None else []
        if known:
            files = [Text(place) for place in known]
            return combined([self.run_file(file, inner, command, state.copy(), depth) for file in files])
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
        stream = self.run(ran, command, state, depth)
        self._progress.calls.pop()
        return stream

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

    def run_traps(self) -> None:
        """Run what was set aside for the end, with what the shell remembers by then."""
        while self._traps:
            inner, command, state = self._traps.pop()
            self.run(inner, command, state, 1)
