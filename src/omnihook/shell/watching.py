"""Who watches a walk through shell text, and how far it has come."""

from collections.abc import Sequence
from dataclasses import field
from typing import Protocol

from omnihook.shell.limiting import Clock
from omnihook.shell.values import Command, Text
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Written:
    """Text that code inside a command adds to a file."""

    path: Text
    text: Text


class Observer(Protocol):
    """Who is shown what a script does."""

    def command(self, command: Command) -> Sequence[Text | Written]:
        """A command is about to run; gives back what happens inside it: shell text that runs, files written."""

    def script(self, text: Text, via: str, command: Command) -> None:
        """Shell text is about to run that is not plain to see; `via` says how it got there."""

    def bomb(self, name: str) -> None:
        """A function calls itself in a pipe or in the background, or a loop without end spawns."""

    def broken(self, text: str) -> None:
        """Shell text that does not parse is about to run."""


@dataclass(slots=True)
class Progress:
    """How far and how deep a walk has come."""

    steps: int = 0
    nesting: int = 0
    scripts: int = 0
    spawning: int = 0
    heard: int = 0
    """How many pipes, substitutions and redirections what is printed now goes to."""
    calls: list[tuple[str, int]] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
    clock: Clock = field(default_factory=Clock)
