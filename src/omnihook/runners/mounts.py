"""Which paths may not answer: network, FUSE and automounted file systems can make any call on them wait.

Starting a process enters a directory and opens a program while our whole process stands still,
so such paths must be left to a child that can be killed.
"""

import os
import posixpath
import time
from collections.abc import Iterable
from functools import lru_cache

_REMOTE = {"9p", "afs", "autofs", "beegfs", "ceph", "cifs", "lustre", "nfs", "nfs4", "smb3", "smbfs"}
_TABLE = "/proc/self/mountinfo"
_REMEMBER = 5.0  # seconds: the table can be long, and mounts come and go rarely
_MAX_LINKS = 40  # as in the kernel


def may_hang(paths: Iterable[str]) -> bool:
    """Whether looking up one of these absolute paths reaches a file system that may never answer."""
    remote = _remote_mounts(int(time.monotonic() // _REMEMBER))
    # The common machine has none, and pays nothing.
    return bool(remote) and any(_reaches(path, remote) for path in paths)


@lru_cache(maxsize=1)
def _remote_mounts(period: int) -> frozenset[str]:
    del period  # only there to make the answer grow old
    try:
        with open(_TABLE, encoding="utf-8", errors="surrogateescape") as table:
            return remote_mounts(table)
    except OSError:
        return frozenset()


def remote_mounts(table: Iterable[str]) -> frozenset[str]:
    """The mount points in a mountinfo table whose file systems depend on somebody else's answer."""
    found = set()
    for line in table:
        fields = line.split(" ")
        kind = fields[fields.index("-") + 1]
        if kind in _REMOTE or (kind.startswith("fuse") and kind != "fusectl"):
            found.add(_unescaped(fields[4]))
    return frozenset(found)


def _unescaped(field: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field


def _reaches(path: str, remote: frozenset[str]) -> bool:
    """Follow the path link by link, and stop before the first step that could wait."""
    todo = posixpath.normpath(path).split("/")[::-1]
    here, links = "/", 0
    while todo:
        name = todo.pop()
        if name in ("", "."):
            continue
        here = posixpath.dirname(here) if name == ".." else posixpath.join(here, name)
        if here in remote:
            return True
        try:
            target = os.readlink(here)
        except OSError:  # not a link, or not there: both are quick answers
            continue
        links += 1
        if links > _MAX_LINKS:
            return False
        todo.extend(target.split("/")[::-1])
        here = "/" if target.startswith("/") else posixpath.dirname(here)
    return False
