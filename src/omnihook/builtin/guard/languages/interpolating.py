"""The inside of a quoted string: escapes undone, and code put into it told from text."""

import re

from omnihook.builtin.guard.languages.syntaxes import Syntax
from omnihook.shell.quoting import unescape_ansi_c

_VARIABLE = re.compile(
    r"\$\{\^?(?P<braced>\w+)\}|\$(?P<name>(?:::)?\w+(?:::\w+)*(?:(?:->)?(?:\[[^\]\n]{0,2000}+\]|\{[^}\n]{0,2000}+\}))*(?:->\w+)?)"
    r"|\{\$(?P<php>[^}\n]{0,2000}+)\}|@(?P<array>\{\[(?P<list>(?:[^\]\n]++|\](?!\}))*+)(?:\]\}|$)|[A-Za-z_]\w*)",
    re.M,
)
_PAIRS = {"{": "}", "(": ")"}


class Code(str):
    """A part of a string that is code."""

    __slots__ = ()


def literal(body: str, *, raw: bool) -> str:
    """A string without code in it; in a raw one only the quote and the backslash are escaped."""
    if "\\" not in body:
        return body
    if raw:
        return body.replace("\\'", "'").replace("\\\\", "\\")
    return unescape_ansi_c(re.sub(r"\\u\{([0-9a-fA-F]{1,4})\}", lambda found: "\\u" + found[1].zfill(4), body))


def quoted_parts(body: str, syntax: Syntax) -> list[str]:
    """The parts of a string in quotes that let code in."""
    style = syntax.inside
    if not style or (style not in body and not (style == "$" and syntax.name == "perl" and "@" in body)):
        return [literal(body, raw=False)]
    if style == "$":
        return _variables(body, syntax)
    parts: list[str] = []
    at = 0
    while (start := body.find(style, at)) >= 0:
        if start and body[start - 1] == "\\" and style != "\\(":
            parts.append(literal(body[at : start + 1], raw=False))
            at = start + 1
            continue
        end = closing(body, start + len(style), style[-1])
        parts.extend((literal(body[at:start], raw=False), Code(body[start + len(style) : end])))
        at = end + 1
    parts.append(literal(body[at:], raw=False))
    return [part for part in parts if part]


def _variables(body: str, syntax: Syntax) -> list[str]:
    """`$name`, `${name}` and, where the language has it, `${code}`, `$(code)`, `{$name}` and `@{[ code ]}`."""
    sigil = "$" if "$" in syntax.sigils else ""
    parts: list[str] = []
    at = 0
    while at < len(body):
        found = _VARIABLE.search(body, at)
        start = min((place for place in (body.find("${", at), body.find("$(", at)) if place >= 0), default=-1)
        if start >= 0 and (found is None or start <= found.start()) and not (found and found["braced"]):
            end = closing(body, start + 2, body[start + 1])
            parts.extend((literal(body[at:start], raw=False), Code(body[start + 2 : end])))
            at = end + 1
            continue
        if found is None:
            break
        if (found.start() and body[found.start() - 1] == "\\") or (found["array"] and syntax.name != "perl"):
            parts.append(literal(body[at : found.end()], raw=False))
        else:
            parts.extend((literal(body[at : found.start()], raw=False), Code(_code(found, sigil))))
        at = found.end()
    parts.append(literal(body[at:], raw=False))
    return [part for part in parts if part]


def _code(found: re.Match[str], sigil: str) -> str:
    if found["list"] is not None:
        return found["list"]
    if found["array"] is not None:
        return "@" + found["array"]
    return sigil + (found["braced"] or found["name"] or found["php"] or "")


def closing(body: str, start: int, opened: str) -> int:
    """Where the bracket closes that was opened just before `start`."""
    depth, closer = 0, _PAIRS[opened]
    for place in range(start, len(body)):
        if body[place] == closer:
            if depth == 0:
                return place
            depth -= 1
        elif body[place] == opened:
            depth += 1
    return len(body)
