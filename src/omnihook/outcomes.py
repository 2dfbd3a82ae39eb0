"""Outcome and Report: what came of running hooks, the values that merging, the journal and people read."""

from dataclasses import field
from enum import Enum

from omnihook.dialect import Failure
from omnihook.events import Event
from omnihook.hooks import Hook
from omnihook.jsontypes import EMPTY, JsonObject
from omnihook.plans import Plan, Skipped
from omnihook.slotted import dataclass
from omnihook.verdicts import NO_OPINION, Verdict


class Status(Enum):
    """How a hook's run ended."""

    OK = "ok"
    BLOCKED = "blocked"
    BROKEN = "broken"
    TIMEOUT = "timeout"
    OVERFLOW = "overflow"
    CANCELLED = "cancelled"
    SHADOW = "shadow"
    LATE = "late"  # runs in the background; its answer comes too late to count
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one hook did. `verdict` is what counts: after lowering, and after `on_error` for a failure.

    `said` is the hook's own verdict where lowering, shadow mode or a late answer changed it.
    """

    hook: Hook
    status: Status = Status.OK
    verdict: Verdict = NO_OPINION
    said: Verdict | None = None
    failure: Failure | None = None
    exit_code: int | None = None
    signal: int | None = None
    duration: float = 0.0
    stdout: str = ""
    stderr: str = ""
    pass_: int = 1
    saw: JsonObject = field(default=EMPTY)  # the tool input the hook saw
    lowered: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what people should know: a fallback directory, helpers left behind
    joiner: str = "\n"

    @property
    def timed_out(self) -> bool:
        """Whether its time ran out."""
        return self.status is Status.TIMEOUT

    @property
    def succeeded(self) -> bool:
        """Whether it ran to its end and neither failed nor refused; a hook in the background has not ended yet."""
        return self.status in (Status.OK, Status.SHADOW)

    @property
    def blocked(self) -> bool:
        """Whether it refused, or stopped the agent, by its own word."""
        return self.status is Status.BLOCKED

    @property
    def error(self) -> str | None:
        """What went wrong, in a sentence; None for a hook that gave an answer."""
        return None if self.failure is None else self.failure.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The verdict of several outcomes, and how conflicts were settled."""

    verdict: Verdict
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report:
    """Everything about one fired event: the journal, JSON-RPC and the command line read this."""

    event: Event
    plan: Plan
    verdict: Verdict = NO_OPINION
    outcomes: tuple[Outcome, ...] = ()  # in plan order
    skipped: tuple[Skipped, ...] = ()
    lowered: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    derived: tuple["Report", ...] = ()
    duration: float = 0.0

    def __repr__(self) -> str:
        # Short on purpose: asyncio.run represents what its coroutine returned, and an event may be very large.
        word = self.verdict.decision.word or "no opinion"
        return f"<Report of {self.event.name}: {word}, {len(self.outcomes)} outcomes, {len(self.skipped)} skipped>"

    @property
    def refused(self) -> bool:
        """Whether the action must not go on."""
        return self.verdict.refused

    @property
    def allowed(self) -> bool:
        """Whether the action may go on, as far as hooks are concerned; an `ask` is for the user to answer."""
        return not self.verdict.refused and self.verdict.continue_
