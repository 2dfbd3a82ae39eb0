"""Lowering: what a verdict becomes where not all of it can be done. It only ever gets stricter, and it is recorded."""

from dataclasses import replace

from omnihook.dialect import EVERY_EFFECT, Effects
from omnihook.slotted import dataclass
from omnihook.verdicts import NO_OPINION, Decision, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """A verdict that can be done, what was changed to get there, and context that found no place."""

    verdict: Verdict
    notes: tuple[str, ...] = ()
    context: str | None = None


SILENCE = Lowered(verdict=NO_OPINION)


def lower(
    verdict: Verdict, effects: Effects, where: str, *, can_ask: bool = True, keeps_context: bool = True
) -> Lowered:
    """Fit a verdict to what can be done at a place, named in the notes.

    `keeps_context` tells whether the caller delivers context without a place later on.
    """
    if verdict is NO_OPINION:
        return SILENCE
    if effects is EVERY_EFFECT and can_ask:
        return Lowered(verdict=verdict)
    notes: list[str] = []
    made = _without_rewrite(verdict, effects, where, notes)
    made = _without_stop(made, effects, where, notes)
    made = _decided(made, effects, where, notes, can_ask=can_ask)
    return _silenced(made, effects, where, notes, keeps_context=keeps_context)


def _without_rewrite(verdict: Verdict, effects: Effects, where: str, notes: list[str]) -> Verdict:
    if verdict.updated_output is not None and not effects.output:
        notes.append(f"the rewritten output is dropped: {where} cannot change it")
        verdict = replace(verdict, updated_output=None)
    if verdict.updated_input is None or effects.rewrite:
        return verdict
    bare = replace(verdict, updated_input=None)
    if not effects.refuse or verdict.refused:
        notes.append(f"the rewritten input is dropped: {where} cannot change it")
        return bare
    notes.append(f"rewrite -> deny: {where} cannot change the input")
    reason = verdict.reason or "a hook rewrote the input and the rewrite cannot be applied here"
    return replace(bare, decision=Decision.DENY, reason=reason)


def _without_stop(verdict: Verdict, effects: Effects, where: str, notes: list[str]) -> Verdict:
    if verdict.continue_ or effects.stop:
        return verdict
    going = replace(verdict, continue_=True, stop_reason=None)
    told = verdict.stop_reason or verdict.reason
    if not effects.refuse:
        notes.append(f"the stop is dropped: {where} cannot stop the agent")
        return replace(going, system_message=verdict.system_message or told)
    if verdict.refused:
        return replace(going, reason=verdict.reason or told)
    notes.append(f"stop -> deny: {where} cannot stop the agent")
    return replace(going, decision=Decision.DENY, reason=told or "a hook stopped the agent")


def _decided(verdict: Verdict, effects: Effects, where: str, notes: list[str], *, can_ask: bool) -> Verdict:
    decision = verdict.decision
    if decision.refuses:
        return verdict if effects.refuse else _unrefused(verdict, effects, where, notes)
    if decision is Decision.APPROVE and not effects.approve:
        notes.append(f"approve -> allow: {where} cannot skip the prompt")
        return replace(verdict, decision=Decision.ALLOW)
    if decision is Decision.ASK and verdict.ordinary and not (effects.ask and can_ask):
        return replace(verdict, decision=Decision.NONE)  # the host prompts, or refuses, as it always would
    possible = effects.ask and can_ask if decision is Decision.ASK else effects.defer
    if decision < Decision.ASK or possible:
        return verdict
    if not effects.refuse:
        notes.append(f"{decision.word} is dropped: {where} cannot be refused")
        return replace(verdict, decision=Decision.NONE)
    why = "nobody can be asked" if decision is Decision.ASK and effects.ask else f"{where} cannot {decision.word}"
    notes.append(f"{decision.word} -> deny: {why}")
    return replace(verdict, decision=Decision.DENY, reason=verdict.reason or f"a hook wants to {decision.word}; {why}")


def _unrefused(verdict: Verdict, effects: Effects, where: str, notes: list[str]) -> Verdict:
    """Nothing can be refused any more, so the words go where they can still be heard."""
    notes.append(f"{verdict.decision.word} has no effect: {where} cannot be refused")
    bare = replace(verdict, decision=Decision.NONE, reason=None)
    if verdict.reason is None:
        return bare
    if effects.context:
        texts = [text for text in (verdict.reason, verdict.additional_context) if text]
        return replace(bare, additional_context="\n".join(texts))
    return replace(bare, system_message=verdict.system_message or verdict.reason)


def _silenced(verdict: Verdict, effects: Effects, where: str, notes: list[str], *, keeps_context: bool) -> Lowered:
    context = None
    if verdict.additional_context is not None and not effects.context:
        context = verdict.additional_context if keeps_context else None
        fate = "is kept for later" if keeps_context else "has no effect"
        notes.append(f"context {fate}: {where} cannot carry it")
        verdict = replace(verdict, additional_context=None)
    if verdict.system_message is not None and not effects.message:
        notes.append(f"the message is only in the report: {where} cannot show it")
        verdict = replace(verdict, system_message=None)
    if verdict.suppress_output and not effects.suppress:
        verdict = replace(verdict, suppress_output=False)
    return Lowered(verdict=verdict, notes=tuple(notes), context=context)
