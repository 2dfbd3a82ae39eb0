"""Several here-docs on one line, which the grammar cannot read: each is spelled as a here-string instead."""

import re
from bisect import bisect_left

_START = re.compile(rb"(?<!<)<<(-?)[ \t]*(?:'(\w[\w.-]*)'|\"(\w[\w.-]*)\"|(\\?)(\w[\w.-]*))(?!<)")
_MAX_DOCS = 64


def spelled_out(source: bytes) -> bytes:
    """The source with every line of several here-docs rewritten; a line whose bodies do not end is left alone."""
    lines = source.split(b"\n")
    ends = _places(lines)
    done: list[bytes] = []
    index = 0
    while index < len(lines):
        starts = list(_START.finditer(lines[index])) if lines[index].count(b"<<") > 1 else []
        bodies = _bodies(lines, ends, index + 1, starts) if 1 < len(starts) <= _MAX_DOCS else None
        if bodies is None:
            done.append(lines[index])
            index += 1
            continue
        texts, end = bodies
        done.append(_rewritten(lines[index], starts, texts))
        index = end
    return b"\n".join(done)


def _places(lines: list[bytes]) -> dict[bytes, list[int]]:
    """Where each line stands, without the tabs in front of it: the end of a here-doc is looked up, not searched for."""
    places: dict[bytes, list[int]] = {}
    for index, line in enumerate(lines):
        places.setdefault(line.lstrip(b"\t"), []).append(index)
    return places


def _bodies(
    lines: list[bytes], ends: dict[bytes, list[int]], index: int, starts: list[re.Match[bytes]]
) -> tuple[list[bytes], int] | None:
    """The texts of the here-docs that start on a line, in order, and the line behind the last of them."""
    texts: list[bytes] = []
    for start in starts:
        delimiter = start[2] or start[3] or start[5]
        places = ends.get(delimiter, [])
        place = bisect_left(places, index)
        while place < len(places) and not start[1] and lines[places[place]] != delimiter:
            place += 1
        if place == len(places):
            return None
        body = lines[index : places[place]]
        texts.append(b"\n".join([line.lstrip(b"\t") for line in body] if start[1] else body))
        index = places[place] + 1
    return texts, index


def _rewritten(line: bytes, starts: list[re.Match[bytes]], texts: list[bytes]) -> bytes:
    pieces: list[bytes] = []
    position = 0
    for start, text in zip(starts, texts, strict=True):
        literal = start[2] or start[3] or start[4]
        pieces.extend((line[position : start.start()], b"<<<", _single(text) if literal else double_quoted(text)))
        position = start.end()
    return b"".join((*pieces, line[position:]))


def _single(text: bytes) -> bytes:
    return b"'" + text.replace(b"'", b"'\\''") + b"'"


def double_quoted(text: bytes) -> bytes:
    """A here-doc's text as a string in double quotes: in those a quotation mark is escaped, but not in what expands."""
    pieces: list[bytes] = []
    closing: list[bytes] = []
    position = 0
    while position < len(text):
        found = (_RUN if closing[-1:] == [b")"] else _PIECE).match(text, position)
        piece = found[0] if found else text[position : position + 1]
        position += len(piece)
        if piece in _OPENS or (closing and piece == b"("):
            closing.append(_OPENS.get(piece, b")"))
        elif closing and piece == closing[-1]:
            closing.pop()
        elif piece == b"`" or (piece == b'"' and closing[-1:] == [b")"]):
            closing.append(piece)
        elif not closing and piece[-1:] == b'"':
            piece = piece[:-1] * 2 + b'\\"'
        pieces.append(piece)
    return b'"' + b"".join(pieces) + b'"'


_OPENS = {b"$(": b")", b"${": b"}"}
_PIECE = re.compile(rb"""\\[$`\\\n]|\\?"|\$[({]|[^\\"$(){}`]++""")
_RUN = re.compile(rb"""\\.|'[^']*+'|\$[({]|[^\\"'$(){}`]++""", re.S)
"""The same in a substitution, where quotes are quotes."""
