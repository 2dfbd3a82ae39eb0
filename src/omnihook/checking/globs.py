"""Path globs that no path matches: paths are compared as normalised, and relative to the project where inside it."""

import re
from collections.abc import Iterator

from omnihook.checking.findings import finding
from omnihook.dialect import Diagnostic
from omnihook.hooks import Hook
from omnihook.matching.globs import MAX_EXPANSIONS, expand

_SET = re.compile(r"\{[^{}]*(?:,|\.\.)")


def globs(hook: Hook, *key: str) -> Iterator[Diagnostic]:
    """What is wrong with the globs of a hook, which stand under a key of its entry."""
    for given in hook.paths:
        trouble = _trouble(given.removeprefix("!"))
        if trouble is not None:
            told, fix = trouble
            yield finding(hook, f"the path glob {given!r} matches nothing: {told}", fix, "never", *key)


def _trouble(glob: str) -> tuple[str, str] | None:
    if not glob.strip():
        return "it is empty", "write one like src/**/*.py, or remove it"
    unclosed = _unclosed(glob)
    if unclosed is not None:
        return f"its {unclosed!r} is not closed", f"close it, or write \\{unclosed} for the character"
    parts = expand(glob)
    if parts == [glob] and _SET.search(glob):
        return f"its braces stand for more than {MAX_EXPANSIONS} globs", "write fewer alternatives"
    return next((found for part in parts if (found := _shape(part)) is not None), None)


def _shape(glob: str) -> tuple[str, str] | None:
    """A glob without braces that is written as no path ever is."""
    if glob.endswith("/"):
        return "files have no slash at their end", f"write {glob}** for what is in the folder"
    if glob == "~" or glob.startswith("~/"):
        return "'~' stands for nothing in it", "write the whole path"
    steps = glob.removeprefix("./").split("/")
    if ".." in steps or "." in steps or "" in steps[1:]:
        return "paths come without '.', '..' and double slashes", "write it from the project's folder, or from /"
    return None


def _unclosed(glob: str) -> str | None:
    """The first bracket or brace that stays open."""
    position, braces = 0, 0
    while position < len(glob):
        char = glob[position]
        if char == "\\":
            position += 1
        elif char == "[":
            position = glob.find("]", position + 2)
            if position < 0:
                return "["
        braces += (char == "{") - (char == "}" and braces > 0)
        position += 1
    return "{" if braces else None
