"""Paths with `*`: what they stand for below a folder, and which folders decide that."""

import os
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import islice


def expand(base: str, pattern: str, limit: int, *, look: Callable[[str], object]) -> list[str]:
    """At most `limit` paths a pattern stands for; `look` is shown each folder right before it is listed.

    What follows the last `*` need not exist: whoever watches the paths and the folders notices when it comes.
    """
    found = [base]
    parts = pattern.strip("/").split("/")
    for left, part in zip(range(len(parts) - 1, -1, -1), parts, strict=True):
        if "*" not in part:
            found = [os.path.join(head, part) for head in found]
            continue
        for head in found:
            look(head)
        inside = (os.path.join(head, name) for head in found for name in _names(head, part, folders=left > 0))
        found = list(islice(inside, limit))
    return found


def _names(folder: str, pattern: str, *, folders: bool) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if not folders or entry.is_dir()]
    except OSError:
        return
    for name in sorted(names):
        if not name.startswith(".") and fnmatchcase(name, pattern):
            yield name
