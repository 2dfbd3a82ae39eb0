"""Recalling: events, plans and outcomes made again from a record and the configuration it names."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

from omnihook import merging
from omnihook.dialect import Dialect, Failure
from omnihook.errors import JournalError, OmnihookError
from omnihook.events import EVENTS, NATIVE, Event, OtherEvent, ToolEvent, rewritten
from omnihook.hooks import Argv, Cause, Hook
from omnihook.journal.describing import hook_from
from omnihook.jsontypes import EMPTY, JsonObject, list_at, object_at, take
from omnihook.matching import Index
from omnihook.outcomes import Outcome, Status
from omnihook.planning import Planner
from omnihook.plans import Skipped
from omnihook.slotted import dataclass
from omnihook.verdicts import WORDS, Decision, Verdict

Lookup = Callable[[str], Dialect]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeStep:
    """One outcome's part in a merge: what it said, and what everything up to it came to."""

    hook: str
    pass_: int
    said: Verdict
    sofar: Verdict


def event_of(record: JsonObject, lookup: Lookup) -> Event:
    """The event of a record, as far as it was not redacted."""
    payload = object_at(record, "payload")
    agent = take(record, "agent", str) or NATIVE
    name = take(payload, "name", str) or ""
    try:
        if "native" in payload:
            made = lookup(agent).decode_event(object_at(payload, "native"), name or None)
            changed = object_at(payload, "changed")
            made = rewritten(made, **_fitting(type(made), changed)) if changed else made
        else:
            kind = EVENTS.get(take(record, "event", str) or "", OtherEvent)
            made = kind(native_name=name, **_fitting(kind, object_at(payload, "fields")))  # type: ignore[arg-type]  # its own fields
    except (OmnihookError, TypeError, ValueError) as error:
        raise JournalError(f"the event of record {record.get('id')} cannot be made again: {error}") from error
    session = take(record, "session", str) or made.session_id
    return replace(made, agent=agent, session_id=session, timestamp=take(record, "at", float))


def hooks_of(config: JsonObject) -> tuple[Hook, ...]:
    """The hooks of a configuration that a record names; good for planning, not for running."""
    return tuple(hook_from(item) for item in list_at(config, "hooks") if isinstance(item, dict))


def planner_of(config: JsonObject, lookup: Lookup) -> Planner:
    """What planned the event of a record."""
    hooks = hooks_of(config)
    dialects = {name: lookup(name) for name in dict.fromkeys([NATIVE, *(hook.source.dialect for hook in hooks)])}
    held = {
        int(number): Skipped(hook=hooks[int(number)], why=str(item.get("why")), detail=str(item.get("detail")))
        for number, item in object_at(config, "held").items()
        if isinstance(item, dict) and number.isdigit() and int(number) < len(hooks)
    }
    names = frozenset(str(name) for name in list_at(config, "sequential"))
    return Planner(Index(hooks, dialects, take(config, "project", str) or ""), dialects, held, names)


def outcome_of(run: JsonObject, hook: Hook | None = None) -> Outcome:
    """What one hook did, from its part of a record."""
    cause, error = run.get("cause"), run.get("error")
    known = {member.value for member in Cause}
    failure = Failure(cause=Cause(cause), message=str(error)) if isinstance(cause, str) and cause in known else None
    status = take(run, "status", str)
    return Outcome(
        hook=hook or Hook(name=take(run, "hook", str) or "", events=(), action=Argv(argv=())),
        status=Status(status) if status in {member.value for member in Status} else Status.OK,
        verdict=verdict_of(object_at(run, "verdict")),
        said=verdict_of(object_at(run, "said")) if isinstance(run.get("said"), dict) else None,
        failure=failure,
        pass_=take(run, "pass", int) or 1,
        saw=object_at(run, "saw"),
    )


def verdict_of(said: JsonObject) -> Verdict:
    """A verdict from what was kept of it."""
    word = take(said, "decision", str) or ""
    names = {field.name.rstrip("_"): field.name for field in fields(Verdict)}
    given = {names[key]: value for key, value in said.items() if key in names and key != "decision"}
    return Verdict(decision=WORDS.get(word, Decision.NONE), **given)  # type: ignore[arg-type]  # kept from the same fields


def merge_steps(record: JsonObject, event: Event) -> list[MergeStep]:
    """How the verdict of a record came about, outcome by outcome in plan order."""
    outcomes = [outcome_of(run) for run in runs_of(record)]
    given = event.tool_input if isinstance(event, ToolEvent) else EMPTY
    outcomes = [replace(one, saw=one.saw or given) for one in outcomes if one.status is not Status.LATE]
    return [
        MergeStep(
            hook=one.hook.name,
            pass_=one.pass_,
            said=one.verdict,
            sofar=merging.merge(outcomes[: number + 1], given).verdict,
        )
        for number, one in enumerate(outcomes)
    ]


def runs_of(record: JsonObject) -> Sequence[JsonObject]:
    """What ran, in plan order."""
    return [run for run in list_at(record, "runs") if isinstance(run, dict)]


def skips_of(record: JsonObject) -> Sequence[JsonObject]:
    """What matched and was held back."""
    return [item for item in list_at(record, "skipped") if isinstance(item, dict)]


def _fitting(kind: type[Event], given: JsonObject) -> dict[str, object]:
    """The fields an event has, lists made tuples where it wants those."""
    wanted = {field.name: str(field.type) for field in fields(kind)}
    return {
        name: tuple(value) if isinstance(value, list) and "tuple" in wanted[name] else value
        for name, value in given.items()
        if name in wanted
    }
