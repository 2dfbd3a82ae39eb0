"""`omnihook test HOOK`: run one hook on a sample event; `test --all`: the cases kept beside hooks."""

import asyncio

import click

from omnihook.cli.common import dotted, event_from, invoke, note, print_json, read_payload, say
from omnihook.cli.engines import engine_for
from omnihook.cli.managing import chosen, where_options
from omnihook.dialect import Dialect
from omnihook.editing.choosing import described, label_of
from omnihook.engine import Engine
from omnihook.errors import ConfigError, PayloadError, UsageError
from omnihook.events import Event
from omnihook.files import Refused, read_text
from omnihook.hooks import Hook, Layer
from omnihook.jsontypes import Json, JsonError, JsonObject, loads_object
from omnihook.outcomes import Outcome
from omnihook.showing import counted, one_line
from omnihook.trying.cases import Result, run_all
from omnihook.trying.junit import junit
from omnihook.trying.one import Attempt, attempt
from omnihook.trying.samples import sample_for
from omnihook.views import verdict_json


@click.command("test")
@click.argument("hook", required=False)
@click.option("--event", default=None, help="The event, when the hook has several.")
@click.option("--payload", default=None, metavar="FILE|-", help="The event's payload instead of the sample.")
@click.option("--all", "every", is_flag=True, help="Run the cases kept beside hooks.")
@click.option("--junit", "report", default=None, metavar="FILE", help="With --all: also write JUnit XML.")
@click.option("--trust-project", is_flag=True, help="Run the project's hooks without a recorded approval.")
@where_options
def test(
    hook: str | None,
    event: str | None,
    payload: str | None,
    every: bool,
    report: str | None,
    trust_project: bool,
    dialect: str | None,
    config: str | None,
    as_json: bool,
) -> int:
    """Run HOOK on a sample event, whatever its matcher, enabled or not."""
    if every == (hook is not None):
        raise click.UsageError("name one hook, or say --all")
    if report is not None and not every:
        raise click.UsageError("--junit goes with --all")
    engine = engine_for(dialect, () if config is None else (config,), (), trust_project=trust_project)
    if every:
        return _all(engine, report, trust_project, as_json)
    meant = chosen(engine, hook or "")
    made = _event(meant, event, payload, engine)
    found = asyncio.run(attempt(meant, made, engine, trust_project=trust_project))
    label = label_of(meant, engine.hooks)
    return _json(found, meant, label) if as_json else _show(found, meant, label)


def _event(hook: Hook, name: str | None, payload: str | None, engine: Engine) -> Event:
    dialect = engine.configuration.dialects[hook.source.dialect]
    if payload is None:
        return sample_for(hook, _canonical(hook, name, dialect), dialect, engine.folders.project)
    given = read_payload() if payload == "-" else _payload_file(payload)
    return event_from(dialect, name or (hook.native_events or hook.events)[0], given, hook.events)


def _canonical(hook: Hook, name: str | None, dialect: Dialect) -> str:
    if name is None or name in hook.events:
        return name or hook.events[0]
    found = next((row.event for row in dialect.names if name in (row.native, row.event)), None)
    if found is None:
        raise UsageError(f"unknown event {name!r}; hook {hook.name!r} is for {', '.join(hook.native_events)}")
    return found


def _payload_file(path: str) -> JsonObject:
    text = read_text(path, layer=Layer.FLAG, root=None)
    if text is None or isinstance(text, Refused):
        raise PayloadError(f"{path}: {'there is no such file' if text is None else text.reason}")
    try:
        return loads_object(text)
    except JsonError as error:
        raise PayloadError(f"{path} is not a JSON object: {error}") from None


def _json(found: Attempt, hook: Hook, label: str) -> int:
    outcome = found.outcome
    row: dict[str, Json] = {
        "hook": label,
        "name": hook.name,
        "event": found.event.name,
        "dialect": hook.source.dialect,
        "file": hook.source.path,
        "status": "skipped" if outcome is None else outcome.status.value,
        "why": found.refusal,
    }
    if outcome is not None:
        row |= {
            "exit_code": outcome.exit_code,
            "signal": outcome.signal,
            "duration_ms": round(outcome.duration * 1000, 3),
            "stdout": outcome.stdout,
            "stderr": outcome.stderr,
            "verdict": {**verdict_json(outcome.verdict if outcome.said is None else outcome.said)},
            "error": None if outcome.failure is None else outcome.failure.message,
        }
    print_json(row)
    return 0 if _went_well(outcome) else 1


def _show(found: Attempt, hook: Hook, label: str) -> int:
    outcome = found.outcome
    if outcome is None:
        note(f"omnihook: {described(label, hook)} was not run: {found.refusal}")
        return 1
    say(f"{one_line(described(label, hook))} on {found.event.name}")
    code = f"exit {outcome.exit_code}" if outcome.exit_code is not None else outcome.status.value
    say(f"  {code} after {outcome.duration * 1000:.0f} ms")
    for title, text in (("output", outcome.stdout), ("stderr", outcome.stderr)):
        for line in text.splitlines():
            say(f"  {title}: {one_line(line, 1000)}")
    if outcome.failure is not None:
        say(f"  broken: {one_line(outcome.failure.message, 1000)}")
    for line in _verdict(outcome):
        say(f"  {line}")
    return 0 if _went_well(outcome) else 1


def _verdict(outcome: Outcome) -> list[str]:
    said = outcome.verdict if outcome.said is None else outcome.said
    word = said.decision.word or "no opinion"
    lines = [f"verdict: {word}" + (f" ({one_line(said.reason, 1000)})" if said.reason else "")]
    if not said.continue_:
        lines.append(f"stop: {one_line(said.stop_reason or 'no reason given')}")
    if said.updated_input is not None:
        lines.append(f"input becomes: {one_line(str(dict(said.updated_input)), 1000)}")
    for title, text in (("context", said.additional_context), ("message", said.system_message)):
        if text:
            lines.append(f"{title}: {one_line(text, 1000)}")
    return lines


def _went_well(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.failure is None


def _all(engine: Engine, report: str | None, trust_project: bool, as_json: bool) -> int:
    results = asyncio.run(run_all(engine, trust_project=trust_project))
    if report is not None:
        _write(report, junit(results))
    failed = [result for result in results if not result.passed]
    if as_json:
        print_json({"cases": len(results), "failed": len(failed), "results": [_row(item) for item in results]})
    else:
        _print(results)
    return 1 if failed else 0


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ConfigError(f"{path} could not be written: {error.strerror}; name another file") from None


def _row(result: Result) -> Json:
    return {
        "hook": result.hook.name,
        "case": result.name,
        "passed": result.passed,
        "failure": result.failure,
        "error": result.error,
        "duration_ms": round(result.duration * 1000, 3),
    }


def _print(results: list[Result]) -> None:
    for result in results:
        name, came = f"{result.hook.name}: {result.name}", "passed" if result.passed else "failed"
        say(dotted(name, came, limit=70, width=74))
        if not result.passed:
            say(f"  {one_line(result.failure or result.error or '', 1000)}")
    failed = sum(not result.passed for result in results)
    if not results:
        say("No hook has cases; a case is a [[hook.case]] table with event, tool, payload and expect.")
    else:
        say(f"{counted(len(results), 'case')}, {failed} failed")


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(test, args, "test")
