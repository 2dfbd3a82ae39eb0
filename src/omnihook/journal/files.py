"""The journal's files: private, opened one at a time with their replacement, and set aside when damaged."""

import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager

from omnihook.folders import make

DATABASE, KEY, LOCK = "journal.db", "journal.key", "journal.lock"
_KEY_SIZE = 32


def prepare(folder: str) -> str:
    """Make the folder and an empty database, readable by nobody else; gives the database's path."""
    make(folder)
    if stat.S_IMODE(os.stat(folder).st_mode) & 0o077:
        os.chmod(folder, 0o700)
    path = os.path.join(folder, DATABASE)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    except FileExistsError:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{path} is not a regular file") from None
        if stat.S_IMODE(found.st_mode) & 0o077:
            os.chmod(path, 0o600)
    return path


def key(folder: str) -> bytes:
    """The key of the hashes, made at first use; one that cannot be kept is good for this process alone."""
    path = os.path.join(folder, KEY)
    try:
        return _read_key(path) or _new_key(path)
    except OSError:
        return secrets.token_bytes(_KEY_SIZE)


def _read_key(path: str) -> bytes | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        found = file.read(_KEY_SIZE)
    return found if len(found) == _KEY_SIZE else None


def _new_key(path: str) -> bytes:
    """Write the whole key beside its place and link it there: whoever comes second takes the first one's."""
    make(os.path.dirname(path))
    draft = f"{path}.{os.getpid()}.{secrets.token_hex(4)}"
    made = secrets.token_bytes(_KEY_SIZE)
    with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(made)
    try:
        os.link(draft, path)
    except FileExistsError:
        found = _read_key(path)
        if found is not None:
            return found
        os.replace(draft, path)  # what stands there is cut short and no key
        return made
    finally:
        if os.path.exists(draft):
            os.unlink(draft)
    return made


def identity(path: str) -> tuple[int, int] | None:
    """Which file stands at a path."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def locked(folder: str, *, exclusive: bool) -> Iterator[None]:
    """Hold the lock under which the database is opened, shared, or replaced, alone; waits half a second at most."""
    handle = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        wanted = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        deadline = time.monotonic() + 0.5
        while True:
            try:
                fcntl.flock(handle, wanted | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)
        yield
    finally:
        os.close(handle)


def set_aside(folder: str, damaged: tuple[int, int]) -> str | None:
    """Rename a damaged database with its log, so that a new one can begin; None when another process did already.

    The log goes first: left alone it would be played back into the new database.
    """
    path = os.path.join(folder, DATABASE)
    with locked(folder, exclusive=True):
        if identity(path) != damaged:
            return None
        aside = f"{path}.damaged-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(2)}"
        for suffix in ("-wal", "-shm", ""):
            if os.path.exists(path + suffix):
                os.rename(path + suffix, aside + suffix)
    return aside
