"""Plan: what will run for an event, in what order, and what will not, and why."""

from collections.abc import Callable
from typing import TypeAlias

from omnihook.events import Event
from omnihook.hooks import Hook
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One hook of a plan with its time-out in seconds; None means none."""

    hook: Hook
    timeout: float | None


Lane: TypeAlias = tuple[Step, ...]  # runs in order
Stage: TypeAlias = tuple[Lane, ...]  # lanes run together


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A hook that does not run, and the reason in one or two words; `detail` says more."""

    hook: Hook
    why: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Stages run one after the other; `background` starts after them and is not waited for.

    `skipped` are hooks that matched and still will not run; `explain` lists all the others on demand.
    """

    event: Event
    stages: tuple[Stage, ...] = ()
    background: tuple[Step, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    explain: Callable[[], tuple[Skipped, ...]] = lambda: ()

    @property
    def empty(self) -> bool:
        """Whether nothing will run."""
        return not self.stages and not self.background

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step in plan order, the background ones last."""
        ordered = (step for stage in self.stages for lane in stage for step in lane)
        return (*ordered, *self.background)
