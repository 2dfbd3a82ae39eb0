"""One tree-sitter parse of shell text, with caps; what its grammar cannot read, `repairing` spells in another way."""

import re
from collections.abc import Iterator

from tree_sitter import Node, Tree

from omnihook.errors import OmnihookError
from omnihook.shell.here_docs import spelled_out
from omnihook.shell.repairing import repaired
from omnihook.shell.reserved import plainer
from omnihook.shell.trees import Finder, TooSlow, Trees

MAX_CHARS = 128 * 1024
MAX_NODES = 120_000
# Blanks to the grammar, letters to a shell, which knows only space, tab and newline; and lone surrogates,
# which stand for bytes that are no text. A replacement character keeps the word they are in one word.
_ODD = re.compile("[\r\v\f\x1c-\x1f\x85\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\ud800-\udfff]")
_RETURNS = re.compile(r"(?<!\\)\r\n")  # behind a backslash it is a letter, and the line ends after it
_ODD_ASCII = b"\r\v\f\x1c\x1d\x1e\x1f"
_NO_COMMENT = re.compile(rb"(\\[ \t])#")  # after an escaped blank it is a letter
_NEWLINES = re.compile(rb"(?<!\\)(?:\\\\)*+\n(?:[ \t]*+\n)*+")
"""The end of a line, with the empty lines behind it."""
_INDENTED = b"\n "
_ONE_LINE = frozenset(
    {"command", "command_name", "concatenation", "declaration_command", "file_redirect", "herestring_redirect"}
    | {"redirected_statement", "simple_expansion", "unset_command", "variable_assignment", "variable_assignments"}
)
"""What never goes beyond the end of a line that has no backslash before it."""
_CONTINUATION = re.compile(rb"(?<!\\)(?:\\\\)*\\\n")
_LAST_CONTINUATION = re.compile(rb"(?<=[^\\])\\\n?\Z")
"""A backslash at the very end of the text continues nothing."""
_JOINING = re.compile(rb"(?:[^ \t]|\\[ \t])\\\n|\\\n#")
"""A continuation that is not simply a blank between words: one without a blank before it, or before a hash."""
_RESERVED = (b"! ", b"!\t", b"time", b"coproc")
_REPAIRS = 8
_LONG = 4 * 1024
_MAX_UNREADABLE = 400
_UNREADABLE = re.compile(
    rb"^[ \t]*+[\w.-]++@\w|\d<>|<<-?+[ \t]*+['\"\\]?\w[^\n<]*+<<-?+[ \t]*+['\"\\]?\w|\$\(\([^()\n]*+\)[^)]", re.M
)
"""What the grammar cannot read; the time it takes over many of them grows with their square."""
_MARKS = (b"@", b"<", b"$((")
_REPARSED = 32 * 1024
"""How many bytes repairs may cost."""


class ShellTextError(OmnihookError):
    """Shell text that is beyond a cap, or holds bytes no shell would accept."""


def parse(text: str) -> tuple[Tree, bytes]:
    """The tree and the bytes its offsets count in; raises `ShellTextError` beyond a cap."""
    if len(text) > MAX_CHARS:
        raise ShellTextError(f"the command is longer than {MAX_CHARS} characters")
    if "\0" in text:
        raise ShellTextError("the command holds a NUL character")
    source = _encoded(text)
    if source.endswith((b"\\", b"\\\n")):
        source = _LAST_CONTINUATION.sub(b"", source)
    if b"\\ #" in source or b"\\\t#" in source:
        source = _NO_COMMENT.sub(rb"\1\\#", source)
    if len(source) > _LONG and _is_unreadable(source):
        raise ShellTextError("too much of the command is spelled in ways that cannot be parsed")
    try:
        return _parsed(source, Trees())
    except TooSlow as error:
        raise ShellTextError("the command takes too long to parse") from error


