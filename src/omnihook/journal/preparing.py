"""Preparing: records as rows that may be written. A record is frozen at once, and redacted only when it is written."""

import json
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from omnihook.journal.shapes import suspicious
from omnihook.journal.store import Row, Value
from omnihook.jsontypes import Json

if TYPE_CHECKING:  # a short-lived process that has nothing to redact does without it
    from omnihook.journal.redaction import Redactor

LONG = 24 << 10  # characters of a record that is looked at by itself
COLUMNS = ("id", "parent", "at", "event", "decision", "agent", "session")

# A row that may still hold secrets: the columns, the record as JSON, and what of that is to be looked at.
Entry = tuple[Value, ...]

_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False, allow_nan=False)


def _prepared() -> Callable[[object], str]:
    """The encoder's own work without the making of it, which for a small record takes longer than the work."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _ENCODER.encode
    chunks = make(None, _ENCODER.default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, False)
    return lambda value: "".join(chunks(value, 0))


encode = _prepared()


class Preparer:
    """Turns records into rows; the key is asked for when the first suspicious record comes."""

    def __init__(self, key: Callable[[], bytes]) -> None:
        self._key = key

    @cached_property
    def redactor(self) -> "Redactor":
        """What redacts under the journal's key."""
        from omnihook.journal.redaction import Redactor

        return Redactor(self._key())

    def entry(self, record: Mapping[str, object]) -> Entry:
        """A record as it is now: what its caller changes later does not reach it."""
        try:
            text = encode(record)
        except (TypeError, ValueError, RecursionError, RuntimeError):  # not JSON, or changed while it was read
            return self._redacted(record)
        get = record.get
        return (*(_column(get(name)) for name in COLUMNS), text, text)

    def rows(self, entries: Sequence[Entry]) -> list[Row]:
        """Rows that may be written; one look at all of them finds the few that need care."""
        careful = _flagged([str(entry[-1]) for entry in entries]) if entries else ()
        if not careful:
            return [entry[:-1] for entry in entries]
        return [
            self._redacted(json.loads(str(entry[-2])))[:-1] if number in careful else entry[:-1]
            for number, entry in enumerate(entries)
        ]

    def config(self, body: Mapping[str, Json]) -> str:
        """A configuration as it may be kept: each part is redacted by itself, so that none is cut for another."""
        redact = self.redactor.redact
        made: dict[str, Json] = {}
        for name, value in body.items():
            if isinstance(value, list):
                made[name] = [redact({"": item})[""] for item in value]
            elif isinstance(value, dict):
                made[name] = {key: redact({"": item})[""] for key, item in value.items()}
            else:
                made[name] = redact({"": value})[""]
        return encode(made)

    def _redacted(self, record: Mapping[str, object]) -> Entry:
        made = self.redactor.redact(record)
        return (*(_safe(_column(made.get(name))) for name in COLUMNS), encode(made), "")


def _flagged(texts: Sequence[str]) -> set[int]:
    """Which texts may hold a secret, are long, or hold characters that have no UTF-8 form."""
    flagged = {number for number, text in enumerate(texts) if len(text) > LONG}
    if flagged:
        texts = ["" if number in flagged else text for number, text in enumerate(texts)]
    joined = "\n".join(texts)
    if "\\ud" in joined:
        flagged.update(number for number, text in enumerate(texts) if "\\ud" in text)
    places = [*suspicious(joined.encode("ascii"))]
    if places:
        begins = [0, *accumulate(len(text) + 1 for text in texts)]
        flagged.update(bisect_right(begins, place) - 1 for place in places)
    return flagged


def _column(value: object) -> Value:
    return value if value is None or isinstance(value, str | float) else str(value)


def _safe(value: Value) -> Value:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
