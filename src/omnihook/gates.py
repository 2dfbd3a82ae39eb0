"""Gates: fire SessionStart or Stop, feed a block's text back to the agent, and give up at the limit.

Also how the context of such events is put before a model: as a system message, or before a prompt.
"""

import inspect
from collections.abc import Awaitable, Callable

from omnihook.engine import Engine
from omnihook.errors import UsageError
from omnihook.events import Event
from omnihook.outcomes import Report
from omnihook.slotted import dataclass
from omnihook.stopping import forced
from omnihook.verdicts import Verdict

Feed = Callable[[str], Awaitable[None] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """How a gate was passed: the last report, how often it was held, and whether the limit ended it.

    `context` is what hooks want the agent to know, `refused` whether it may not go on.
    """

    report: Report
    blocks: int
    gave_up: bool = False

    @property
    def context(self) -> str | None:
        """What hooks want the agent to know."""
        return self.report.verdict.additional_context

    @property
    def refused(self) -> bool:
        """Whether the session may not start; a turn may always end."""
        return self.report.refused and self.report.event.name not in ("Stop", "SubagentStop")


async def gate(engine: Engine, event: Event, feed: Feed, *, limit: int | None = None) -> Passage:
    """Fire an event until no hook blocks it, giving each block's text to `feed`.

    For Stop, `feed` lets the agent go on with the text; the engine's own count ends a loop. For other events
    `limit` is how often a block is fed back (default: what the blocking hook's configuration says, 5).
    A block without any text cannot be answered and ends at once.
    """
    if limit is not None and (type(limit) is not int or limit < 0):
        raise UsageError(f"limit must be how often a block is fed back, not {limit!r}")
    blocks = 0
    while True:
        report = await engine.fire(event)
        if not report.refused:
            return Passage(report=report, blocks=blocks, gave_up=forced(report.notices))
        text = feedback(report.verdict)
        allowed = limit if limit is not None else engine.retry_limit(report)
        if text is None or blocks >= allowed:
            return Passage(report=report, blocks=blocks, gave_up=True)
        blocks += 1
        waiting = feed(text)
        if inspect.isawaitable(waiting):
            await waiting


def feedback(verdict: Verdict) -> str | None:
    """What the agent is told when a gate holds: the reason, then the context."""
    texts = [text for text in (verdict.reason, verdict.additional_context) if text and text.strip()]
    return "\n\n".join(texts) or None


def system_text(report: Report) -> str | None:
    """What hooks want the agent to know for the whole session, as a system message headed by the event's name."""
    context = report.verdict.additional_context
    return f"[{report.event.name} Hook Output]:\n{context}" if context else None


def prompt_text(report: Report, prompt: str) -> str:
    """The user's prompt as the model sees it: what hooks want known first, a blank line, and what was said."""
    context = report.verdict.additional_context
    return f"{context}\n\n{prompt}" if context else prompt
