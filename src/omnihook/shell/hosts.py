"""Programs that run other programs: from one command to the commands and scripts inside it.

`inner(command)` is pure; `evaluating` runs what it gives back. The tables of plain wrappers are in `wrappers`.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from omnihook.shell.fish import spelled
from omnihook.shell.options import Given, full_name, places
from omnihook.shell.state import State, absolute
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Stream, Text, joined, unknown
from omnihook.shell.wrappers import (
    ELEVATORS,
    LOADER,
    SHELLS,
    SWITCH_USER,
    WRAPPERS,
    Wrapper,
    base_name,
    reading,
    shell_script,
)
from omnihook.slotted import dataclass

_ELEVATED = frozenset({"elevated"})
_PLAIN: frozenset[str] = frozenset()
_SHELL_FLAGS = frozenset({"-s", "-i", "--shell", "--login"})
_OTHER_SHELLS = names("yash osh ysh oksh xonsh nu elvish")
_START_FILES = frozenset({"--rcfile", "--init-file"})
_PACKAGE_RUNNERS = frozenset({"npx", "bunx", "pnpx"})
_VERSIONED = re.compile(r"((?:@[\w.-]+/)?[\w.-]+)@[^/:]*")
_STDIN_FILES = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"})


@dataclass(frozen=True, slots=True)
class Inner:
    """Something a command runs: words, or a script; `via` says how the script got there.

    `file` names a script to read. `stdin`, `cwd` and `mounts` are those of the outer command where None.
    """

    argv: tuple[Text, ...] = ()
    script: Text | None = None
    file: Text | None = None
    via: str = "argument"
    arguments: tuple[Text, ...] | None = None
    name: Text | None = None
    context: frozenset[str] = frozenset()
    cwd: Text | None = None
    mounts: tuple[tuple[str, Text], ...] | None = None
    env: tuple[tuple[str, Text], ...] = ()


Host = Callable[[Command], list[Inner]]


def known_words(command: Command) -> list[str | None]:
    """The words as plain strings, None where not even the beginning is known."""
    return [None if word.text.startswith(HOLE) else word.text for word in command.argv]


def unversioned(words: tuple[Text, ...]) -> tuple[Text, ...]:
    """A package's program without the version that is asked for: `tool@5`, `@scope/tool@latest`."""
    found = _VERSIONED.fullmatch(words[0].text) if words else None
    return words if found is None else (Text(found[1]), *words[1:])


def wrapped(command: Command) -> list[Inner]:
    """The command inside a wrapper of the table, and scripts its options hold."""
    return _wrapped(command, WRAPPERS[command.name])


def _wrapped(command: Command, wrapper: Wrapper) -> list[Inner]:
    argv = known_words(command)
    read = reading(argv, wrapper)
    context = _ELEVATED if command.name in ELEVATORS or _as_system(command) else _PLAIN
    found = [Inner(script=text, context=context) for text in _scripts(command, wrapper, read.options)]
    if read.start is None:
        return [*found, *_root_shell(command, read.options)]
    start = _past_brace(argv, read.start)
    if command.name == "chroot" and command.mounts:
        return [Inner(argv=command.argv[start:], mounts=_new_root(command, argv[1:start]))]
    if wrapper.joined:
        return [*found, Inner(script=joined(command.argv[start:], " "), context=context)]
    env = tuple(_assignment(word) for word in command.argv[1:start] if wrapper.assigns and "=" in word.text[1:])
    folders = list(places(read.options, wrapper.folder)) if wrapper.folder else []
    cwd = Text(absolute(value_of_option(command, folders[-1]).text, command.cwd.text)) if folders else None
    words = unversioned(command.argv[start:]) if command.name in _PACKAGE_RUNNERS else command.argv[start:]
    return [*found, Inner(argv=words, context=context, env=env, cwd=cwd)]


def _as_system(command: Command) -> bool:
    """systemd-run told to run something as root."""
    return command.name == "systemd-run" and not _ROOT.isdisjoint(command.words)


_ROOT = frozenset({"--uid=0", "--uid=root"})


def _scripts(command: Command, wrapper: Wrapper, options: Sequence[Given]) -> Iterator[Text]:
    """Shell text in a wrapper's options; text that is split into words has the words behind it as well."""
    for option in places(options, wrapper.script) if wrapper.script else ():
        text = value_of_option(command, option)
        rest = map(quoted_again, command.argv[option.place + 1 :]) if wrapper.splits else ()
        yield joined([text, *rest], " ") if wrapper.splits else text


