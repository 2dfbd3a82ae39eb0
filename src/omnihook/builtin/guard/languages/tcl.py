"""Tcl and Expect code as nodes: commands made of words, with commands in brackets and bodies in braces."""

import re

from omnihook.builtin.guard.languages.nodes import (
    NOTHING,
    Assign,
    Branch,
    Call,
    Function,
    Group,
    Index,
    Items,
    Joined,
    Literal,
    Loop,
    Member,
    Node,
    Number,
    Ref,
)
from omnihook.builtin.guard.languages.tokens import TooLong
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.values import Text

_MAX_WORDS = 4_000
_MAX_DEPTH = 30
_PART = re.compile(
    r"\$\{(?P<braced>[^}]*+)(?:\}|\Z)|\$(?P<name>[A-Za-z_:]\w*+)(?:\((?P<key>[^)]*+)(?:\)|\Z))?+|\[", re.S
)
_RUNNING = ("exec", "spawn", "system")


def parse_tcl(text: str, origins: frozenset[str] = frozenset(), depth: int = 0) -> list[Node]:
    """The commands of a piece of code."""
    if depth > _MAX_DEPTH:
        raise TooLong
    return [_meant(words, origins, depth) for words in _commands(text) if words]


def _commands(text: str) -> list[list[str]]:
    """Words of each command, still spelt as written."""
    found: list[list[str]] = [[]]
    at = count = 0
    while at < len(text):
        mark = text[at]
        if mark in "\n;":
            found.append([])
            at += 1
        elif mark.isspace() or text.startswith("\\\n", at):
            at += 1
        elif mark == "#" and not found[-1]:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        else:
            end = _word_end(text, at)
            found[-1].append(text[at:end])
            at, count = end, count + 1
            if count > _MAX_WORDS:
                raise TooLong
    return found


def _word_end(text: str, at: int) -> int:
    """Where the word that starts here ends: brackets and quotes keep it together."""
    start, depth, closers = at, 0, {"{": "}", "[": "]"}
    opened = text[at] if text[at] in '{"' else ""
    while at < len(text):
        mark = text[at]
        if mark == "\\":
            at += 2
            continue
        if opened == '"':
            if mark == '"' and at > start:
                return at + 1
        elif mark in closers and (not opened or mark == opened):
            depth += 1
        elif mark in closers.values() and depth and (not opened or mark == closers[opened]):
            depth -= 1
            if depth == 0 and opened:
                return at + 1
        elif depth == 0 and (mark.isspace() or mark == ";"):
            return at
        at += 1
    return len(text)


def _meant(words: list[str], origins: frozenset[str], depth: int) -> Node:
    name = words[0]
    rest = words[1:]

    def body(text: str) -> list[Node]:
        return parse_tcl(text[1:-1] if text.startswith("{") else text, origins, depth + 1)

    match name:
        case "set" if len(rest) == 2:
            return Assign([Ref(rest[0])], _word(rest[1], origins, depth))
        case "while" if len(rest) == 2:
            return Loop("while", [], _test(rest[0]), body(rest[1]))
        case "for" if len(rest) == 4:
            return Group([*body(rest[0]), Loop("while", [], _test(rest[1]), [*body(rest[3]), *body(rest[2])])])
        case "foreach" if len(rest) > 2:
            return Loop("each", [rest[0].strip("{}")], _word(rest[1], origins, depth), body(rest[-1]))
        case "if" if len(rest) > 1:
            blocks = [item for text in rest[1:] if text.startswith("{") for item in body(text)]
            return Branch(_word(rest[0], origins, depth), blocks)
        case "proc" if len(rest) == 3:
            return Function(rest[0], rest[1].strip("{}").split(), body(rest[2]))
        case "eval" | "uplevel" if len(rest) > 1:
            return Group(parse_tcl(" ".join(rest), origins, depth + 1))
        case "catch" | "eval" | "uplevel" | "try" | "after" if rest:
            return Group([item for text in rest for item in body(text)] if name != "after" else body(rest[-1]))
        case _:
            return _command(words, origins, depth)


def _command(words: list[str], origins: frozenset[str], depth: int) -> Node:
    name = words[0]
    given = [_word(text, origins, depth) for text in words[1:]]
    if name == "file" and "-permissions" in words[:-1]:
        return Call(Ref("chmod"), [*given[1:2], given[words.index("-permissions")]])
    if name in ("file", "socket") and len(words) > 1:
        plain = [arg for text, arg in zip(words[2:], given[1:], strict=True) if not text.startswith("-")]
        return Call(Member(Ref(name), _FILE.get(words[1], words[1])), plain)
    if name in _RUNNING:
        texts = [text for text in words[1:] if text not in ("-ignorestderr", "--", "-noecho")]
        return Call(Ref("system"), [Items([_word(text, origins, depth) for text in texts])])
    if name == "open" and len(words) > 1 and words[1].strip('{"').startswith("|"):
        line = words[1].strip('{}"').lstrip("| ")
        return Call(Ref("system"), [Literal(Text(line, origins))])
    return Call(Ref(name), [arg for text, arg in zip(words[1:], given, strict=True) if not text.startswith("-")])


_FILE = {"delete": "rm", "rename": "move", "copy": "copy", "join": "joinpath", "normalize": "expand"}


def _test(text: str) -> Node:
    plain = text.strip("{} \t")
    return Number(int(plain), plain) if re.fullmatch(r"[0-9]{1,400}", plain) else Ref(plain)


def _word(text: str, origins: frozenset[str], depth: int) -> Node:
    """A word's value: braces keep it as it is, quotes and bare words let variables and commands in."""
    if text.startswith("{"):
        return Literal(Text(text[1:-1], origins))
    plain = text[1:-1] if text.startswith('"') else text
    parts: list[Node] = []
    at = 0
    while (found := _PART.search(plain, at)) is not None:
        parts.append(Literal(Text(unescape_ansi_c(plain[at : found.start()]), origins)))
        if found[0] == "[":
            end = _word_end(plain, found.start())
            parts.append(Group(parse_tcl(plain[found.end() : end - 1], origins, depth + 1)))
            at = end
        else:
            parts.append(_variable(found))
            at = found.end()
    parts.append(Literal(Text(unescape_ansi_c(plain[at:]), origins)))
    wanted = [part for part in parts if not (isinstance(part, Literal) and not part.text.text)]
    return wanted[0] if len(wanted) == 1 else Joined(wanted) if wanted else NOTHING


def _variable(found: re.Match[str]) -> Node:
    name = (found["braced"] or found["name"] or "").lstrip(":")
    return Ref(name) if found["key"] is None else Index(Ref(name), Literal(Text(found["key"])))
