"""Shells, and where their script comes from: an argument, a file, standard input, or the first line of a program."""

import re
from itertools import pairwise

from omnihook.shell.fish import spelled
from omnihook.shell.hosts import Host, Inner, known_words
from omnihook.shell.state import State
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text, joined
from omnihook.shell.wrappers import SHELLS, base_name, shell_script

_OTHER_SHELLS = names("yash osh ysh oksh xonsh nu elvish")
_START_FILES = frozenset({"--rcfile", "--init-file"})
_STDIN_FILES = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"})


def shell(command: Command) -> list[Inner]:
    """`sh -c script`, `sh file`, and `sh` reading its input; `sh -n` only checks."""
    argv = known_words(command)
    if any(word is not None and _is_flags(word, "n") for word in argv[1:]):
        return []
    started = [Inner(file=file) for option, file in pairwise(command.argv) if option.text in _START_FILES]
    place = shell_script(argv)
    if place is not None and place < len(argv):
        name, *rest = command.argv[place + 1 :] or (Text(command.name),)
        script = command.argv[place] if command.name != "fish" else spelled(command.argv[place])
        if any(word is not None and _is_flags(word, "xv") for word in argv[1:place]):
            script = Text(f"set -x; {script.text}", script.origins)
        return [*started, Inner(script=script, arguments=tuple(rest), name=name)]
    return [*started, *script_from(command, argv, reads_stdin="s")]


def script_from(command: Command, argv: list[str | None], *, reads_stdin: str = "") -> list[Inner]:
    """The script file among the operands, or standard input when there is none."""
    index = 1
    while index < len(argv):
        word = argv[index]
        if word is not None and word.startswith(("-", "+")):
            if word in ("-", "--"):
                index += 1
                break
            if reads_stdin and _is_flags(word, reads_stdin):
                return _stdin_script(command, _after_options(command.argv[index + 1 :]))
            index += 2 if word in ("-o", "-O", "+O", *_START_FILES) else 1
            continue
        break
    if index >= len(argv):
        return _stdin_script(command, ())
    if is_input(argv[index], command):
        return _stdin_script(command, command.argv[index + 1 :])
    # A dash ends the options, but who pipes something in may take it for standard input.
    piped = _stdin_script(command, command.argv[index:]) if argv[index - 1] == "-" else []
    return [*piped, Inner(file=command.argv[index], arguments=command.argv[index + 1 :])]


def _after_options(words: tuple[Text, ...]) -> tuple[Text, ...]:
    """The arguments of a script read from standard input: what stands behind further options and their end."""
    for index, word in enumerate(words):
        if word.text in ("-", "--"):
            return words[index + 1 :]
        if not word.text.startswith(("-", "+")):
            return words[index:]
    return ()


def is_input(word: str | None, command: Command) -> bool:
    """Whether a word names standard input; a descriptor that nobody knows to be open on anything is taken for it."""
    return word is not None and (word in _STDIN_FILES or (word.startswith("/dev/fd/") and word not in command.files))


def _is_flags(word: str, letters: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and any(letter in word[1:] for letter in letters)


def _stdin_script(command: Command, arguments: tuple[Text, ...]) -> list[Inner]:
    if command.stdin is None:
        return []
    return [Inner(script=command.stdin.text, via="pipe", arguments=arguments)]


def evaluated(command: Command) -> list[Inner]:
    """`eval`: its arguments joined."""
    start = 2 if command.words[1:2] == ("--",) else 1
    return [Inner(script=joined(command.argv[start:], " "), via="eval")]


def sourced(command: Command) -> list[Inner]:
    """`source file` and `. file`."""
    operands = [word for word in command.argv[1:] if word.text != "--"]
    if not operands and command.stdin is None:
        return []
    # Some shells read standard input where no file is named.
    if command.stdin is not None and (not operands or operands[0].text in _STDIN_FILES):
        return [Inner(script=command.stdin.text, via="source")]
    return [Inner(file=operands[0], via="source", arguments=tuple(operands[1:]) or None)]


def run_file(program: Text, arguments: tuple[Text, ...], state: State) -> Inner:
    """A file that is run by its path: a script for a shell, unless its first line names another program."""
    content = state.files.get(state.path(program.text))
    line = _FIRST_LINE.match(content.text) if content is not None else None
    if line is None or base_name(line[1]) in SHELLS or (line[2] and line[2].split()[-1] in SHELLS):
        return Inner(file=program, arguments=arguments)
    option = (Text(line[2].strip()),) if line[2] else ()
    return Inner(argv=(Text(line[1]), *option, program, *arguments))


_FIRST_LINE = re.compile(r"#![ \t]*(\S+)[ \t]*(.*)")


INTERPRETING: dict[str, Host] = {
    **dict.fromkeys(SHELLS | _OTHER_SHELLS, shell),
    "eval": evaluated,
    "source": sourced,
    ".": sourced,
}
