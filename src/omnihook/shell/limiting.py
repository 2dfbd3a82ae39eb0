"""How much processor time a walk through shell text may take, whatever it is given."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from omnihook.shell.parsing import ShellTextError

SECONDS = 3.0
"""What one walk may take. A real script takes a tenth of a second, and the least that an agent waits is five."""
_AGAIN = 0.5  # for code that takes the first signal for something else


class Clock:
    """Counts the processor time of this thread from when it is made."""

    __slots__ = ("_until",)

    def __init__(self, seconds: float = SECONDS) -> None:
        self._until = time.thread_time() + seconds

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return time.thread_time() > self._until

    def check(self) -> None:
        """Raise `ShellTextError` once the time is over."""
        if self.over:
            raise _too_long()


class _Process:
    """What this process may do."""

    signals = False


@contextmanager
def signals_allowed() -> Iterator[None]:
    """Let walks in the block be ended by a signal; for processes that are ours, never for a host's."""
    before, _Process.signals = _Process.signals, True
    try:
        yield
    finally:
        _Process.signals = before


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """End the block with `ShellTextError` after so much processor time, also inside one single expression.

    Only where signals are allowed, and in the main thread, the only one they reach.
    """
    if not _Process.signals or threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGPROF, _late)
    left, again = signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    started = time.process_time()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        if left:
            signal.setitimer(signal.ITIMER_PROF, max(0.001, left - (time.process_time() - started)), again)


def _late(*_: object) -> NoReturn:
    raise _too_long()


def _too_long() -> ShellTextError:
    return ShellTextError("the command takes too long to judge")
