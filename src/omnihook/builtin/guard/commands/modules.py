"""Modules of Python that are run as programs."""

from collections.abc import Iterator
from dataclasses import replace

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.table import effects
from omnihook.builtin.guard.commands.variables import with_variables
from omnihook.builtin.guard.effects import Act, Do
from omnihook.shell.values import Command

_SHOWING_MODULES = frozenset({"json.tool", "base64", "zipfile", "tarfile", "gzip", "quopri"})


def module_run(command: Command) -> Iterator[Act]:
    """`python -m json.tool file` and other modules that print or pack what they are given."""
    words = command.words
    place = words.index("-m") if "-m" in words else len(words)
    module = "".join(words[place + 1 : place + 2])
    if module in _SHOWING_MODULES:
        yield from effects(Do.READ, command.argv[place + 2 :])
    elif module == "dotenv":
        yield from with_variables(replace(command, argv=command.argv[place + 1 :]))
    elif module == "http.server":
        served = arguments(replace(command, argv=command.argv[place + 1 :]), "bdp", ("--directory",))
        yield from effects(Do.READ, served.values("-d", "--directory"))
