"""What the verbs that read the journal share: the journal they mean, filters, times, and records as lines."""

import os
import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import click

from omnihook.cli.common import note, working_directory
from omnihook.errors import UsageError, suggestion
from omnihook.events import EVENTS
from omnihook.folders import find
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Record, Wanted
from omnihook.jsontypes import Json, list_at, number_of, object_at
from omnihook.showing import counted, one_line
from omnihook.verdicts import WORDS

C = TypeVar("C", bound=Callable[..., Any])
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_AGO = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])")


def reader() -> Reader:
    """The journal of the current user."""
    return Reader(find(os.environ, cwd=working_directory()).state, lambda text: note(f"omnihook: {text}"))


def filter_options(command: C) -> C:
    """The options that say which records are meant."""
    for option in (
        click.option("--event", default=None, help="Only this event."),
        click.option("--hook", default=None, help="Only events at which this hook ran or was held back."),
        click.option(
            "--decision", default=None, type=click.Choice(["none", *WORDS]), help="Only events that were decided so."
        ),
        click.option("--agent", default=None, help="Only events of this agent."),
        click.option("--session", default=None, help="Only this session; the beginning of its id is enough."),
        click.option("--since", default=None, metavar="WHEN", help="Only later: 7d, 2h, 30m, or a date and time."),
        click.option("--until", default=None, metavar="WHEN", help="Only earlier."),
    ):
        command = option(command)
    return command


def wanted(options: Mapping[str, str | None], limit: int | None = None) -> Wanted:
    """The filters that were given."""
    now = time.time()
    return Wanted(
        event=options.get("event"),
        hook=options.get("hook"),
        decision=options.get("decision"),
        agent=options.get("agent"),
        session=options.get("session"),
        since=moment(options.get("since"), now),
        until=moment(options.get("until"), now),
        limit=limit,
    )


def nothing(options: Mapping[str, str | None]) -> str:
    """What to say when no record fits; an event that nobody knows is probably a slip of the pen."""
    event = options.get("event")
    if event is None or event in EVENTS:
        return "no records"
    return f"no records, and no event of omnihook's is called {event!r}{suggestion(event, EVENTS)}"


def moment(text: str | None, now: float) -> float | None:
    """A time in seconds since the epoch, from `7d` or `2026-11-15 08:00` (local time)."""
    if text is None:
        return None
    ago = _AGO.fullmatch(text.strip().lower().removesuffix(" ago"))
    if ago is not None:
        return now - float(ago[1]) * _UNITS[ago[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is not a time; write 7d, 2h, 30m, or 2026-11-15 08:00") from None


def line(record: Record) -> str:
    """A record as one line."""
    when = _when(number_of(record.get("at")))
    what = " ".join(part for part in (_text(record.get("event")), _text(record.get("tool"))) if part)
    decision = _text(record.get("decision")) or "-"
    hooks = counted(len(list_at(record, "runs")), "hook")
    follows = "└ " if record.get("parent") else ""
    made = f"{_text(record.get('id'))}  {when}  {one_line(follows + what, 34):<34}  {decision:<7}  {hooks:<8}"
    told = "; ".join(text for text in (_reason(record), _late(record)) if text)
    return (made + (f"  {one_line(told, 100)}" if told else "")).rstrip()


def _when(at: float) -> str:
    try:
        return datetime.fromtimestamp(at).strftime("%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):  # not a time that a calendar has
        return "??-?? ??:??:??"


def _late(record: Record) -> str:
    """How hooks in the background ended, as far as the record has it."""
    ended = [run for run in list_at(record, "late") if isinstance(run, dict)]
    return ", ".join(f"{_text(run.get('hook'))} later {_text(run.get('status'))}" for run in ended)


def _reason(record: Record) -> str:
    found = object_at(record, "verdict").get("reason")
    return _text(next(iter(list_at(record, "notices")), None) if found is None else found)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
