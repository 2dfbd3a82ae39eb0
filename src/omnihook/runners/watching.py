"""Follows one running child on the event loop: its output, its exit and its deadline."""

import asyncio
import os
import time
from collections.abc import Callable
from functools import partial

from omnihook.runners.children import Child, Status
from omnihook.runners.ears import ears_of
from omnihook.runners.spawning import Spawned

_CHUNK = 65536
_PULLS = 16  # a pipe holds one chunk, or sixteen when its writer enlarged it
_FIRST_POLL, _LONGEST_POLL = 0.001, 0.02
_STUCK_POLL = 1.0


class Stream:
    """One output of a child, kept up to a cap; `fd` is None once it has ended."""

    __slots__ = ("_cap", "cut", "data", "fd")

    def __init__(self, fd: int, cap: int) -> None:
        self.fd: int | None = fd
        self.data = bytearray()
        self.cut = False
        self._cap = cap

    def pull(self, fd: int) -> int | None:
        """Read once: how many bytes came, 0 at the end, None when there is nothing at the moment."""
        try:
            chunk = os.read(fd, _CHUNK)
        except BlockingIOError:
            return None
        room = self._cap - len(self.data)
        if len(chunk) > room:
            self.cut = True
        self.data += chunk[:room]
        return len(chunk)


class Watch:
    """One child being followed; `settled` gets EXITED, TIMEOUT, OVERFLOW or LEFT, whichever comes first.

    Output is read until `close`, so that what a child says while it is being ended is kept.
    """

    def __init__(self, child: Child, spawned: Spawned) -> None:
        self._child = child
        self._deadline = child.deadline
        self._leaves = child.leaves
        self._process = spawned.process
        self._loop = loop = asyncio.get_running_loop()
        self.settled: asyncio.Future[Status] = loop.create_future()
        self.exited = False
        #: As Popen has it, negative for signals; None until it exited, or when other code took it.
        self.returncode: int | None = None
        self.stdout = Stream(spawned.stdout, child.cap)
        self.stderr = Stream(spawned.stderr, child.cap)
        self._streams = (self.stdout, self.stderr)
        self._timer = loop.call_later(child.deadline - time.monotonic(), self._settle, Status.TIMEOUT)
        self._ears = ears_of(loop)
        self._ears.listen(spawned.stdout, partial(self._on_output, self.stdout))
        self._ears.listen(spawned.stderr, partial(self._on_output, self.stderr))
        self._pidfd = _open_pidfd(spawned.process.pid)
        if self._pidfd is None:
            self._poll(_FIRST_POLL)
        else:
            self._ears.listen(self._pidfd, self._on_exit)

    def resume(self, deadline: float) -> None:
        """Follow a child that LEFT up to another deadline."""
        self._deadline = deadline
        self.settled = self._loop.create_future()
        self._timer.cancel()
        self._timer = self._loop.call_later(deadline - time.monotonic(), self._settle, Status.TIMEOUT)
        if self.exited:
            self._on_exit()
        elif self.stdout.cut or self.stderr.cut:
            self._overflow()

    @property
    def held(self) -> bool:
        """Whether somebody may still write to the child's output."""
        return self.stdout.fd is not None or self.stderr.fd is not None

    def reap(self) -> bool:
        """Take the exit status if there is one, so that no zombie stays; whether the child is gone."""
        if self.exited:
            return True
        try:
            pid, status = os.waitpid(self._process.pid, os.WNOHANG)
        except ChildProcessError:  # SIGCHLD is ignored here, or somebody waits for all children
            self._process.returncode = 0  # else Popen would go on looking for it
        else:
            if pid == 0:
                return False
            self._process.returncode = self.returncode = os.waitstatus_to_exitcode(status)
        self.exited = True
        return True

    def pull_all(self) -> None:
        """Take what was written and not yet read."""
        for stream in self._streams:
            for _ in range(_PULLS):
                if not self._take(stream):
                    break

    def close(self) -> None:
        """Reap, and let go of everything."""
        self._reap_late()
        self._timer.cancel()
        for stream in self._streams:
            self._close_stream(stream)
        self._close_pidfd()

    def _reap_late(self) -> None:
        """Reap now, or else look again from time to time: even KILL waits for what the kernel is doing."""
        if not self.reap() and not self._loop.is_closed():
            self._loop.call_later(_STUCK_POLL, self._reap_late)

    def _on_output(self, stream: Stream) -> None:
        self._take(stream)
        if self._leaves is not None and stream is self.stdout:
            self._ask_to_leave(self._leaves)
        # Who closed both is most likely gone by now: the descriptor that tells need not be waited for.
        if not self.held and self.reap():
            self._close_pidfd()
            self._settle(Status.EXITED)

    def _on_exit(self) -> None:
        self._close_pidfd()
        self.reap()
        self.pull_all()
        if not self.held:
            self._settle(Status.EXITED)
        if not self.settled.done():
            self._timer.cancel()
            left = self._deadline - time.monotonic()
            self._timer = self._loop.call_later(min(self._child.drain, left), self._settle, Status.EXITED)

    def _poll(self, pause: float) -> None:
        """Look for the exit from time to time, where there is no descriptor that tells."""
        if self.reap():
            self._on_exit()
        else:
            self._loop.call_later(pause, self._poll, min(2 * pause, _LONGEST_POLL))

    def _take(self, stream: Stream) -> bool:
        """Read once from a stream; whether there may be more at once."""
        if stream.fd is None:
            return False
        size = stream.pull(stream.fd)
        if size == 0:
            self._close_stream(stream)
        elif stream.cut and not self._child.truncate:
            self._ears.forget(stream.fd)
            self._overflow()
            return False
        return bool(size)

    def _ask_to_leave(self, leaves: Callable[[bytes], bool]) -> None:
        """Once the first line is whole, and only then, it may say so."""
        line, newline, _ = self.stdout.data.partition(b"\n")
        if newline:
            self._leaves = None
            if leaves(bytes(line)):
                self._settle(Status.LEFT)

    def _overflow(self) -> None:
        if not self._child.truncate:
            self._settle(Status.OVERFLOW)

    def _settle(self, status: Status) -> None:
        if not self.settled.done():
            self.settled.set_result(status)

    def _close_stream(self, stream: Stream) -> None:
        if stream.fd is not None:
            self._forget(stream.fd)
            stream.fd = None

    def _close_pidfd(self) -> None:
        if self._pidfd is not None:
            self._forget(self._pidfd)
            self._pidfd = None

    def _forget(self, fd: int) -> None:
        self._ears.forget(fd)
        os.close(fd)


def _open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process exits, or None where there is none."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # an old kernel, no descriptors left, or the child is gone and reaped by others
        return None
