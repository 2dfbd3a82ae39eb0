"""How much processor time a walk through shell text may take, whatever it is given."""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ClassVar

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
    """What this process may do, and the frames whose walks its timer watches."""

    signals = False
    walks: ClassVar[list[FrameType]] = []


@contextmanager
def signals_allowed() -> Iterator[None]:
    """Let walks in the block be ended by a signal; for processes that are ours, never for a host's."""
    before, _Process.signals = _Process.signals, True
    try:
        yield
    finally:
        _Process.signals = before


class limited:  # noqa: N801  (read as a word: `with limited():`)
    """End the block with `ShellTextError` after so much processor time, also inside one single expression.

    Only where signals are allowed, and in the main thread, the only one they reach.
    """

    __slots__ = ("_before", "_seconds", "_started", "_works")

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._works = _Process.signals and threading.current_thread() is threading.main_thread()
        if self._works:
            _Process.walks.append(sys._getframe(1))
            handler = signal.signal(signal.SIGPROF, _late)
            self._before = (handler, *signal.setitimer(signal.ITIMER_PROF, self._seconds, _AGAIN))
            self._started = time.process_time()

    def __exit__(self, *_: object) -> None:
        if self._works:
            _Process.walks.pop()
            signal.setitimer(signal.ITIMER_PROF, 0)
            handler, left, again = self._before
            signal.signal(signal.SIGPROF, handler)
            if left:
                since = time.process_time() - self._started
                signal.setitimer(signal.ITIMER_PROF, max(0.001, left - since), again)


_ENDS = frozenset({limited.__enter__.__code__, limited.__exit__.__code__})


def _late(_: int, frame: FrameType | None) -> None:
    """End the walk; but never between its two ends, which set the timer and stop it.

    An exception of somebody else, as at another time-out, may break off just these. The timer of a walk that is not
    under way any more is stopped.
    """
    while frame is not None:
        if frame.f_code in _ENDS:
            return  # the timer comes again
        if any(frame is walk for walk in _Process.walks):
            raise _too_long()
        frame = frame.f_back
    signal.setitimer(signal.ITIMER_PROF, 0)
    _Process.walks.clear()


def _too_long() -> ShellTextError:
    return ShellTextError("the command takes too long to judge")
