"""Secrets that only their place in a command or a statement tells: behind one program's option, or piped into it."""

import re
from collections.abc import Iterator

from omnihook.journal import values
from omnihook.journal.names import holds_secret
from omnihook.journal.shapes import LDAP, SERVED

_FAR = 1024  # bytes of one command that are looked at
_QUOTE = r"(?P<quote>\\*[\"'])?"
_ENDS = re.compile(rb"\s[|;&<>]|;\s|\n|\\n")
_BARE = re.compile(rb"(?:[^\s\"'\\;|&]|\\(?![nrt\"'\\]))+")
_PIPED = re.compile(
    rb"(?:echo|printf)[ \t]++(?:-\w++[ \t]++)*+(?P<quote>\\*[\"'])?(?P<value>[^\n|\"']*[^\s|\"'\\])\\*[\"']?[ \t]*\Z"
)
_HERE = re.compile(rb"<<-?[ \t]*(?:<[ \t]*)?(?P<quote>\\*[\"'])?(?:\w+\\*[\"']?(?:\n|\\n))?[^\s:\"'\\]+:(?=\S)")
_SETTING = re.compile(rb"(?<![\w.\-])([\w.\-]++)[ \t]++\Z")
_STATEMENT = re.compile(rb"\s*(?P<quote>\\*[\"'])")


def _rules(*rules: tuple[str, str]) -> dict[bytes, tuple[re.Pattern[bytes], ...]]:
    made: dict[bytes, tuple[re.Pattern[bytes], ...]] = {}
    for names, option in rules:
        for name in names.split("|"):
            made[name.encode()] = (*made.get(name.encode(), ()), re.compile(option.encode()))
    return made


# By program: what stands before a secret. The quote, where there is one, ends it.
_OPTIONS = _rules(
    ("curl", rf"\s-[A-TV-Za-tv-z]*+[uU][\s=]*+{_QUOTE}[^\s:\"'\\]++:(?=\S)"),
    ("curl", rf"\s(?:-[A-Za-z]*b|--cookie)[\s=]+{_QUOTE}(?=[^\s\"'=]+=)"),
    ("http|https|xh|xhs", rf"\s(?:-a|--auth)[\s=]*{_QUOTE}(?:[^\s:\"'\\]+:)?(?=\S)"),
    ("zip|unzip", rf"\s-[A-Za-z0-9]*P[\s=]*{_QUOTE}(?=\S)"),
    ("7z|7za|7zr|rar|unrar", rf"\s-h?p{_QUOTE}(?=[^\s\-])"),
    ("htpasswd", rf"\s-(?=[A-Za-z]*b)(?![A-Za-z]*n)[A-Za-z]+(?:\s+-\S+)*\s+\S+\s+\S+\s+{_QUOTE}(?=\S)"),
    ("htpasswd", rf"\s-(?=[A-Za-z]*b)(?=[A-Za-z]*n)[A-Za-z]+(?:\s+-\S+)*\s+\S+\s+{_QUOTE}(?=\S)"),
    ("openssl", rf"\s-(?:k|K|hmac)\s+{_QUOTE}(?=\S)"),
    (LDAP, rf"\s-w\s*{_QUOTE}(?=\S)"),
    (SERVED, rf"\s-P\s*{_QUOTE}(?=\S)"),
    ("mongo|mongosh|mongodump|mongorestore", rf"\s-p\s*{_QUOTE}(?=\S)"),
    ("smbclient", rf"\s-U[\s=]*+{_QUOTE}[^\s%\"'\\]++%(?=\S)"),
    ("gh", rf"\s(?:-b|--body)[\s=]*{_QUOTE}(?=\S)"),
)


def find(data: bytes, start: int, stop: int, limit: int) -> Iterator[tuple[int, int]]:
    """The secrets around a place that one of the shapes matched."""
    said = data[start:stop]
    program = re.match(rb"\w+", said)
    if said.startswith(b"|"):
        yield from _piped(data, start)
    elif b"<<" in said:
        yield from _told(_HERE.match(data, stop - 2, limit), data, limit)
    elif said.startswith(b"--from-literal"):
        quote = re.search(rb"(?<!\\)\\*+[\"']", said)
        yield from _ended(data, stop - 1, limit, b"" if quote is None else quote[0])
    elif program is not None and program[0] in _OPTIONS:
        end = edge(data, stop, limit)
        for option in _OPTIONS[program[0]]:
            yield from _told(option.search(data, start + program.end(), end), data, end)
    elif program is not None and program[0].lower() in (b"identified", b"with", b"encrypted", b"role"):
        yield from _told(_STATEMENT.match(data, stop - 1, limit), data, limit)
    else:
        name = _SETTING.search(said[:-1])
        if name is not None and holds_secret(name[1].decode("ascii", "replace")):
            span = values.word(data, stop - 1, limit)
            yield from () if span is None else (span,)


def edge(data: bytes, start: int, limit: int) -> int:
    """Where a command ends, or how far it is looked at."""
    end = _ENDS.search(data, start, min(limit, start + _FAR))
    return min(limit, start + _FAR) if end is None else end.start()


def _told(found: re.Match[bytes] | None, data: bytes, limit: int) -> Iterator[tuple[int, int]]:
    if found is not None:
        yield from _ended(data, found.end(), limit, found["quote"] or b"")


def _ended(data: bytes, start: int, limit: int, quote: bytes) -> Iterator[tuple[int, int]]:
    """From a place to the quote that ends it, or to the end of the word."""
    end = data.find(quote, start, limit) if quote else -1
    if end < 0:
        word = _BARE.match(data, start, limit)
        end = start if word is None else word.end()
    if values.telling(data[start:end]):
        yield start, end


def _piped(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """What is written into a program that reads a password, without the user's name."""
    begun = max(0, at - _FAR)
    begun = max(begun, data.rfind(b"\n", begun, at) + 1, data.rfind(b"|", begun, at) + 1)
    said = data[begun:at].rstrip(b" \t")
    # The last sign may be a quote that closes, and there is but one more, right behind the program.
    quote = max(said.rfind(b'"', 0, -1), said.rfind(b"'", 0, -1))
    if quote >= 0:
        begun += max(said.rfind(b"echo", 0, quote), said.rfind(b"printf", 0, quote), 0)
    last = (said[:-1] if said[-1:] in (b'"', b"'") else said).rstrip(b"\\")[-1:]
    found = _PIPED.search(data[begun:at]) if last and not last.isspace() else None
    if found is None:
        return
    start, stop = found.span("value")
    user = re.match(rb"[\w.\-]+:(?=\S)", found["value"])
    start += 0 if user is None else user.end()
    if values.telling(found["value"]):
        yield begun + start, begun + stop
