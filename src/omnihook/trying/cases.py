"""Cases kept beside hooks: `[[hook.case]]` tables that say what a hook should answer to an event."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from omnihook.dialect import Dialect, native_name
from omnihook.engine import Engine
from omnihook.errors import OmnihookError
from omnihook.events import Event, ToolEvent
from omnihook.families.toml_cases import BROKEN, NOTHING, wrong
from omnihook.hooks import Hook
from omnihook.jsontypes import Json, JsonObject, dumps, take
from omnihook.outcomes import Outcome, Report
from omnihook.slotted import dataclass
from omnihook.trying.one import untrusted
from omnihook.trying.samples import sample_for


class BadCase(OmnihookError):
    """A case that cannot be run; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a hook should answer to one event; `reason` is a part of its reason, `input` what it should change."""

    hook: Hook
    name: str
    event: Event
    expect: str  # a decision, "none", or "broken"
    reason: str | None = None
    input: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a case went: why it failed, or None, or that it could not be run at all."""

    hook: Hook
    name: str
    failure: str | None = None
    error: str | None = None
    duration: float = 0.0
    stdout: str = ""
    stderr: str = ""

    @property
    def passed(self) -> bool:
        """Whether the hook answered as it should."""
        return self.failure is None and self.error is None


async def run_all(engine: Engine, *, trust_project: bool = False) -> list[Result]:
    """Run every case of every hook, in order."""
    results = []
    for hook in engine.hooks:
        for number, value in enumerate(_cases(hook), 1):
            results.append(await _run(hook, number, value, engine, trust_project=trust_project))
    return results


async def _run(hook: Hook, number: int, value: Json, engine: Engine, *, trust_project: bool) -> Result:
    name = f"case {number}"
    try:
        case = read(hook, number, value, engine.configuration.dialects[hook.source.dialect], engine.folders.project)
        name = case.name
        why = None if trust_project else untrusted(hook, engine)
        if why is not None:
            raise BadCase(f"it was not run: {why}")
    except OmnihookError as error:
        return Result(hook=hook, name=name, error=str(error))
    begun = time.monotonic()
    report = await _fire(case, engine)
    outcome = next(iter(report.outcomes), None)
    return Result(
        hook=hook,
        name=name,
        failure="; ".join(_differences(case, outcome, report)) or None,
        duration=time.monotonic() - begun,
        stdout="" if outcome is None else outcome.stdout,
        stderr="" if outcome is None else outcome.stderr,
    )


async def _fire(case: Case, engine: Engine) -> Report:
    """Fire at the one hook, as it is written but for its switch; matchers and rules count."""
    ready = replace(case.hook, enabled=True, once=False, background=False, shadow=False)
    alone = Engine(files=False, folders=engine.folders, environ=engine.environ, trust_project=True, derive=False)
    alone.register(ready)
    report = await alone.fire(case.event)
    await alone.drain()
    return report


def read(hook: Hook, number: int, value: Json, dialect: Dialect, cwd: str) -> Case:
    """One case; raises BadCase."""
    trouble = wrong(value, (*hook.events, *hook.native_events))
    if trouble is not None:
        raise BadCase(f"{trouble[0]} ({trouble[1]})")
    assert isinstance(value, dict)  # a sound one is
    event = _event(hook, value, dialect, cwd)
    expect = take(value, "expect", str) or NOTHING
    return Case(
        hook=hook,
        name=take(value, "name", str) or f"case {number}: {event.name} -> {expect}",
        event=event,
        expect=expect,
        reason=take(value, "reason", str),
        input=take(value, "input", dict),
    )


def _event(hook: Hook, value: JsonObject, dialect: Dialect, cwd: str) -> Event:
    """The sample of the event with what the case says laid over it."""
    name, tool = take(value, "event", str) or hook.events[0], take(value, "tool", str)
    made = sample_for(hook, name, dialect, cwd)
    own = dict(take(value, "payload", dict) or {})
    if tool is not None:
        # With a tool, the payload is what the tool is called with, unless it is a whole payload.
        own = {"tool_name": tool, **(own if "tool_input" in own else {"tool_input": own})}
    whole = {**dialect.encode_event(made).body, **own}
    decoded = dialect.decode_event(whole, native_name(dialect, made))
    return replace(decoded, session_id=made.session_id) if not decoded.session_id else decoded


def _differences(case: Case, outcome: Outcome | None, report: Report) -> Iterator[str]:
    if outcome is not None and outcome.failure is not None:
        if case.expect != BROKEN:
            yield f"expected {case.expect}, but it broke: {outcome.failure.message}"
        return
    verdict = report.verdict
    decision = verdict.decision.word or NOTHING
    if decision != case.expect:
        why = f" ({verdict.reason})" if verdict.reason else ""
        yield f"expected {case.expect}, got {decision}{why}{'' if outcome else ': it did not match'}"
    if case.reason is not None and case.reason not in (verdict.reason or ""):
        yield f"expected a reason with {case.reason!r}, got {verdict.reason!r}"
    if case.input is not None:
        yield from _changes(case, report)


def _changes(case: Case, report: Report) -> Iterator[str]:
    made = report.verdict.updated_input
    before = case.event.tool_input if isinstance(case.event, ToolEvent) else {}
    after = {} if made is None else {**before, **made} if report.verdict.partial else dict(made)
    wrong = {key: after.get(key) for key, value in (case.input or {}).items() if after.get(key) != value}
    if wrong:
        got = "no change" if made is None else dumps(wrong)
        yield f"expected the input to become {dumps(dict(case.input or {}))}, got {got}"


def _cases(hook: Hook) -> Sequence[Json]:
    given = hook.entry.get("case") if isinstance(hook.entry, dict) else None
    if given is None:
        return ()
    return given if isinstance(given, list) else [given]
