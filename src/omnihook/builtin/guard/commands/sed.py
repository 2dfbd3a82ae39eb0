"""sed: the files it reads and edits, and what the commands of its script run, read and write."""

from collections.abc import Iterator

from omnihook.builtin.guard.arguments import Arguments, arguments
from omnihook.builtin.guard.commands.table import Handler, effects
from omnihook.builtin.guard.commands.writing import EMPTIES
from omnihook.builtin.guard.effects import Act, Do, Effect, Note, Shell
from omnihook.shell.saving import written
from omnihook.shell.sed import Script, Step, made, read, substituted
from omnihook.shell.values import Command, Text, joined, unknown

_PRINTING = frozenset("pPiacl=rRF")
_WHOLE_LINES = frozenset({".*", "^.*", ".*$", "^.*$"})


def sed(command: Command) -> Iterator[Act]:
    """sed reads its files, with `-i` edits them; its `e` and `w` commands run and write."""
    given = arguments(command, "efl", ("--expression", "--file", "--line-length"))
    edits = any(option.startswith("-i") or option == "--in-place" for option, _ in given.options)
    texts, files = _parts(given, command, edits=edits)
    script = read("\n".join([text.text for text in texts]))
    yield from effects(Do.READ, files)
    if edits:
        silent = given.has("-n", "--quiet", "--silent") and not _prints(script)
        empties = silent or any(EMPTIES.fullmatch(text.text.strip()) for text in texts)
        yield from effects(Do.WRITE if empties else Do.APPEND, files)
    if given.has("--sandbox"):
        return
    if script.unread:
        yield Note("too-complex", "a sed script that cannot be read")
    origins: frozenset[str] = frozenset().union(*[text.origins for text in texts])
    for step in script.steps:
        yield from _done(step, origins, command, files)


def _parts(given: Arguments, command: Command, *, edits: bool) -> tuple[list[Text], tuple[Text, ...]]:
    """The texts of the script, in order, and the files that it is for."""
    texts: list[Text] = []
    for option, value in given.options:
        if value is None:
            continue
        if option == "-e" or option.startswith("--e"):
            texts.append(value)
        elif option == "-f" or option.startswith("--fi"):
            text = _script_file(value, command)
            texts.extend([text] if text is not None else [])
    if given.has("-e", "--expression", "-f", "--file"):
        return texts, given.operands
    # BSD: what a copy's name ends in is a word of its own.
    start = 1 if edits and len(given.operands) > 2 and given.operands[0].text[:1] in ("", ".") else 0
    return list(given.operands[start : start + 1]), given.operands[start + 1 :]


def _script_file(file: Text, command: Command) -> Text | None:
    if file.text in ("-", "/dev/stdin") and command.stdin is not None:
        return command.stdin.text
    return written(file.text, command) if command.files else None


def _prints(script: Script) -> bool:
    return script.unread or any(step.name in _PRINTING or "p" in step.flags for step in script.steps)


def _done(step: Step, origins: frozenset[str], command: Command, files: tuple[Text, ...]) -> Iterator[Act]:
    if step.name == "e":
        yield Shell(Text(step.text, origins) if step.text.strip() else _input(command, files))
    elif step.name in ("r", "R"):
        yield Effect(Do.READ, Text(step.text.strip(), origins))
    elif step.text and step.name in ("w", "W", "s"):
        yield Effect(Do.WRITE, Text(step.text.strip(), origins))
    if "e" in step.flags:
        yield Shell(Text(made(step.new), origins))
        if step.old not in _WHOLE_LINES:
            yield Shell(_changed(step, _input(command, files)))


def _changed(step: Step, text: Text) -> Text:
    """The lines that a substitution runs, where what is around it stays."""
    changed = substituted(step, text.text) if text.known else None
    return text if changed is None else Text(changed, text.origins)


def _input(command: Command, files: tuple[Text, ...]) -> Text:
    """What the script is done to."""
    if not files:
        return command.stdin.text if command.stdin is not None else unknown("input")
    texts = [written(file.text, command) if command.files else None for file in files]
    return joined([unknown("file") if text is None else text for text in texts], "\n")


SED: dict[str, Handler] = dict.fromkeys(("sed", "gsed"), sed)
