"""One tree-sitter parse of shell text, with caps, and the few repairs its grammar needs."""

import re
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

from omnihook.errors import OmnihookError

MAX_CHARS = 128 * 1024
MAX_NODES = 120_000
MAX_DEPTH = 100
_REPAIRS = 4
_HERE_DOC_START = re.compile(rb"""<<-?\s*[\\'"]?(\w+)['"]?[ \t]*(;[^;\n][^\n]*)\n""")


class ShellTextError(OmnihookError):
    """Shell text that is beyond a cap, or holds bytes no shell would accept."""


def parse(text: str) -> tuple[Tree, bytes]:
    """The tree and the bytes its offsets count in; raises `ShellTextError` beyond a cap."""
    if len(text) > MAX_CHARS:
        raise ShellTextError(f"the command is longer than {MAX_CHARS} characters")
    if "\0" in text:
        raise ShellTextError("the command holds a NUL character")
    source = text.encode() if text.isascii() else _encoded(text)
    tree = _parser().parse(source)
    for _ in range(_REPAIRS):
        repaired = _repair(tree, source) if tree.root_node.has_error else None
        if repaired is None:
            break
        source, tree = repaired, _parser().parse(repaired)
    _measure(tree.root_node)
    return tree, source


def _encoded(text: str) -> bytes:
    """Lone surrogates stand for bytes that are no text; a replacement character keeps the word one word."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", text).encode()


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _measure(root: Node) -> None:
    """Raise beyond the caps. Chains of `&&` nest in this grammar without being nested, so they do not count."""
    if root.descendant_count > MAX_NODES:
        raise ShellTextError(f"the command has more than {MAX_NODES} syntax nodes")
    if root.descendant_count <= MAX_DEPTH:
        return
    cursor, depth = root.walk(), 0
    chain: list[bool] = []
    while True:
        here = cursor.node
        if cursor.goto_first_child():
            chain.append(here is not None and here.type == "list")
            depth += not chain[-1]
            if depth > MAX_DEPTH:
                raise ShellTextError(f"the command is nested more than {MAX_DEPTH} levels deep")
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            depth -= not chain.pop()


def _repair(tree: Tree, source: bytes) -> bytes | None:
    """The source with the first thing this grammar cannot read spelled in a way it can, or None."""
    for node in _errors(tree.root_node):
        for fix in (_brace_first, _read_write, _here_doc_end, _extended_glob):
            repaired = fix(node, source)
            if repaired is not None and repaired != source:
                return repaired
    return None


def _errors(root: Node) -> list[Node]:
    found: list[Node] = []
    todo = [root]
    while todo and len(found) < 8:
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
    start = max(node.start_byte - 1, 0)
    return source[:start] + b">>" + source[start + 2 :] if source[start : start + 2] == b"<>" else None


def _here_doc_end(node: Node, source: bytes) -> bytes | None:
    """`<<EOF; next`: what follows on the line is moved behind the here-doc, where it runs anyway."""
    start = source.rfind(b"\n", 0, node.start_byte) + 1
    opened = _HERE_DOC_START.search(source, start, node.end_byte)
    if opened is None:
        return None
    closed = re.compile(rb"^\t*" + re.escape(opened[1]) + rb"$", re.M).search(source, opened.end())
    if closed is None:
        return None
    moved = b"\n" + opened[2][1:].strip() + source[closed.end() :]
    return source[: opened.start(2)] + b"\n" + source[opened.end() : closed.end()] + moved


def _extended_glob(node: Node, source: bytes) -> bytes | None:
    """`!(keep)` and relatives match many names: as wide as `*`."""
    start = max(node.start_byte - 1, 0)
    found = re.compile(rb"[?*+@!]\([^()\s]*\)").match(source, start)
    return source[:start] + b"*" + source[found.end() :] if found else None
