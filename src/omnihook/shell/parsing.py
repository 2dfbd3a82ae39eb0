"""One tree-sitter parse of shell text, with caps, and the few repairs its grammar needs."""

import re
from collections.abc import Iterator
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

from omnihook.errors import OmnihookError
from omnihook.shell.here_docs import spelled_out
from omnihook.shell.reserved import plainer

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
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_JOINING = re.compile(rb"(?:[^ \t]|\\[ \t])\\\n|\\\n#")
"""A continuation that is not simply a blank between words: one without a blank before it, or before a hash."""
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
_HERE_DOC_START = re.compile(rb"""<<-?\s*[\\'"]?(\w+)['"]?[ \t]*(;[^;\n][^\n]*+)(?:\n|\Z)""")


class ShellTextError(OmnihookError):
    """Shell text that is beyond a cap, or holds bytes no shell would accept."""


def parse(text: str) -> tuple[Tree, bytes]:
    """The tree and the bytes its offsets count in; raises `ShellTextError` beyond a cap."""
    if len(text) > MAX_CHARS:
        raise ShellTextError(f"the command is longer than {MAX_CHARS} characters")
    if "\0" in text:
        raise ShellTextError("the command holds a NUL character")
    source = _encoded(text)
    if b"\\ #" in source or b"\\\t#" in source:
        source = _NO_COMMENT.sub(rb"\1\\#", source)
    if len(source) > _LONG and _is_unreadable(source):
        raise ShellTextError("too much of the command is spelled in ways that cannot be parsed")
    tree = _tree(source)
    if (b"time" in source or b"coproc" in source) and (plain := plainer(source, tree)) != source:
        source, tree = plain, _tree(plain)
    if tree.root_node.has_error and source.count(b"<<") > 1 and (spelled := spelled_out(source)) != source:
        source, tree = spelled, _tree(spelled)
    if b"\\\n" in source and (tree.root_node.has_error or _JOINING.search(source)):
        source = _joined_lines(tree, source)
        tree = _tree(source)
    for _ in range(max(1, min(_REPAIRS, _REPARSED // (len(source) + 1)))):
        repaired = _repair(tree, source) if tree.root_node.has_error else None
        if repaired is None:
            break
        source, tree = repaired, _tree(repaired)
    if b"\n" in source and not tree.root_node.has_error:
        source, tree = _told_apart(source, tree)
    if tree.root_node.descendant_count > MAX_NODES:
        raise ShellTextError(f"the command has more than {MAX_NODES} syntax nodes")
    return tree, source


def _told_apart(source: bytes, tree: Tree) -> tuple[bytes, Tree]:
    """The same text with its lines kept apart where the grammar takes a newline for a blank, and no shell does."""
    for _ in range(_REPAIRS):
        spots = list(_spots(source, tree))
        if not spots or tree.root_node.has_error:
            return source, tree
        source = _marked(source, spots)
        tree = _tree(source)
    raise ShellTextError("a line of the command cannot be told from the next")


def _spots(source: bytes, tree: Tree) -> Iterator[tuple[int, bytes]]:
    """The ends of newlines to be written in another way, and how. Of several in a row only the first ends a line, and
    only the last can be taken for a letter."""
    for found in _NEWLINES.finditer(source):
        first, last = source.index(b"\n", found.start()) + 1, found.end()
        mark = _mark_apart(tree, first - 1)
        if mark is not None:
            yield first, mark
        if first != last and _mark_apart(tree, last - 1) == _INDENTED:
            yield last, _INDENTED


def _mark_apart(tree: Tree, spot: int) -> bytes | None:
    """What to write for a newline that the grammar takes for a blank, or for the first letter of a word: it does that
    before a backslash, unless a blank stands between them."""
    node = tree.root_node.descendant_for_byte_range(spot, spot + 1)
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


def _tree(source: bytes) -> Tree:
    """The tree of a source. The grammar's scanner asks the C library about characters beyond the table it has, and
    crashes (tree-sitter-bash 0.25.1); to a shell they are letters of a word but of no name, and so is this sign.
    A pipeline that ends the text takes the parser twenty times as long as one with a newline behind it."""
    plain = source if source.isascii() else _BEYOND_ASCII.sub(b"%", source)
    if not plain.endswith((b"\n", b"\\")):
        tree = _parser().parse(plain + b"\n")
        if not tree.root_node.has_error:
            return tree
    return _parser().parse(plain)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _joined_lines(tree: Tree, source: bytes) -> bytes:
    """The source without line continuations, which a shell drops before it looks for words and operators."""
    pieces: list[bytes] = []
    position = 0
    for found in _CONTINUATION.finditer(source):
        start = found.end() - 2
        node = tree.root_node.descendant_for_byte_range(start, start + 1)
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


def _repair(tree: Tree, source: bytes) -> bytes | None:
    """The source with the first thing this grammar cannot read spelled in a way it can, or None."""
    for node in _errors(tree.root_node, _REPAIRS):
        for fix in _FIXES:
            repaired = fix(node, source)
            if repaired is not None and repaired != source:
                return repaired
    return None


def _errors(root: Node, limit: int) -> list[Node]:
    found: list[Node] = []
    todo = [root]
    while todo and len(found) < limit:
        node = todo.pop()
        if node.type == "ERROR" or node.is_missing:
            found.append(node)
        todo.extend(child for child in reversed(node.children) if child.has_error or child.is_missing)
    return found


def _brace_first(node: Node, source: bytes) -> bytes | None:
    """`{rm,-rf,/}` as a command: an empty string in front makes it the word it is."""
    found = re.compile(rb"(?<![^\s;&|(])\{(?=[^\s{}]*,[^\s{}]*\})").search(source, node.start_byte, node.end_byte + 1)
    return source[: found.start()] + b'""' + source[found.start() :] if found else None


def _read_write(node: Node, source: bytes) -> bytes | None:
    """`n<>file` opens for reading and writing; the writing is what matters."""
    found = source.find(b"<>", max(node.start_byte - 2, 0), node.end_byte + 1)
    return source[:found] + b">>" + source[found + 2 :] if found >= 0 else None


def _at_sign(node: Node, source: bytes) -> bytes | None:
    """`tool@version` as a command's name: quoted, the sign is part of the word."""
    found = re.compile(rb"(?<=\w)@(?=\w)").search(source, node.start_byte, node.end_byte + 1)
    return source[: found.start()] + b'"@"' + source[found.end() :] if found else None


def _nested_subshell(node: Node, source: bytes) -> bytes | None:
    """`$((a) | b)` is a substitution that starts with a subshell, not arithmetic."""
    start = source.rfind(b"$((", 0, node.start_byte) if node.type == "))" else source.find(b"$((", node.start_byte)
    inside = start >= 0 and (node.type == "))" or start < node.end_byte)
    return source[: start + 2] + b" " + source[start + 2 :] if inside else None


def _numbered_string(node: Node, source: bytes) -> bytes | None:
    """`3<<< text`: read as standard input, which is where it is most likely to matter."""
    start = source.rfind(b"\n", 0, node.start_byte) + 1
    found = re.compile(rb"(?<![^\s;&|(])\d++(?=<<<)").search(source, start, node.end_byte + 1)
    return source[: found.start()] + source[found.end() :] if found else None


def _separator(node: Node, source: bytes) -> bytes | None:
    """`} else` and `) then` need no separator in a shell."""
    missing = node.is_missing and node.type == ";"
    return source[: node.start_byte] + b";" + source[node.start_byte :] if missing else None


def _here_doc_end(node: Node, source: bytes) -> bytes | None:
    """`<<EOF; next`: what follows on the line is moved behind the here-doc, where it runs anyway."""
    start = source.rfind(b"\n", 0, node.start_byte) + 1
    opened = _HERE_DOC_START.search(source, start, node.end_byte)
    if opened is None or not opened[0].endswith(b"\n"):
        return None
    closed = re.compile(rb"^\t*" + re.escape(opened[1]) + rb"$", re.M).search(source, opened.end())
    if closed is None:
        return None
    moved = b"\n" + opened[2][1:].strip() + source[closed.end() :]
    return source[: opened.start(2)] + b"\n" + source[opened.end() : closed.end()] + moved


def _here_string_last(node: Node, source: bytes) -> bytes | None:
    """`cat > file <<< text`: the grammar wants the here-string first, where it means the same."""
    statement, text = node.parent, node.next_sibling
    if statement is None or text is None or text.type != "file_redirect" or statement.type != "redirected_statement":
        return None
    first = next(child for child in statement.children if child.type in ("file_redirect", "ERROR"))
    moved = re.match(rb"<<<[ \t]*", source[node.start_byte : text.end_byte])
    if moved is None or first.start_byte >= node.start_byte:
        return None
    before, here = source[first.start_byte : node.start_byte], source[node.start_byte : text.end_byte]
    return source[: first.start_byte] + here + b" " + before.rstrip() + source[text.end_byte :]


def _extended_glob(node: Node, source: bytes) -> bytes | None:
    """`!(keep)` and relatives match many names: as wide as `*`."""
    start = max(node.start_byte - 1, 0)
    found = re.compile(rb"[?*+@!]\([^()\s]*\)").match(source, start)
    return source[:start] + b"*" + source[found.end() :] if found else None


_FIXES = (
    _nested_subshell,
    _brace_first,
    _here_string_last,
    _numbered_string,
    _read_write,
    _here_doc_end,
    _extended_glob,
    _at_sign,
    _separator,
)