def value_of_option(command: Command, option: Given) -> Text:
    """What an option was given."""
    word = command.argv[option.place]
    return word if option.start == 0 else Text(word.text[option.start :], word.origins)


def with_variables(command: Command) -> list[Inner]:
    """dotenv, with its verb `run` or without."""
    found = wrapped(command)
    for inner in found:
        if inner.argv and inner.argv[0].text == "run":
            rest = inner.argv[1:]
            return [Inner(argv=rest[1:] if rest and rest[0].text == "--" else rest)] if rest else []
    return [inner for inner in found if not inner.argv or inner.argv[0].text not in ("list", "get", "set", "unset")]


def with_python(command: Command) -> list[Inner]:
    """uv and pdm give a script to Python themselves."""
    python = Text("python3")
    return [
        replace(inner, argv=(python, *inner.argv))
        if inner.argv and (inner.argv[0].text == "-" or inner.argv[0].text.endswith(".py"))
        else inner
        for inner in wrapped(command)
    ]


def loaded(command: Command) -> list[Inner]:
    """The program that the dynamic loader starts."""
    return _wrapped(command, LOADER)


def _new_root(command: Command, operands: list[str | None]) -> tuple[tuple[str, Text], ...]:
    """Inside a container, chroot into a mount makes the host's folder the root."""
    folders = dict(command.mounts)
    return tuple(("/", folders[word]) for word in operands if word in folders) or command.mounts


def _past_brace(argv: list[str | None], start: int) -> int:
    """`time { a; }` and `coproc NAME { a; }` are groups that the grammar gives as words."""
    if argv[start : start + 1] == ["{"] and start + 1 < len(argv):
        return start + 1
    if argv[start + 1 : start + 2] == ["{"] and start + 2 < len(argv):
        return start + 2
    return start


def _root_shell(command: Command, options: Sequence[Given]) -> list[Inner]:
    """`sudo -s`, `sudo -i` and `doas -s` without a command are a shell reading its input."""
    if command.name in ("sudo", "doas") and any(option.name in _SHELL_FLAGS for option in options):
        return [Inner(argv=(Text("sh"),), context=_ELEVATED)]
    return []


def _assignment(word: Text) -> tuple[str, Text]:
    name, _, value = word.text.partition("=")
    return name, Text(value, word.origins)


def quoted_again(word: Text) -> Text:
    """A word spelled so that it is one word in shell text; holes are left as they are."""
    return word if HOLE in word.text else Text(shlex.quote(word.text), word.origins)


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


def switch_user(command: Command) -> list[Inner]:
    """`su user -c script`, or a root shell reading its input."""
    options = reading(known_words(command), SWITCH_USER).options
    found = [Inner(script=text, context=_ELEVATED) for text in _scripts(command, SWITCH_USER, options)]
    if found or command.stdin is None:
        return found
    return [Inner(script=command.stdin.text, via="pipe", context=_ELEVATED)]


def run_as_user(command: Command) -> list[Inner]:
    """runuser: a command behind `-u user`, else as su."""
    options = reading(known_words(command), WRAPPERS["runuser"]).options
    return wrapped(command) if any(option.name in ("-u", "--user") for option in options) else switch_user(command)


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


def stream_or_unknown(stream: Stream | None) -> Stream:
    """What is piped in, or nothing known about it."""
    return Stream(unknown("input")) if stream is None else stream


def option_scripts(words: tuple[Text, ...], names: frozenset[str]) -> list[Inner]:
    """Scripts in options such as `--exec CMD` or `--exec=CMD`."""
    found: list[Inner] = []
    for index, word in enumerate(words):
        if word.text[:1] != "-":
            continue
        name, equals, value = word.text.partition("=")
        if len(name) > 4 and name.startswith("--"):
            name = full_name(name, names)
        if name in names and equals:
            found.append(Inner(script=Text(value, word.origins)))
        elif name in names and index + 1 < len(words):
            found.append(Inner(script=words[index + 1]))
    return found


def with_options(*names: str) -> Host:
    """A tool whose named options hold shell text."""
    wanted = frozenset(names)
    return lambda command: option_scripts(command.argv[1:], wanted)


BASIC: dict[str, Host] = {
    **dict.fromkeys(WRAPPERS, wrapped),
    **dict.fromkeys(SHELLS | _OTHER_SHELLS, shell),
    **dict.fromkeys(("dotenv", "dotenv-cli"), with_variables),
    **dict.fromkeys(("uv", "pdm"), with_python),
    "su": switch_user,
    "runuser": run_as_user,
    "eval": evaluated,
    "source": sourced,
    ".": sourced,
}
