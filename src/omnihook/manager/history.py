"""What the journal says, kept up with: the records as they come in, from whatever process, and figures per hook."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from omnihook.journal.reading import Reader, Record, Wanted
from omnihook.jsontypes import Json

FIRST = 500  # records that are read at the start
BURST = 200  # records that are shown of those that came at once
RUNS = 200  # runs that are remembered of one hook
LAST = 3  # runs that are told one by one
BROKEN = frozenset({"broken", "timeout", "overflow"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a hook; `at` is in seconds since the epoch."""

    at: float
    status: str
    duration_ms: float

    @property
    def broken(self) -> bool:
        """Whether it gave no answer."""
        return self.status in BROKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How a hook has been doing, in the runs that are remembered; `last` begins with the newest."""

    runs: int
    failures: int
    p95: float  # milliseconds
    last: tuple[Run, ...]


class History:
    """The journal of a state folder, followed. Everything is asked from one thread."""

    def __init__(self, folder: str) -> None:
        self._reader = Reader(folder)
        self._seq: int | None = None
        self._runs: dict[str, deque[Run]] = {}

    def new(self) -> list[Record]:
        """The records since the last time, oldest first; the first time the newest ones that are there.

        Raises JournalError when the journal cannot be read.
        """
        if self._reader.replaced():
            self._reader.reopen()
        last = self._reader.last()
        if self._seq is None or last < self._seq:  # a new file counts from the beginning
            found = self._reader.records(Wanted(limit=FIRST))
        elif last == self._seq:
            return []
        else:
            found = self._reader.after(max(self._seq, last - BURST))
        self._seq = max(last, *(_number(record.get("seq")) for record in found), 0) if found else last
        found.sort(key=lambda record: _real(record.get("at")))  # processes write at their own pace
        self._remember(found)
        return found

    def figures(self, hook: str) -> Figures | None:
        """How a hook has been doing; None when no run is remembered."""
        runs = self._runs.get(hook)
        if not runs:
            return None
        took = sorted(run.duration_ms for run in runs)
        return Figures(
            runs=len(runs),
            failures=sum(run.broken for run in runs),
            p95=took[max(0, -(-len(took) * 95 // 100) - 1)],
            last=tuple(list(runs)[: -LAST - 1 : -1]),
        )

    def close(self) -> None:
        """Let go of the journal."""
        self._reader.close()

    def _remember(self, records: Iterable[Record]) -> None:
        for record in records:
            runs, at = record.get("runs"), record.get("at")
            for run in runs if isinstance(runs, list) else ():
                if isinstance(run, dict) and isinstance(name := run.get("hook"), str):
                    made = Run(at=_real(at), status=str(run.get("status")), duration_ms=_real(run.get("duration_ms")))
                    self._runs.setdefault(name, deque(maxlen=RUNS)).append(made)


def _real(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0
