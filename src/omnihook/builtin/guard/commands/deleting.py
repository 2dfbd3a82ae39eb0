"""Commands that delete or move away: rm and its relatives, mv, rsync --delete."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.modes import mode_rule
from omnihook.builtin.guard.commands.table import Handler, asks_for_help, effects
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.builtin.guard.protected import is_template
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text

_RSYNC_DELETE = ("--delete", "--delete-before", "--delete-after", "--delete-during", "--delete-excluded", "--del")
_RSYNC_VALUES = names(
    "--exclude --include --exclude-from --include-from --files-from --filter --rsh --port --bwlimit",
    "--log-file --chmod --chown --backup-dir --suffix --temp-dir --partial-dir --compare-dest --link-dest",
    "--password-file --timeout",
)


def rm(command: Command) -> Iterator[Act]:
    """rm; GNU rm accepts options after operands, and `-r` is enough."""
    if asks_for_help(command):
        return
    if "elevated" in command.context:
        yield Note("delete-elevated", " ".join(command.words))
    given = arguments(command)
    recursive = given.has("-r", "-R", "--recursive") or any(HOLE in option for option, _ in given.options)
    yield from effects(Do.DELETE, given.operands, recursive=recursive)


_GLOBBING = names("del-cli trash trash-cli")
_WHOLE = names("rimraf del-cli trash-cli trash-put trash rmtrash gvfs-trash wipe rmtree remove-item")


def trashed(command: Command) -> Iterator[Act]:
    """`gio trash path`, `gio remove path`."""
    if command.words[1:2] in (("trash",), ("remove",)):
        yield from effects(Do.DELETE, [word for word in command.argv[2:] if word.text[:1] != "-"], recursive=True)


def removed(command: Command) -> Iterator[Act]:
    """unlink, srm, rimraf and others whose operands simply go."""
    if asks_for_help(command):
        return
    if "elevated" in command.context and command.name in ("unlink", "srm"):
        yield Note("delete-elevated", " ".join(command.words))
    given = arguments(command)
    recursive = command.name in _WHOLE or (command.name == "srm" and given.has("-r", "--recursive"))
    globs = command.name in _GLOBBING or (command.name == "rimraf" and given.has("-g", "--glob"))
    targets = map(_own_glob, given.operands) if globs else given.operands
    yield from effects(Do.DELETE, targets, recursive=recursive)


def _own_glob(word: Text) -> Text:
    """A word whose glob the tool itself expands, although the shell did not; with `!` it names what stays."""
    if not any(mark in word.text for mark in "*?["):
        return word
    return Text("", word.origins) if word.text.startswith("!") else Text(word.text, word.origins, word.text)


def found_deleted(command: Command) -> Iterator[Act]:
    """`find -delete`, as the evaluator gives it: what is found goes, folders included."""
    yield from effects(Do.DELETE, command.argv[1:])


def shred(command: Command) -> Iterator[Act]:
    """shred overwrites, and with `-u` removes."""
    given = arguments(command, "ns", ("--iterations", "--size", "--random-source"))
    for target in given.operands:
        yield Effect(Do.WRITE, target)
        yield Effect(Do.DELETE, target)


def mv(command: Command) -> Iterator[Act]:
    """mv: sources leave, the target is replaced."""
    if asks_for_help(command):
        return
    given = arguments(command, "tS", ("--target-directory", "--suffix"))
    folder = given.values("-t", "--target-directory")
    sources = given.operands if folder else given.operands[:-1]
    targets = folder or list(given.operands[-1:])
    if len(sources) == 1 and len(targets) == 1 and _renames(sources[0].text, targets[0].text):
        yield Effect(Do.RENAME, sources[0])
    else:
        yield from effects(Do.MOVE, sources)
    for target in targets:
        yield from replaced(sources, target)


def _renames(source: str, target: str) -> bool:
    """Whether a file deep enough not to be a system folder itself gets a new name beside the old one."""
    return source.count("/") > 2 and source.rsplit("/", 1)[0] == target.rsplit("/", 1)[0]


def replaced(sources: tuple[Text, ...], target: Text) -> Iterator[Act]:
    """A file takes another's place; from a template, that is setting up rather than changing."""
    template = bool(sources) and all(is_template(source.text) for source in sources)
    yield Effect(Do.CREATE if template else Do.WRITE, target)
    if target.text.endswith("/") or "." not in target.text.rsplit("/", 1)[-1]:
        for source in sources[:20]:
            name = source.text.rstrip("/").rsplit("/", 1)[-1]
            yield Effect(Do.CREATE, Text(f"{target.text.rstrip('/')}/{name}", target.origins | source.origins))


def rsync(command: Command) -> Iterator[Act]:
    """rsync reads its sources; with `--delete` it removes from the target what they lack."""
    given = arguments(command, "efBMT", _RSYNC_VALUES)
    if given.has("-n", "--dry-run") or not given.operands:
        return
    *sources, target = given.operands
    for modes in given.values("--chmod"):
        for rule in filter(None, map(mode_rule, _rsync_modes(modes.text))):
            yield Note(rule, f"--chmod={modes.text}")
    yield from effects(Do.READ, sources)
    if given.has("--remove-source-files"):
        yield from effects(Do.MOVE, sources)
    place = Text(target.text.split(":", 1)[1], target.origins) if _remote(target) else target
    if given.has(*_RSYNC_DELETE) and (not _remote(target) or place.text in ("/", "/*", "/etc", "/usr", "~", "~/")):
        yield Effect(Do.MIRROR, place)
    elif not _remote(target):
        yield Effect(Do.WRITE, target)


def _rsync_modes(text: str) -> list[str]:
    """The modes that `--chmod` gives to folders (`D`) and to files (`F`)."""
    clauses = text.split(",")
    return [",".join(clause.lstrip("DF") for clause in clauses if clause[:1] not in other) for other in ("D", "F")]


def _remote(word: Text) -> bool:
    return re.match(r"[^/]+:", word.text) is not None


DELETING: dict[str, Handler] = {
    "rm": rm,
    "grm": rm,
    **dict.fromkeys(("unlink", "srm", "rimraf", "del-cli", "wipe", "rmtree"), removed),
    **dict.fromkeys(("trash-put", "trash", "trash-cli", "rmtrash", "gvfs-trash"), removed),
    "gio": trashed,
    "find-delete": found_deleted,
    "shred": shred,
    "mv": mv,
    "gmv": mv,
    "rsync": rsync,
}
