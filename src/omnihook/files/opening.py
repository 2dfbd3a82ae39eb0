"""What both reading and replacing need: files opened without waiting, checked before they are read, and decoded."""

import errno
import os
import stat

MAX_BYTES = 4 << 20
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Unusable(Exception):
    """Why a file cannot be used and what to do about it, on its way to whoever asked."""

    def __init__(self, reason: str, fix: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.fix = reason, fix


def open_file(path: str, flags: int) -> int | None:
    """A descriptor, None when there is no such file, or `Unusable`; other troubles are OSError."""
    try:
        return os.open(path, flags)
    except ValueError:
        raise Unusable("its name holds characters no file name can have") from None
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            if os.path.islink(path):
                raise Unusable("it is a link to nothing", f"rm {path}") from None
            return None
        if error.errno == errno.ELOOP:
            raise Unusable("it is a loop of links", f"rm {path}") from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise Unusable("it may not be read by you", f"chmod u+r {path}") from None
        if error.errno == errno.ENXIO:
            raise Unusable("it is a socket, not a file") from None
        raise


def check_kind(found: os.stat_result, limit: int = MAX_BYTES) -> None:
    """Refuse what is not a regular file of reasonable size."""
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise Unusable(f"it is {kind}, not a file", "put a regular file in its place")
    if found.st_size > limit:
        raise Unusable(f"it has {found.st_size} bytes, more than {limit}", "make it smaller")


def read_bytes(handle: int, found: os.stat_result, limit: int = MAX_BYTES) -> bytes:
    """Everything, as long as it fits: what a stat says is not believed."""
    parts: list[bytes] = []
    size = 0
    while size <= limit:
        part = os.read(handle, max(1, min(limit + 1 - size, max(found.st_size - size + 1, 65_536))))
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    raise Unusable(f"it has more than {limit} bytes")


def decoded(data: bytes) -> str:
    """The text, byte order mark included."""
    if b"\0" in data:
        raise Unusable("it holds a NUL character; it is no text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unusable(f"it is not UTF-8 (byte {error.start})", "save it as UTF-8") from None


def real_path(handle: int, path: str) -> str:
    """Where an open file really is: asked of the descriptor, so that nobody can swap a link in between."""
    try:
        # A file that was replaced meanwhile gets a word appended to its name, which moves it nowhere.
        return os.readlink(f"/proc/self/fd/{handle}")
    except OSError:  # no /proc
        return os.path.realpath(path)


def inside(path: str, folder: str) -> bool:
    """Whether a resolved path is a resolved folder or below it."""
    return folder == "/" or path == folder or path.startswith(folder + "/")
