"""Which records somebody wants: as a question to the database, and asked of one record."""

from omnihook.journal.ids import earliest
from omnihook.jsontypes import Json, list_at, number_of
from omnihook.slotted import dataclass

Record = dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which records: everything given must hold. Times are seconds since the epoch; `limit` counts from the newest."""

    event: str | None = None
    hook: str | None = None
    decision: str | None = None  # "none" for no opinion
    agent: str | None = None
    session: str | None = None
    since: float | None = None
    until: float | None = None
    limit: int | None = None


def fits(record: Record, wanted: Wanted) -> bool:
    """Whether a record is wanted; its limit does not count."""
    when = number_of(record.get("at"))
    session = record.get("session")
    return (
        (wanted.event is None or str(record.get("event")).lower() == wanted.event.lower())
        and (wanted.agent is None or str(record.get("agent")).lower() == wanted.agent.lower())
        and (wanted.decision is None or (record.get("decision") or "none") == wanted.decision)
        and (wanted.session is None or str(session).startswith(wanted.session))
        and (wanted.since is None or when >= wanted.since)
        and (wanted.until is None or when <= wanted.until)
        and (wanted.hook is None or ran(record, wanted.hook))
    )


def conditions(wanted: Wanted) -> tuple[str, list[str | float | None]]:
    """The records wanted as a question to the database; which hooks ran stands only in their bodies."""
    where: list[str] = []
    values: list[str | float | None] = []
    for column, value in (("event", wanted.event), ("agent", wanted.agent)):
        if value is not None:
            where.append(f"{column} = ? COLLATE NOCASE")
            values.append(value)
    if wanted.decision is not None:
        none = wanted.decision == "none"
        where.append("decision IS NULL" if none else "decision = ?")
        values += [] if none else [wanted.decision]
    if wanted.session is not None:
        where.append("substr(session, 1, ?) = ?")
        values += [len(wanted.session), wanted.session]
    if wanted.since is not None:
        where.append("id >= ? AND at >= ?")
        values += [earliest(wanted.since - 1), wanted.since]
    if wanted.until is not None:
        where.append("id <= ? AND at <= ?")
        values += [earliest(wanted.until + 1), wanted.until]
    return " AND ".join(where) or "1", values


def ran(record: Record, hook: str) -> bool:
    """Whether a hook ran at the event of a record, or was held back."""
    listed = (*list_at(record, "runs"), *list_at(record, "skipped"))
    return any(isinstance(run, dict) and run.get("hook") == hook for run in listed)
