"""Several descriptors behind one registration on the event loop.

A child needs three, and each costs asyncio some twenty microseconds; with an epoll that all children of a loop
share one registration is enough. Elsewhere than on Linux each descriptor is registered by itself.
"""

import asyncio
import select
from collections.abc import Callable

_shared: "dict[asyncio.AbstractEventLoop, Ears]" = {}  # only while something is heard


class Ears:
    """Calls back while a descriptor is readable, until told to forget it; let go of when nothing is heard."""

    __slots__ = ("_callbacks", "_epoll", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._epoll = _open_epoll()
        if self._epoll is not None:
            loop.add_reader(self._epoll.fileno(), self._ready)

    def listen(self, fd: int, callback: Callable[[], None]) -> None:
        """Call back whenever this descriptor is readable."""
        self._callbacks[fd] = callback
        if self._epoll is not None:
            self._epoll.register(fd, select.EPOLLIN)
        else:
            self._loop.add_reader(fd, callback)

    def forget(self, fd: int) -> None:
        """Listen to this descriptor no longer; nothing happens when we did not."""
        if self._callbacks.pop(fd, None) is None:
            return
        if self._epoll is not None:
            self._epoll.unregister(fd)
        elif not self._loop.is_closed():
            self._loop.remove_reader(fd)
        if not self._callbacks:
            self._close()

    def _close(self) -> None:
        _shared.pop(self._loop, None)
        if self._epoll is not None:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._epoll.fileno())
            self._epoll.close()
            self._epoll = None

    def _ready(self) -> None:
        if self._epoll is None:
            return
        for fd, _ in self._epoll.poll(0):
            callback = self._callbacks.get(fd)  # an earlier callback may have made us forget it
            if callback is not None:
                callback()


def ears_of(loop: asyncio.AbstractEventLoop) -> Ears:
    """What listens on a loop; listen at once, for it is let go of when the last descriptor is forgotten."""
    found = _shared.get(loop)
    if found is None:
        found = _shared[loop] = Ears(loop)
    return found


def _open_epoll() -> select.epoll | None:
    if not hasattr(select, "epoll"):
        return None
    try:
        return select.epoll()
    except OSError:  # no descriptors left: the loop has one
        return None
