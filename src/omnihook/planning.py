"""Planning: which hooks run for an event, in which stages and lanes, and why the others do not. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from omnihook.dialect import Dialect, Order
from omnihook.events import Event
from omnihook.hooks import Function, Hook, Http, Prompt
from omnihook.matching import Index
from omnihook.plans import Plan, Skipped, Stage, Step
from omnihook.slotted import dataclass

Gate = Callable[[Hook, Event], str | None]
Arranged = tuple[tuple[Stage, ...], tuple[Step, ...], tuple[Skipped, ...]]  # stages, background, doubled


@dataclass(slots=True)
class Planner:
    """The hooks of one configuration, ready to be planned.

    `held` are hooks that will not run whatever happens, by number, with the reason; `sequential` are the
    dialects whose own settings ask for one hook after the other. Plans of the same hooks share their stages.
    """

    index: Index
    dialects: Mapping[str, Dialect]
    held: Mapping[int, Skipped] = field(default_factory=dict)
    sequential: frozenset[str] = frozenset()
    _arrangements: dict[tuple[str, tuple[int, ...]], Arranged] = field(default_factory=dict)

    def plan(self, event: Event, gate: Gate | None = None) -> Plan:
        """What will run for an event; `gate` may hold a hook back, giving the reason."""
        numbers = self.index.match(event)
        if not numbers:
            return Plan(event=event, explain=lambda: self.explain(event))
        skipped: list[Skipped] = []
        if self.held or gate is not None:
            numbers = self._open(numbers, event, gate, skipped)
        stages, background, doubled = self._arranged(event.name, tuple(numbers))
        return Plan(
            event=event,
            stages=stages,
            background=background,
            skipped=(*skipped, *doubled),
            explain=lambda: self.explain(event),
        )

    def explain(self, event: Event) -> tuple[Skipped, ...]:
        """Every hook that the event does not concern, with the reason."""
        found = []
        for number, hook in enumerate(self.index.hooks):
            reason = self.index.why_not(event, number)
            if reason is not None:
                found.append(Skipped(hook=hook, why="no match", detail=reason))
        return tuple(found)

    def _open(self, numbers: Sequence[int], event: Event, gate: Gate | None, skipped: list[Skipped]) -> list[int]:
        kept = []
        for number in numbers:
            hook = self.index.hooks[number]
            held = self.held.get(number)
            if held is None and gate is not None:
                why = gate(hook, event)
                held = None if why is None else Skipped(hook=hook, why=why)
            if held is None:
                kept.append(number)
            else:
                skipped.append(held)
        return kept

    def _arranged(self, event: str, numbers: tuple[int, ...]) -> Arranged:
        key = (event, numbers)
        found = self._arrangements.get(key)
        if found is None:
            if len(self._arrangements) > 1024:
                self._arrangements.clear()
            found = self._arrangements[key] = self._arrange(event, numbers)
        return found

    def _arrange(self, event: str, numbers: tuple[int, ...]) -> Arranged:
        fitting, unfit = self._fitting(event, [self.index.hooks[number] for number in numbers])
        hooks, doubled = self._unique(fitting)
        steps = [Step(hook=hook, timeout=timeout_of(hook, event, self.dialects)) for hook in hooks]
        background = tuple(step for step in steps if step.hook.background)
        priorities = sorted({step.hook.priority for step in steps if not step.hook.background}, reverse=True)
        stages = tuple(
            self._stage([s for s in steps if s.hook.priority == priority and not s.hook.background])
            for priority in priorities
        )
        return stages, background, (*unfit, *doubled)

    def _fitting(self, event: str, hooks: Sequence[Hook]) -> tuple[list[Hook], list[Skipped]]:
        """Hooks that their own agent would run at the event at all."""
        unfit = [
            Skipped(hook=hook, why="not at this event", detail=f"http hooks do not run at {event}")
            for hook in hooks
            if isinstance(hook.action, Http) and event in self.dialects[hook.source.dialect].policy.no_http
        ]
        left_out = {id(item.hook) for item in unfit}
        return [hook for hook in hooks if id(hook) not in left_out], unfit

    def _unique(self, hooks: Sequence[Hook]) -> tuple[list[Hook], tuple[Skipped, ...]]:
        seen: dict[object, Hook] = {}
        kept, doubled = [], []
        for hook in hooks:
            key = self._identity(hook)
            first = hook if key is None else seen.setdefault(key, hook)
            if first is hook:
                kept.append(hook)
            else:
                doubled.append(Skipped(hook=hook, why="duplicate", detail=f"the same as {first.name}"))
        return kept, tuple(doubled)

    def _identity(self, hook: Hook) -> object | None:
        """What equal hooks share; None for a hook that is like no other.

        A function of the program is what it is: registering one twice means running it twice. And a guard is not
        replaced by its shadow.
        """
        own = self.dialects[hook.source.dialect].policy.identity
        if own is None or isinstance(hook.action, Function):
            return None
        return hook.source.dialect, hook.guard, hook.shadow, hook.background, tuple(hook.on_error.items()), own(hook)

    def _stage(self, steps: Sequence[Step]) -> Stage:
        lanes: dict[object, list[Step]] = {}
        for position, step in enumerate(steps):
            dialect = step.hook.source.dialect
            order = self.dialects[dialect].policy.order
            sequential = order is Order.SEQUENTIAL or dialect in self.sequential
            lanes.setdefault(dialect if sequential else position, []).append(step)
        return tuple(tuple(lane) for lane in lanes.values())


def timeout_of(hook: Hook, event: str, dialects: Mapping[str, Dialect]) -> float | None:
    """A hook's time-out in seconds: its own, else what its dialect gives for the event; functions have none."""
    if hook.timeout is not None or isinstance(hook.action, Function):
        return hook.timeout
    policy = dialects[hook.source.dialect].policy
    if isinstance(hook.action, Prompt):
        special = policy.agent_timeout if hook.action.tools else policy.prompt_timeout
        if special is not None:
            return special
    return policy.timeouts.get(event, policy.timeout)
