"""Firing: one event through plan, run, merge and lowering, with the second pass after a rewrite."""

import time
from collections.abc import Sequence
from dataclasses import replace

from omnihook import merging, running
from omnihook.dialect import Dialect, effects_of
from omnihook.events import Event, ToolEvent, rewritten
from omnihook.jsontypes import EMPTY, JsonObject
from omnihook.lowering import Lowered, lower
from omnihook.outcomes import Outcome, Report, Status
from omnihook.planning import Gate, Planner
from omnihook.plans import Plan, Skipped
from omnihook.rewrites import fold
from omnihook.runners.scenes import Scene
from omnihook.runners.views import stamped, view
from omnihook.slotted import dataclass
from omnihook.verdicts import Decision, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What firing needs: the hooks, the scene they run in, the host and whether somebody can be asked."""

    planner: Planner
    scene: Scene
    host: Dialect
    can_ask: bool = True
    gate: Gate | None = None


async def dispatch(event: Event, course: Course, plan: Plan | None = None) -> tuple[Report, Lowered]:
    """Fire one event; background hooks are planned but started by the caller."""
    begun = time.perf_counter()
    event = stamped(event, time.time()) if event.timestamp is None else view(event)
    if plan is None:
        plan = course.planner.plan(event, course.gate)
    outcomes = await running.run(plan, course.scene) if plan.stages else ()
    given: JsonObject = event.tool_input if isinstance(event, ToolEvent) else EMPTY
    merged = merging.merge(outcomes, given)
    verdict, everything = merged.verdict, outcomes
    if verdict.updated_input is not None and not verdict.refused:
        verdict, everything = await _second_pass(event, verdict, outcomes, given, course)
    lowered = lower(
        verdict, effects_of(course.host, event), f"{event.name} in {course.host.name}", can_ask=course.can_ask
    )
    if plan.background:
        everything = (*everything, *(Outcome(hook=step.hook, status=Status.LATE) for step in plan.background))
    skipped, kept = _skips(everything)
    report = Report(
        event=event,
        plan=plan,
        verdict=lowered.verdict,
        outcomes=kept,
        skipped=(*plan.skipped, *skipped),
        lowered=(*[note for outcome in kept for note in outcome.lowered], *lowered.notes),
        conflicts=merged.conflicts,
        notices=_notices(kept),
        duration=time.perf_counter() - begun,
    )
    return report, lowered


async def _second_pass(
    event: Event, verdict: Verdict, outcomes: tuple[Outcome, ...], given: JsonObject, course: Course
) -> tuple[Verdict, tuple[Outcome, ...]]:
    """Ask once, about the changed input, exactly those hooks that have not answered for it."""
    assert isinstance(event, ToolEvent)
    final = verdict.updated_input or EMPTY
    changed = view(rewritten(event, tool_input=final))
    answered = {id(outcome.hook) for outcome in outcomes if _answered(outcome, final)}
    plan = _only_unanswered(course.planner.plan(changed, _lenient(course.gate, outcomes)), answered)
    if not plan.stages:
        return merging.merge(_settled(outcomes, final), given).verdict, outcomes
    again = await running.run(plan, replace(course.scene, pass_=2))
    firm = tuple(_firm(outcome) for outcome in again)
    asked = {id(outcome.hook) for outcome in again}
    kept = [outcome for outcome in outcomes if id(outcome.hook) not in asked or outcome.verdict.updated_input]
    place = {id(outcome.hook): position for position, outcome in enumerate(outcomes)}
    together = sorted((*_settled(kept, final), *firm), key=lambda outcome: place.get(id(outcome.hook), len(place)))
    merged = merging.merge(together, given).verdict
    return replace(merged, updated_input=final, partial=False), (*outcomes, *firm)


def _lenient(gate: Gate | None, outcomes: Sequence[Outcome]) -> Gate | None:
    """A gate that lets through again whoever it has let through for this event."""
    if gate is None:
        return None
    ran = {id(outcome.hook) for outcome in outcomes}
    return lambda hook, event: None if id(hook) in ran else gate(hook, event)


def _answered(outcome: Outcome, final: JsonObject) -> bool:
    """A hook has answered for an input it saw, or that its own rewrite made."""
    if dict(outcome.saw) == dict(final):
        return True
    made = fold((outcome,), outcome.saw)
    return made is not None and dict(made) == dict(final)


def _settled(outcomes: Sequence[Outcome], final: JsonObject) -> list[Outcome]:
    """Outcomes whose approval of another input does not count for this one."""
    return [
        outcome
        if outcome.verdict.decision >= Decision.ASK or _answered(outcome, final)
        else replace(outcome, verdict=replace(outcome.verdict, decision=Decision.NONE))
        for outcome in outcomes
    ]


def _only_unanswered(plan: Plan, answered: set[int]) -> Plan:
    stages = []
    for stage in plan.stages:
        lanes = []
        for lane in stage:
            steps = tuple(s for s in lane if id(s.hook) not in answered and not s.hook.observe)
            if steps:
                lanes.append(steps)
        if lanes:
            stages.append(tuple(lanes))
    return replace(plan, stages=tuple(stages), background=())


def _firm(outcome: Outcome) -> Outcome:
    """A further change is not applied: it becomes a question."""
    if fold((outcome,), outcome.saw) is None:
        return outcome
    reason = f"hook {outcome.hook.name} wants to change the input once more after it was rewritten"
    decision = max(outcome.verdict.decision, Decision.ASK)
    changed = replace(outcome.verdict, updated_input=None, decision=decision, reason=outcome.verdict.reason or reason)
    note = "a second rewrite is not applied: ask"
    return replace(outcome, verdict=changed, said=outcome.verdict, lowered=(*outcome.lowered, note))


def _skips(outcomes: Sequence[Outcome]) -> tuple[list[Skipped], tuple[Outcome, ...]]:
    skipped = [o for o in outcomes if o.status is Status.SKIPPED]
    if not skipped:
        return [], tuple(outcomes)
    found = [Skipped(hook=o.hook, why="modified", detail="; ".join(o.notes)) for o in skipped]
    return found, tuple(o for o in outcomes if o.status is not Status.SKIPPED)


def _notices(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    broken = [(outcome.hook.name, outcome.failure) for outcome in outcomes if outcome.failure is not None]
    return tuple(f"hook {name} broke: {failure.message}" for name, failure in broken) if broken else ()
