"""Many regular expressions asked at once: RE2 sets, and a time-limited engine for patterns RE2 cannot take."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import re2

if TYPE_CHECKING:
    import regex

CHUNK = 512  # patterns in one set: automata of larger ones can grow out of proportion
LIMIT = 0.05  # seconds for one look-around pattern on one text

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 64 << 20


class PatternSet:
    """Patterns with numbers; `match` gives the numbers of those that match somewhere in a text."""

    __slots__ = ("_chunks", "_slow")

    def __init__(self, patterns: Iterable[tuple[int, str]]) -> None:
        grouped: dict[str, list[int]] = {}
        for number, pattern in patterns:
            grouped.setdefault(pattern, []).append(number)
        held = list(grouped.items())
        self._chunks: list[_Chunk] = []
        self._slow: list[tuple[regex.Pattern[str], list[int]]] = []
        for start in range(0, len(held), CHUNK):
            self._add(held[start : start + CHUNK])

    def __bool__(self) -> bool:
        return bool(self._chunks or self._slow)

    def _add(self, patterns: Sequence[tuple[str, list[int]]]) -> None:
        """Nearly all patterns are linear, so they are only looked at one by one where a set refuses some."""
        try:
            self._chunks.append(_Chunk(patterns))
        except re2.error:
            import regex  # takes as long to import as all of this package's matching, and few need it

            linear = {pattern for pattern, _ in patterns if _linear(pattern)}
            self._slow += [(regex.compile(pattern), numbers) for pattern, numbers in patterns if pattern not in linear]
            if linear:
                self._chunks.append(_Chunk([held for held in patterns if held[0] in linear]))

    def match(self, text: str) -> list[int]:
        """The numbers of the matching patterns, in no particular order.

        A look-around pattern that takes too long counts as matching: a guard must not be skipped by a slow text.
        """
        found: list[int] = []
        encoded = text.encode("utf-8", "replace")
        for chunk in self._chunks:
            found += chunk.match(encoded)
        for pattern, numbers in self._slow:
            if _slow_match(pattern, text):
                found += numbers
        return found


class _Chunk:
    __slots__ = ("_numbers", "_patterns", "_sentinel", "_set")

    def __init__(self, patterns: Sequence[tuple[str, list[int]]]) -> None:
        self._patterns = [pattern for pattern, _ in patterns]
        self._numbers = [numbers for _, numbers in patterns]
        self._set = re2.Set.SearchSet(_OPTIONS)
        for pattern in self._patterns:
            self._set.Add(pattern)
        # RE2 reports "out of memory" as "nothing matched": a pattern that always matches tells the two apart.
        self._sentinel = self._set.Add("")
        self._set.Compile()

    def match(self, text: bytes) -> list[int]:
        hits = self._set.Match(text)
        if self._sentinel not in hits:
            hits = [i for i, p in enumerate(self._patterns) if re2.search(p, text, options=_OPTIONS)]
        return [number for hit in hits if hit != self._sentinel for number in self._numbers[hit]]


def _linear(pattern: str) -> bool:
    try:
        re2.compile(pattern, options=_OPTIONS)
    except re2.error:
        return False
    return True


def _slow_match(pattern: "regex.Pattern[str]", text: str) -> bool:
    try:
        return pattern.search(text, timeout=LIMIT) is not None
    except TimeoutError:
        return True
