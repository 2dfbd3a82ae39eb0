"""Measuring jobs in turns, so that all of them meet the same machine, and the rows that come of it."""

import gc
import inspect
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

Job = Callable[[], Awaitable[object] | object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. Times are seconds; without a baseline the target is a time, with one a ratio.

    A row without a target only informs.
    """

    case: str
    measured: float
    baseline: str = ""
    against: float | None = None
    target: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the baseline we take."""
        return None if self.against is None else self.measured / self.against

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.target is None:
            return None
        return (self.measured if self.ratio is None else self.ratio) <= self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Seconds a job took: the median, which is what people feel, and the least.

    For what only computes the least counts, because whatever else runs on the machine only ever adds. For what
    waits the median does: a lucky moment is no property of the code.
    """

    median: float
    least: float


async def in_turns(jobs: Mapping[str, Job], *, rounds: int, warm: int = 5, repeat: int = 1) -> dict[str, Taken]:
    """What each job took, measured `repeat` times in each of many rounds.

    The order within a round moves on by one each time, so that no job always follows the same other.
    """
    settle()
    names = list(jobs)
    times: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds + warm):
        start = number % len(names)
        for name in (*names[start:], *names[:start]):
            took = await _once(jobs[name], repeat)
            if number >= warm:
                times[name].append(took)
    return {name: Taken(median=statistics.median(taken), least=min(taken)) for name, taken in times.items()}


def settle() -> None:
    """Take what exists out of the collector's sight, so that no job pays for another's large heap."""
    gc.collect()
    gc.freeze()


async def _once(job: Job, repeat: int) -> float:
    begun = time.perf_counter()
    for _ in range(repeat):
        waiting = job()
        if inspect.isawaitable(waiting):
            await waiting
    return (time.perf_counter() - begun) / repeat
