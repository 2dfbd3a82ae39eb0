"""What a program that runs other programs is: from one command to the commands and scripts inside it.

A `Host` is pure; `invoking` runs what it gives back. The hosts themselves are in tables of their own, which `hosts_all`
joins; here is what several of them share.
"""

import re
import shlex
from collections.abc import Callable

from omnihook.shell.options import Given, full_name
from omnihook.shell.values import HOLE, Command, Stream, Text, unknown
from omnihook.slotted import dataclass

_VERSIONED = re.compile(r"((?:@[\w.-]+/)?[\w.-]+)@[^/:]*")


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


def value_of_option(command: Command, option: Given) -> Text:
    """What an option was given."""
    word = command.argv[option.place]
    return word if option.start == 0 else Text(word.text[option.start :], word.origins)


def quoted_again(word: Text) -> Text:
    """A word spelled so that it is one word in shell text; holes are left as they are."""
    return word if HOLE in word.text else Text(shlex.quote(word.text), word.origins)


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
