"""`omnihook explain EVENT`: the plan, and why every other hook would not run."""

import click

from omnihook import dialects
from omnihook.cli.common import event_from, invoke, print_json, read_payload, say
from omnihook.cli.engines import engine_for, source_options
from omnihook.events import NATIVE
from omnihook.hooks import summary
from omnihook.plans import Plan
from omnihook.showing import one_line
from omnihook.views import SourceOf, plan_json


@click.command()
@click.argument("event")
@source_options
def explain(
    event: str, dialect: str | None, config: tuple[str, ...], read: tuple[str, ...], trust_project: bool, as_json: bool
) -> int:
    """Show what would run for EVENT with the JSON payload on stdin, in which order, and what would not and why."""
    host = dialects.get(dialect or NATIVE)
    engine = engine_for(dialect, config, read, trust_project=trust_project)
    known = [name for hook in engine.hooks for name in hook.events]
    plan = engine.plan(event_from(host, event, read_payload(), known))
    if as_json:
        print_json(plan_json(plan, engine.configuration.source_of))
        return 0
    _show(plan, engine.configuration.source_of)
    for item in engine.diagnostics:
        say(f"problem: {one_line(str(item), 1000)}")
    return 0


def _show(plan: Plan, source_of: SourceOf) -> None:
    if plan.empty:
        say(f"{one_line(plan.event.name)}: nothing would run")
    for number, stage in enumerate(plan.stages, 1):
        say(f"stage {number}")
        for lane in stage:
            for position, step in enumerate(lane):
                arrow = "then" if position else "run "
                limit = "no time-out" if step.timeout is None else f"{step.timeout:g} s"
                say(f"  {arrow} {one_line(step.hook.name, 60)}  {one_line(summary(step.hook), 80)}  ({limit})")
                say(f"       {one_line(source_of(step.hook))}")
    for step in plan.background:
        say(f"  in the background {one_line(step.hook.name, 60)}  {one_line(summary(step.hook), 80)}")
    others = (*plan.skipped, *plan.explain())
    if others:
        say("not run")
    for item in others:
        say(f"  {one_line(item.hook.name, 60)}: {one_line(item.detail or item.why)}")
        say(f"       {one_line(source_of(item.hook))}")


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(explain, args, "explain")
