"""`omnihook fire EVENT`: run what matches and print the merged verdict."""

import asyncio
import signal

import click

from omnihook import dialects
from omnihook.cli.answering import REFUSED
from omnihook.cli.answering import answer as give
from omnihook.cli.common import dotted, event_from, invoke, note, print_json, read_payload, say
from omnihook.cli.engines import engine_for, source_options
from omnihook.detaching import Detaching
from omnihook.engine import Engine
from omnihook.events import NATIVE, PREVENTABLE, Event
from omnihook.outcomes import Report, Status
from omnihook.recording import recorder
from omnihook.showing import one_line
from omnihook.views import report_json


@click.command()
@click.argument("event")
@source_options
@click.option(
    "--exit-code", "answer", is_flag=True, help="Answer as the agent's own hook would: its words, its exit code."
)
@click.option("--no-ask", is_flag=True, help="Nobody can be asked: what would ask is refused.")
def fire(
    event: str,
    dialect: str | None,
    config: tuple[str, ...],
    read: tuple[str, ...],
    trust_project: bool,
    as_json: bool,
    answer: bool,
    no_ask: bool,
) -> int:
    """Fire EVENT with the JSON payload on stdin and print the merged verdict."""
    host = dialects.get(dialect or NATIVE)
    handing = Detaching()
    engine = engine_for(dialect, config, read, trust_project=trust_project, can_ask=not no_ask, detach=handing)
    handing.engine = engine
    known = [name for hook in engine.hooks for name in hook.events]
    made = event_from(host, event, read_payload(), known)
    for item in engine.diagnostics:
        note(f"omnihook: {item}")
    journal = recorder(engine.folders, notify=lambda text: note(f"omnihook: {text}"))
    journal.attach(engine).on_record(handing.recorded)
    try:
        report = asyncio.run(_fire(engine, made))
    except asyncio.CancelledError:
        return _interrupted(engine, made) if answer else 130
    finally:
        journal.close()
        handing.close()
    if answer:
        return give(host.encode_reply(report.event, report.verdict), report.verdict)
    if as_json:
        print_json(report_json(report, engine.configuration.source_of, host))
    else:
        show(report)
    return 0


async def _fire(engine: Engine, event: Event) -> Report:
    """Fire; a signal ends the hooks first and then us."""
    task = asyncio.ensure_future(engine.fire(event))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    report = await task
    await engine.drain()
    return report


def _interrupted(engine: Engine, event: Event) -> int:
    """A guard that could not finish has not allowed anything."""
    guards = [step.hook.name for step in engine.plan(event).steps if step.hook.guard]
    if not guards or event.name not in PREVENTABLE:
        return 130
    note(f"omnihook: interrupted before {', '.join(guards)} had decided")
    return REFUSED


def show(report: Report) -> None:
    """The verdict and the runs, for people."""
    verdict = report.verdict
    word = verdict.decision.word or "no opinion"
    say(f"{one_line(report.event.name)}: {word}" + (f" ({one_line(verdict.reason)})" if verdict.reason else ""))
    if not verdict.continue_:
        say(f"  stop: {one_line(verdict.stop_reason or 'no reason given')}")
    if verdict.updated_input is not None:
        say(f"  input becomes: {one_line(str(dict(verdict.updated_input)))}")
    if verdict.additional_context:
        say(f"  context: {one_line(verdict.additional_context)}")
    if verdict.system_message:
        say(f"  message: {one_line(verdict.system_message)}")
    for item in (report, *report.derived):
        _show_runs(item)
    for text in (*report.lowered, *report.conflicts):
        say(f"  note: {one_line(text)}")


def _show_runs(report: Report) -> None:
    for outcome in report.outcomes:
        tail = f": {one_line(outcome.failure.message)}" if outcome.failure else ""
        took = f" {outcome.duration * 1000:.0f} ms" if outcome.status is not Status.LATE else ""
        say(f"  {dotted(outcome.hook.name, f'{outcome.status.value}{took}{tail}', limit=40, width=46)}")
        for text in outcome.notes:
            say(f"    note: {one_line(text)}")
    for item in report.skipped:
        detail = f" ({one_line(item.detail)})" if item.detail else ""
        say(f"  {dotted(item.hook.name, f'skipped: {item.why}{detail}', limit=40, width=46)}")


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(fire, args, "fire")
