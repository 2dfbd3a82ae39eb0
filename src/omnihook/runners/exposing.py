"""Values that a command hands to a further shell as code, in ways that no quoting of its references prevents.

Such a command still runs as long as the values are plain words; with any other value it is not started. The text is
looked at roughly, and rather too much is taken for such a way than too little.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from omnihook.runners.quoting import SHELLS, nested_references

MAX_TEXT = 1 << 14  # characters; a longer command is not looked at, and every value in it must be plain
_PLAIN = re.compile(r"[\w./@%+=:,-]*")
_SHELL = rf"(?:\S*/)?(?:{'|'.join(sorted(SHELLS))}|\$\{{?(?:SHELL|BASH)\b\S*)"
_BEFORE = r"(?:(?:\w+=\S*|(?:sudo|env|exec|command|nice)(?:\s+-\w+(?:\s+\w+)?)*?)\s+)*"
_END = r"\s*(?:[;&|)#\n]|$)"
# A shell that reads its script from a pipe, a here-document, a here-string or a substitution.
_READS = re.compile(
    rf"\|&?\s*{_BEFORE}{_SHELL}(?:\s+-\S*)*{_END}|"
    rf"(?:^|[\s;&|(]){_SHELL}(?:\s+-\S*)*\s*<<|"
    rf"(?:^|[\s;&|(])(?:source|\.|{_SHELL})\s+<\(|"
    rf"\bxargs\s[^;|&\n]{{0,99}}-(?:I|i|-replace)[^;|&\n]{{0,99}}{_SHELL}\s+-\w*c"
)
# What makes a script of its operands, or a recipe of the variables it is given.
_MAKES = re.compile(
    r"(?:^|[\s;&|(])(?:(?:ssh|watch|parallel|tmux|screen)\s([^;|&\n]*)|g?make\s[^;|&\n]{0,500}?\w[:+?]?=(\S*))"
)
_ARITHMETIC = re.compile(r"\(\((.{0,500}?)\)\)|\$\[(.{0,500}?)\]|\blet\s([^;|&\n]*)", re.DOTALL)
_ASSIGNED = re.compile(r"(?:^|[\s;&|(])(\w+)=(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\$\([^)]*\)|[^\s;&|]*)")
_EVALUATES = re.compile(rf"\b(?:eval|trap)\b|(?<![\w.-]){_SHELL}\s[^;|&\n]{{0,500}}-[A-Za-z]*c")
_HERE = re.compile(r"(?<!<)<<(?!<)")  # its text may hold single quotes, behind which nobody knows what is quoted
_WITH_OPERATOR = re.compile(r"\$\{[#!]?([A-Za-z_]\w*)[^}]*[\"'`$\\{]")


def refusal(command: str, names: frozenset[str], env: Mapping[str, str], project: str | None = None) -> str | None:
    """Why a command must not be started with these values, or None; `project` names the variable of its folder.

    That one is the user's own choice and may hold spaces, which split words and run nothing.
    """
    for name in sorted(exposed(command, names)):
        value = env.get(name, "")
        if not _PLAIN.fullmatch(value.replace(" ", "") if name == project else value):
            return (
                f"{name} holds characters that a further shell would run as code, and the command hands it on; "
                f'give it as an argument instead: sh -c \'... "$1"\' sh "${name}"'
            )
    return None


@lru_cache(maxsize=2048)
def exposed(command: str, names: frozenset[str]) -> frozenset[str]:
    """The variables whose values would be read as code."""
    told = frozenset(name for name in names if _mentions(command, name))
    if not told or len(command) > MAX_TEXT:
        return told
    evaluates = _EVALUATES.search(command) is not None
    if _READS.search(command) or (evaluates and (_HERE.search(command) or _evaluates_a_copy(command, told))):
        return told
    found = nested_references(command, told)
    if evaluates:
        found |= {match[1] for match in _WITH_OPERATOR.finditer(command)} & told
    ways = (*_MAKES.finditer(command), *_ARITHMETIC.finditer(command))
    pieces = ["".join(part or "" for part in way.groups()) for way in ways]
    return frozenset(found | {name for name in told for piece in pieces if _mentions(piece, name)})


def _evaluates_a_copy(command: str, names: frozenset[str]) -> bool:
    """Whether a variable that was made of these is evaluated later."""
    copies = {match[1] for match in _ASSIGNED.finditer(command) if any(_mentions(match[2], name) for name in names)}
    found = _EVALUATES.search(command)
    return found is not None and any(_mentions(command[found.start() :], copy) for copy in copies)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\$(?:\{{[#!]?)?{name}(?!\w)", text) is not None
