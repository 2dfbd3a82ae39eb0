"""From the words of a command to what it runs: the script, the inline code, the module, the file of tasks."""

from collections.abc import Sequence

from omnihook.shell.values import HOLE, Text
from omnihook.shell.wrappers import shell_script
from omnihook.slotted import dataclass
from omnihook.trust.programs import Interpreter, Runner

_SHELL_VALUES = ("-o", "-O", "+o", "+O")
_SHELL_LOADS = ("--rcfile", "--init-file")
_NOBODY_KNOWS = Text(HOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What an interpreter was told to run; nothing at all means that it reads its input."""

    script: Text | None = None
    inline: Text | None = None
    module: Text | None = None
    loads: tuple[Text, ...] = ()
    rest: tuple[Text, ...] = ()
    isolated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """Which files of tasks were chosen, where, and the first operand."""

    files: tuple[Text, ...] = ()
    folder: Text | None = None
    verb: str = ""


def shell(argv: Sequence[Text]) -> Invocation:
    """How a shell was called."""
    words = [word.text if word.known else None for word in argv]
    inline = shell_script(words)
    if inline is not None:
        return Invocation(inline=_at(argv, inline))
    loads: list[Text] = []
    index = 1
    while index < len(argv):
        word = words[index]
        if word is None or not word.startswith(("-", "+")) or word == "-":
            break
        if word in _SHELL_LOADS:
            loads.append(_at(argv, index + 1))
        index += 2 if word in (*_SHELL_VALUES, *_SHELL_LOADS) else 1
        if word == "--":
            break
    return _script(argv, index, loads, isolated=False)


def interpreter(argv: Sequence[Text], table: Interpreter) -> Invocation:
    """How an interpreter was called."""
    loads: list[Text] = []
    index, isolated = 1, False
    while index < len(argv):
        word = argv[index]
        if not word.known or not word.text.startswith("-") or word.text == "-":
            break
        option, _, value = word.text.partition("=")
        given = Text(value) if value else _at(argv, index + 1)
        isolated = isolated or _has_letter(option, table.isolated)
        code = _ends_in(option, table.joined)
        if table.module is not None and (option == table.module or code == "m"):
            return Invocation(module=given, loads=tuple(loads), rest=tuple(argv[index + 2 :]), isolated=isolated)
        if option in table.inline or code:
            return Invocation(inline=given, loads=tuple(loads), rest=tuple(argv[index + 2 :]), isolated=isolated)
        if option in table.loads:
            loads.append(given)
        index += 2 if option in (*table.loads, *table.values) and not value else 1
        if word.text == "--":
            break
    return _script(argv, index, loads, isolated=isolated)


def task(argv: Sequence[Text], runner: Runner) -> Tasks:
    """How a runner of tasks was called."""
    files: list[Text] = []
    folder: Text | None = None
    verb = ""
    index = 1
    while index < len(argv):
        option, equals, value = argv[index].text.partition("=")
        short = option[:2] if not option.startswith("--") and len(option) > 2 else ""
        given = Text(value) if equals else _at(argv, index + 1)
        if short in (*runner.file_options, *runner.folder_options):
            option, given, equals = short, Text(argv[index].text[2:]), "="
        if option in runner.file_options:
            files.append(given)
        elif option in runner.folder_options:
            folder = given
        elif not option.startswith("-"):
            verb = verb or option
        takes = option in (*runner.file_options, *runner.folder_options) and not equals
        index += 2 if takes else 1
    return Tasks(files=tuple(files), folder=folder, verb=verb)


def _script(argv: Sequence[Text], index: int, loads: Sequence[Text], *, isolated: bool) -> Invocation:
    if index < len(argv) and argv[index].text != "-":
        rest = tuple(argv[index + 1 :])
        return Invocation(script=argv[index], loads=tuple(loads), rest=rest, isolated=isolated)
    return Invocation(loads=tuple(loads), isolated=isolated)


def _at(argv: Sequence[Text], index: int) -> Text:
    return argv[index] if index < len(argv) else _NOBODY_KNOWS


def _has_letter(option: str, letters: str) -> bool:
    return not option.startswith("--") and any(letter in letters for letter in option[1:])


def _ends_in(option: str, letters: str) -> str:
    """The last of a group of letters (`-lne`), when it is one of those."""
    grouped = not option.startswith("--") and option[1:].isalnum()
    return option[-1] if grouped and option[-1] in letters else ""
