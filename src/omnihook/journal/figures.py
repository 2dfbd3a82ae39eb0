"""Figures of hooks, from the records of a journal: runs, failures, refusals and durations."""

import math
from collections.abc import Iterable, Iterator, Sequence

from omnihook.journal.wanting import Record
from omnihook.jsontypes import list_at, number_of
from omnihook.slotted import dataclass

BROKEN = frozenset({"broken", "timeout", "overflow"})
LAST = 3  # runs that are told one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a hook; `at` is in seconds since the epoch."""

    hook: str
    at: float
    status: str
    duration_ms: float

    @property
    def broken(self) -> bool:
        """Whether it gave no answer."""
        return self.status in BROKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How a hook has been doing; durations are in milliseconds, `last` begins with the newest run."""

    runs: int
    failures: int
    blocked: int
    p50: float
    p95: float
    last: tuple[Run, ...]


def runs(record: Record) -> Iterator[Run]:
    """Every run of a record that has ended, those in the background included where the record has them."""
    at = number_of(record.get("at"))
    for run in (*list_at(record, "runs"), *list_at(record, "late")):
        if isinstance(run, dict) and isinstance(hook := run.get("hook"), str) and run.get("status") != "late":
            status, took = str(run.get("status")), number_of(run.get("duration_ms"))
            yield Run(hook=hook, at=at, status=status, duration_ms=took)


def by_hook(records: Iterable[Record]) -> dict[str, Figures]:
    """The figures of every hook that some records tell of, by name."""
    found: dict[str, list[Run]] = {}
    for record in records:
        for run in runs(record):
            found.setdefault(run.hook, []).append(run)
    return {hook: figures(found[hook]) for hook in sorted(found)}


def figures(ended: Sequence[Run]) -> Figures:
    """The figures of some runs, of which there is at least one, oldest first."""
    took = [run.duration_ms for run in ended]
    return Figures(
        runs=len(ended),
        failures=sum(run.broken for run in ended),
        blocked=sum(run.status == "blocked" for run in ended),
        p50=percentile(took, 0.50),
        p95=percentile(took, 0.95),
        last=tuple(ended[: -LAST - 1 : -1]),
    )


def percentile(values: Iterable[float], part: float) -> float:
    """The smallest value that this part of all of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]
