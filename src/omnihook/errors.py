"""Every exception omnihook raises, for a caller's or a user's mistake; a hook's failure is never one of these.

OmnihookError
├── ConfigError        a file we were told to use cannot be used
├── UnknownDialect     no dialect of that name
├── UnknownEvent       an event name nobody knows, where one must be known
├── PayloadError       bytes that are not an event of that dialect
├── JournalError       the journal cannot answer
├── TrustError         an approval that cannot be given or taken here
└── UsageError         our own API called in a way that cannot work
"""

import difflib
from collections.abc import Iterable


class OmnihookError(Exception):
    """Base of all errors a caller may want to catch; its text is for people."""


class ConfigError(OmnihookError):
    """A configuration file that cannot be used at all."""


class PayloadError(OmnihookError):
    """Bytes that cannot be read as an event."""


class JournalError(OmnihookError):
    """A journal that cannot be read, or has not got what was asked for."""


class TrustError(OmnihookError):
    """An approval that cannot be given or withdrawn here."""


class UsageError(OmnihookError):
    """The public API used in a way that cannot work."""


class UnknownDialect(OmnihookError, LookupError):
    """No dialect has that name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        super().__init__(f"unknown dialect {name!r}{suggestion(name, names)}; known: {', '.join(names)}")


class UnknownEvent(OmnihookError):
    """No event has that name in that dialect."""

    def __init__(self, name: str, dialect: str, known: Iterable[str]) -> None:
        names = [*known]
        near = suggestion(name, names) or f"; known: {', '.join(sorted(names))}"
        super().__init__(f"unknown event {name!r} in {dialect}{near}")


def suggestion(word: str, known: Iterable[str], *, after: int = 0) -> str:
    """`, did you mean 'X'?` when a known word is near, else nothing; `after` a hundred problems nobody reads on."""
    if after >= 100 or len(word) > 100:
        return ""
    lowered = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return f", did you mean {lowered[near[0]]!r}?" if near else ""
