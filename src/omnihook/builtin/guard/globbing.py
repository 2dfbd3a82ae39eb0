"""Which of a few names a glob matches, without compiling an expression for globs that are met once."""

import fnmatch
import re
from collections.abc import Iterable

_FIRST = re.compile(r"[*?\[]")


def matching(names: Iterable[str], glob: str) -> list[str]:
    """The names that a glob matches, in their order; as `fnmatch.fnmatchcase` does."""
    first = _FIRST.search(glob)
    if first is None:
        return [name for name in names if name == glob]
    start, end = glob[: first.start()], _ending(glob)
    # Few names begin and end as the glob does, and for most globs that is all there is to see.
    likely = [name for name in names if name.startswith(start) and name.endswith(end)]
    if glob == f"{start}*{end}":
        return [name for name in likely if len(name) >= len(start) + len(end)]
    return [name for name in likely if fnmatch.fnmatchcase(name, glob)]


def _ending(glob: str) -> str:
    """The plain characters a glob ends in."""
    return glob[max(map(glob.rfind, "*?[]")) + 1 :]
