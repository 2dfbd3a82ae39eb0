"""`omnihook log`: what was fired and decided, newest last, or figures per hook."""

import math

import click

from omnihook.cli.common import invoke, print_json, say
from omnihook.cli.journals import filter_options, line, reader, wanted
from omnihook.journal.reading import Record
from omnihook.jsontypes import Json
from omnihook.recalling import runs_of
from omnihook.showing import one_line

FAILED = frozenset({"broken", "timeout", "overflow", "cancelled"})
SHOWN = 50


@click.command()
@filter_options
@click.option("-n", "--limit", default=None, type=click.IntRange(min=1), help="At most so many, the newest.")
@click.option("--stats", is_flag=True, help="Print runs, failures and durations per hook instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def log(limit: int | None, stats: bool, as_json: bool, **options: str | None) -> int:
    """List what was fired and decided, newest last."""
    most = limit if limit is not None or stats else SHOWN
    with reader() as journal:
        records = journal.records(wanted(options, most))
        lost = journal.lost()
    if stats:
        _stats(records, lost, as_json=as_json)
    elif as_json:
        print_json([*records])
    else:
        for record in records:
            say(line(record))
        if not records:
            say("no records")
    return 0


def figures(records: list[Record]) -> list[dict[str, Json]]:
    """Runs, failures, refusals and durations of every hook, by name."""
    runs: dict[str, list[tuple[str, float]]] = {}
    for record in records:
        for run in runs_of(record):
            took = run.get("duration_ms")
            status = run.get("status")
            if status != "late":
                known = float(took) if isinstance(took, int | float) else 0.0
                runs.setdefault(str(run.get("hook")), []).append((str(status), known))
    return [
        {
            "hook": hook,
            "runs": len(found),
            "failures": sum(status in FAILED for status, _ in found),
            "blocked": sum(status == "blocked" for status, _ in found),
            "p50_ms": percentile([took for _, took in found], 0.50),
            "p95_ms": percentile([took for _, took in found], 0.95),
        }
        for hook, found in sorted(runs.items())
    ]


def percentile(values: list[float], part: float) -> float:
    """The smallest value that this part of all of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]


def _stats(records: list[Record], lost: int, *, as_json: bool) -> None:
    rows = figures(records)
    if as_json:
        print_json({"records": len(records), "journal_lost": lost, "hooks": [*rows]})
        return
    width = max([4, *(len(one_line(str(row["hook"]), 50)) for row in rows)])
    say(f"{'hook':<{width}}  {'runs':>7}  {'failures':>8}  {'blocked':>7}  {'p50 ms':>9}  {'p95 ms':>9}")
    for row in rows:
        name = one_line(str(row["hook"]), 50)
        say(
            f"{name:<{width}}  {row['runs']:>7}  {row['failures']:>8}  {row['blocked']:>7}"
            f"  {row['p50_ms']:>9.2f}  {row['p95_ms']:>9.2f}"
        )
    say(f"{len(records)} records" + (f", {lost} lost" if lost else ""))


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(log, args, "log")
