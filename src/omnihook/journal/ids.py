"""Ids of records: short, in the order of time, and never the same from two processes."""

import os
import threading

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # without i, l, o and u, so that an id can be read out
_PAIRS = [first + second for first in ALPHABET for second in ALPHABET]
_TICKS = 62_500  # per second: ten characters of these last for centuries


class Ids:
    """Makes ids: ten characters of time, then three that mark the maker."""

    __slots__ = ("_era", "_last", "_lock", "_mark", "_prefix")

    def __init__(self) -> None:
        self._last, self._era, self._prefix = 0, -1, ""
        self._lock = threading.Lock()
        self.remark()

    def new(self, at: float) -> str:
        """The next id for something that happened at a time; later ones sort later."""
        with self._lock:
            ticks = self._last = max(self._last + 1, int(at * _TICKS))
            if ticks >> 20 != self._era:  # its six characters last for seconds
                self._era, self._prefix = ticks >> 20, earliest_of(ticks)[:6]
            return self._prefix + _PAIRS[ticks >> 10 & 1023] + _PAIRS[ticks & 1023] + self._mark

    def remark(self) -> None:
        """Take another mark: after a fork, or when an id was taken."""
        number = int.from_bytes(os.urandom(2), "big")
        self._mark = _PAIRS[number >> 6] + ALPHABET[number & 31]


def earliest(at: float) -> str:
    """What no id from a time on is less than."""
    return earliest_of(max(0, int(at * _TICKS)))


def earliest_of(ticks: int) -> str:
    """The part of an id that tells its time."""
    pairs = _PAIRS
    return (
        pairs[ticks >> 40 & 1023]
        + pairs[ticks >> 30 & 1023]
        + pairs[ticks >> 20 & 1023]
        + pairs[ticks >> 10 & 1023]
        + pairs[ticks & 1023]
    )
