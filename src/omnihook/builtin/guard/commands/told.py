"""Commands that a file tells what to do: they may repeat each of its lines, or hand them to another command."""

from collections.abc import Iterator

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.table import Handler, effects
from omnihook.builtin.guard.effects import Act, Do, Note
from omnihook.shell.tables import names
from omnihook.shell.values import Command

_TOLD_BY = {
    "date": ("dfrs", "-f", "--file"),
    "make": ("CEfIjloW", "-f", "--file", "--makefile"),
    "file": ("fmPFe", "-f", "--files-from"),
    "du": ("BdtX", "--files0-from"),
    "dig": ("bcfkmpqtxy", "-f"),
    "ssh": ("bcDEeFIiJLlmOopQRSWwB", "-F"),
}


def told_by_file(command: Command) -> Iterator[Act]:
    """Tools that say nothing of a file's content, but repeat each line of one that tells them what to do."""
    letters, *options = _TOLD_BY[command.name]
    longs = [option for option in options if option.startswith("--")]
    yield from effects(Do.READ, arguments(command, letters, longs).values(*options))


def scripted(command: Command) -> Iterator[Act]:
    """A shell that runs a file uses it, and shows it when told to repeat what it reads."""
    shows, place = False, 1
    words = command.argv
    while place < len(words) and words[place].text.startswith(("-", "+")):
        text = words[place].text
        if text[:2] == "--" or "c" in text or "n" in text:
            return
        shows = shows or (text[0] == "-" and ("v" in text or "x" in text))
        place += 2 if text[-1:] in "oO" else 1
    yield from effects(Do.READ if shows else Do.USE, words[place : place + 1])


def itemised(command: Command) -> Iterator[Act]:
    """`xargs -a file` shows the file's items to another command; without bounds on endless input it is a bomb."""
    given = arguments(command, "aEILnPsd", ("--arg-file", "--max-procs"))
    unbounded = any(value.text == "0" for value in given.values("-P", "--max-procs"))
    if unbounded and command.stdin is not None and "endless" in command.stdin.origins:
        yield Note("fork-bomb", "as many processes as there are lines, without end")
    yield from effects(Do.READ, arguments(command, "aEILnPsd", ("--arg-file",)).values("-a", "--arg-file"))


TOLD: dict[str, Handler] = {
    **dict.fromkeys(_TOLD_BY, told_by_file),
    **dict.fromkeys(names("bash sh zsh dash ksh fish ash mksh"), scripted),
    "xargs": itemised,
}
