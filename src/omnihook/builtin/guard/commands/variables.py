"""Commands that show variables, the files these come from, or what the shell does with them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.reading import used
from omnihook.builtin.guard.commands.table import Handler, effects
from omnihook.builtin.guard.effects import Act, Do
from omnihook.shell.values import Command, Text

_TRACES = re.compile(r"[xv]")


def with_variables(command: Command) -> Iterator[Act]:
    """dotenv and dotenvx: verbs that show or change what the file holds, and what it holds shown by a command."""
    given = arguments(command, "fe", ("--file", "--env-file", "--env"))
    files = given.values("-f", "-e", "--file", "--env-file") or [Text(".env")]
    words = [word.text for word in given.operands]
    verb = words[0] if words else ""
    told = words[1:] if verb == "run" else words
    shows = verb in ("get", "list", "decrypt", "ls", "keypair") or given.has("-p") or prints_variables(told)
    if shows:
        yield from effects(Do.READ, files)
    elif verb in ("set", "unset", "encrypt"):
        yield from effects(Do.APPEND, files)
    else:
        yield from used(replace(command, argv=(command.argv[0], *given.values("-f", "-e", "--file", "--env-file"))))


def prints_variables(words: Sequence[str]) -> bool:
    """Whether a command shows all variables, or those it names."""
    if not words:
        return False
    name, rest = words[0].rsplit("/", 1)[-1], words[1:]
    if name == "env":
        return all(word in ("-0", "--null", "-v", "--debug") for word in rest)
    if name in ("export", "declare", "typeset"):
        return list(rest) in (["-p"], ["-x"], ["-px"], ["-xp"]) or (name != "typeset" and not rest)
    return name == "printenv" or (name == "set" and not rest)


def traces(words: Sequence[str]) -> bool | None:
    """Whether `set` makes the shell repeat what it reads or runs; None where it says nothing about it."""
    for option, value in pairwise((*words[1:], "")):
        if (option[:1] in ("-", "+") and option[:2] != "--" and _TRACES.search(option)) or (
            option in ("-o", "+o") and value in ("xtrace", "verbose")
        ):
            return option[0] == "-"
    return None


VARIABLES: dict[str, Handler] = dict.fromkeys(("dotenv", "dotenv-cli", "dotenvx"), with_variables)
