"""The journal: one record per fired event, redacted, in SQLite; and what reads it."""

from omnihook.journal.writing import Journal

__all__ = ["Journal"]
