"""Running: a plan's hooks, stage by stage, lanes side by side; outcomes in plan order. The only concurrency."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace

from omnihook.dialect import Dialect, EndLane, Failure, Order, effects_of
from omnihook.events import PREVENTABLE, Event, ToolEvent, rewritten
from omnihook.hooks import Call, Cause, Context, Function, Hook, Layer, OnError
from omnihook.jsontypes import EMPTY, JsonObject, frozen
from omnihook.lowering import lower
from omnihook.outcomes import Outcome, Status
from omnihook.plans import Lane, Plan, Stage, Step
from omnihook.rewrites import fold
from omnihook.runners import function
from omnihook.runners.children import FOREVER
from omnihook.runners.one import elsewhere
from omnihook.runners.scenes import Dispatch, Done, Scene, directory
from omnihook.runners.views import view
from omnihook.verdicts import NO_OPINION, Decision, Verdict

NO_CONTEXT = Context()
_CANCELLED = Failure(cause=Cause.CANCELLED, message="cancelled before it started")


async def run(plan: Plan, scene: Scene) -> tuple[Outcome, ...]:
    """Run the stages of a plan, whose event is a `view`; what one stage rewrote, the next one sees."""
    with Dispatch(scene) as dispatch:
        event: Event = plan.event
        outcomes: list[Outcome] = []
        ended: set[str] = set()
        for left, stage in zip(range(len(plan.stages) - 1, -1, -1), plan.stages, strict=True):
            found = await _stage(_going(stage, ended) if ended else stage, event, dispatch)
            outcomes += found
            if left:
                event = _handed_on(event, found)
                ended |= {o.hook.source.dialect for o in found if _ends_dialect(o, scene)}
        return tuple(outcomes)


async def run_one(step: Step, event: Event, scene: Scene) -> Outcome:
    """Run one hook by itself."""
    with Dispatch(scene) as dispatch:
        return await _step(step, view(event), dispatch)


async def _stage(stage: Stage, event: Event, dispatch: Dispatch) -> list[Outcome]:
    if len(stage) == 1:
        only = stage[0]
        return [await _step(only[0], event, dispatch)] if len(only) == 1 else await _lane(only, event, dispatch)
    inline = [lane[0] for lane in stage if len(lane) == 1 and function.inline(lane[0].hook)]
    if len(inline) == len(stage):
        return [await _step(step, event, dispatch) for step in inline]
    limit = dispatch.scene.max_concurrent
    jobs: list[Coroutine[object, object, list[Outcome]]] = [_lane(lane, event, dispatch) for lane in stage]
    if len(jobs) > limit:
        slots = asyncio.Semaphore(limit)
        jobs = [_within(slots, job) for job in jobs]
    groups = await asyncio.gather(*jobs)
    return [outcome for group in groups for outcome in group]


async def _within(slots: asyncio.Semaphore, job: Coroutine[object, object, list[Outcome]]) -> list[Outcome]:
    async with slots:
        return await job


async def _lane(lane: Lane, event: Event, dispatch: Dispatch) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for step in lane:
        outcome = await _step(step, event, dispatch)
        outcomes.append(outcome)
        if len(lane) > 1:
            dialect = dispatch.scene.dialects[step.hook.source.dialect]
            if _ends(outcome, dialect):
                break
            if dialect.policy.hand_on:
                event = _handed_on(event, [outcome])
    return outcomes


def _going(stage: Stage, ended: set[str]) -> Stage:
    """A stage without the lanes of dialects in which an earlier stage said the last word."""
    return tuple(lane for lane in stage if lane[0].hook.source.dialect not in ended)


def _ends_dialect(outcome: Outcome, scene: Scene) -> bool:
    name = outcome.hook.source.dialect
    settings = scene.settings.get(name)
    in_order = scene.dialects[name].policy.order is Order.SEQUENTIAL or (settings is not None and settings.sequential)
    return in_order and _ends(outcome, scene.dialects[name])


def _ends(outcome: Outcome, dialect: Dialect) -> bool:
    match dialect.policy.end_lane:
        case EndLane.BLOCK:
            return outcome.verdict.refused or not outcome.verdict.continue_
        case EndLane.STOP:
            return not outcome.verdict.continue_
        case _:
            return False


def _handed_on(event: Event, outcomes: Sequence[Outcome]) -> Event:
    if not isinstance(event, ToolEvent) or all(o.verdict.updated_input is None for o in outcomes):
        return event
    changed = fold(outcomes, event.tool_input)
    return event if changed is None else rewritten(event, tool_input=frozen(dict(changed)))


async def _step(step: Step, event: Event, dispatch: Dispatch) -> Outcome:
    hook, scene = step.hook, dispatch.scene
    if scene.cancelled():
        return _outcome(hook, event, Done(answer=_CANCELLED), scene)
    action = hook.action
    if not isinstance(action, Function):
        return await _verified(step, event, dispatch)
    begun = time.perf_counter()
    context = _context(event, scene) if action.contextual else NO_CONTEXT
    if step.timeout is not None or scene.deadline is not None:
        answer = await function.limited(action, event, context, step.timeout, scene.deadline)
    else:
        called = function.call(action, event, context)
        answer = called if isinstance(called, (Verdict, Failure)) else await function.wait(called)
    duration = time.perf_counter() - begun
    if answer is NO_OPINION and not hook.shadow:
        return _silence(hook, event, duration, scene)
    return _outcome(hook, event, Done(answer=answer, duration=duration), scene)


async def _verified(step: Step, event: Event, dispatch: Dispatch) -> Outcome:
    """Run a hook that is no function of the program, if it is still what was approved."""
    hook, scene = step.hook, dispatch.scene
    reason = dispatch.verify(hook, directory(hook, event, scene))
    if reason is not None:
        if not hook.guard:
            return Outcome(hook=hook, status=Status.SKIPPED, notes=(reason,))
        # It was there to say no, and somebody made sure that it cannot.
        done = Done(answer=Failure(cause=Cause.START, message=f"it was not started: {reason}"))
    elif isinstance(hook.action, Call) and hook.action.inline:
        done = await _inline(step, hook.action, event, scene)
    else:
        done = await elsewhere(step, event, dispatch)
    if done.rest is not None and scene.adopt is not None:
        scene.adopt(hook, event, _finished(hook, event, done.rest, scene))
        return Outcome(hook=hook, status=Status.LATE, duration=done.duration, pass_=scene.pass_)
    return _outcome(hook, event, done, scene)


async def _finished(
    hook: Hook, event: Event, rest: Callable[[], Coroutine[object, object, Done]], scene: Scene
) -> Outcome:
    return _outcome(hook, event, await rest(), scene)


async def _inline(step: Step, action: Call, event: Event, scene: Scene) -> Done:
    """Call one of our own quick functions in this process, on a thread, within the time of the hook."""
    begun = time.perf_counter()
    made = function.own(action)
    if isinstance(made, Failure):
        return Done(answer=made)
    timeout = FOREVER if step.timeout is None else step.timeout
    answer = await function.limited(made, event, _context(event, scene), timeout, scene.deadline)
    return Done(answer=answer, duration=time.perf_counter() - begun)


def _context(event: Event, scene: Scene) -> Context:
    return Context(session_id=event.session_id, cwd=event.cwd, env=scene.environ, cancelled=scene.cancelled)


def _silence(hook: Hook, event: Event, duration: float, scene: Scene) -> Outcome:
    """The outcome of a function that had nothing to say, as most have most of the time."""
    return Outcome(
        hook=hook,
        duration=duration,
        pass_=scene.pass_,
        saw=event.tool_input if isinstance(event, ToolEvent) else EMPTY,
        joiner=scene.dialects[hook.source.dialect].policy.joiner,
    )


def _outcome(hook: Hook, event: Event, done: Done, scene: Scene) -> Outcome:
    dialect = scene.dialects[hook.source.dialect]
    saw: JsonObject = event.tool_input if isinstance(event, ToolEvent) else EMPTY
    answer, failure = done.answer, None
    if isinstance(answer, Failure):
        failure = answer
        answer = consequence(hook, event, failure, dialect)
    verdict, lowered = _lowered(answer, event, dialect, ours=failure is not None or done.blind)
    status = _status(verdict, failure)
    said = None if verdict is answer else answer
    if hook.shadow:
        verdict, said, status = NO_OPINION, verdict, Status.SHADOW
    return Outcome(
        hook=hook,
        status=status,
        verdict=verdict,
        said=said,
        failure=failure,
        exit_code=done.exit_code,
        signal=done.signal,
        duration=done.duration,
        stdout=done.stdout,
        stderr=done.stderr,
        pass_=scene.pass_,
        saw=saw,
        lowered=lowered,
        notes=done.notes,
        joiner=dialect.policy.joiner,
    )


def _lowered(answer: Verdict, event: Event, dialect: Dialect, *, ours: bool) -> tuple[Verdict, tuple[str, ...]]:
    """What a hook of a dialect can say at the event, and what was changed for it."""
    if answer is NO_OPINION:
        return answer, ()
    effects = effects_of(dialect, event)
    if ours:  # a question of ours need not be a word of the hook's dialect
        effects = replace(effects, ask=True)
    made = lower(answer, effects, f"{event.name} in {dialect.name}", keeps_context=False)
    return made.verdict, made.notes


def _status(verdict: Verdict, failure: Failure | None) -> Status:
    if failure is None:
        return Status.BLOCKED if verdict.refused or not verdict.continue_ else Status.OK
    match failure.cause:
        case Cause.TIMEOUT:
            return Status.TIMEOUT
        case Cause.OVERFLOW:
            return Status.OVERFLOW
        case Cause.CANCELLED:
            return Status.CANCELLED
        case _:
            return Status.BROKEN


def consequence(hook: Hook, event: Event, failure: Failure, dialect: Dialect) -> Verdict:
    """What a failure means: the hook's `on_error` for the cause, else its dialect's, and deny for guards."""
    chosen = hook.on_error.get(failure.cause, dialect.policy.on_error)
    if failure.cause is Cause.TIMEOUT and event.name in dialect.policy.timeout_refuses:
        chosen = OnError.DENY
    if hook.guard or hook.source.layer is Layer.MANAGED:
        chosen = OnError.DENY
    said = failure.said or NO_OPINION
    if event.name not in PREVENTABLE or chosen is OnError.ALLOW:
        return said
    decision = Decision.DENY if chosen is OnError.DENY else Decision.ASK
    if said.decision >= decision:
        return said
    return replace(said, decision=decision, reason=f"hook {hook.name} broke: {failure.message}")
