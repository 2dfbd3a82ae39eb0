"""Redaction: what the journal keeps of a record holds no secret, is no larger than it may be, and is plain JSON.

A secret becomes `[redacted:KIND:LENGTH:HASH]` with a keyed hash, so that equal secrets stay comparable; what is too
large is cut, with its length and the keyed digest of the whole. Pure.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from omnihook.journal import values
from omnihook.journal.finding import Span, find, joined
from omnihook.journal.flattening import CONTENT, GIVEN, KEY, SECRET, Copy, Leaf
from omnihook.journal.names import names_protected_file
from omnihook.jsontypes import Json

_SEPARATOR = b"\n\0\n"
_ECHO = 8  # bytes of a secret that is looked for everywhere else in its record
_WORDS = 256  # of a list that may be a command
_ECHOES = 200  # secrets of one record looked for like that
_FOUND = 20_000  # places where they stand; of more, everything is hidden
_SETTING = re.compile(rb"(?:^|\n|\\n)[ \t+\-]*(?:export[ \t]+)?[A-Za-z_][\w.]*[ \t]*=[ \t]*([^\n\\]+)")


class Redactor:
    """Redacts under one key: the same secret gives the same placeholder wherever it stands."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def redact(self, record: Mapping[str, object]) -> dict[str, Json]:
        """A copy of a record that may be written."""
        copy = Copy(self._key)
        made = copy.of(record)
        self._replace(copy.leaves)
        return made

    def text(self, text: str) -> str:
        """A text that may be written, whole."""
        held: list[Json] = [text]
        self._replace([Leaf(held, 0, text, len(text), len(text))])
        return str(held[0])

    def placeholder(self, kind: str, secret: bytes) -> str:
        """What stands for a secret."""
        text = secret.decode("utf-8", "surrogatepass")
        return f"[redacted:{kind}:{len(text)}:{Copy(self._key).digest(text)}]"

    def _replace(self, leaves: Sequence[Leaf]) -> None:
        texts = [leaf.text.encode("utf-8", "surrogatepass") for leaf in leaves]
        data = _SEPARATOR.join(texts) + _SEPARATOR
        begins: list[int] = []
        at = 0
        for text in texts:
            begins.append(at)
            at += len(text) + len(_SEPARATOR)
        ends = [begin + len(text) for begin, text in zip(begins, texts, strict=True)]
        placed = (*_by_place(leaves, begins, ends, data), *_by_words(leaves, begins, ends))
        spans = joined([*find(data, [*ends, len(data)]), *placed])
        echoes = _echoes(data, spans)
        everything = [(begin, end, "many") for begin, end in zip(begins, ends, strict=True)]
        spans = joined([*spans, *(everything if echoes is None else echoes)])
        own = _by_leaf(spans, begins, ends)
        changed = [n for n, leaf in enumerate(leaves) if n in own or leaf.total > leaf.keep]
        # A key is renamed after what stands under it was put in its place.
        for number in sorted(changed, key=lambda n: bool(leaves[n].role & KEY)):
            leaves[number].put(self._written(leaves[number], data, begins[number], ends[number], own.get(number, ())))

    def _written(self, leaf: Leaf, data: bytes, begin: int, end: int, spans: Sequence[Span]) -> str:
        """A leaf's text with its spans replaced, as far as it is kept."""
        edge = end
        if leaf.total > leaf.keep:
            edge = begin + len(leaf.text[: leaf.keep].encode("utf-8", "surrogatepass"))
        pieces: list[str] = []
        at = begin
        for start, stop, kind in spans:
            if start >= edge:
                break
            pieces.append(data[at:start].decode("utf-8", "surrogatepass"))
            pieces.append(self.placeholder(kind, data[start:stop]))
            at = stop
        pieces.append(data[at : max(at, edge)].decode("utf-8", "surrogatepass"))
        if leaf.digest:
            pieces.append(f"[cut:{leaf.total}:{leaf.digest}]")
        return "".join(pieces)


def _by_place(leaves: Sequence[Leaf], begins: Sequence[int], ends: Sequence[int], data: bytes) -> list[Span]:
    """Texts that are secret because of where they stand, and what a protected file holds."""
    spans: list[Span] = []
    protected = False
    for number, leaf in enumerate(leaves):
        if leaf.role & SECRET and values.telling(data[begins[number] : ends[number]]):
            spans.append((begins[number], ends[number], "named"))
        if leaf.role & GIVEN and names_protected_file(leaf.text):
            protected = True
            settings = _SETTING.finditer(data, begins[number], ends[number])
            spans += [(*found.span(1), "file") for found in settings]
    if protected:
        spans += [
            (begins[number], ends[number], "file")
            for number, leaf in enumerate(leaves)
            if leaf.role & CONTENT and leaf.text and not leaf.role & KEY
        ]
    return spans


def _by_words(leaves: Sequence[Leaf], begins: Sequence[int], ends: Sequence[int]) -> list[Span]:
    """Words of a command that is a list, which are secret for what stands before them."""
    spans: list[Span] = []
    for number, leaf in enumerate(leaves):
        if leaf.place == 0 and isinstance(leaf.holder, list) and _commanding(leaf.holder):
            words = [str(word).encode("utf-8", "surrogatepass") for word in leaf.holder]
            places = list(accumulate((len(word) + 1 for word in words), initial=0))
            text = b" ".join(words)
            for start, _, kind in find(text, [len(text)], deep=False):
                spot = number + bisect_right(places, start) - 1
                spans.append((begins[spot] + start - places[spot - number], ends[spot], kind))
    return spans


def _commanding(words: Sequence[Json]) -> bool:
    return (
        len(words) <= _WORDS
        and all(isinstance(word, str) for word in words)
        and any(str(word).startswith("-") for word in words[1:])
    )


def _echoes(data: bytes, spans: Sequence[Span]) -> list[Span] | None:
    """The other places where what was found to be secret stands in the same record, whole or in part.

    None where there are too many.
    """
    known: dict[bytes, str] = {}
    for start, stop, kind in spans:
        for part in _parts(data[start:stop]):
            known.setdefault(part, kind)
    found: list[Span] = []
    for secret, kind in list(known.items())[:_ECHOES]:
        at = data.find(secret)
        while at >= 0:
            if len(found) > _FOUND:
                return None
            found.append((at, at + len(secret), kind))
            at = data.find(secret, at + len(secret))
    return found


def _parts(secret: bytes) -> Iterator[bytes]:
    """A secret, its lines, and the password of a user's name and password."""
    for part in (secret, *secret[:4096].split(b"\n"), secret.partition(b":")[2]):
        bare = part.strip(b" \t\r+-=\"'")
        if len(bare) >= _ECHO:
            yield bare


def _by_leaf(spans: Sequence[Span], begins: Sequence[int], ends: Sequence[int]) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = {}
    for start, stop, kind in spans:
        number = bisect_right(begins, start) - 1
        if start < ends[number]:
            found.setdefault(number, []).append((start, min(stop, ends[number]), kind))
    return found
