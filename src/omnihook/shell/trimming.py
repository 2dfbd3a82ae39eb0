"""What `${name#pattern}`, `##`, `%` and `%%` leave of a text."""

import fnmatch
import re


def trimmed(op: str, text: str, pattern: str) -> str | None:
    """The text without what the pattern matches at its front or end; None when a glob matches nothing there."""
    simple = _trimmed_simply(op, text, pattern)
    if simple is not None:
        return simple
    matcher = re.compile(fnmatch.translate(pattern))
    places = range(len(text) + 1)
    longest = len(op) == 2
    if op[0] == "#":
        cuts = [end for end in places if matcher.match(text[:end])]
        return text[(max(cuts) if longest else min(cuts)) :] if cuts else None
    cuts = [start for start in places if matcher.match(text[start:])]
    return text[: (min(cuts) if longest else max(cuts))] if cuts else None


def _trimmed_simply(op: str, text: str, pattern: str) -> str | None:
    """The rest of a text after cutting plain words, or all up to or from them; None for other patterns."""
    front, longest = op[0] == "#", len(op) == 2
    star = pattern[:1] == "*" if front else pattern[-1:] == "*"
    plain = pattern if not star else pattern[1:] if front else pattern[:-1]
    if not plain or any(mark in plain for mark in "*?["):
        return None
    if not star:
        return text.removeprefix(plain) if front else text.removesuffix(plain)
    place = text.rfind(plain) if front == longest else text.find(plain)
    if place < 0:
        return text
    return text[place + len(plain) :] if front else text[:place]
