"""The debug logs that some agents keep: a line for each fired event, appended to a dated file below the home."""

import os

from omnihook.dialect import Dialect, native_name
from omnihook.families.times import iso
from omnihook.jsontypes import Json, dumps
from omnihook.outcomes import Report, Status


def line(report: Report, name: str) -> str:
    """One line about a fired event, under the agent's own name for it: what was decided, and how many hooks ran."""
    ran = [outcome for outcome in report.outcomes if outcome.status is not Status.LATE]
    broken = [outcome for outcome in ran if outcome.failure is not None]
    parts: dict[str, Json] = {
        "event": name,
        "session": report.event.session_id,
        "decision": report.verdict.decision.word,
        "reason": report.verdict.reason,
        "executed": len(ran),
        "succeeded": len(ran) - len(broken),
        "failed": len(broken),
        "duration_ms": round(report.duration * 1000),
        "errors": [f"{o.hook.name}: {o.failure.message}" for o in broken if o.failure is not None],
        "skipped": [f"{item.hook.name}: {item.why}" for item in report.skipped],
    }
    return f"[{iso(report.event.timestamp or 0.0)}] [DEBUG] hooks {dumps(parts)}"


def log(report: Report, dialect: Dialect, home: str) -> tuple[str, ...]:
    """Add the line to a dialect's log, where it has one; what kept us from it, if anything did."""
    if dialect.debug_log is None:
        return ()
    try:
        append(report, native_name(dialect, report.event), home=home, path=dialect.debug_log)
    except OSError as error:
        return (f"the debug log could not be written: {error}",)
    return ()


def append(report: Report, name: str, *, home: str, path: str) -> None:
    """Add the line to the log; `path` is below the home and may contain `{date}`. The file is the user's alone."""
    target = os.path.join(home, path.format(date=iso(report.event.timestamp or 0.0)[:10]))
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK  # no link, no pipe that waits
    with open(os.open(target, flags, 0o600), "ab", buffering=0) as file:
        file.write(f"{line(report, name)}\n".encode("utf-8", "surrogateescape"))
