"""Which repository a folder belongs to, and where a path lies in it; nothing is started to find out."""

import os
import posixpath
import stat

from omnihook.errors import OmnihookError

_MAX_POINTER = 4096
_Seen = tuple[int, int, int, int]
_known: dict[str, tuple[_Seen, str]] = {}


def project_key(project: str) -> str:
    """The identity of a project: its repository, shared by all work trees, and the folder inside it.

    A folder that only claims to be a work tree of a repository which does not know it is itself.
    """
    seen = _look(os.path.join(project, ".git"))
    held = _known.get(project)
    if seen is not None and held is not None and held[0] == seen:
        return held[1]
    key = _find(os.path.realpath(project))
    if seen is not None:
        if len(_known) > 256:
            _known.clear()
        _known[project] = (seen, key)
    return key


def relative(path: str, project: str) -> str | None:
    """An absolute path as seen from a project (both without links), or None when it lies outside."""
    if path == project:
        return "."
    base = "/" if project == "/" else project + "/"
    return path[len(base) :] if path.startswith(base) else None


def _find(project: str) -> str:
    folder = project
    while True:
        try:
            mode = os.lstat(os.path.join(folder, ".git")).st_mode
        except OSError:
            parent = os.path.dirname(folder)
            if parent == folder:
                return project
            folder = parent
            continue
        common = os.path.join(folder, ".git") if stat.S_ISDIR(mode) else _linked(folder)
        inside = relative(project, folder)
        if common is None or inside is None:
            return project
        return common if inside == "." else f"{common}//{inside}"


def _linked(folder: str) -> str | None:
    """The common folder of a linked work tree, where both sides name each other; anybody can write one side."""
    try:
        text = _pointer(os.path.join(folder, ".git"))
        if not text.startswith("gitdir:"):
            return None
        own = os.path.realpath(posixpath.join(folder, text.removeprefix("gitdir:").strip()))
        common = os.path.realpath(posixpath.join(own, _pointer(os.path.join(own, "commondir"))))
        back = os.path.realpath(posixpath.join(own, _pointer(os.path.join(own, "gitdir"))))
    except (OSError, ValueError, OmnihookError):
        return None
    known = os.path.dirname(own) == os.path.join(common, "worktrees") and back == os.path.join(folder, ".git")
    return common if known else None


def _pointer(path: str) -> str:
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OmnihookError(f"{path} is no file")
        return os.read(handle, _MAX_POINTER).decode("utf-8", "surrogateescape").strip()
    finally:
        os.close(handle)


def _look(path: str) -> _Seen | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns
