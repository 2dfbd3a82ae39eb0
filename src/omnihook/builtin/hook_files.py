"""Which files hold or steer hooks, and whether a path, a folder or a glob can mean one of them."""

import os
import re
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import import_module

from omnihook.builtin.guard.files import judge_file
from omnihook.folders import Folders
from omnihook.shell.state import absolute
from omnihook.slotted import dataclass

RULE = "agent-config"
_GLOB = re.compile(r"[*?\[]")


@lru_cache(maxsize=8)
def known_globs(folders: Folders) -> tuple[str, ...]:
    """Every file that some agent reads hooks from, and our own folders, as absolute globs."""
    dialects = import_module("omnihook.dialects")  # by name: built-ins and dialects do not know each other
    bases = {"home": folders.home, "config": folders.config, "project": folders.project, "absolute": "/"}
    found = [
        os.path.join(bases.get(file.base, "/"), file.path.lstrip("/"))
        for name in dialects.names()
        for file in dialects.get(name).files
    ]
    own = (f"{folders.project}/.omnihook/*", f"{folders.config}/omnihook/*", f"{folders.state}/*")
    return (*dict.fromkeys(found), *own)


@dataclass(frozen=True, slots=True)
class HookFiles:
    """The protected files as a session sees them; `more` are globs that the user added."""

    folders: Folders
    cwd: str
    more: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Whether a path, as written or where it leads, is a file that holds hooks."""
        if any(fnmatchcase(text, glob) for text in self._spellings(path) for glob in self._globs()):
            return True
        if self._linked(self._full(path)):
            return True
        given = judge_file("write", path, cwd=self.cwd, home=self.folders.home, project=self.folders.project)
        return given.rule == RULE

    def within(self, path: str, *, anywhere: bool = False) -> bool:
        """Whether a path is a folder that such files lie in.

        The project, the home and what is above them count only when asked for with `anywhere`: files are written
        there all the time, but deleting them deletes the hooks.
        """
        for text in self._spellings(path):
            if not anywhere and self._common(text):
                continue
            if any(_meets(_parts(text), _parts(glob)[: len(_parts(text))]) for glob in self._below(text)):
                return True
        return False

    def matched(self, pattern: str, *, anywhere: bool = False) -> bool:
        """Whether a glob, as a shell expands it, can give such a file, or a folder that one lies in."""
        path = _parts(self._full(pattern))
        for glob in self._globs():
            parts = _parts(glob)
            if len(path) > len(parts) and parts[-1] == "*":
                parts = (*parts, *("*" for _ in range(len(path) - len(parts))))
            shared = parts[: len(path)]
            if len(path) <= len(parts) and _meets(path, shared) and (anywhere or not self._common("/".join(shared))):
                return True
        return False

    def listed(self, pattern: str) -> bool:
        """Whether a search for a name below a folder, written as `folder/name`, can find such a file."""
        folder, name = os.path.split(self._full(pattern))
        if self.holds(folder):
            return True
        top = folder.rstrip("/") + "/"
        rest = [part for glob in self._globs() if glob.startswith(top) for part in glob[len(top) :].split("/")]
        # A part that is nothing but a star would be met by every name there is.
        return any(name == "*" or (part != "*" and fnmatchcase(part, name)) for part in rest)

    def _linked(self, path: str) -> bool:
        """Whether it is such a file under another name, by a hard link."""
        found = _stat(path)
        if found is None or found.st_nlink < 2 or not stat.S_ISREG(found.st_mode):
            return False
        known = (_stat(glob) for glob in self._globs() if not _GLOB.search(glob))
        return any(other is not None and os.path.samestat(found, other) for other in known)

    def _globs(self) -> tuple[str, ...]:
        return (*known_globs(self.folders), *map(self._added, self.more))

    def _below(self, folder: str) -> Iterator[str]:
        depth = len(_parts(folder))
        return (glob for glob in self._globs() if len(_parts(glob)) > depth)

    def _added(self, glob: str) -> str:
        return self.folders.home + glob[1:] if glob.startswith("~/") else os.path.join(self.folders.project, glob)

    def _full(self, path: str) -> str:
        path = path.removeprefix("file://")
        return absolute(self.folders.home + path[1:] if re.match(r"~(?:/|$)", path) else path, self.cwd)

    def _spellings(self, path: str) -> set[str]:
        full = self._full(path)
        return {full} if "\0" in full else {full, os.path.realpath(full)}

    def _common(self, folder: str) -> bool:
        used = self.folders
        bases = (used.project, used.home, used.config, os.path.dirname(used.state), "/etc")
        return any(f"{base}/".startswith(folder.rstrip("/") + "/") for base in bases)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.rstrip("/").split("/"))


def _meets(path: tuple[str, ...], glob: tuple[str, ...]) -> bool:
    return all(map(_part_meets, path, glob))


def _part_meets(part: str, glob: str) -> bool:
    """Whether two globs for one name can mean the same name; a star of a shell's leaves hidden names out."""
    if not _GLOB.search(part):
        return fnmatchcase(part, glob)
    if glob.startswith(".") and not part.startswith((".", "[")):
        return False
    if not _GLOB.search(glob):
        return fnmatchcase(glob, part)
    begins, ends = zip(*map(_fixed, (part, glob)), strict=True)
    return _agree(*begins) and _agree(*(end[::-1] for end in ends))


def _fixed(glob: str) -> tuple[str, str]:
    """What stands before the first and after the last sign of a glob that can mean anything."""
    return _GLOB.split(glob, maxsplit=1)[0], re.split(r"[*?\]]", glob)[-1]


def _agree(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)
