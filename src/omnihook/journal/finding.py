"""Finding secrets in text: where each begins and ends, and of which kind it is. Pure, and linear in the text."""

import base64
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from omnihook.journal import arguments, values
from omnihook.journal.names import HEADERS, NAMING, VALUED, holds_secret, paired
from omnihook.journal.shapes import pattern
from omnihook.journal.tokens import DISTINCT, LOOSE, MIDDLE, rows

Span = tuple[int, int, str]  # start, end, kind
MOST = 256  # hits of one family in one text; whoever sends more gets everything from there on hidden
_KINDS = sorted(((word.encode(), kind, rest) for kind, word, rest in rows(DISTINCT + LOOSE)), key=lambda r: -len(r[0]))
_IN_NAMES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_BASE64 = re.compile(rb"[A-Za-z0-9+/_\-]+={0,2}")
_AWS_SECRET = re.compile(rb"(?<![A-Za-z0-9+/=_\-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_\-])")
_LONGEST_BASE64 = 48 << 10
_FAMILIES = ("tokens", "named", "options", "pairs", "arguments", "headers", "urls", "tags", "blocks", "base64")
_FREQUENT = {"named": 1024, "arguments": 4096}  # where most hits are nothing
_NAMING, _VALUED = ("|".join(sorted(names, key=len, reverse=True)) for names in (NAMING, VALUED))
_NAMED_BY = re.compile(rf"(?<!\\)\\*+[\"'](?:{_NAMING})\\*+[\"']\s*+:\s*+\\*+[\"']\Z".encode())
_VALUE_NEXT = re.compile(rf"[\s,]*+(?:\\[nrt]\s*+)*+\\*+[\"'](?:{_VALUED})\\*+[\"']\s*+:".encode())
_VALUE_BEFORE = re.compile(
    rf"(?<!\\)\\*+[\"'](?:{_VALUED})\\*+[\"']\s*+:\s*+\\*+[\"']([^\"'\\]++)\\*+[\"']\s*+,(?:\s|\\[nrt])*+\Z".encode()
)
_WORDY = re.compile(rb"[A-Za-z_]*(?:[.(\[].*)?")
_SECOND = re.compile(rb"(\\*+[\"'])\s*+,\s*+\\*+[\"']([^\"'\\]++)\\*+[\"']\s*+\]")


def find(data: bytes, ends: Sequence[int], *, deep: bool = True) -> list[Span]:
    """Every secret in texts that were joined; `ends` are where they end, `deep` looks into base64 too."""
    spans: list[Span] = []
    for family in _FAMILIES if deep else _FAMILIES[:-1]:
        spans += _family(family, data, ends)
    if any(kind == "aws" for _, _, kind in spans):
        spans += [(*found.span(), "aws-secret") for found in _AWS_SECRET.finditer(data)]
    return joined(spans)


def joined(spans: list[Span]) -> list[Span]:
    """Spans in order, those that overlap made one under the name of the longest."""
    made: list[Span] = []
    for start, stop, kind in sorted(spans):
        if made and start < made[-1][1]:
            before = made[-1]
            longer = kind if stop - start > before[1] - before[0] else before[2]
            made[-1] = (before[0], max(before[1], stop), longer)
        else:
            made.append((start, stop, kind))
    return made


def _family(name: str, data: bytes, ends: Sequence[int]) -> Iterator[Span]:
    reader = _READERS[name]
    done = 0
    for number, found in enumerate(pattern(name).finditer(data)):
        start, stop = found.span()
        limit = ends[bisect_right(ends, start)]
        if number >= _FREQUENT.get(name, MOST):
            yield from _rest(start, ends)
            return
        if start >= done:
            for span in reader(data, start, min(stop, limit), limit):
                done = span[1]
                if span[2]:
                    yield span


def _rest(start: int, ends: Sequence[int]) -> Iterator[Span]:
    """Everything from a place on, text by text."""
    for end in ends[bisect_right(ends, start) :]:
        yield start, end, "many"
        start = end


