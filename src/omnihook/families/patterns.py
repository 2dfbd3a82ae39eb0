"""Matchers as dialects write them: a name, several names, a regular expression."""

import re
from functools import lru_cache

import re2

from omnihook.families.entries import BadEntry
from omnihook.hooks import EVERYTHING, Matcher

# The DFA of one pattern may not take more than this; RE2 refuses larger ones.
_QUIET = re2.Options()
_QUIET.log_errors = False


def search(text: str, *, star: bool) -> Matcher:
    """A regular expression that may match anywhere; `*` alone means everything where `star`."""
    if not text or (star and text == "*"):
        return EVERYTHING
    check(text)
    return Matcher(text=text, pattern=text)


def whole(text: str) -> Matcher:
    """A regular expression that must match the whole subject."""
    check(text)
    return Matcher(text=text, pattern=text, whole=True)


def exact(text: str, *names: str) -> Matcher:
    """One of some names."""
    return Matcher(text=text, names=frozenset(names))


@lru_cache(maxsize=4096)
def problem(pattern: str) -> str | None:
    """Why a pattern is not a regular expression, or None."""
    try:
        re2.compile(pattern, options=_QUIET)
    except re2.error:
        return _backtracking_problem(pattern)
    return None


def check(pattern: str) -> None:
    """Raise for a pattern that is not a regular expression."""
    reason = problem(pattern)
    if reason is not None:
        raise BadEntry(
            f"matcher {pattern!r} is not a regular expression: {reason}", fix="correct the pattern", code="bad-regex"
        )


def _backtracking_problem(pattern: str) -> str | None:
    import regex  # only patterns that RE2 cannot take need it

    try:
        regex.compile(pattern)
    except regex.error as error:
        return str(error)
    return None


def native_matcher(given: str | None) -> Matcher:
    """The native dialect's matcher: names joined by `|` compare exactly, anything else is searched for."""
    if given is None or given in ("", "*"):
        return EVERYTHING
    if given.isidentifier() and given.isascii():
        return exact(given, given)
    if NAMES.fullmatch(given):
        return exact(given, *(part.strip() for part in given.split("|")))
    return search(given, star=True)


NAMES = re.compile(r"[A-Za-z0-9_ -]+(\|[A-Za-z0-9_ -]+)*")
