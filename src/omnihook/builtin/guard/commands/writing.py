"""Commands that write files named in their arguments."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.deleting import replaced
from omnihook.builtin.guard.commands.reading import used
from omnihook.builtin.guard.commands.searching import searched
from omnihook.builtin.guard.commands.table import Handler, asks_for_help, effects
from omnihook.builtin.guard.effects import Act, Do, Effect
from omnihook.shell.values import Command, Text


def tee(command: Command) -> Iterator[Act]:
    """tee replaces its operands, or with `-a` adds to them."""
    given = arguments(command)
    yield from effects(Do.APPEND if given.has("-a", "--append") else Do.WRITE, given.operands)


def cp(command: Command) -> Iterator[Act]:
    """cp and ln: sources are read, the target is replaced."""
    if asks_for_help(command):
        return
    given = arguments(command, "tS", ("--target-directory", "--suffix"))
    folder = given.values("-t", "--target-directory")
    if not folder and len(given.operands) < 2:
        yield from effects(Do.READ, given.operands)
        return
    sources = given.operands if folder else given.operands[:-1]
    yield from effects(Do.READ, sources)
    for target in folder or given.operands[-1:]:
        yield from replaced(sources, target)


def truncate(command: Command) -> Iterator[Act]:
    """truncate."""
    yield from effects(Do.WRITE, arguments(command, "sr", ("--size", "--reference")).operands)


def touch(command: Command) -> Iterator[Act]:
    """touch makes a file but changes no content."""
    given = arguments(command, "drt", ("--date", "--reference"))
    yield from effects(Do.USE, given.operands)


EMPTIES = re.compile(
    r"(?:[%,]|1,\$|0,\$|/(?:[\^$.]|\^?\.[*+]\$?)/)?\s*d|(?:1,\$|%)?\s*s(.)\^?\.\*\$?\1\1g?|\$!\s*d;?\s*d?"
)
"""Edits that leave nothing: every line deleted or made empty."""


def perl(command: Command) -> Iterator[Act]:
    """perl may show what it is given; with `-i` perl and ruby edit it, and code that prints nothing empties it."""
    yield from used(command) if command.name == "ruby" else searched(command)
    if not any(map(_IN_PLACE.fullmatch, command.words[1:])):
        return
    code, files, skip = "", list[Text](), False
    for word in command.argv[1:]:
        if skip:
            code, skip = code + word.text, False
        elif word.text[:1] == "-":
            skip = _CODE.fullmatch(word.text) is not None
        else:
            files.append(word)
    prints = any(re.fullmatch(r"-[nalws0-9]*p.*", word) for word in command.words) or re.search(r"print|say|puts", code)
    yield from effects(Do.APPEND if prints else Do.WRITE, files)


_IN_PLACE = re.compile(r"-[pnlaws0-9]*i(?:\.\S*)?")
_CODE = re.compile(r"-[pnlaws0-9]*[eE]")


def filtered_into(command: Command) -> Iterator[Act]:
    """uniq and xxd: the second operand is written."""
    given = arguments(command, *_INTO[command.name])
    yield from effects(Do.READ, given.operands[:1])
    yield from effects(Do.WRITE, given.operands[1:2])


_INTO = {
    "uniq": ("fsw", ("--skip-fields", "--skip-chars", "--check-chars")),
    "xxd": ("cglnosR", ()),
}
"""Their options that take a value."""


def logged(command: Command) -> Iterator[Act]:
    """less shows its files, tree their names; both write to the file that an option names."""
    given = arguments(command, *_LOGGED[command.name])
    yield from effects(Do.READ, given.operands if command.name != "tree" else ())
    yield from effects(Do.WRITE, given.values("-o", "-O", "--log-file", "--LOG-FILE"))


_LOGGED = {
    "less": ("bhjkoOpPtTxyz", ("--log-file", "--LOG-FILE", "--pattern", "--prompt", "--tag", "--tabs")),
    "tree": ("oPILHTf", ()),
}


def sorted_output(command: Command) -> Iterator[Act]:
    """`sort -o file`, which also reads."""
    given = arguments(command, "okStT", ("--output", "--key", "--field-separator", "--files0-from"))
    yield from effects(Do.READ, [*given.operands, *given.values("--files0-from")])
    yield from effects(Do.WRITE, given.values("-o", "--output"))


_EDITOR_FILES = re.compile(r"^[\d,.$;+-]*([reEwW])[ \t]+([^!\s]\S*)", re.M)


def renamed(command: Command) -> Iterator[Act]:
    """rename and mmv give files other names where they are: the operands behind what says how."""
    given = arguments(command, "e", ("--no-act", "--expr"))
    if given.has("-n", "--nono", "--no-act", "--dry-run", "--just-print") or asks_for_help(command):
        return
    operands = given.operands
    if command.name == "mmv":
        files = operands[:-1]
    elif given.has("-e", "--expr"):
        files = operands
    else:
        files = operands[1 if operands and _EXPRESSION.match(operands[0].text) else 2 :]
    yield from effects(Do.APPEND, files)


_EXPRESSION = re.compile(r"(?:s|y|tr)[^\w\s]|.*[$;(]")
"""Code, where other programs of this name take the text to look for."""


def patched(command: Command) -> Iterator[Act]:
    """`patch file`, `sponge file`, `ed file`; sponge replaces, and so does an editor told to delete every line."""
    edits = command.stdin.text.text if command.stdin is not None and command.name in ("ed", "ex") else ""
    for letter, path in _EDITOR_FILES.findall(edits):
        yield Effect(Do.WRITE if letter in "wW" else Do.READ, Text(path))
    empties = any(EMPTIES.fullmatch(line.strip()) for line in edits.splitlines())
    replaces = empties or (command.name == "sponge" and "-a" not in command.words)
    yield from effects(Do.WRITE if replaces else Do.APPEND, arguments(command, "pidBDFoprVxYzg").operands)


WRITING: dict[str, Handler] = {
    "tee": tee,
    "cp": cp,
    "gcp": cp,
    "ln": cp,
    "truncate": truncate,
    "touch": touch,
    "sort": sorted_output,
    **dict.fromkeys(_INTO, filtered_into),
    **dict.fromkeys(_LOGGED, logged),
    "perl": perl,
    "ruby": perl,
    **dict.fromkeys(("rename", "prename", "file-rename", "perl-rename", "mmv"), renamed),
    **dict.fromkeys(("patch", "sponge", "ed", "ex"), patched),
}
