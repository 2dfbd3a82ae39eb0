"""Regular expressions of sed, grep and csplit that are plain enough to be followed, and quick enough."""

import re
from collections.abc import Iterable

_BEYOND = re.compile(r"[\\\[\]()|+?{}]")
_BARE_STAR = re.compile(r"(?:^\^?|\*)\*")
_MAX_WORK = 4_000_000


def plain_expression(old: str, lines: Iterable[str]) -> str | None:
    """A basic regular expression as Python spells it; None unless it is of plain characters, dots, stars, anchors.

    None as well where looking for it in these lines could take long: each star may try every length.
    """
    stars = old.count("*")
    if _BEYOND.search(old) or _BARE_STAR.search(old) or stars > 2:
        return None
    if stars and sum([len(line) ** (stars + 1) for line in lines]) > _MAX_WORK:
        return None
    anchors = {(0, "^"), (len(old) - 1, "$")}
    return "".join(
        mark if mark in ".*" or (place, mark) in anchors else re.escape(mark) for place, mark in enumerate(old)
    )
