"""The guard against endless Stop hooks: the real `stop_hook_active`, and an end to blocking that leads nowhere."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from omnihook.dialect import Dialect, Policy, Settings
from omnihook.events import Event, Stop, SubagentStop, rewritten
from omnihook.outcomes import Report
from omnihook.sessions import Sessions, key_of
from omnihook.verdicts import Decision, Verdict

MAY_STOP = "the agent may stop"  # how the notice begins when it is let go
BLOCKS, ACTED, TEXT = "stop_blocks", "acted", "stop_text"
RESETS = frozenset({"UserPromptSubmit", "SessionStart"})
ACTS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})
CONCERNED = RESETS | ACTS | {"Stop", "SubagentStop"}


def limit(report: Report, settings: Mapping[str, Settings], dialects: Mapping[str, Dialect]) -> int:
    """How often the block in a report may be repeated: its hook's files' own limit, else its dialect's."""
    for outcome in report.outcomes:
        if outcome.verdict.refused:
            name = outcome.hook.source.dialect
            own = settings.get(name)
            return dialects[name].policy.stop_limit if own is None or own.max_retries is None else own.max_retries
    return Policy().stop_limit


def forced(notices: Iterable[object]) -> bool:
    """Whether a report's notices say that the limit let the agent stop."""
    return any(str(text).startswith(MAY_STOP) for text in notices)


def before(event: Event, sessions: Sessions) -> Event:
    """Note what an event means for the count; a Stop event gets the flag that is true."""
    name = event.name
    if name not in CONCERNED:
        return event
    with sessions.changing(key_of(event)) as state:
        if name in RESETS:
            state.counts.pop(BLOCKS, None)
            state.texts.pop(TEXT, None)
        elif name in ACTS:
            if state.counts.get(BLOCKS, 0):
                state.counts[ACTED] = 1
        elif isinstance(event, Stop | SubagentStop):
            active = state.counts.get(BLOCKS, 0) > 0
            if event.stop_hook_active is not active:
                return rewritten(event, stop_hook_active=active)
    return event


def after(
    event: Event, verdict: Verdict, sessions: Sessions, limit: int, *, seen: bool = True
) -> tuple[Verdict, str | None]:
    """Let the agent stop when blocking it again would not help; the notice says why.

    `seen` tells whether tool calls come by here: who sees none cannot say that nothing was done.
    """
    if not isinstance(event, Stop | SubagentStop):
        return verdict, None
    with sessions.changing(key_of(event)) as state:
        blocks = state.counts.get(BLOCKS, 0)
        if not verdict.refused:
            state.counts.pop(BLOCKS, None)
            return verdict, None
        text = hashlib.sha256((verdict.reason or "").encode("utf-8", "replace")).hexdigest()[:16]
        repeated = seen and blocks > 0 and state.texts.get(TEXT) == text and not state.counts.get(ACTED, 0)
        if blocks >= limit or repeated:
            state.counts.pop(BLOCKS, None)
            why = "said the same again and nothing was done in between" if repeated else f"blocked {blocks} times"
            notice = f"{MAY_STOP}: hooks {why}: {verdict.reason or 'no reason given'}"
            return replace(verdict, decision=Decision.NONE, reason=None), notice
        state.counts[BLOCKS] = blocks + 1
        state.counts.pop(ACTED, None)
        state.texts[TEXT] = text
    return verdict, None
