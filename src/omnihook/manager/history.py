"""What the journal says, kept up with: the records as they come in, from whatever process, and figures per hook."""

from collections import deque
from collections.abc import Iterable

from omnihook.journal.figures import Figures, Run, figures, runs
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Record, Wanted
from omnihook.jsontypes import Json, number_of

FIRST = 500  # records that are read at the start
BURST = 200  # records that are shown of those that came at once
RUNS = 200  # runs that are remembered of one hook


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
        found.sort(key=lambda record: number_of(record.get("at")))  # processes write at their own pace
        self._remember(found)
        return found

    def figures(self, hook: str) -> Figures | None:
        """How a hook has been doing; None when no run is remembered."""
        found = self._runs.get(hook)
        return figures(tuple(found)) if found else None

    def close(self) -> None:
        """Let go of the journal."""
        self._reader.close()

    def _remember(self, records: Iterable[Record]) -> None:
        for record in records:
            for run in runs(record):
                self._runs.setdefault(run.hook, deque(maxlen=RUNS)).append(run)


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0
