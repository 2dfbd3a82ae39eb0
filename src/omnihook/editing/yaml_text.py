"""Editing YAML frontmatter by lines: entries of block lists and mappings are cut out and put back.

What is written in flow style, on one line with brackets, is left to people (KeyError).
"""

import re
from collections.abc import Sequence

import yaml

from omnihook.editing.json_text import Piece
from omnihook.slotted import dataclass

Pointer = Sequence[str | int]
_DASH = re.compile(r"\s*-\s+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BREAKS = re.compile("[\x85\u2028\u2029]|\r(?!\n)")  # further line breaks of YAML's


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A member of a list or mapping: its lines, the first one's indentation with its dash, and its value."""

    name: str | int
    first: int
    last: int
    lead: str
    value: yaml.Node


def cut(text: str, pointer: Pointer) -> tuple[str, Piece]:
    """The text without an entry, an empty list or mapping staying for the last one; and the entry's lines."""
    lines, top = _read(text)
    holder = _at(lines, top, pointer[:-1])
    entries = _entries(lines, holder)
    number = next((n for n, entry in enumerate(entries) if entry.name == pointer[-1]), None)
    if number is None or holder.flow_style:
        raise KeyError(tuple(pointer))
    entry = entries[number]
    if not (_DASH.fullmatch(entry.lead) if isinstance(entry.name, int) else not entry.lead.strip()):
        raise KeyError(tuple(pointer))
    piece = Piece(text="".join(lines[entry.first : entry.last + 1]))
    if len(entries) == 1:
        lines = _emptied(lines, holder, entry)
    del lines[entry.first : entry.last + 1]
    return "".join(lines), piece


def put(text: str, pointer: Pointer, number: int, piece: Piece) -> str:
    """The text with an entry put into the list or mapping at a pointer, at a place among the others."""
    lines, top = _read(text)
    holder = _at(lines, top, pointer)
    entries = _entries(lines, holder)
    if not entries:
        line, start, end = holder.start_mark.line + 1, holder.start_mark.column, holder.end_mark.column
        if lines[line][start:end] not in ("[]", "{}"):
            raise KeyError(tuple(pointer))
        lines[line] = lines[line][:start].rstrip(" ") + lines[line][end:]
        return "".join([*lines[: line + 1], piece.text, *lines[line + 1 :]])
    if holder.flow_style:
        raise KeyError(tuple(pointer))
    at = entries[number].first if number < len(entries) else entries[-1].last + 1
    return "".join([*lines[:at], piece.text, *lines[at:]])


def _read(text: str) -> tuple[list[str], yaml.Node]:
    """The lines of a file, and the document of its frontmatter, whose first line is the second of the file."""
    lines = _LINE.findall(text)
    end = next((n for n, line in enumerate(lines) if n and line.startswith("---")), 0)
    try:
        node = yaml.compose("".join(lines[1:end]).replace("\r\n", "\n"), Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        node = None
    if not lines or lines[0].strip() != "---" or node is None or _BREAKS.search(text):
        raise KeyError("frontmatter")
    return lines, node


def _at(lines: list[str], node: yaml.Node, pointer: Pointer) -> yaml.CollectionNode:
    for part in pointer:
        found = next((entry.value for entry in _entries(lines, node) if entry.name == part), None)
        if found is None:
            raise KeyError(tuple(pointer))
        node = found
    if not isinstance(node, yaml.CollectionNode):
        raise KeyError(tuple(pointer))
    return node


def _entries(lines: list[str], node: yaml.Node) -> list[_Entry]:
    if isinstance(node, yaml.SequenceNode):
        pairs: list[tuple[str | int, yaml.Node, yaml.Node]] = [(n, item, item) for n, item in enumerate(node.value)]
    elif isinstance(node, yaml.MappingNode):
        pairs = [(str(key.value), key, value) for key, value in node.value]
    else:
        pairs = []
    return [
        _Entry(
            name=name,
            first=first.start_mark.line + 1,
            last=_last(lines, value),
            lead=lines[first.start_mark.line + 1][: first.start_mark.column],
            value=value,
        )
        for name, first, value in pairs
    ]


def _last(lines: list[str], node: yaml.Node) -> int:
    """The last line of a value, without the blank lines and comments after it."""
    inside = [item for pair in node.value for item in (pair if isinstance(pair, tuple) else (pair,))]
    if isinstance(node, yaml.CollectionNode) and inside and not node.flow_style:
        return max(_last(lines, item) for item in inside)
    end: int = node.end_mark.line + 1
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        end -= 1
        while not lines[end].strip():
            end -= 1
    return end


def _emptied(lines: list[str], holder: yaml.CollectionNode, entry: _Entry) -> list[str]:
    """The lines with an empty list or mapping behind the key of the one that loses its last entry."""
    word = "[]" if isinstance(holder, yaml.SequenceNode) else "{}"
    line = entry.first - 1
    while not lines[line].strip() or lines[line].lstrip().startswith("#"):
        line -= 1
    found = re.match(r"([^#]*?:)(\s*(?:#.*)?(?:\r?\n)?)$", lines[line])
    if found is None:
        raise KeyError(entry.name)
    return [*lines[:line], f"{found[1]} {word}{found[2]}", *lines[line + 1 :]]
