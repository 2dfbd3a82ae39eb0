"""Where the value behind a secret's name begins and ends: quoted at any depth, a word, a line, or a block."""

import re

LONGEST = 16 << 10  # bytes of one value
_OPENER = re.compile(rb"(?:\\[nrt]|\s)*+(?:[bBrRuUfF]{1,2}|\$)?(\\*+(?:\"\"\"|'''|[\"'`]))")
_NESTED = re.compile(
    rb"\s*+\{(?:\s|\\[nrt])*+\\*+[\"'](?:value|Value|secretValue|stringValue|plaintext|data)\\*+[\"']\s*+:"
)
_BLANK = re.compile(rb"(?:[ \t]|\\t){0,64}")
_BLOCK = re.compile(rb"[|>][+\-0-9]{0,2}[ \t]*(?:\n|\\n)((?:(?:[ \t]+[^\n]*|[ \t]*)(?:\n|$))*)")
_TO_BLANK = re.compile(rb"(?:[^\s\"'`\\]|\\(?![nrt\"'\\]))+")
_TO_SIGN = re.compile(rb"(?:[^\s\"'`\\;&<>)}\],|]|\\(?![nrt\"'\\])|,(?![\s\"'\w]*[=\s]))+")
_TO_LINE = re.compile(rb"(?:[^\n\r\"\\]|\\(?![nr\"\\]))+")
_SCHEME = re.compile(rb"(?i:bearer|basic|token|digest|negotiate|apikey)[ \t]+")
_ITEM = re.compile(rb"(?:[\s\"',=:]|\\[nrt\"'\\])*")
_WORD = re.compile(rb"[A-Za-z]?[a-z]*")
_LEADING = re.compile(rb"[\s+\-#]*(?:export\s+|set\s+)?[\"']?")
_NOTHING = re.compile(
    rb"(?i:true|false|none|null|nil|undefined|str|string|int|bool|bytes|any|optional|secretstr|number|required|yes|no"
    rb"|[*.x\-_]+|\$.*|\{\{.*|<[^>]*>|%[sd(].*|os\.environ.*|process\.env.*|env\..*|secrets\..*|\[redacted:.*)",
    re.DOTALL,
)


def value(data: bytes, at: int, limit: int, *, name: str, assigned: bool, first: int) -> tuple[int, int] | None:
    """The value behind a name's sign; `first` is where the name begins, `assigned` whether the sign is `=`."""
    limit = min(limit, at + LONGEST)
    nested = _NESTED.match(data, at, limit)
    at = at if nested is None else nested.end()
    opener = _OPENER.match(data, at, limit)
    if opener is not None:
        return _kept(data, opener.end(), _closed(data, opener.end(), limit, opener[1]))
    start = _end(_BLANK, data, at, limit)
    if data[start : start + 1] in (b"{", b"["):
        return None  # what is in it has names of its own
    block = _BLOCK.match(data, start, limit)
    if block is not None:
        return _kept(data, *block.span(1))
    leading = _leads(data, first)
    stop = _end(_TO_BLANK if leading and assigned else _TO_SIGN, data, start, limit)
    said = data[start:stop]
    if leading and not assigned and telling(said):
        return _kept(data, start, _trimmed(data, start, _end(_TO_LINE, data, start, limit)))
    code = not name.isupper() and (b"(" in said or (start > at and len(said) < 4))
    prose = not leading and not assigned and _WORD.fullmatch(said) is not None
    return None if code or prose else _kept(data, start, stop)


def line(data: bytes, at: int, limit: int, *, quote: bytes = b"") -> tuple[int, int] | None:
    """The value of a header: the rest of the line or of the text in quotes, without the word for its scheme."""
    if quote in (b"'", b"`"):
        closed = data.find(quote, at + 1, limit)
        limit = limit if closed < 0 or data[at:closed].strip() == b"" else closed
    start = _end(_ITEM, data, at, limit)
    scheme = _SCHEME.match(data, start, limit)
    start = scheme.end() if scheme is not None else start
    return _kept(data, start, _trimmed(data, start, _end(_TO_LINE, data, start, min(limit, at + LONGEST))))


def word(data: bytes, at: int, limit: int) -> tuple[int, int] | None:
    """The next word or quoted text."""
    limit = min(limit, at + LONGEST)
    opener = _OPENER.match(data, at, limit)
    if opener is not None:
        return _kept(data, opener.end(), _closed(data, opener.end(), limit, opener[1]))
    start = _end(_ITEM, data, at, limit)
    return _kept(data, start, _end(_TO_BLANK, data, start, limit))


def telling(text: bytes) -> bool:
    """Whether a text under a secret's name is one, not a placeholder, a reference to a variable or a type."""
    said = text.strip()
    return bool(said) and _NOTHING.fullmatch(said) is None


def _kept(data: bytes, start: int, stop: int) -> tuple[int, int] | None:
    return (start, stop) if telling(data[start:stop]) else None


def _closed(data: bytes, start: int, limit: int, opener: bytes) -> int:
    """Where the text that an opener began ends; a quote behind more backslashes is part of the text."""
    at = start
    while True:
        at = data.find(opener, at, limit)
        if at < 0:
            return _end(_TO_LINE, data, start, limit)
        before = 0
        while at - before > start and data[at - before - 1] == 0x5C:
            before += 1
        if before % 2 == 0:
            return at
        at += len(opener)


def _leads(data: bytes, first: int) -> bool:
    """Whether a name is the first thing on its line, as in a file of settings or a difference of one."""
    before = data[max(0, first - 64) : first]
    begun = max(before.rfind(b"\n"), before.rfind(b"\0"), before.rfind(b"\\n") + 1)
    return _LEADING.fullmatch(before, begun + 1 if begun > 0 else 0) is not None


def _trimmed(data: bytes, start: int, stop: int) -> int:
    said = data[start:stop]
    return start + len(said.rstrip(b" \t'`,;}]"))


def _end(pattern: re.Pattern[bytes], data: bytes, start: int, limit: int) -> int:
    found = pattern.match(data, start, limit)
    return start if found is None else found.end()
