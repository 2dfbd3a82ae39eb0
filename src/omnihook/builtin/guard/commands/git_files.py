"""Verbs of git that take the content of files in, move it, or show it."""

from collections.abc import Iterator

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.table import Handler, effects
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_COMMIT_VALUES = names(
    "--message --file --author --date --reuse-message --reedit-message --fixup --squash --template --trailer",
    "--cleanup",
)


def _add(command: Command) -> Iterator[Act]:
    given = arguments(command, "", ("--chmod", "--pathspec-from-file"))
    if not given.has("-n", "--dry-run"):
        yield from effects(
            Do.READ, [word for word in given.operands if not word.text.startswith((":!", ":^", ":(exclude)"))]
        )


def _show(command: Command) -> Iterator[Act]:
    """`git show HEAD:.env`, `git diff .env`, `git log -p .env`."""
    verb = command.words[0]
    shows = verb != "log" or any(
        word in ("-p", "--patch", "-u") or word.startswith(("-L", "-G")) for word in command.words
    )
    if verb == "cat-file" and not {"-t", "-s", "-e"}.isdisjoint(command.words):
        shows = False
    if any(word in ("--stat", "--name-only", "--name-status", "--quiet", "--shortstat") for word in command.words):
        shows = False
    for word in command.argv[1:]:
        text = word.text.rsplit(":", 1)[-1] if not word.text.startswith((":!", ":^", ":(exclude)")) else ""
        if text and not text.startswith("-") and shows:
            yield Effect(Do.READ, Text(text, word.origins, text if word.pattern is not None else None))


def _archive(command: Command) -> Iterator[Act]:
    given = arguments(command, "o", ("--output", "--format", "--prefix"))
    yield from effects(Do.READ, given.operands[1:])
    yield from effects(Do.WRITE, given.values("-o", "--output"))


def _commit(command: Command) -> Iterator[Act]:
    """Messages are text; `-n` skips hooks; operands are files that get committed."""
    given = arguments(command, "mFCct", _COMMIT_VALUES)
    if any(option == "-n" for option, _ in given.options):
        yield Note("git-hooks", "git commit -n")
    yield from effects(Do.READ, [*given.operands, *given.values("-F", "--file")])


def _annotated(command: Command) -> Iterator[Act]:
    """Tags and notes: what `-F` names becomes their message."""
    yield from effects(Do.READ, arguments(command, "mFu", ("--message", "--file")).values("-F", "--file"))


def _grep(command: Command) -> Iterator[Act]:
    given = arguments(command, "eABCmf", ("--max-depth",))
    yield from effects(
        Do.READ, [word for word in given.operands[0 if given.has("-e") else 1 :] if not word.text.startswith(":")]
    )


FILES: dict[str, Handler] = {
    "add": _add,
    "stage": _add,
    **dict.fromkeys(("show", "diff", "log", "blame", "cat-file", "annotate", "whatchanged", "difftool"), _show),
    "format-patch": _show,
    **dict.fromkeys(("tag", "notes", "merge"), _annotated),
    "archive": _archive,
    "commit": _commit,
    "grep": _grep,
    "mv": lambda command: effects(Do.MOVE, arguments(command).operands[:-1]),
    "update-index": lambda command: effects(
        Do.READ if "--add" in command.words else Do.USE, arguments(command, "", ("--cacheinfo",)).operands
    ),
    "hash-object": lambda command: effects(
        Do.READ if "-w" in command.words else Do.USE, arguments(command, "t", ("--path",)).operands
    ),
}
