"""`omnihook log`: what was fired and decided, newest last, or figures per hook."""

import click

from omnihook.cli.common import invoke, print_json, say
from omnihook.cli.journals import filter_options, line, nothing, reader, wanted
from omnihook.journal.figures import by_hook
from omnihook.journal.wanting import Record
from omnihook.jsontypes import Json
from omnihook.showing import one_line

SHOWN = 50


@click.command()
@filter_options
@click.option("-n", "--limit", default=None, type=click.IntRange(min=1), help="At most so many, the newest.")
@click.option("--stats", is_flag=True, help="Print runs, failures and durations per hook instead.")
@click.option("--verify", is_flag=True, help="Check that every record is there as it was written.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def log(limit: int | None, stats: bool, verify: bool, as_json: bool, **options: str | None) -> int:
    """List what was fired and decided, newest last."""
    if verify and stats:
        raise click.UsageError("--stats and --verify are two questions; ask one at a time")
    if verify:
        return _verify(as_json=as_json)
    most = limit if limit is not None or stats else SHOWN
    with reader() as journal:
        records = journal.with_late(journal.records(wanted(options, most)))
        lost = journal.lost()
    if stats:
        _stats(records, lost, as_json=as_json)
    elif as_json:
        print_json([*records])
    else:
        for record in records:
            say(line(record))
        if not records:
            say(one_line(nothing(options)))
    return 0


def _verify(*, as_json: bool) -> int:
    with reader() as journal:
        chain = journal.verified()
    if as_json:
        print_json({"whole": chain.trouble is None, "records": chain.records, "trouble": chain.trouble})
    elif chain.trouble is None:
        say(f"{chain.records} records, all as they were written")
    else:
        say(f"{chain.records} records are as they were written, then: {one_line(chain.trouble)}")
    return 0 if chain.trouble is None else 1


def _stats(records: list[Record], lost: int, *, as_json: bool) -> None:
    found = by_hook(records)
    if as_json:
        rows: list[Json] = [
            {
                "hook": hook,
                "runs": item.runs,
                "failures": item.failures,
                "blocked": item.blocked,
                "p50_ms": item.p50,
                "p95_ms": item.p95,
            }
            for hook, item in found.items()
        ]
        print_json({"records": len(records), "journal_lost": lost, "hooks": rows})
        return
    width = max([4, *(len(one_line(hook, 50)) for hook in found)])
    say(f"{'hook':<{width}}  {'runs':>7}  {'failures':>8}  {'blocked':>7}  {'p50 ms':>9}  {'p95 ms':>9}")
    for hook, item in found.items():
        say(
            f"{one_line(hook, 50):<{width}}  {item.runs:>7}  {item.failures:>8}  {item.blocked:>7}"
            f"  {item.p50:>9.2f}  {item.p95:>9.2f}"
        )
    say(f"{len(records)} records" + (f", {lost} lost" if lost else ""))


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(log, args, "log")
