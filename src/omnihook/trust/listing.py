"""The files that globs match below a project, found by one walk; folders that did not change are not read again."""

import fnmatch
import os
import re
import time
from collections.abc import Sequence
from functools import lru_cache

MAX_FOLDERS = 4000
MAX_DEPTH = 32
_SETTLED = 2_000_000_000  # ns
_SKIPPED = frozenset({".git"})

_Entries = tuple[tuple[str, bool], ...]  # name, whether it is a folder
_State = frozenset[tuple[int, int]]  # glob and position in it
_listed: dict[tuple[str, int, int, int, int], _Entries] = {}


def matching(project: str, globs: Sequence[str], limit: int) -> tuple[tuple[str, ...], bool]:
    """The files that match, sorted, and whether there are more than the limit or than can be walked.

    `**` stands for any folders. Links to folders are not entered; links to files count as files.
    """
    patterns = tuple(tuple(part for part in glob.split("/") if part not in ("", ".")) for glob in globs)
    if not patterns:
        return (), False
    found: list[str] = []
    todo = [("", _closed(frozenset((number, 0) for number in range(len(patterns))), patterns), 0)]
    folders = 0
    while todo:
        folder, state, depth = todo.pop()
        folders += 1
        if len(found) > limit or folders > MAX_FOLDERS or depth > MAX_DEPTH:
            return tuple(sorted(found)[:limit]), True
        for name, is_folder in _entries(os.path.join(project, folder)):
            reached = _step(state, name, patterns)
            path = f"{folder}/{name}" if folder else name
            if is_folder:
                if name not in _SKIPPED and any(place < len(patterns[number]) for number, place in reached):
                    todo.append((path, reached, depth + 1))
            elif any(place == len(patterns[number]) for number, place in reached):
                found.append(path)
    return tuple(sorted(found)[:limit]), len(found) > limit


def _closed(state: _State, patterns: tuple[tuple[str, ...], ...]) -> _State:
    """With every `**` also taken as no folder at all."""
    grown = set(state)
    for number, start in state:
        place = start
        while place < len(patterns[number]) - 1 and patterns[number][place] == "**":
            place += 1
            grown.add((number, place))
    return frozenset(grown)


def _step(state: _State, name: str, patterns: tuple[tuple[str, ...], ...]) -> _State:
    reached: set[tuple[int, int]] = set()
    for number, place in state:
        if place >= len(patterns[number]):
            continue
        part = patterns[number][place]
        if part == "**":
            reached.add((number, place))
            if place == len(patterns[number]) - 1:
                reached.add((number, place + 1))
        elif _segment(part).match(name):
            reached.add((number, place + 1))
    return _closed(frozenset(reached), patterns)


@lru_cache(maxsize=512)
def _segment(part: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(part))


def _entries(folder: str) -> _Entries:
    """What is in a folder; nothing when it cannot be read."""
    try:
        found = os.stat(folder)
        key = (folder, found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)
        known = _listed.get(key)
        if known is not None:
            return known
        with os.scandir(folder) as entries:
            made = tuple((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        now = os.stat(folder)
    except OSError:
        return ()
    if (now.st_mtime_ns, now.st_ctime_ns) == key[3:] and time.time_ns() - max(key[3:]) > _SETTLED:
        if len(_listed) > 4 * MAX_FOLDERS:
            _listed.clear()
        _listed[key] = made
    return made
