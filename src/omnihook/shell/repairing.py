"""Spellings a shell reads and the grammar does not, each put in another way that means the same."""

import re

from tree_sitter import Node, Tree

_LOOKED_AT = 8
_HERE_DOC_START = re.compile(rb"""<<-?\s*[\\'"]?(\w+)['"]?[ \t]*([;&](?![;&>])[^\n]*+)(?:\n|\Z)""")
_HERE_DOC_REDIRECTED = re.compile(
    rb"""((?<!<)<<-?[ \t]*+(?:'[\w.-]++'|"[\w.-]++"|\\?[\w.-]++))"""
    rb"""((?:[ \t]++(?:\d?(?:>>|>\||>&|>)|&>>?)[ \t]*+(?:[\w./${}~%+:-]++|"[^"\n]*+")++)++)[ \t]*+(?=\||;|&(?!&))"""
)
"""A here-doc's start with redirections of output behind it, and then the end of its command."""
_BASE_TEN = re.compile(rb"(?<![\w$])10#(?=\$)")
_QUOTED_SLASH = re.compile(rb"(\$\{\w++(?:\[[\w@*]++\])?+//?+)'/'")


def repaired(tree: Tree, source: bytes) -> bytes | None:
    """The source with the first thing this grammar cannot read spelled in a way it can, or None."""
    for node in _errors(tree.root_node, _LOOKED_AT):
        for fix in _FIXES:
            spelled = fix(node, source)
            if spelled is not None and spelled != source:
                return spelled
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


def _lines(node: Node, source: bytes) -> tuple[int, int]:
    """Where the lines that a node stands on begin and end."""
    return source.rfind(b"\n", 0, node.start_byte) + 1, source.find(b"\n", node.end_byte - 1) + 1 or len(source)


def _brace_first(node: Node, source: bytes) -> bytes | None:
    """`{rm,-rf,/}` as a command: an empty string in front makes it the word it is."""
    found = re.compile(rb"(?<![^\s;&|(])\{(?=[^\s{},]*+,[^\s{}]*+\})").search(
        source, node.start_byte, node.end_byte + 1
    )
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
    """`<<EOF; next` and `<<EOF &`: what follows on the line is moved behind the here-doc, where it runs anyway."""
    opened = _HERE_DOC_START.search(source, *_lines(node, source))
    if opened is None or not opened[0].endswith(b"\n"):
        return None
    closed = re.compile(rb"^\t*" + re.escape(opened[1]) + rb"$", re.M).search(source, opened.end())
    if closed is None:
        return None
    moved = b"\n" + opened[2][1:].strip() + source[closed.end() :]
    return source[: opened.start(2)] + b"\n" + source[opened.end() : closed.end()] + moved


def _here_doc_redirected(node: Node, source: bytes) -> bytes | None:
    """`<<EOF 2>&1 | next`: redirections of output mean the same before the here-doc."""
    found = _HERE_DOC_REDIRECTED.search(source, *_lines(node, source))
    if found is None:
        return None
    return source[: found.start()] + found[2].lstrip() + b" " + found[1] + b" " + source[found.end() :]


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
    """`!(keep)` matches many names, as wide as `*`; its relatives name those they match, as braces do.

    To zsh, what `*(D)` holds only says which of all names are meant.
    """
    found = _GLOB_LIST.search(source, max(node.start_byte - 1, 0), node.end_byte + 1 + _MAX_LIST)
    if found is None or found.start() > node.end_byte or source[: found.start()].rstrip(b" \t")[-1:] in _BEGINS:
        return None  # at the beginning of a command it is a subshell whose status is turned round
    names = found[2].split(b"|")
    if found[1] == b"!" or (found[1] == b"*" and len(names) == 1) or any(mark in found[2] for mark in b",{}"):
        meant = b"*"
    else:
        meant = names[0] if len(names) == 1 else b"{" + b",".join(names) + b"}"
    return source[: found.start()] + meant + source[found.end() :]


_GLOB_LIST = re.compile(rb"([?*+@!])\(([^()\s]*)\)")
_MAX_LIST = 200
_BEGINS = (b"", b";", b"|", b"&", b"(", b"{", b"\n", b"`")


def _apostrophe(node: Node, source: bytes) -> bytes | None:
    """`"${name:-it's}"`: in double quotes it is a letter, and hides nothing."""
    return _APOSTROPHE.sub(rb"\1\2", source)


_APOSTROPHE = re.compile(rb"(\$\{\w++:?[-=+?][^\"'{}\n]*+)'([^\"'{}\n]*+\})")


def _offset(node: Node, source: bytes) -> bytes | None:
    """`${name:$start:$count}`: the grammar wants braces around a variable there."""
    return _OFFSET.sub(rb"\1${\2}", source) if node.is_missing and node.type == "}" else None


_OFFSET = re.compile(rb"(\$\{[\w@*]+(?:\[[^]\s\[]*+\])?+:[ \t]*+(?:-?\w+:|\$\{\w+\}:)?)\$([A-Za-z_]\w*|\d)")


def _base_ten(node: Node, source: bytes) -> bytes | None:
    """`$((10#$day))`: numbers are decimal unless something else is said."""
    opened = source.find(b"((", *_lines(node, source))
    found = _BASE_TEN.search(source, opened, _lines(node, source)[1]) if opened >= 0 else None
    return source[: found.start()] + source[found.end() :] if found else None


def _quoted_slash(node: Node, source: bytes) -> bytes | None:
    """`${path//'/'/-}`: the grammar takes the first quote for the pattern."""
    found = _QUOTED_SLASH.search(source, *_lines(node, source))
    return source[: found.start()] + found[1] + b"\\/" + source[found.end() :] if found else None


def _foreign_letters(node: Node, source: bytes) -> bytes | None:
    """`größe.sh`: what begins like a variable's name is a word, which an empty string in front makes plain."""
    begun = [child.type for child in node.children] == ["variable_name"]
    foreign = begun and source[node.end_byte : node.end_byte + 1] >= b"\x80"
    return source[: node.start_byte] + b'""' + source[node.start_byte :] if foreign else None


_FIXES = (
    _nested_subshell,
    _brace_first,
    _here_string_last,
    _here_doc_redirected,
    _numbered_string,
    _read_write,
    _here_doc_end,
    _extended_glob,
    _at_sign,
    _separator,
    _base_ten,
    _quoted_slash,
    _foreign_letters,
    _offset,
    _apostrophe,
)
