"""Code in other languages given on a command line: which interpreter, which code, and what it does."""

from collections.abc import Iterator

from omnihook.builtin.guard.effects import Act
from omnihook.builtin.guard.languages.discovered import discovered, discovers
from omnihook.builtin.guard.languages.launching import LANGUAGES, language
from omnihook.shell.values import Command

__all__ = ["LANGUAGES", "discovered", "discovers", "interpreted", "language"]


def interpreted(command: Command) -> Iterator[Act]:
    """What the code given to an interpreter does, and whether code comes from where nobody has looked."""
    spoken = language(command.name)
    if spoken is None:
        return
    # Imported here: most commands run no interpreter, and the readers of code take longer to load than those to judge.
    from omnihook.builtin.guard.languages.interpreting import command_acts

    yield from command_acts(command, spoken)
