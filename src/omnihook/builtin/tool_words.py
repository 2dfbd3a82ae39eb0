"""What a call says of itself where no table tells: by the words of its tool's name, and by its arguments' names."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from omnihook.jsontypes import JsonObject
from omnihook.shell.tables import names
from omnihook.tools import DELETE, MODIFY

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LOOKING = names("read get list ls search find grep glob stat view show info tree cat head tail query fetch exists")
_CHANGING = names("write edit create delete remove move rename update set put patch replace insert append copy modify")
_DELETING = names("delete remove unlink rm rmdir")
_PATHS = re.compile(r"path|file|folder|director|dest|source|src|target|uri|^(?:from|to)$", re.IGNORECASE)
_OTHERS = re.compile(
    r"(?:new|old)_source|code|text|content|type|mode|encoding|line|pattern|extension|format|count|size", re.IGNORECASE
)
_FOLDERS = ("cwd", "workdir", "working_directory", "workingDirectory", "working_dir", "directory", "dir", "dir_path")
_DOING = ("op", "operation", "action", "verb", "method", "kind", "type", "tool", "tool_name", "name")
"""What the entries of a list of deeds call the deed."""
_MAX_DEPTH = 64
_LONGEST = 4096


def only_looks(tool: str) -> bool:
    """Whether a tool says by its name that it changes nothing."""
    said = words(tool)
    return not said.isdisjoint(_LOOKING) and said.isdisjoint(_CHANGING)


def change(tool: str) -> str | None:
    """What a tool says by its name that it does to files; None when it says nothing, or only looks."""
    said = words(tool)
    if not said.isdisjoint(_DELETING):
        return DELETE
    return None if said.isdisjoint(_CHANGING) else MODIFY


def paths(arguments: JsonObject, done: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Every text of one line below an argument that is named like a path, and every file as a URL.

    With each what is done to it: `done`, unless an entry of a list says by a word beside the path what it does.
    """
    for path, change_ in _doing(arguments, done, 0):
        if "\n" not in path.strip():
            yield path, change_
    yield from ((text, done) for text in named(arguments, lambda key: True) if text.startswith("file://"))


def _doing(value: object, done: str | None, depth: int, found: bool = False) -> Iterator[tuple[str, str | None]]:
    if isinstance(value, str):
        if found and 0 < len(value) < _LONGEST:
            yield value, done
    elif isinstance(value, Mapping) and depth < _MAX_DEPTH:
        said = [change(word) for key in _DOING if isinstance(word := value.get(key), str)] if depth else []
        own = next((one for one in said if one is not None), done)
        for key, item in value.items():
            yield from _doing(item, own, depth + 1, _is_path(str(key)))
    elif isinstance(value, Sequence) and depth < _MAX_DEPTH:
        for item in value:
            yield from _doing(item, done, depth + 1, found)


def folder(arguments: JsonObject) -> str | None:
    """The folder that a call asks to be run in."""
    return next((value for key in _FOLDERS if isinstance(value := arguments.get(key), str) and value), None)


def named(value: object, meant: Callable[[str], bool], depth: int = 0, found: bool = False) -> Iterator[str]:
    """Every text, in lists and objects too, below an argument whose name is meant."""
    if isinstance(value, str):
        if found and 0 < len(value) < _LONGEST:
            yield value
    elif isinstance(value, Mapping) and depth < _MAX_DEPTH:
        for key, item in value.items():
            yield from named(item, meant, depth + 1, meant(str(key)))
    elif isinstance(value, Sequence) and depth < _MAX_DEPTH:
        for item in value:
            yield from named(item, meant, depth + 1, found)


def _is_path(key: str) -> bool:
    return _PATHS.search(key) is not None and _OTHERS.search(key) is None


def words(tool: str) -> set[str]:
    """The words of a tool's own name, without that of its server."""
    return {word.lower() for word in _WORD.findall(tool.rpartition("__")[2])}
