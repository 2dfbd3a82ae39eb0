"""Lists of paths: what ls and find print, and what is left of it after grep."""

import posixpath
import re

from omnihook.shell.filters import Maker, filtered
from omnihook.shell.hosts_many import fd_targets, search
from omnihook.shell.picking import picked
from omnihook.shell.state import State
from omnihook.shell.tables import names
from omnihook.shell.values import SILENT, Command, Stream, Text, unknown


def _listing(command: Command, state: State) -> Stream:
    """`ls`: names in the given folders, or the names given."""
    operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
    flags = "".join(word.text[1:] for word in command.argv[1:] if word.text.startswith("-"))
    if not operands:
        star = ".*" if "a" in flags.lower() else "*"
        paths = (Text("*", frozenset({"tree"}), "*"), *((Text(".*", frozenset(), ".*"),) if star == ".*" else ()))
        return Stream(unknown("listing"), paths)
    inside = tuple(
        Text(f"{word.text.rstrip('/')}/any", word.origins | {"listing"}) for word in operands if word.pattern is None
    )
    named = operands if "d" in flags else [word.with_origin("listed") for word in operands]
    return Stream(unknown("listing"), (*named, *(inside if "d" not in flags else ())))


def _found(command: Command, state: State) -> Stream:
    return Stream(unknown("listing"), search(command).targets)


def _fd_found(command: Command, state: State) -> Stream:
    return Stream(unknown("listing"), fd_targets(command)[0])


def _searched(command: Command, state: State) -> Stream:
    """`rg --files dir` lists files; otherwise rg is a filter."""
    if "--files" not in command.words:
        return _kept_paths(command, state)
    folders = [word for word in command.argv[1:] if not word.text.startswith("-")] or [Text(".")]
    paths = [f"{folder.text.rstrip('/')}/*" for folder in folders]
    return Stream(unknown("listing"), tuple(Text(path, frozenset({"tree"}), path) for path in paths))


def git_listing(command: Command, verb: str) -> Stream | None:
    """The paths that git lists: those its pathspecs name, or some that nobody can know; None where it lists none."""
    start = command.words.index(verb) + 1
    rest = command.argv[start:]
    if verb != "ls-files" and _GIT_NAMES.isdisjoint(command.words[start:]):
        return None
    dashes = next((place for place, word in enumerate(rest) if word.text == "--"), None)
    if dashes is not None:
        specs = [word for word in rest[dashes + 1 :] if not word.text.startswith((":!", ":^", ":(exclude"))]
    else:
        specs = [word for word in rest if verb == "ls-files" and not word.text.startswith(("-", ":!", ":^"))]
    if not specs and verb == "ls-files" and not any(map(_SOME_FILES.match, command.words[start:])):
        return Stream(unknown("listing"), (Text("./*", frozenset({"tree"}), "./*"),))
    return Stream(unknown("listing"), tuple(map(_pathspec, specs)) or (unknown("command"),))


def _pathspec(word: Text) -> Text:
    text = _MAGIC.sub("", word.text) or "."
    return Text(text, word.origins | {"listing"}, text if any(mark in text for mark in "*?[") else None)


_GIT_NAMES = names("--name-only --name-status -l --files-with-matches")
_SOME_FILES = re.compile(r"-[a-z]*[dmoiuk]|--(?:d|mo|o|i|u|k)|--(?:exclude|error)|:")
"""Options of ls-files that leave some of the tracked files out, or list others."""
_MAGIC = re.compile(r"^:(?:\([^)]*\)|/)")


def _located(command: Command, state: State) -> Stream:
    """`locate name`: paths anywhere with that in their name."""
    found = [word.text for word in command.argv[1:] if not word.text.startswith("-")]
    texts = [f"/any/*{posixpath.basename(text.rstrip('/')).strip('*')}*" for text in found]
    return Stream(unknown("listing"), tuple([Text(text, frozenset({"listing"}), text) for text in texts]))


def _completed(command: Command, state: State) -> Stream:
    """`compgen -G '/*'`: the paths that a pattern matches."""
    pattern = command.words[-1] if "-G" in command.words[1:-1] else ""
    return Stream(unknown("listing"), (Text(pattern, command.argv[-1].origins, pattern),)) if pattern else SILENT


def _kept_paths(command: Command, state: State) -> Stream:
    """`sort`, `head`, `grep` between a listing and its consumer leave it a listing."""
    if command.stdin is None or not command.stdin.paths:
        found = picked(command, state) if command.stdin is not None or state.files else None
        if found is not None:
            return found
    if command.stdin is None or not command.stdin.paths:
        return filtered(command, state)
    if command.name in ("grep", "egrep", "fgrep", "rg"):
        return Stream(unknown("listing"), tuple(_narrowed(command, path) for path in command.stdin.paths))
    return command.stdin


def _narrowed(command: Command, path: Text) -> Text:
    """A listing after `grep word`: names with that word in them; a dot in the pattern is taken for itself."""
    words = [word.text for word in command.argv[1:] if not word.text.startswith("-")]
    inverted = any(word.text.startswith("-") and "v" in word.text[1:] for word in command.argv[1:])
    if inverted:
        return path
    pattern = words[0].replace("\\", "") if words else ""
    literal = pattern.strip("^$")
    folder = posixpath.dirname(path.text) or "."
    origins = path.origins - {"tree"} | {"listing"}
    if not literal or any(mark in literal for mark in "*[]()|?+"):
        return Text(f"{folder}/any", origins)
    dot = "." if posixpath.basename(path.text).startswith(".") and not literal.startswith(".") else ""
    before = "" if pattern.startswith("^") or literal.startswith(".") else "*"
    text = f"{folder}/{dot}{before}{literal}{'' if pattern.endswith('$') else '*'}"
    return Text(text, origins, text)


LISTING: dict[str, Maker] = {
    "ls": _listing,
    "compgen": _completed,
    "rg": _searched,
    "find": _found,
    "fd": _fd_found,
    "fdfind": _fd_found,
    **dict.fromkeys(("locate", "plocate", "mlocate", "mdfind"), _located),
    **dict.fromkeys(
        (
            *("sort", "uniq", "head", "tail", "grep", "egrep", "fgrep", "shuf", "nl", "fold", "tac", "paste"),
            *("expand", "unexpand", "strings"),
        ),
        _kept_paths,
    ),
}
