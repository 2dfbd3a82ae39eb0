"""git: what drops work or history, what skips hooks, and what touches protected files."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.table import Handler, effects
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_GLOBAL_VALUES = names("-C -c --git-dir --work-tree --namespace --exec-path --config-env")
_COMMIT_VALUES = names(
    "--message --file --author --date --reuse-message --reedit-message --fixup --squash --template --trailer",
    "--cleanup",
)
_HOOK_SETTING = re.compile(r"core\.hookspath(=|$)", re.I)


def git(command: Command) -> Iterator[Act]:
    """Every git command, by its verb."""
    words = command.argv
    index = 1
    while index < len(words) and words[index].text.startswith("-"):
        if words[index].text == "-c" and index + 1 < len(words) and _HOOK_SETTING.match(words[index + 1].text):
            yield Note("git-hooks", words[index + 1].text)
        index += 2 if words[index].text in _GLOBAL_VALUES else 1
    if index >= len(words):
        return
    inner = Command(
        _plain_paths(words[index:]), command.cwd, command.stdin, (), command.env, command.context, command.mounts
    )
    if any(word in ("--no-verify",) for word in inner.words):
        yield Note("git-hooks", " ".join(inner.words))
    yield from effects(Do.WRITE, _outputs(inner))
    handler = _VERBS.get(words[index].text)
    if handler is not None:
        yield from handler(inner)


def _outputs(command: Command) -> Iterator[Text]:
    """The files that `--output` of diff, log, show and others names."""
    words = command.argv
    for place, word in enumerate(words):
        if word.text == "--output":
            yield from words[place + 1 : place + 2]
        elif word.text.startswith("--output="):
            yield Text(word.text.removeprefix("--output="), word.origins)


def _plain_paths(words: tuple[Text, ...]) -> tuple[Text, ...]:
    """Paths without the long form of git's magic: `:(top,icase).env` is `.env`, and one left out begins with `:!`."""
    if not any(word.text.startswith(":(") for word in words):
        return words
    return tuple([_plain_path(word) for word in words])


def _plain_path(word: Text) -> Text:
    magic = _MAGIC.match(word.text)
    if magic is None:
        return word
    path = (":!" if "exclude" in magic[1].split(",") else "") + word.text[magic.end() :]
    return Text(path, word.origins, path if "*" in path or "?" in path or "[" in path else None)


_MAGIC = re.compile(r":\(([^()]*)\)")


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


_FILE = re.compile(r"[^/]\.[A-Za-z]{1,4}$")
_LINE_OF_RELEASES = re.compile(r"(?:^|[/v_-])[\dYM]+(?:\.[\dYM]+)*\.(?:x|X|dev|rc|beta|next)$")
"""`24.5.x` and `release-1.x` are branches."""


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


def _config(command: Command) -> Iterator[Act]:
    given = arguments(command, "f", ("--file", "--blob", "--type", "--default", "--comment", "--value", "--url"))
    asks = any(option.startswith(("--get", "--list")) or option == "-l" for option, _ in given.options)
    operands = [word.text for word in given.operands]
    reads = asks or operands[:1] in (["get"], ["list"]) or (len(operands) == 1 and not given.has("--unset", "--edit"))
    yield from effects(Do.READ if reads else Do.APPEND, given.values("-f", "--file"))
    if reads:
        return
    operands = operands[1:] if operands[:1] == ["set"] else operands
    if operands and _HOOK_SETTING.match(operands[0]) and len(operands) > 1:
        yield Note("git-hooks", " ".join(command.words))
    elif len(operands) > 1 and re.match(r"alias\..*", operands[0]) and operands[1].startswith("!"):
        yield Note("persistence", " ".join(command.words))


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


def _verbs() -> dict[str, Callable[[Command], Iterator[Act]]]:
    return {
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
        "prune": lambda command: iter(()) if "-n" in command.words else _always(command),
        "reflog": _with("expire", "delete"),
        "update-ref": _update_ref,
        "rm": _remove,
        "add": _add,
        "stage": _add,
        **dict.fromkeys(("show", "diff", "log", "blame", "cat-file", "annotate", "whatchanged", "difftool"), _show),
        "format-patch": _show,
        **dict.fromkeys(("tag", "notes", "merge"), _annotated),
        "archive": _archive,
        "commit": _commit,
        "grep": _grep,
        "config": _config,
        "worktree": _worktree,
        "read-tree": _with("--reset", "-u"),
        "checkout-index": _checked_out,
        "replace": _with("-d", "--graft"),
        "mv": lambda command: effects(Do.MOVE, arguments(command).operands[:-1]),
        "update-index": lambda command: effects(
            Do.READ if "--add" in command.words else Do.USE, arguments(command, "", ("--cacheinfo",)).operands
        ),
        "hash-object": lambda command: effects(
            Do.READ if "-w" in command.words else Do.USE, arguments(command, "t", ("--path",)).operands
        ),
    }


_VERBS = _verbs()
GIT: dict[str, Handler] = {"git": git, "hub": git, "yadm": git}
