"""`omnihook tail`: the last records, and those that come, whichever process fires them."""

import os
import select
import sys
import time
from dataclasses import replace

import click

from omnihook.cli.common import invoke, say
from omnihook.cli.journals import filter_options, line, reader, wanted
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Record, Wanted, fits
from omnihook.jsontypes import dumps

EVERY = 0.1  # seconds between two looks


@click.command()
@filter_options
@click.option("-n", "count", default=10, type=click.IntRange(min=0), help="Begin with so many of the last records.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def tail(count: int, as_json: bool, **options: str | None) -> int:
    """Show the last records and then every new one, until interrupted."""
    chosen = wanted(options)
    with reader() as journal:
        seen = journal.last()
        if count:
            for record in journal.records(replace(chosen, limit=count)):
                if _number(record) <= seen:
                    _print(record, as_json=as_json)
        _follow(journal, chosen, seen, as_json=as_json)
    return 0


def _follow(journal: Reader, chosen: Wanted, seen: int, *, as_json: bool) -> None:
    """Print what comes, until nobody reads it any more."""
    gone = select.poll()
    gone.register(sys.stdout.fileno(), 0)
    while not any(what & (select.POLLERR | select.POLLHUP) for _, what in gone.poll(0)):
        if journal.replaced():
            journal.reopen()
            seen = 0  # another journal, of which nothing was shown
        for record in journal.after(seen):
            seen = _number(record)
            if fits(record, chosen):
                _print(record, as_json=as_json)
        time.sleep(EVERY)


def _number(record: Record) -> int:
    found = record.get("seq")
    return found if isinstance(found, int) else 0


def _print(record: Record, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(dumps(record) + os.linesep)
    else:
        say(line(record))
    sys.stdout.flush()


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(tail, args, "tail")
