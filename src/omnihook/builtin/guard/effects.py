"""What a command does to files, as values that rules judge; command tables produce them."""

from enum import Enum, auto

from omnihook.shell.values import Text
from omnihook.shell.watching import Written
from omnihook.slotted import dataclass


class Do(Enum):
    """What happens to a path."""

    DELETE = auto()
    """It is removed."""
    MOVE = auto()
    """It is no longer where it was."""
    RENAME = auto()
    """It gets another name in the same folder."""
    MIRROR = auto()
    """What is not in the source is removed from it."""
    WRITE = auto()
    """Its content is replaced."""
    APPEND = auto()
    """Its content is added to or edited."""
    CREATE = auto()
    """It comes to be from a template, or a tool writes it."""
    READ = auto()
    """Its content is shown, copied or sent."""
    USE = auto()
    """A tool reads it without showing it."""
    MODE = auto()
    """Its mode or owner changes."""

    __hash__ = object.__hash__  # looked up for every effect, and an enum's own is not written in C


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing a command does to one path."""

    do: Do
    target: Text
    recursive: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A rule that applies whatever the path."""

    rule: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Shell:
    """Shell text that runs inside the command."""

    text: Text


Act = Effect | Note | Shell | Written