def _parsed(source: bytes, trees: Trees) -> tuple[Tree, bytes]:
    """The tree of a source that was repaired where the grammar needs it."""
    tree = trees.of(source)
    if b"\n\\" in source:
        source, tree = _told_apart(source, tree, trees)
    if any(map(source.__contains__, _RESERVED)) and (plain := plainer(source, Finder(tree, trees))) != source:
        source, tree = plain, trees.of(plain)
    if tree.root_node.has_error and source.count(b"<<") > 1 and (spelled := spelled_out(source)) != source:
        source, tree = spelled, trees.of(spelled)
    if b"\\\n" in source and (tree.root_node.has_error or _JOINING.search(source)):
        source = _joined_lines(Finder(tree, trees), source)
        tree = trees.of(source)
    for _ in range(max(1, min(_REPAIRS, _REPARSED // (len(source) + 1)))):
        repair = repaired(tree, source) if tree.root_node.has_error else None
        if repair is None:
            break
        source, tree = repair, trees.of(repair)
    if b"\n" in source and not tree.root_node.has_error:
        source, tree = _told_apart(source, tree, trees)
    if tree.root_node.descendant_count > MAX_NODES:
        raise ShellTextError(f"the command has more than {MAX_NODES} syntax nodes")
    return tree, source


def _told_apart(source: bytes, tree: Tree, trees: Trees) -> tuple[bytes, Tree]:
    """The same text with its lines kept apart where the grammar takes a newline for a blank, and no shell does."""
    for _ in range(_REPAIRS):
        spots = list(_spots(source, Finder(tree, trees)))
        if tree.root_node.has_error:  # then only a newline inside a word is certain
            spots = [(end, mark) for end, mark in spots if mark == _INDENTED]
        if not spots:
            return source, tree
        source = _marked(source, spots)
        tree = trees.of(source)
    raise ShellTextError("a line of the command cannot be told from the next")


def _spots(source: bytes, finder: Finder) -> Iterator[tuple[int, bytes]]:
    """The ends of newlines to be written in another way, and how. Of several in a row only the first ends a line, and
    only the last can be taken for a letter."""
    for found in _NEWLINES.finditer(source):
        first, last = source.index(b"\n", found.start()) + 1, found.end()
        mark = _mark_apart(finder.at(first - 1))
        if mark is not None:
            yield first, mark
        if first != last and _mark_apart(finder.at(last - 1)) == _INDENTED:
            yield last, _INDENTED


def _mark_apart(node: Node | None) -> bytes | None:
    """What to write for a newline that the grammar takes for a blank, or for the first letter of a word: it does that
    before a backslash, unless a blank stands between them."""
    if node is None:
        return None
    return _INDENTED if node.type == "word" else b";\n" if node.type in _ONE_LINE else None


def _marked(source: bytes, spots: list[tuple[int, bytes]]) -> bytes:
    """The source with other text for the newlines that end at these places."""
    pieces: list[bytes] = []
    position = 0
    for end, mark in spots:
        pieces.extend((source[position : end - 1], mark))
        position = end
    return b"".join((*pieces, source[position:]))


def _is_unreadable(source: bytes) -> bool:
    """Whether too many spellings are beyond the grammar; each of them holds one of three marks, which few texts do."""
    if sum(map(source.count, _MARKS)) <= _MAX_UNREADABLE:
        return False
    return sum(1 for _ in _UNREADABLE.finditer(source)) > _MAX_UNREADABLE


def _encoded(text: str) -> bytes:
    """The text as bytes, with odd characters replaced."""
    if text.isascii():
        source = text.encode()
        if len(source.translate(None, _ODD_ASCII)) == len(source):
            return source
    return _ODD.sub("\ufffd", _RETURNS.sub("\n", text)).encode()


def _joined_lines(finder: Finder, source: bytes) -> bytes:
    """The source without line continuations, which a shell drops before it looks for words and operators."""
    pieces: list[bytes] = []
    position = 0
    for found in _CONTINUATION.finditer(source):
        start = found.end() - 2
        node = finder.at(start)
        if node is not None and not _keeps_continuations(node, source):
            pieces.append(source[position:start])
            position = found.end()
    return b"".join((*pieces, source[position:]))


def _keeps_continuations(node: Node, source: bytes) -> bool:
    """Whether a backslash before a newline is plain text here: single quotes, comments, quoted here-docs."""
    if node.type in ("raw_string", "ansi_c_string", "comment"):
        return True
    if node.type not in ("heredoc_body", "heredoc_content") or node.parent is None:
        return False
    doc = node.parent if node.type == "heredoc_body" else node.parent.parent
    start = next((child for child in doc.children if child.type == "heredoc_start"), None) if doc else None
    return start is not None and any(mark in source[start.start_byte : start.end_byte] for mark in b"'\"\\")
