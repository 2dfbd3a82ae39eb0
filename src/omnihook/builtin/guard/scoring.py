"""How well the guard does on labelled commands: recall, false positives, agreement, processor time."""

import time
from collections.abc import Iterable
from dataclasses import field

from omnihook.builtin.guard.judging import Judgement, Settings, judge_in
from omnihook.builtin.guard.places import Scene
from omnihook.slotted import dataclass

ALL = "all"
"""The category of ids that name none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A labelled command; the category is what stands between the dashes of its id."""

    id: str
    command: str
    verdict: str

    @property
    def category(self) -> str:
        """`dev-rm-block-001` is in category rm."""
        parts = self.id.split("-")
        return "-".join(parts[1:-2]) or ALL if len(parts) > 3 else ALL


@dataclass(slots=True)
class Tally:
    """Counts of (expected, given)."""

    counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, expected: str, given: str) -> None:
        """Count one answer."""
        self.counts[expected, given] = self.counts.get((expected, given), 0) + 1

    def _share(self, expected: str, *given: str) -> float | None:
        total = sum(count for (wanted, _), count in self.counts.items() if wanted == expected)
        return sum(self.counts.get((expected, one), 0) for one in given) / total if total else None

    def figures(self) -> dict[str, float | None]:
        """Shares between 0 and 1; None where there are no such rows."""
        return {
            "block_recall": self._share("block", "block"),
            "stopped_recall": self._share("block", "block", "ask"),
            "hard_false_positives": self._share("allow", "block"),
            "soft_false_positives": self._share("allow", "ask"),
            "ask_agreement": self._share("ask", "ask"),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The whole result."""

    total: Tally
    categories: dict[str, Tally]
    wrong: tuple[tuple[Case, Judgement], ...]
    p50_ms: float
    p99_ms: float


def score(cases: Iterable[Case], scene: Scene, settings: Settings) -> Score:
    """Judge every case and compare."""
    total, categories = Tally(), dict[str, Tally]()
    wrong: list[tuple[Case, Judgement]] = []
    times: list[float] = []
    for case in cases:
        start = time.thread_time()
        given = judge_in(case.command, scene, settings)
        times.append(time.thread_time() - start)
        total.add(case.verdict, given.verdict)
        categories.setdefault(case.category, Tally()).add(case.verdict, given.verdict)
        if given.verdict != case.verdict:
            wrong.append((case, given))
    times.sort()
    return Score(
        total=total,
        categories=categories,
        wrong=tuple(wrong),
        p50_ms=_at(times, 0.5) * 1000,
        p99_ms=_at(times, 0.99) * 1000,
    )


def _at(times: list[float], share: float) -> float:
    return times[min(int(len(times) * share), len(times) - 1)] if times else 0.0
