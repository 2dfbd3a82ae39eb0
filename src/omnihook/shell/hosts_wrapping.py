"""Programs that run the command behind their own words: those of the table in `wrappers`, and a few that need more."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from omnihook.shell.hosts import Host, Inner, known_words, quoted_again, unversioned, value_of_option
from omnihook.shell.options import Given, places
from omnihook.shell.state import absolute
from omnihook.shell.values import Command, Text, joined
from omnihook.shell.wrappers import ELEVATORS, LOADER, SWITCH_USER, WRAPPERS, Wrapper, reading

_ELEVATED = frozenset({"elevated"})
_PLAIN: frozenset[str] = frozenset()
_SHELL_FLAGS = frozenset({"-s", "-i", "--shell", "--login"})
_PACKAGE_RUNNERS = frozenset({"npx", "bunx", "pnpx"})


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


def loaded(command: Command) -> list[Inner]:
    """The program that the dynamic loader starts."""
    return _wrapped(command, LOADER)


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


WRAPPING: dict[str, Host] = {
    **dict.fromkeys(WRAPPERS, wrapped),
    **dict.fromkeys(("dotenv", "dotenv-cli"), with_variables),
    **dict.fromkeys(("uv", "pdm"), with_python),
    "su": switch_user,
    "runuser": run_as_user,
}
