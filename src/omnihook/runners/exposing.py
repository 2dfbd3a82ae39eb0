"""Values that a command hands to a further shell as code, in ways that no quoting of its references prevents.

Such a command still runs as long as the values are plain words; with any other value it is not started. The text is
looked at roughly, and rather too much is taken for such a way than too little.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from omnihook.runners.quoting import SHELLS, nested_references

_PLAIN = re.compile(r"[\w./@%+=:,-]*")
_SHELL = rf"(?:\S*/)?(?:{'|'.join(sorted(SHELLS))}|\$\{{?(?:SHELL|BASH)\b\S*)"
_BEFORE = r"(?:(?:\w+=\S*|sudo|env|exec|command|nice)\s+)*"
_END = r"\s*(?:[;&|)#\n]|$)"
# A shell that reads its script from a pipe, a here-document, a here-string or a substitution.
_READS = re.compile(
    rf"\|&?\s*{_BEFORE}{_SHELL}(?:\s+-\S+)*{_END}|"
    rf"(?:^|[\s;&|(]){_SHELL}(?:\s+-\S+)*\s*<<|"
    rf"(?:^|[\s;&|(])(?:source|\.|{_SHELL})\s+<\("
)
# What makes a script, or a recipe, of its operands.
_MAKES = re.compile(r"(?:^|[\s;&|(])(?:ssh|watch|parallel|tmux|screen|g?make)\s([^;|&\n]*)")
_ARITHMETIC = re.compile(r"\(\((.*?)\)\)|\$\[(.*?)\]|\blet\s([^;|&\n]*)", re.DOTALL)
_ASSIGNED = re.compile(r"(?:^|[\s;&|(])(\w+)=(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\$\([^)]*\)|[^\s;&|]*)")
_EVALUATES = re.compile(rf"\b(?:eval|trap)\b|{_SHELL}\s[^;|&\n]*-[A-Za-z]*c")
_HERE = re.compile(r"(?<!<)<<(?!<)")  # its text may hold single quotes, behind which nobody knows what is quoted
_WITH_OPERATOR = re.compile(r"\$\{[#!]?([A-Za-z_]\w*)[^}]*[\"'`$\\{]")


def refusal(command: str, names: frozenset[str], env: Mapping[str, str]) -> str | None:
    """Why a command must not be started with these values, or None."""
    for name in sorted(exposed(command, names)):
        if not _PLAIN.fullmatch(env.get(name, "")):
            return (
                f"{name} holds characters that a further shell would run as code, and the command hands it on; "
                f'give it as an argument instead: sh -c \'... "$1"\' sh "${name}"'
            )
    return None


@lru_cache(maxsize=2048)
def exposed(command: str, names: frozenset[str]) -> frozenset[str]:
    """The variables whose values would be read as code."""
    told = frozenset(name for name in names if _mentions(command, name))
    if not told:
        return told
    evaluates = _EVALUATES.search(command) is not None
    if _READS.search(command) or (evaluates and (_HERE.search(command) or _evaluates_a_copy(command, told))):
        return told
    found = nested_references(command, told)
    if evaluates:
        found |= {match[1] for match in _WITH_OPERATOR.finditer(command)} & told
    pieces = [match[1] for match in _MAKES.finditer(command)]
    pieces += ["".join(part or "" for part in match.groups()) for match in _ARITHMETIC.finditer(command)]
    return frozenset(found | {name for name in told for piece in pieces if _mentions(piece, name)})


def _evaluates_a_copy(command: str, names: frozenset[str]) -> bool:
    """Whether a variable that was made of these is evaluated later."""
    copies = {match[1] for match in _ASSIGNED.finditer(command) if any(_mentions(match[2], name) for name in names)}
    found = _EVALUATES.search(command)
    return found is not None and any(_mentions(command[found.start() :], copy) for copy in copies)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\$(?:\{{[#!]?)?{name}(?!\w)", text) is not None
