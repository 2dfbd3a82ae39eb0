"""Commands of fixed words that a script runs again and again: what did nothing once does nothing again.

Scripts call their functions many times, and generated ones repeat their lines. Such a command is shown to the observer
each time, as the very value it was the first time, and nothing else is done for it.
"""

from omnihook.shell.invoking import Invoker
from omnihook.shell.state import State
from omnihook.shell.syntax import Simple
from omnihook.shell.values import Command, Stream, Text
from omnihook.shell.watching import Progress
from omnihook.slotted import dataclass

_Memory = tuple[dict[str, tuple[Text, ...]], dict[str, tuple[Text, ...]], tuple[Text, ...] | None]


@dataclass(slots=True, eq=False)
class _Met:
    """A command that did nothing, what it printed, and what was so at the time.

    `node` is kept so that no other statement gets its identity.
    """

    node: Simple
    command: Command
    stream: Stream
    heard: bool
    changes: int
    path: tuple[Text, ...] | None
    memory: _Memory | None
    """What the shell remembered, where somebody reads what was printed: a few programs print what it remembers."""


class Repeats:
    """Runs commands of fixed words, and remembers those that change nothing the shell knows."""

    def __init__(self, invoker: Invoker, progress: Progress, home: str) -> None:
        self._invoker = invoker
        self._progress = progress
        self._home = home
        self._met: dict[int, _Met] = {}

    def run(self, node: Simple, argv: tuple[Text, ...], state: State, stdin: Stream | None) -> Stream:
        """Run a command, or show it again; gives back what it prints."""
        heard = self._progress.heard > 0
        met = self._met.get(id(node))
        if met is not None and met.heard is heard and _is_same(met, state, stdin):
            self._invoker.again(met.command)
            state.previous = argv
            return met.stream
        command = Command(
            argv, state.cwds[0], stdin, (), (), state.context, state.mounts, self._home, state.files, state.links
        )
        changes = state.files.changes
        memory = (dict(state.variables), dict(state.arrays), state.arguments) if heard else None
        stream = self._invoker.invoke(command, state, 0)
        state.previous = argv
        if self._invoker.idle is command and state.files.changes == changes and _remembers(state, memory):
            self._met[id(node)] = _Met(node, command, stream, heard, changes, state.variables.get("PATH"), memory)
        return stream


def _remembers(state: State, memory: _Memory | None) -> bool:
    """Whether the shell remembers what it did, as far as that matters."""
    return memory is None or memory == (state.variables, state.arrays, state.arguments)


def _is_same(met: _Met, state: State, stdin: Stream | None) -> bool:
    """Whether all that says what a command does is as it was: folder, input, files, what its name stands for."""
    command = met.command
    return (
        command.cwd is state.cwds[0]
        and command.stdin is stdin
        and met.changes == state.files.changes
        and command.name not in state.functions
        and command.name not in state.aliases
        and met.path is state.variables.get("PATH")
        and command.context == state.context
        and command.mounts == state.mounts
        and not state.links
        and _remembers(state, met.memory)
    )