def _token(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    if data[start : start + 1] == b"\\":
        start += 6 if data[start + 1 : start + 2] == b"u" else 2
    for word, kind, rest in _KINDS:
        if data.startswith(word, start):
            found = _whole(word, rest).match(data, start, limit)
            if found is not None:
                yield start, found.end(), kind
                return
    for kind, _, whole, before in MIDDLE:
        found = _middle(whole).search(data, max(0, start - before), min(limit, stop + 256))
        if found is not None and found.start() <= start:
            yield found.start(), found.end(), kind
            return


@cache
def _whole(word: bytes, rest: str) -> re.Pattern[bytes]:
    return re.compile(re.escape(word) + rest.encode())


@cache
def _middle(whole: str) -> re.Pattern[bytes]:
    return re.compile(whole.encode())


def _named(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    if data[stop - 1 : stop] in (b",", b"}"):
        yield from _item(data, start, stop, limit)
        return
    first, name = _name_at(data, start, stop)
    if not holds_secret(name):
        return
    if name.lower() in HEADERS:
        span = values.line(data, stop, limit, quote=data[first - 1 : first] if first else b"")
    else:
        span = values.value(data, stop, limit, name=name, assigned=data[stop - 1 : stop] == b"=", first=first)
    if data[stop - 2 : stop] == b"+=" and data[stop : stop + 1].isspace():
        return  # code that adds to a text
    if name == "pw" and span is not None and _WORDY.fullmatch(data, *span) is not None:
        return  # so short a name is also one of variables
    directory = name in ("PWD", "OLDPWD") and span is not None and data[span[0] : span[0] + 1] == b"/"
    if span is not None and not directory:
        yield *span, "named"


def _name_at(data: bytes, start: int, stop: int) -> tuple[int, str]:
    """The whole name of which a word was found, and where it begins."""
    before = data[max(0, start - 64) : start]
    first = start - len(before) + len(before.rstrip(_IN_NAMES))
    if data[start : start + 1] == b"\\":  # a line break in JSON
        first = start + 2
    said = re.match(rb"[\w.\-]*", data[first:stop])
    return first, said[0].decode("ascii", "replace") if said else ""


def _item(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    """A name that is a value: `{"name": "API_TOKEN", "value": ...}`, in either order, and `["X-Api-Key", ...]`."""
    first, name = _name_at(data, start, stop)
    if not holds_secret(name):
        return
    begun = max(0, first - 256)
    before = data[begun:first]
    key = _NAMED_BY.search(before)
    if key is not None:
        following = _VALUE_NEXT.match(data, stop - 1, limit)
        span = values.word(data, following.end(), limit) if following is not None else None
        earlier = _VALUE_BEFORE.search(before[: key.start()])
        span = (begun + earlier.start(1), begun + earlier.end(1)) if earlier is not None and span is None else span
        if span is not None and values.telling(data[slice(*span)]):
            yield *span, "named"
    elif before.rstrip(b"\\\"' \t").endswith(b"["):
        second = _SECOND.match(data, first + len(name), limit)
        if second is not None and paired(name, second[2].decode("utf-8", "replace")):
            yield *second.span(2), "named"


def _argument(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    for begin, end in arguments.find(data, start, stop, limit):
        yield begin, end, "argument"
    yield start, arguments.edge(data, stop, limit), ""  # one command is looked at once


def _option(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    said = re.match(rb"--?([\w\-]+)", data[start:stop])
    if said is not None and holds_secret(said[1].decode("ascii", "replace")):
        span = values.word(data, start + said.end(), limit)
        if span is not None:
            yield *span, "option"


def _pair(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    """An argument that is a secret: the last character of the match is its first, or is behind a colon."""
    span = values.word(data, stop - 1, limit)
    if span is not None:
        yield *span, "argument"


def _header(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    found = re.compile(rb"(\w+)\s+([A-Za-z0-9+/=_.~\-]+)").match(data, start, limit)
    if found is None:
        return
    token = found[2]
    telling = any(48 <= byte < 58 for byte in token) or len(token) >= 24
    if found[1].lower() == b"basic":
        telling = b":" in _decoded(token)
    if telling:
        yield *found.span(2), "header"


def _url(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    if data[start : start + 3] != b"://":
        end = re.compile(rb"[^&\s\"'\\<>]+").match(data, data.index(b"=", start, stop) + 1, limit)
        if end is not None and values.telling(end[0]):
            yield *end.span(), "signed-url"
        return
    # A password may itself hold an @: the last one before the path ends it.
    more = re.compile(rb"[^\s/\"'<>\\]*").match(data, stop, limit)
    last = data.rfind(b"@", stop - 1, more.end() if more else stop)
    user = data[start + 3 : last]
    if last > 0 and (b":" in user or len(user) >= 16):
        yield start + 3, last, "url"


def _tag(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    name = re.match(rb"<([\w:.\-]+)>", data[start:stop])
    if name is not None and holds_secret(name[1].decode("ascii", "replace")):
        end = data.find(b"<", stop, limit)
        yield start + name.end(), limit if end < 0 else end, "named"


def _block(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    """A private key: from its first line to the end of its last, or as far as the text goes."""
    end = data.find(b"-----END", stop, limit)
    if end < 0:
        yield start, limit, "private-key"
        return
    close = data.find(b"-----", end + 8, limit)
    yield start, limit if close < 0 else close + 5, "private-key"


def _base64(data: bytes, start: int, stop: int, limit: int) -> Iterator[Span]:
    before = data[max(0, start - _LONGEST_BASE64) : start]
    first = start - len(before) + len(before.rstrip(_ALPHABET))
    found = _BASE64.match(data, first, min(limit, first + 2 * _LONGEST_BASE64))
    if found is None or len(found[0]) < 16:
        return
    plain = _decoded(found[0])
    # Without a kind it is no secret, but need not be looked at again.
    yield *found.span(), "base64" if find(plain, [len(plain)], deep=False) else ""


def _decoded(text: bytes) -> bytes:
    usual = text.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    usual = usual[: len(usual) - 1] if len(usual) % 4 == 1 else usual
    return base64.b64decode(usual + b"=" * (-len(usual) % 4))


_READERS: dict[str, Callable[[bytes, int, int, int], Iterator[Span]]] = {
    "tokens": _token,
    "named": _named,
    "options": _option,
    "arguments": _argument,
    "pairs": _pair,
    "headers": _header,
    "urls": _url,
    "tags": _tag,
    "blocks": _block,
    "base64": _base64,
}
