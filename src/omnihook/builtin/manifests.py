"""What a project's own files say of it: package.json, pyproject.toml and the like; one that cannot be read is empty."""

import os
import tomllib
from collections.abc import Mapping

from omnihook.jsontypes import JsonError, JsonObject, loads_object

_MOST = 1 << 20  # characters of a file that are read


def text(folder: str, name: str) -> str:
    """The text of a file, or nothing; a pipe of that name would keep us waiting for ever."""
    path = os.path.join(folder, name)
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MOST)
    except OSError:
        return ""


def package(folder: str) -> JsonObject:
    """The package.json of a folder."""
    try:
        return loads_object(text(folder, "package.json"))
    except JsonError:
        return {}


def toml(folder: str, name: str) -> Mapping[str, object]:
    """A TOML file of a folder."""
    try:
        return tomllib.loads(text(folder, name))
    except (ValueError, RecursionError):
        return {}


def table(values: Mapping[str, object], key: str) -> Mapping[str, object]:
    """A table inside another one."""
    found = values.get(key)
    return found if isinstance(found, dict) else {}


def tools(folder: str) -> Mapping[str, object]:
    """The tools that a folder's pyproject.toml sets up."""
    return table(toml(folder, "pyproject.toml"), "tool")
