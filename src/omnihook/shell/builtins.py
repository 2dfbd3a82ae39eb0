"""Shell builtins that change what the shell remembers: cd, set, shift, read, unset, alias and friends."""

import re
from collections.abc import Callable

from omnihook.shell.calculating import let
from omnihook.shell.options import Given, given, places
from omnihook.shell.printing import printed
from omnihook.shell.state import State, absolute
from omnihook.shell.values import HOLE, Command, Stream, Text, unknown

_MAX_LINES = 8


def _cd(command: Command, state: State) -> None:
    operands = [word for word in command.argv[1:] if word.text not in ("--", "-L", "-P", "-e", "-@")]
    if not operands:
        target = state.value("HOME")
    elif operands[0].text == "-":
        target = state.value("OLDPWD")
    else:
        target = operands[0]
    state.variables["OLDPWD"] = (state.cwd,)
    if target.known or target.text.startswith("/"):
        state.cwds = (Text(absolute(target.text, state.cwd.text), target.origins),)
    elif target.text == HOLE:
        state.cwds = (target,)
    else:
        state.cwds = (Text(f"{state.cwd.text}/{target.text}", target.origins),)


def _pushd(command: Command, state: State) -> None:
    if len(command.argv) > 1 and not command.argv[1].text.startswith(("+", "-")):
        stack = state.arrays.get("DIRSTACK", ())
        state.arrays["DIRSTACK"] = (state.cwd, *stack)
        _cd(command, state)


def _popd(command: Command, state: State) -> None:
    stack = state.arrays.get("DIRSTACK", ())
    if stack:
        state.cwds = (stack[0],)
        state.arrays["DIRSTACK"] = stack[1:]


EVERYTHING = "set -a"
"""Stands among what is exported for all that is set from now on."""


def _set(command: Command, state: State) -> None:
    words = command.words
    if "allexport" in words or any(word[:1] == "-" and "a" in word for word in words[1:2]):
        state.exported.add(EVERYTHING)
    if "--" in words:
        state.arguments = command.argv[words.index("--") + 1 :]
    elif len(words) > 1 and not words[1].startswith(("-", "+")):
        state.arguments = command.argv[1:]


def _shift(command: Command, state: State) -> None:
    count = int(command.words[1]) if len(command.argv) > 1 and command.words[1].isdigit() else 1
    if state.arguments is not None:
        state.arguments = state.arguments[count:]


def _read(command: Command, state: State) -> None:
    """`read a b`: known input gives known words, unknown input unknown ones of the same origin."""
    options, operands = given([word.text for word in command.argv], "adinNptu")
    arrays = [command.words[option.place][option.start :] for option in places(options, ("-a", "-A"))]
    names = [command.words[place] for place in operands if command.words[place].isidentifier()] or ["REPLY"]
    stream = _input(command, options, state)
    state.forked = True
    if stream is None or not stream.text.known:
        origins = stream.origins if stream is not None else frozenset({"input"})
        paths = stream.paths if stream is not None else ()
        for name in arrays or names:
            state.variables[name] = paths[:8] or (unknown(*origins),)
        return
    separators = dict(command.env).get("IFS", state.value("IFS")).text
    lines = [line for line in _records(command, options, stream.text.text) if line.strip()][:_MAX_LINES] or [""]
    for name in arrays[-1:]:
        state.variables.pop(name, None)
        state.arrays[name] = tuple(Text(word) for line in lines[:1] for word in _split(line, separators, len(line)))
    rows = [_split(line, separators, len(names) - 1) for line in lines] if not arrays else []
    for place, name in enumerate(names) if rows else ():
        state.variables[name] = tuple(Text(row[place] if place < len(row) else "") for row in rows)


def _input(command: Command, options: list[Given], state: State) -> Stream | None:
    """Standard input, or what the descriptor that `-u` names is open on."""
    for option in places(options, ("-u",)):
        text = state.files.get(f"/dev/fd/{command.words[option.place][option.start :]}")
        return None if text is None else Stream(text)
    return command.stdin


def _records(command: Command, options: list[Given], text: str) -> list[str]:
    """What is read at once: lines, or what the delimiter of `-d` parts, or a number of characters."""
    for option in places(options, ("-d", "-n", "-N")):
        value = command.words[option.place][option.start :]
        if option.name == "-d":
            return text.split(value[:1] or "\0")
        if value.isdigit():
            return [text[: int(value)]]
    return text.split("\n")


def _split(line: str, separators: str, cuts: int) -> list[str]:
    """The words of a line as `read` takes them: runs of blanks part words, and so does each other separator."""
    blanks = "".join(mark for mark in " \t\n" if mark in separators)
    others = "".join(mark for mark in separators if mark not in " \t\n")
    line = line.strip(blanks) if blanks else line
    parts = [f"[{blanks}]*[{re.escape(others)}][{blanks}]*" if blanks else f"[{re.escape(others)}]"] if others else []
    parts += [f"[{blanks}]+"] if blanks else []
    return re.split("|".join(parts), line, maxsplit=cuts) if parts and cuts else [line]


def _lines(command: Command, state: State) -> None:
    options, operands = given([word.text for word in command.argv], "dnOsuCc")
    names = [command.words[place] for place in operands if command.words[place].isidentifier()]
    name = names[-1] if names else "MAPFILE"
    stream = _input(command, options, state)
    if stream is not None and stream.text.known:
        records = _records(command, [option for option in options if option.name == "-d"], stream.text.text)
        records = records[:-1] if records[-1:] == [""] else records
        state.arrays[name] = tuple(Text(line.rstrip("\n")) for line in records)
    elif stream is not None:
        state.arrays[name] = stream.paths or (unknown(*(stream.origins or {"input"})),)
    else:
        state.arrays[name] = (unknown("input"),)


def _unset(command: Command, state: State) -> None:
    functions = any(word.text == "-f" for word in command.argv[1:])
    for name in (word.text for word in command.argv[1:] if word.text.isidentifier()):
        state.arrays.pop(name, None)
        state.functions.pop(name, None)
        if not functions:
            state.variables[name] = (Text(""),)


def _alias(command: Command, state: State) -> None:
    for word in command.argv[1:]:
        name, equals, value = word.text.partition("=")
        if equals:
            state.aliases[name] = value


def _export(command: Command, state: State) -> None:
    """`export name`, `export -f name`, `declare -fx name`."""
    flags = "".join(word for word in command.words[1:] if word[:1] == "-")
    if "x" in flags or "f" in flags or command.name == "export":
        state.exported.update(word.partition("=")[0] for word in command.words[1:] if word[:1] != "-")


def _printf(command: Command, state: State) -> None:
    """`printf -v name format ...`."""
    words = command.argv
    if len(words) > 3 and words[1].text == "-v":
        state.assign(words[2].text, printed(words[3:]))


def _hash(command: Command, state: State) -> None:
    """`hash -p path name`: the name stands for a program elsewhere."""
    words = command.words
    if words[1:2] == ("-p",) and len(words) == 4:
        state.aliases[words[3]] = words[2]


BUILTINS: dict[str, Callable[[Command, State], None]] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _pushd,
    "popd": _popd,
    "set": _set,
    "shift": _shift,
    "read": _read,
    "mapfile": _lines,
    "readarray": _lines,
    "unset": _unset,
    "alias": _alias,
    "hash": _hash,
    **dict.fromkeys(("export", "declare", "typeset"), _export),
    "let": let,
    "printf": _printf,
}
