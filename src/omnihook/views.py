"""Reports and plans as the JSON objects that scripts, IDEs and the journal rely on; a contract."""

from collections.abc import Callable

from omnihook.dialect import Dialect
from omnihook.events import ToolEvent
from omnihook.hooks import Function, Hook, summary
from omnihook.jsontypes import Json, list_at
from omnihook.outcomes import Outcome, Report
from omnihook.plans import Plan, Skipped, Step
from omnihook.tools import native_input
from omnihook.verdicts import Verdict

SCHEMA = 1
SourceOf = Callable[[Hook], str]


def report_json(report: Report, source_of: SourceOf, host: Dialect) -> dict[str, Json]:
    """What `fire --json` prints: the merged verdict and every run; tool input in the host's words."""
    verdict = report.verdict
    runs: list[Json] = [_run(outcome, report, source_of) for outcome in report.outcomes]
    runs += [_skip(skipped, report, source_of) for skipped in report.skipped]
    lowered = list(report.lowered)
    for derived in report.derived:
        inner = report_json(derived, source_of, host)
        runs += list_at(inner, "runs")
        lowered += [str(note) for note in list_at(inner, "lowered")]
    return {
        "schema": SCHEMA,
        "event": report.event.name,
        **verdict_json(verdict),
        "updated_input": _input(report, host),
        "lowered": [*lowered],
        "conflicts": [*report.conflicts],
        "notices": [*report.notices],
        "runs": runs,
    }


def verdict_json(verdict: Verdict) -> dict[str, Json]:
    """A verdict under the names of the contract."""
    return {
        "decision": verdict.decision.word,
        "reason": verdict.reason,
        "continue": verdict.continue_,
        "stop_reason": verdict.stop_reason,
        "updated_input": None if verdict.updated_input is None else dict(verdict.updated_input),
        "updated_output": verdict.updated_output,
        "additional_context": verdict.additional_context,
        "system_message": verdict.system_message,
        "suppress_output": verdict.suppress_output,
    }


def plan_json(plan: Plan, source_of: SourceOf, *, explained: bool = True) -> dict[str, Json]:
    """What `explain --json` prints: stages of lanes of hooks, and why each other hook would not run."""
    stages: list[Json] = [[[step_json(step, source_of) for step in lane] for lane in stage] for stage in plan.stages]
    if plan.background:
        stages.append([[step_json(step, source_of)] for step in plan.background])
    skipped: list[Json] = [_skipped(item, item.why, source_of) for item in plan.skipped]
    skipped += [_skipped(item, item.detail or item.why, source_of) for item in (plan.explain() if explained else ())]
    return {"event": plan.event.name, "stages": stages, "skipped": skipped}


def step_json(step: Step, source_of: SourceOf) -> dict[str, Json]:
    """One hook of a plan."""
    return {**hook_json(step.hook, source_of), "timeout_s": step.timeout}


def hook_json(hook: Hook, source_of: SourceOf) -> dict[str, Json]:
    """A hook as lists show it."""
    return {
        "name": hook.name,
        "event": ", ".join(hook.native_events or hook.events),
        "matcher": hook.matcher.text or None,
        "command": None if isinstance(hook.action, Function) else summary(hook),
        "type": type(hook.action).__name__.lower(),
        "source": source_of(hook),
        "dialect": hook.source.dialect,
        "layer": hook.source.layer.label,
        "timeout_s": hook.timeout,
        "async": hook.background,
        "priority": hook.priority,
        "enabled": hook.enabled,
        "description": hook.description,
    }


def _skipped(item: Skipped, why: str, source_of: SourceOf) -> Json:
    return {"hook": item.hook.name, "why": why, "detail": item.detail or None, "source": source_of(item.hook)}


def _run(outcome: Outcome, report: Report, source_of: SourceOf) -> dict[str, Json]:
    said = outcome.verdict if outcome.said is None else outcome.said
    return {
        "hook": outcome.hook.name,
        "event": report.event.name,
        "source": source_of(outcome.hook),
        "dialect": outcome.hook.source.dialect,
        "status": outcome.status.value,
        "why": None,
        "pass": outcome.pass_,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "duration_ms": round(outcome.duration * 1000, 3),
        "stdout": outcome.stdout,
        "stderr": outcome.stderr,
        "verdict": verdict_json(said),
        "error": None if outcome.failure is None else outcome.failure.message,
        "cause": None if outcome.failure is None else outcome.failure.cause.value,
        "notes": [*outcome.notes],
    }


def _skip(item: Skipped, report: Report, source_of: SourceOf) -> dict[str, Json]:
    return {
        "hook": item.hook.name,
        "event": report.event.name,
        "source": source_of(item.hook),
        "dialect": item.hook.source.dialect,
        "status": "skipped",
        "why": item.why,
        "pass": 1,
        "exit_code": None,
        "signal": None,
        "duration_ms": None,
        "stdout": "",
        "stderr": "",
        "verdict": None,
        "error": item.detail or None,
        "cause": None,
        "notes": [],
    }


def _input(report: Report, host: Dialect) -> Json:
    changed = report.verdict.updated_input
    if changed is None or not isinstance(report.event, ToolEvent):
        return None if changed is None else dict(changed)
    whole = {**report.event.tool_input, **changed} if report.verdict.partial else changed
    return dict(native_input(host.vocabulary, report.event.tool_name, whole))
