"""What a handler is, and the helpers several tables share."""

import re
from collections.abc import Callable, Iterable, Iterator

from omnihook.builtin.guard.effects import Act, Do, Effect
from omnihook.shell.values import Command, Stream, Text

Handler = Callable[[Command], Iterator[Act]]
_HELP = frozenset({"--help", "--version", "--usage"})
_SPLIT = re.compile(r"[=@:,]")


def asks_for_help(command: Command) -> bool:
    """Whether the command only prints its own help."""
    return not _HELP.isdisjoint(command.words[1:]) or command.words[1:] == ("-h",)


def effects(do: Do, targets: Iterable[Text], *, recursive: bool = False) -> Iterator[Effect]:
    """The same effect on several targets."""
    for target in targets:
        yield Effect(do, target, recursive)


def items(stream: Stream) -> list[Text]:
    """The names that a stream lists, one to a line."""
    if stream.paths or not stream.text.known:
        return list(stream.paths)
    return [Text(line, stream.origins) for line in re.split(r"[\n\0]+", stream.text.text) if line]


def inside(word: Text) -> list[Text]:
    """Paths that may hide in a word: itself, and what follows `=`, `@`, `:` or a comma."""
    if "://" in word.text:
        return [] if not word.text.startswith("file://") else [Text(word.text.removeprefix("file://"), word.origins)]
    if not _SPLIT.search(word.text):
        return [word]
    parts = [part for part in _SPLIT.split(word.text) if part]
    return [word, *(Text(part, word.origins, part if word.pattern is not None else None) for part in parts)]
