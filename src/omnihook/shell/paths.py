"""Commands that print a path: the folder, a fresh file, where a program is, and parts of a path."""

import posixpath
from collections.abc import Callable

from omnihook.shell.filters import Maker
from omnihook.shell.state import State, absolute
from omnihook.shell.values import SILENT, Command, Stream, Text


def _pwd(command: Command, state: State) -> Stream:
    return Stream(Text(state.cwd.text + "\n", state.cwd.origins))


def _mktemp(command: Command, state: State) -> Stream:
    """A fresh path below the temp root, or where a template says."""
    words = command.words[1:]
    operands = [word for word in words if not word.startswith("-")]
    if operands and "/" in operands[-1] and "-p" not in words:
        return Stream(Text(operands[-1] + "\n", frozenset({"mktemp"})))
    folder = next((words[index + 1] for index, word in enumerate(words[:-1]) if word in ("-p", "--tmpdir")), "/tmp")
    return Stream(Text(f"{folder}/tmp.fresh\n", frozenset({"mktemp"})))


def _which(command: Command, state: State) -> Stream:
    names = [word for word in command.words[1:] if not word.startswith("-")]
    return Stream(Text("".join(f"/usr/bin/{name}\n" for name in names)))


def _command_builtin(command: Command, state: State) -> Stream:
    return _which(command, state) if any(word in ("-v", "-V") for word in command.words) else SILENT


def _path_function(change: Callable[[str], str]) -> Maker:
    def maker(command: Command, state: State) -> Stream:
        operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
        lines = [Text(change(word.text), word.origins) for word in operands[:1]]
        return Stream(Text(lines[0].text + "\n", lines[0].origins)) if lines else SILENT

    return maker


def _real(command: Command, state: State) -> Stream:
    operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
    return Stream(Text(absolute(operands[0].text, state.cwd.text) + "\n", operands[0].origins)) if operands else SILENT


def _basename(command: Command, state: State) -> Stream:
    operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
    if not operands:
        return SILENT
    text = posixpath.basename(operands[0].text.rstrip("/"))
    suffix = operands[1].text if len(operands) > 1 else ""
    return Stream(Text(text.removesuffix(suffix) + "\n", operands[0].origins))


PATHS: dict[str, Maker] = {
    "pwd": _pwd,
    "mktemp": _mktemp,
    **dict.fromkeys(("which", "type", "whereis"), _which),
    "command": _command_builtin,
    "dirname": _path_function(lambda text: posixpath.dirname(text.rstrip("/")) or "."),
    "basename": _basename,
    **dict.fromkeys(("realpath", "readlink"), _real),
}
