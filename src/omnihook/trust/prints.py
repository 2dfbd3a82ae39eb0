"""The content of a project file as a short mark: read through one descriptor, links on the way included."""

import errno
import hashlib
import os
import posixpath
import stat
import time

from omnihook.files.opening import real_path
from omnihook.jsontypes import Json
from omnihook.slotted import dataclass
from omnihook.trust.definitions import digest
from omnihook.trust.projects import relative

MAX_FILE = 64 << 20
KEPT = 64 << 10  # bytes of a text that can be shown later
_ALWAYS = 16 << 10  # smaller files are read each time: it costs less than a look-up is worth
_SETTLED = 2_000_000_000  # ns; a file changed this recently may change again without its times telling
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_MAX_LINKS = 40

MISSING, FOLDER, OUTSIDE, HUGE = "missing", "folder", "outside", "huge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Print:
    """What is at a path. Equal marks mean equal bytes reached by the same links.

    `kind` is file, link, missing, folder, outside (a link leads out of the project), huge or other.
    """

    kind: str
    mark: str
    content: str | None = None  # the hash of the bytes
    data: bytes | None = None  # the bytes, when there are few and they were read


_hashed: dict[tuple[str, int, int, int, int, int], str] = {}


def take_print(project: str, path: str, *, fresh: bool = False) -> Print:
    """Look at a path of a project (a folder without links); `fresh` reads even what did not change since."""
    try:
        return _plain(os.path.join(project, path), fresh=fresh) or _through_links(project, path, fresh=fresh)
    except OSError as error:
        return _failed(error)


def _plain(whole: str, *, fresh: bool) -> Print | None:
    """The print of a path without links; None when there is one on the way."""
    try:
        handle = os.open(whole, _FLAGS)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        return _failed(error)
    try:
        return _of_handle(handle, whole, fresh=fresh) if real_path(handle, whole) == whole else None
    finally:
        os.close(handle)


def _through_links(project: str, path: str, *, fresh: bool) -> Print:
    """Follow links one by one, so that each becomes part of the mark."""
    trail, target = _followed(project, path)
    steps: list[Json] = [[link, text] for link, text in trail]
    if target is None:
        return Print(kind=OUTSIDE, mark=f"{OUTSIDE}:{digest(steps)}")
    found = _plain(os.path.join(project, target), fresh=fresh)
    if found is None:
        return Print(kind="other", mark="unsteady")
    kind = "link" if found.kind == "file" else found.kind
    return Print(kind=kind, mark=f"link:{digest([*steps, found.mark])}", content=found.content, data=found.data)


def _followed(project: str, path: str) -> tuple[list[tuple[str, str]], str | None]:
    """The links passed on the way, and where it ends; None when that is outside the project."""
    trail: list[tuple[str, str]] = []
    done, todo = "", path.split("/")
    while todo:
        done = posixpath.normpath(posixpath.join(done, todo.pop(0)))
        if done.startswith(".."):
            return trail, None
        try:
            text = os.readlink(os.path.join(project, done))
        except OSError:
            continue
        trail.append((done, text))
        inside = relative(posixpath.normpath(posixpath.join(project, posixpath.dirname(done), text)), project)
        if inside is None or len(trail) > _MAX_LINKS:
            return trail, None
        done, todo = "", [*inside.split("/"), *todo]
    return trail, done


def _of_handle(handle: int, whole: str, *, fresh: bool) -> Print:
    found = os.fstat(handle)
    if stat.S_ISDIR(found.st_mode):
        return Print(kind=FOLDER, mark=FOLDER)
    if not stat.S_ISREG(found.st_mode):
        return Print(kind="other", mark="other")
    if found.st_size > MAX_FILE:
        return Print(kind=HUGE, mark=f"{HUGE}:{found.st_size}")
    key = (whole, found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)
    known = None if fresh or found.st_size <= _ALWAYS else _hashed.get(key)
    if known is not None:
        return Print(kind="file", mark=known, content=known)
    content, data = _hash(handle, found.st_size)
    if found.st_size > _ALWAYS and time.time_ns() - max(found.st_ctime_ns, found.st_mtime_ns) > _SETTLED:
        if len(_hashed) > 8192:
            _hashed.clear()
        _hashed[key] = content
    return Print(kind="file", mark=content, content=content, data=data)


def _hash(handle: int, size: int) -> tuple[str, bytes | None]:
    """The hash of what a descriptor holds, and the bytes when there are few."""
    first = os.read(handle, KEPT + 1) if size <= KEPT else b""
    made = hashlib.sha256(first)
    total = len(first)
    while part := os.read(handle, 1 << 18):
        made.update(part)
        total += len(part)
        if total > MAX_FILE:
            raise OSError(errno.EFBIG, "the file grows while it is read")
    return made.hexdigest(), first if total == len(first) and size <= KEPT else None


def _failed(error: OSError) -> Print:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Print(kind=MISSING, mark=MISSING)
    return Print(kind="other", mark=f"unreadable:{errno.errorcode.get(error.errno or 0, '')}")
