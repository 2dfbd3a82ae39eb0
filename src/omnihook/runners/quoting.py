"""References to documented variables in a command, quoted for the author: the value never becomes shell code.

Only the reference is rewritten, never a value spliced in: bare `$X` becomes `"$X"`, and where the dialect's
documents promise it, `$X` inside single quotes becomes `'"$X"'`.
"""

import re
from functools import lru_cache

_REFERENCE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
# Where quoting would change the meaning: here-documents and arithmetic. Expansion there is not evaluated as code.
_LEAVE = re.compile(r"<<|\(\(|\$\(\(|\beval\b")


@lru_cache(maxsize=2048)
def quote_references(command: str, names: frozenset[str], single_quotes: bool) -> str:
    """The command with its references to these variables quoted."""
    if not any(found[1] in names or found[2] in names for found in _REFERENCE.finditer(command)):
        return command
    if _LEAVE.search(command):
        return command
    return "".join(_pieces(command, names, single_quotes))


def _pieces(command: str, names: frozenset[str], single_quotes: bool) -> list[str]:
    made: list[str] = []
    quote, position = "", 0
    while position < len(command):
        char = command[position]
        found = _REFERENCE.match(command, position) if char == "$" else None
        if found is not None and (found[1] in names or found[2] in names):
            made.append(_quoted(found[0], quote, single_quotes))
            position = found.end()
            continue
        if char == "\\" and quote != "'":
            made.append(command[position : position + 2])
            position += 2
            continue
        if char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        made.append(char)
        position += 1
    return made


def _quoted(reference: str, quote: str, single_quotes: bool) -> str:
    if quote == "":
        return f'"{reference}"'
    if quote == "'" and single_quotes:
        return f"'\"{reference}\"'"
    return reference
