"""Moments as text: ISO-8601 in UTC with milliseconds, as JSON libraries of most agents write them."""

from datetime import UTC, datetime


def iso(seconds: float) -> str:
    """Seconds since the epoch as `2026-01-18T09:30:00.000Z`; a moment no calendar has is put at its edge."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        moment = datetime.max.replace(tzinfo=UTC) if seconds > 0 else datetime.min.replace(tzinfo=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(text: str) -> float | None:
    """Seconds since the epoch, or None for text that is no such moment; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
