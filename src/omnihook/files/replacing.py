"""Replacing a configuration file: under a lock, whole or not at all, and never over what somebody else wrote."""

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from omnihook.errors import ConfigError
from omnihook.files.opening import MAX_BYTES, READ, Unusable, check_kind, decoded, inside, open_file, read_bytes

LOCK_WAIT = 30.0  # seconds
ATTEMPTS = 5
_FIXES = {
    errno.ENOSPC: "make room on its disk",
    errno.EDQUOT: "make room within your quota",
    errno.EIO: "look at its disk",
    errno.ENAMETOOLONG: "shorten its name",
}
_BOM = b"\xef\xbb\xbf"
_TEMPORARY = re.compile(r"\.omnihook-[0-9a-f]{16}\.tmp")


def replace_text(path: str, change: Callable[[str], str], *, root: str | None = None, limit: int = MAX_BYTES) -> None:
    """Replace a file's text by what `change` makes of it, whole or not at all; a new file starts from "".

    A link is followed as long as it stays inside `root` (default: the folder of `path`). When somebody else
    writes in between, `change` is asked again with the new text. Raises `ConfigError`.
    """
    try:
        target = _target(path, root)
        with _locked(os.path.dirname(target)):
            for _ in range(ATTEMPTS):
                if _replaced(target, change, limit):
                    return
        raise Unusable("something else keeps changing it", "try again when it has finished")
    except Unusable as no:
        raise ConfigError(f"cannot change {path}: {no.reason}{f'; {no.fix}' if no.fix else ''}") from None
    except OSError as error:
        why, fix = error.strerror or str(error), _FIXES.get(error.errno or 0, "make it and its folder writable")
        raise ConfigError(f"cannot change {path}: {why}; {fix} and try again") from error


def _target(path: str, root: str | None) -> str:
    """The file to replace: `path`, or what it links to inside the root. The folder is made when missing."""
    if "\0" in path:
        raise Unusable("its name holds characters no file name can have")
    whole = os.path.abspath(path)
    os.makedirs(os.path.dirname(whole), mode=0o700, exist_ok=True)
    folder = os.path.realpath(os.path.dirname(whole))
    place = os.path.join(folder, os.path.basename(whole))
    try:
        target = os.path.realpath(place, strict=True) if os.path.islink(place) else place
    except OSError as error:
        reason = "it is a loop of links" if error.errno == errno.ELOOP else "it is a link to nothing"
        raise Unusable(reason, "remove the link") from None
    top = folder if root is None else os.path.realpath(root)
    if not inside(target, top):
        raise Unusable(f"it leads to {target}, outside {top}", "edit that file itself")
    return target


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Hold the folder's lock, which ends with the process that holds it, so that none is ever stale."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _lock(handle, folder)
        _sweep(folder)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: str) -> None:
    give_up = time.monotonic() + LOCK_WAIT
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise Unusable(f"another process holds the lock of {folder}", "end it and try again") from None
            time.sleep(0.002)


def _sweep(folder: str) -> None:
    """Remove what a killed writer left; whoever holds the lock is the only one who writes such files."""
    for name in os.listdir(folder):
        if _TEMPORARY.fullmatch(name):
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))


def _replaced(target: str, change: Callable[[str], str], limit: int) -> bool:
    """Whether the change was made; False when the file is another one by now."""
    before = _seen(target, limit)
    data = b"" if before is None else before[1]
    text = decoded(data)
    mark = "\ufeff" if data.startswith(_BOM) else ""
    changed = change(text.removeprefix(mark))
    if mark + changed == text:
        return True
    temporary = _written(target, _encoded(mark + changed, limit), None if before is None else before[0])
    try:
        if before is None:
            return _linked(temporary, target)
        if not _same(_seen(target, limit), before):
            return False
        os.rename(temporary, target)
        _sync(os.path.dirname(target))
        return True
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _encoded(text: str, limit: int) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise Unusable("the new text has no UTF-8 form") from None
    if len(data) > limit:
        raise Unusable(f"the new text has {len(data)} bytes, more than {limit}")
    return data


def _linked(temporary: str, target: str) -> bool:
    """Put a new file in place; a file that appeared meanwhile stays."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    os.unlink(temporary)
    _sync(os.path.dirname(target))
    return True


def _seen(target: str, limit: int) -> tuple[os.stat_result, bytes] | None:
    handle = open_file(target, READ | os.O_NOFOLLOW)
    if handle is None:
        return None
    try:
        found = os.fstat(handle)
        check_kind(found, limit)
        return found, read_bytes(handle, found, limit)
    finally:
        os.close(handle)


def _same(now: tuple[os.stat_result, bytes] | None, before: tuple[os.stat_result, bytes]) -> bool:
    return now is not None and now[1] == before[1] and _signature(now[0]) == _signature(before[0])


def _signature(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_mode, found.st_uid, found.st_gid, found.st_size, found.st_mtime_ns


def _written(target: str, data: bytes, like: os.stat_result | None) -> str:
    """A new file beside the target, on disk, with the mode and owner of the old one."""
    path = os.path.join(os.path.dirname(target), f".omnihook-{os.urandom(8).hex()}.tmp")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        made = os.fstat(handle)
        if like is not None:
            if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
                os.fchown(handle, like.st_uid, like.st_gid)
            os.fchmod(handle, stat.S_IMODE(like.st_mode))
        os.fsync(handle)
    except BaseException:  # also Ctrl-C: nobody but us knows the name, and half a file is of no use
        os.unlink(path)
        raise
    finally:
        os.close(handle)
    return path


def _sync(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
