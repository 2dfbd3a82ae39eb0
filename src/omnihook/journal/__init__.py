"""The journal: one record per fired event, redacted, in SQLite; and what reads it."""
