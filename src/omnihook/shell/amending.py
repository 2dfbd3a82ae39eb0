"""Files that are changed where they are, by sed, perl, ed and the like, and what they hold from then on."""

import re
from collections.abc import Iterator

from omnihook.shell.filters import cat
from omnihook.shell.picking import picked
from omnihook.shell.sed import Step, read
from omnihook.shell.state import State
from omnihook.shell.substituting import edited
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Stream, Text, unknown

_EDITORS = names("ed ex vim vi nvim patch")
AMENDERS = _EDITORS | names("sed gsed perl ruby sort uniq")
"""Programs that may write to the files they are given."""
_IN_PLACE = re.compile(r"-[a-zA-Z0-9]*i|--in-place")
_TOLD = re.compile(r"-[cSsEe]+|\+.+|--cmd|-es.*")


def amended(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    """Each file that one of these writes, with its text."""
    if command.name in ("sort", "uniq"):
        yield from _arranged(command, state)
        return
    operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
    if command.name in ("sed", "gsed") and operands and "w" in operands[0].text:
        source = cat(Command((command.argv[0], *operands[1:]), state.cwd, command.stdin), state).text
        yield from _copied(read(operands[0].text).steps, source)
    if state.files and _writes(command):
        known = [word for word in operands if state.path(word.text) in state.files]
        yield from ((path, _after(command, path, state)) for path in known)


def _copied(steps: tuple[Step, ...], text: Text) -> Iterator[tuple[Text, Text]]:
    """`w file` keeps the lines it comes to: all of them, or nobody knows which."""
    for step in steps:
        if step.text and step.name in ("w", "s"):
            whole = len(steps) == 1 and step.name == "w" and step.anywhere
            yield Text(step.text.strip()), text if whole else unknown("command", *text.origins)


def _writes(command: Command) -> bool:
    """Whether the files among its words are changed: in place, or by an editor that is told how."""
    if command.name not in _EDITORS:
        return any(map(_IN_PLACE.match, command.words[1:]))
    return command.stdin is not None or any(map(_TOLD.fullmatch, command.words[1:]))


def _after(command: Command, path: Text, state: State) -> Text:
    """What a file holds after an edit: of one that is not understood, what it held before and something else."""
    before = state.files[state.path(path.text)]
    scripts = [word for word in command.argv[1:] if word.text[:1] not in ("", "-") and word is not path]
    if scripts and command.name not in _EDITORS:
        after = edited(Command((Text("sed"), scripts[0]), state.cwd, Stream(before)), state).text
        if after.known:
            return Text(after.text, before.origins)
    return Text(f"{before.text}\n{HOLE}\n", before.origins | {"file"})


def _arranged(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    """`sort -o file` and `uniq in out`."""
    words = command.argv
    targets = [value for word, value in zip(command.words, words[1:], strict=False) if word == "-o"]
    if command.name == "uniq":
        operands = [word for word in words[1:] if not word.text.startswith("-")]
        targets, words = operands[1:2], (*words[:1], *operands[:1])
    found = picked(Command(words, state.cwd, command.stdin), state) if targets else None
    if found is not None:
        yield from ((path, found.text) for path in targets)
