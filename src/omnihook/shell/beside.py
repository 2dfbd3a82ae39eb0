"""Processes that run beside a script, and the pipes between them: coprocesses and process substitutions."""

import itertools

from omnihook.shell import syntax
from omnihook.shell.reserved import COPROCESS
from omnihook.shell.saving import store
from omnihook.shell.scripts import Walk
from omnihook.shell.state import State
from omnihook.shell.syntax import Proc, Statement
from omnihook.shell.values import SILENT, Opened, Stream, Text
from omnihook.shell.watching import Progress


class Beside:
    """The processes beside one walk; `walk` runs their statements."""

    def __init__(self, walk: Walk, progress: Progress) -> None:
        self._walk = walk
        self._progress = progress
        self._pipes = itertools.count(63, -1)
        self.pending: list[tuple[str, Statement, State]] = []
        """What stands behind each `>(...)` of a command, until it is known what is written there."""
        self.coprocesses: dict[str, Statement] = {}
        """What each coprocess runs, by the descriptor that it reads from."""

    def start_group(self, node: syntax.Function, state: State, stdin: Stream | None) -> Stream:
        """`coproc NAME { ... }`."""
        self._progress.heard += 1
        stream = self._walk(node.body, state.copy(), stdin)
        self._progress.heard -= 1
        return self.start(node.name.removeprefix(COPROCESS), node.body, stream, state)

    def start(self, name: str, node: Statement, stream: Stream, state: State) -> Stream:
        """A coprocess: an array of its name holds the descriptors of what it prints and of what it reads."""
        printed, read = str(next(self._pipes)), str(next(self._pipes))
        state.arrays[name] = (Text(printed), Text(read))
        state.variables.pop(name, None)
        store(Text(f"/dev/fd/{printed}"), stream.text, state)
        self.coprocesses[read] = node
        return SILENT

    def feed(self, opened: tuple[Opened, ...], stream: Stream, state: State) -> None:
        """Run a coprocess again with what is written to it."""
        for item in opened:
            started = self.coprocesses.get(item.target.text) if item.op == ">&" else None
            if started is not None:
                self._walk(started, state.copy(), stream)

    def substitute(self, part: Proc, state: State) -> Text:
        """The path that stands for `<(...)`, whose output it holds, or for `>(...)`, which runs at the next flush."""
        path = f"/dev/fd/{next(self._pipes)}"
        if part.output:
            self.pending.append((path, part.script, state.copy()))
            return Text(path)
        self._progress.heard += 1
        store(Text(path), self._walk(part.script, state.copy(), None).text, state)
        self._progress.heard -= 1
        return Text(path, frozenset({"process"}))

    def flush(self, stream: Stream) -> Stream:
        """Run what stands behind `>(...)`, now that what is written to it is known."""
        pending, self.pending = self.pending, []
        for path, script, state in pending:
            written = state.files.get(path)
            self._walk(script, state, stream if written is None else Stream(written))
        return stream
