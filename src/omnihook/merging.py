"""Merging: many outcomes, one verdict. Pure; which hook finished first never matters."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from omnihook.jsontypes import Json, JsonObject
from omnihook.outcomes import Merged, Outcome
from omnihook.rewrites import fold
from omnihook.verdicts import NO_OPINION, Decision, Verdict

SILENCE = Merged(verdict=NO_OPINION)


def merge(outcomes: Sequence[Outcome], given: JsonObject) -> Merged:
    """The strongest decision with the reason of the first hook that gave it; `given` is the tool's input.

    Rewrites fold in plan order into one whole new input; a key changed twice is a recorded conflict.
    """
    spoken = [outcome for outcome in outcomes if outcome.verdict is not NO_OPINION]
    if not spoken:
        return SILENCE
    verdicts = [outcome.verdict for outcome in spoken]
    decision = max(verdict.decision for verdict in verdicts)
    conflicts: list[str] = []
    changed = fold(spoken, given, conflicts)
    extra = {key: value for verdict in verdicts for key, value in verdict.extra.items()}
    merged = Verdict(
        decision=decision,
        reason=_reason(verdicts, decision),
        continue_=all(verdict.continue_ for verdict in verdicts),
        stop_reason=_last(verdict.stop_reason for verdict in verdicts),
        updated_input=changed,
        partial=changed is None,
        updated_output=_last_output(spoken, conflicts),
        additional_context=_joined(spoken),
        system_message=_last(verdict.system_message for verdict in verdicts),
        suppress_output=any(verdict.suppress_output for verdict in verdicts),
        suppress_logging=any(verdict.suppress_logging for verdict in verdicts),
        ordinary=all(verdict.ordinary for verdict in verdicts if verdict.decision is decision),
        extra=extra,
    )
    return Merged(verdict=merged, conflicts=tuple(conflicts))


def join_verdicts(first: Verdict, others: Iterable[Verdict]) -> Verdict:
    """A verdict with what later dispatches of the same moment added: words, and a stop, but no new decision."""
    made = first
    for other in others:
        texts = [text for text in (made.additional_context, other.reason, other.additional_context) if text]
        made = replace(
            made,
            additional_context="\n".join(texts) or None,
            system_message=other.system_message or made.system_message,
            continue_=made.continue_ and other.continue_,
            stop_reason=other.stop_reason or made.stop_reason,
        )
    return made


def _reason(verdicts: Sequence[Verdict], decision: Decision) -> str | None:
    own = next((v.reason for v in verdicts if v.decision is decision and v.reason is not None), None)
    if own is not None or not decision.refuses:
        return own
    return "; ".join(v.reason for v in verdicts if v.refused and v.reason is not None) or None


def _last(values: Iterable[str | None]) -> str | None:
    found = None
    for value in values:
        if value is not None:
            found = value
    return found


def _last_output(outcomes: Sequence[Outcome], conflicts: list[str]) -> Json:
    writers = [outcome for outcome in outcomes if outcome.verdict.updated_output is not None]
    if len(writers) > 1:
        names = ", ".join(outcome.hook.name for outcome in writers)
        conflicts.append(f"the output was rewritten by {names}: the last stands")
    return writers[-1].verdict.updated_output if writers else None


def _joined(outcomes: Sequence[Outcome]) -> str | None:
    made: str | None = None
    previous = ""
    for outcome in outcomes:
        text = outcome.verdict.additional_context
        if not text:
            continue
        same = outcome.joiner if previous in ("", outcome.hook.source.dialect) else "\n\n"
        made = text if made is None else f"{made}{same}{text}"
        previous = outcome.hook.source.dialect
    return made
