"""Verbs of git that drop work or history."""

import re
from collections.abc import Iterator
from dataclasses import replace

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.table import Handler, effects
from omnihook.builtin.guard.effects import Act, Do, Note
from omnihook.shell.values import Command, Text

_FILE = re.compile(r"[^/]\.[A-Za-z]{1,4}$")
_LINE_OF_RELEASES = re.compile(r"(?:^|[/v_-])[\dYM]+(?:\.[\dYM]+)*\.(?:x|X|dev|rc|beta|next)$")
"""`24.5.x` and `release-1.x` are branches."""


def _drops(command: Command) -> Note:
    return Note("git-history", "git " + " ".join(command.words))


def _reset(command: Command) -> Iterator[Act]:
    if any(word in ("--hard", "--merge", "--keep") for word in command.words):
        yield _drops(command)


def _clean(command: Command) -> Iterator[Act]:
    given = arguments(command, "e", ("--exclude",))
    if given.has("-n", "--dry-run") or not (given.has("-f", "--force") or given.has("-i", "--interactive")):
        return
    yield _drops(command)


def _push(command: Command) -> Iterator[Act]:
    given = arguments(command, "o", ("--push-option", "--repo", "--receive-pack", "--exec"))
    if given.has("-n", "--dry-run"):
        return
    lease = any(option.startswith("--force-with-lease") for option, _ in given.options)
    forced = any(option in ("-f", "--force") for option, _ in given.options) and not lease
    refs = [word.text for word in given.operands[1:]]
    if forced or given.has("-d", "--delete", "--mirror", "--prune") or any(ref.startswith(("+", ":")) for ref in refs):
        yield _drops(command)


def _checkout(command: Command) -> Iterator[Act]:
    """Checking out paths discards changes; a branch does not. A lone dot or `--` marks paths."""
    words = command.argv[1:]
    given = arguments(command, "bB", ("--orphan", "--conflict", "--pathspec-from-file"))
    if any(option in ("-b", "-B", "--orphan", "--track", "-t") for option, _ in given.options):
        return
    dashes = next((place for place, word in enumerate(words) if word.text == "--"), None)
    paths = words[dashes + 1 :] if dashes is not None else tuple(_path_like(given.operands))
    yield from effects(Do.WRITE, paths)
    if paths or given.has("-f", "--force", "--ours", "--theirs"):
        yield _drops(command)


def _path_like(operands: tuple[Text, ...]) -> list[Text]:
    """Words that look like files rather than branches."""
    return [
        word
        for place, word in enumerate(operands)
        if word.text in (".", "./", "*", ":/")
        or word.text.startswith(("./", "../"))
        or (place > 0 and word.text)
        or (_FILE.search(word.text) and not _LINE_OF_RELEASES.search(word.text))
    ]


def _restore(command: Command) -> Iterator[Act]:
    given = arguments(command, "s", ("--source",))
    if given.has("--staged", "-S") and not given.has("--worktree", "-W"):
        return
    yield from effects(Do.WRITE, given.operands)
    if given.operands or given.has("--worktree", "-W"):
        yield _drops(command)


def _switch(command: Command) -> Iterator[Act]:
    given = arguments(command, "cC", ("--create", "--force-create", "--orphan"))
    if any(option in ("-f", "--force", "--discard-changes") for option, _ in given.options):
        yield _drops(command)


def _branch(command: Command) -> Iterator[Act]:
    given = arguments(command, "u", ("--set-upstream-to",))
    forced = given.has("-f", "--force")
    if any(option in ("-D",) for option, _ in given.options) or (
        forced and (given.has("-d", "--delete") or given.operands)
    ):
        yield _drops(command)


def _stash(command: Command) -> Iterator[Act]:
    if command.words[1:2] and command.words[1].startswith("-"):  # `push` may be left out
        command = replace(command, argv=(command.argv[0], Text("push"), *command.argv[1:]))
    if command.words[1:2] in (("drop",), ("clear",)):
        yield _drops(command)
    if command.words[1:2] == ("show",):
        yield from effects(Do.READ, [word for word in command.argv[2:] if not word.text.startswith("-")])
    if command.words[1:2] in (("push",), ("save",)):
        yield from effects(Do.MOVE, [word for word in command.argv[2:] if not word.text.startswith("-")])


def _always(command: Command) -> Iterator[Act]:
    yield _drops(command)


def _with(*pattern: str) -> Handler:
    """Drops work when one of these words is given."""

    def handler(command: Command) -> Iterator[Act]:
        if any(word == wanted or word.startswith(wanted + "=") for word in command.words[1:] for wanted in pattern):
            yield _drops(command)

    return handler


def _remove(command: Command) -> Iterator[Act]:
    """git rm of a tracked file can be undone; of everything, less so."""
    given = arguments(command, "", ("--pathspec-from-file",))
    if given.has("-n", "--dry-run"):
        return
    cached = given.has("--cached")
    yield from effects(Do.USE if cached else Do.DELETE, given.operands)
    whole = any(word.text in (".", "./", "*", "./*", ":/") for word in given.operands)
    if whole and given.has("-r") and not cached:
        yield _drops(command)


def _update_ref(command: Command) -> Iterator[Act]:
    if any(word in ("-d", "--stdin") for word in command.words):
        yield _drops(command)


def _checked_out(command: Command) -> Iterator[Act]:
    """checkout-index writes files as they are in the index."""
    given = arguments(command, "", ("--prefix", "--stage"))
    yield from effects(Do.WRITE, given.operands)
    if given.has("-f", "--force", "-a"):
        yield _drops(command)


def _worktree(command: Command) -> Iterator[Act]:
    if command.words[1:2] == ("remove",) and any(word in ("-f", "--force") for word in command.words):
        yield _drops(command)


def _prune(command: Command) -> Iterator[Act]:
    if "-n" not in command.words:
        yield _drops(command)


DROPPING: dict[str, Handler] = {
    "reset": _reset,
    "clean": _clean,
    "push": _push,
    "checkout": _checkout,
    "restore": _restore,
    "switch": _switch,
    "branch": _branch,
    "stash": _stash,
    "filter-branch": _always,
    "filter-repo": _always,
    "gc": _with("--prune=now", "--prune=all", "--aggressive --prune"),
    "prune": _prune,
    "reflog": _with("expire", "delete"),
    "update-ref": _update_ref,
    "rm": _remove,
    "worktree": _worktree,
    "read-tree": _with("--reset", "-u"),
    "checkout-index": _checked_out,
    "replace": _with("-d", "--graft"),
}
