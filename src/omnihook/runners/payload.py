"""The stdin of child processes, complete before any of them starts.

Nobody writes while a child runs, so a child that never reads cannot block us, and one that closes
its stdin early cannot break us.
"""

import fcntl
import os
import tempfile
from types import TracebackType
from typing import Self

# What a Linux pipe holds unless its owner has used up a quota; whether it really fits is tested by writing.
PIPE_BUFFER = 65536


class Payload:
    """Bytes that any number of children can read as their stdin, each from the start.

    Prepare one for each event, `open` it for each child, and `close` it when the last child has started.
    """

    __slots__ = ("_closed", "_data", "_sealed", "_size")

    def __init__(self, data: bytes) -> None:
        self._data: bytes | None = data
        self._size = len(data)
        self._sealed: int | None = None
        self._closed = False

    def __len__(self) -> int:
        return self._size

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> int:
        """A new read-only descriptor at the first byte, for the caller to close.

        It is a pipe when a pipe holds everything, because scripts ask whether their stdin is one,
        and a file without a name otherwise. Raises OSError when descriptors or space run out.
        """
        if self._closed:
            raise ValueError("this payload is closed")
        if self._data is not None and self._size <= PIPE_BUFFER:
            reader = _filled_pipe(self._data)
            if reader is not None:
                return reader
        return self._open_file()

    def close(self) -> None:
        """Let go of the bytes; descriptors already opened stay readable."""
        self._closed = True
        self._data = None
        if self._sealed is not None:
            os.close(self._sealed)
            self._sealed = None

    def _open_file(self) -> int:
        if self._sealed is None and self._data is not None:
            self._sealed = _sealed_memory(self._data)
            if self._sealed is not None:
                self._data = None  # the kernel has the only copy from here on
        if self._sealed is not None:
            # Opened by name instead of duplicated, so that no two children share an offset.
            return os.open(f"/proc/self/fd/{self._sealed}", os.O_RDONLY | os.O_CLOEXEC)
        assert self._data is not None
        return _unlinked_file(self._data)


def _filled_pipe(data: bytes) -> int | None:
    """A pipe with these bytes and no writer, or None when this pipe is too small for them."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        # A user over the pipe quota gets pipes of one or two pages, so the size is no promise.
        written = os.write(writer, data) if data else 0
    except BlockingIOError:
        written = -1
    finally:
        os.close(writer)
    if written == len(data):
        return reader
    os.close(reader)
    return None


def _sealed_memory(data: bytes) -> int | None:
    """These bytes in memory that nobody can change any more, or None where that does not exist."""
    if not hasattr(os, "memfd_create") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        memory = os.memfd_create("omnihook-payload", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except PermissionError:  # vm.memfd_noexec = 2 forbids it
        return None
    try:
        _write_all(memory, data)
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, seals)
    except OSError:
        os.close(memory)
        raise
    return memory


def _unlinked_file(data: bytes) -> int:
    """A descriptor of a private file that has no name any more; one copy for each child."""
    writer, path = tempfile.mkstemp(prefix="omnihook-")
    try:
        _write_all(writer, data)
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(writer)
        os.unlink(path)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
