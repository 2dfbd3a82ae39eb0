"""Path globs translated for RE2, so that thousands of them are asked at once; paths made comparable first.

wcmatch's own translation uses look-around, which RE2 does not have; brace sets are expanded by its sister bracex.
"""

import posixpath
import re
from collections.abc import Iterable

from omnihook.matching.sets import PatternSet

MAX_EXPANSIONS = 1000
_SPECIAL = re.compile(r"[*?\[\]{}]")


class GlobSet:
    """Globs with numbers; sorted by the ending they demand, so that a path meets few of them."""

    __slots__ = ("_by_ending", "_excluded")

    def __init__(self, globs: Iterable[tuple[int, str]], *, dotfiles: bool) -> None:
        by_ending: dict[str, list[tuple[int, str]]] = {}
        excluded: list[tuple[int, str]] = []
        for number, glob in globs:
            if glob.startswith("!"):
                excluded += ((number, translate(part, dotfiles=True)) for part in expand(glob[1:]))
                by_ending.setdefault("", []).append((number, ""))  # everything, less the excluded
                continue
            for part in expand(glob):
                by_ending.setdefault(_ending(part), []).append((number, translate(part, dotfiles=dotfiles)))
        self._by_ending = {ending: PatternSet(patterns) for ending, patterns in by_ending.items()}
        self._excluded = PatternSet(excluded)

    def match(self, path: str) -> set[int]:
        """The numbers whose globs match the path."""
        found: set[int] = set()
        for ending in ("", _ending(path)):
            held = self._by_ending.get(ending)
            if held is not None:
                found.update(held.match(path))
        if found and self._excluded:
            found.difference_update(self._excluded.match(path))
        return found


def comparable(path: str, cwd: str, project: str = "") -> str:
    """A path as globs see it: normalised, and relative to the project where it lies inside, else to the directory.

    The project comes first because an agent that changes its directory must not slip out of a filter.
    """
    if not path.startswith("/") and not cwd:
        return posixpath.normpath(path)
    full = "/" + posixpath.normpath(f"{cwd}/{path}" if not path.startswith("/") else path).lstrip("/")
    for folder in (project, cwd):
        base = folder.rstrip("/") + "/"
        if folder and full.startswith(base):
            return full[len(base) :]
    return full


def from_project(glob: str, project: str) -> str:
    """A glob that names the project's folder, without it: what lies inside is told from there on."""
    mark, plain = ("!", glob[1:]) if glob.startswith("!") else ("", glob)
    base = project.rstrip("/") + "/"
    return mark + plain[len(base) :] if project and plain.startswith(base) else glob


def expand(glob: str) -> list[str]:
    """The globs a brace set stands for; one with too many alternatives stands for itself."""
    if "{" not in glob:
        return [glob]
    import bracex  # few globs have braces

    try:
        return list(bracex.expand(glob, limit=MAX_EXPANSIONS))
    except bracex.ExpansionLimitException:
        return [glob]


def translate(glob: str, *, dotfiles: bool) -> str:
    """An anchored regular expression for one glob without braces."""
    segments = glob.removeprefix("./").split("/")
    first = r"[^/]" if dotfiles else r"[^/.]"
    folders = f"(?:{first}[^/]*/)*"
    made = []
    for index, segment in enumerate(segments):
        last = index == len(segments) - 1
        if segment == "**":
            made.append(f"{folders}{first}[^/]*" if last else folders)
        else:
            made.append(_segment(segment, dotfiles=dotfiles) + ("" if last else "/"))
    return f"^(?:{''.join(made)})$"


def _segment(text: str, *, dotfiles: bool) -> str:
    made, position = [], 0
    while position < len(text):
        char = text[position]
        start = position == 0 and not dotfiles
        if char == "*":
            while text[position + 1 : position + 2] == "*":
                position += 1
            made.append("(?:[^/.][^/]*)?" if start else "[^/]*")
        elif char == "?":
            made.append("[^/.]" if start else "[^/]")
        elif char == "[":
            found, position = _class(text, position)
            made.append(found)
        elif char == "\\" and position + 1 < len(text):
            position += 1
            made.append(re.escape(text[position]))
        else:
            made.append(re.escape(char))
        position += 1
    return "".join(made)


def _class(text: str, start: int) -> tuple[str, int]:
    """A set of characters as a regular expression's, and where it ends; one that never ends is a bracket."""
    end = text.find("]", start + 2)
    if end < 0:
        return re.escape("["), start
    inner = text[start + 1 : end]
    negated = inner[0] in "!^"
    body = "".join(_ranges(inner[1:] if negated else inner))
    if negated:
        return f"[^/{body}]", end
    return (f"[{body}]" if body else r"[^\s\S]"), end


def _ranges(body: str) -> Iterable[str]:
    position = 0
    while position < len(body):
        low, dash, high = body[position], body[position + 1 : position + 2], body[position + 2 : position + 3]
        if dash == "-" and high:
            if low <= high:  # a range that runs backwards holds nothing
                yield f"{re.escape(low)}-{re.escape(high)}"
            position += 3
        else:
            yield re.escape(low)
            position += 1


def _ending(text: str) -> str:
    """The extension a glob demands, or a path has; nothing where it is open."""
    name = text.rsplit("/", 1)[-1]
    tail = _SPECIAL.split(name)[-1] if _SPECIAL.search(name) else name
    dot = tail.rfind(".")
    return tail[dot:] if dot >= 0 and "\\" not in tail else ""
