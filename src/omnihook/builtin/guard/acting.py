"""What one command does, as acts for rules to judge: by its name, its redirections, and what it passes on."""

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache

from omnihook.builtin.guard.commands import HANDLERS, Handler
from omnihook.builtin.guard.commands.disks import formatted, is_format_command
from omnihook.builtin.guard.commands.modules import module_run
from omnihook.builtin.guard.commands.operations import script_verb
from omnihook.builtin.guard.commands.reading import COUNTING, READERS, used
from omnihook.builtin.guard.effects import Act, Do, Effect, Note, Shell
from omnihook.builtin.guard.languages import LANGUAGES, discovered, discovers, interpreted, language
from omnihook.builtin.guard.modes import STRICT_NAMES, Mode, paranoid
from omnihook.builtin.guard.places import Scene
from omnihook.builtin.guard.protected import may_be_protected
from omnihook.shell.calculating import STAND_IN
from omnihook.shell.hosts_all import HOSTS
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text
from omnihook.slotted import dataclass

_RUNNERS = names("npm yarn pnpm ip ansible salt pdsh")
_PASSED_ON = names("rm unlink shred chmod chown mkfs dd wipefs sh bash zsh dash sudo doas find rimraf env nohup")
# The letters of rm and its like: words such as -race or -run say nothing about deleting.
_CATASTROPHIC_FLAGS = re.compile(r"-[dfivIP]*[rR][dfivIPrR]*|--recursive|--no-preserve-root")


def acts(command: Command, scene: Scene, mode: Mode) -> Sequence[Iterator[Act]]:
    """All that the command does, in rows that are worked out as they are read."""
    rows: list[Iterator[Act]] = [_redirected(command)] if command.redirects else []
    if not command.argv:
        return rows
    first = command.argv[0]
    # No program is called a number: one in its place came out of a substitution.
    if HOLE in first.text or first.pattern is not None or STAND_IN in first.origins or first.text.isdigit():
        rows.append(_computed(command))
        if not _is_like_no_other(command):
            return rows
    kind = _kind(command.name)
    if kind.interpreter:
        rows.extend((interpreted(command), script_verb(command), module_run(command)))
    if command.files and discovers(command):
        rows.append(discovered(command))
    if not kind.reader or may_be_protected(command):
        rows.append(kind.handler(command))
    if kind.passes_on and _may_pass_on(command.words):
        rows.append(_passed_on(command))
    if mode is not Mode.STANDARD:
        rows.append(_strict(command))
    if mode is Mode.PARANOID:
        rows.append(paranoid(command, scene))
    return rows


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a command's name says about how to weigh it; a `reader` matters only where a protected file may be named."""

    handler: Handler
    interpreter: bool
    reader: bool
    passes_on: bool


@lru_cache(maxsize=1024)
def _kind(name: str) -> _Kind:
    handler = HANDLERS.get(name, formatted if is_format_command(name) else used)
    return _Kind(handler, language(name) is not None, handler in READERS, handler is used or name in _RUNNERS)


def _may_pass_on(words: Sequence[str]) -> bool:
    return any(_begins(word) or ("=" in word and word[:1] == "-") for word in words[1:])


def _begins(word: str) -> bool:
    """Whether a word is the name of a program that others are told to run, or text that begins with one."""
    return _BIN.sub("", word.split(" ", 1)[0]) in _PASSED_ON if " " in word or "/" in word else word in _PASSED_ON


def _passed_on(command: Command) -> Iterator[Act]:
    """A program we do not know may be a wrapper: a destructive command among its words is weighed too.

    Text counts where the option before it is named after commands, so that titles and messages do not.
    """
    for place, word in enumerate(command.argv[1:], 1):
        if not _begins(word.text):
            option, equals, value = word.text.partition("=")
            if equals and _begins(value) and _TELLS.fullmatch(option):
                yield Shell(Text(value, word.origins))
        elif " " not in word.text:
            rest = command.argv[place:]
            line = " ".join(text.text if HOLE in text.text else shlex.quote(text.text) for text in rest)
            yield Shell(Text(line, frozenset().union(*(text.origins for text in rest))))
            return
        elif _TELLS.fullmatch(command.argv[place - 1].text):
            yield Shell(word)


_BIN = re.compile(r"^/(?:usr/)?(?:local/)?s?bin/")
_TELLS = re.compile(r"-[cCexsX]|--?(?:[a-z]+-)*(?:command|cmd|exec|execute|run|script|scripts|shell|call|hook|wrap)s?")
"""Options whose value is a command."""


def _redirected(command: Command) -> Iterator[Act]:
    """What redirections read and write; a shell whose ends are a connection is a reverse shell."""
    for item in command.redirects:
        if _CONNECTION.match(item.target.text) and item.writes:
            if command.name in _SHELL_NAMES or command.name == "exec" or not command.argv:
                yield Note("reverse-shell", item.target.text)
        elif item.writes:
            yield Effect(Do.APPEND if ">>" in item.op else Do.WRITE, item.target)
        elif item.op == "<":
            yield Effect(Do.USE if command.name in COUNTING else Do.READ, item.target)


_CONNECTION = re.compile(r"/dev/(?:tcp|udp)/(?!127\.|localhost/|::1/|0\.0\.0\.0/)")
_SHELL_NAMES = frozenset({"sh", "bash", "zsh", "dash", "ksh"})


def _computed(command: Command) -> Iterator[Act]:
    """A command name nobody can know."""
    first = command.argv[0]
    words = command.words[1:]
    if any(_CATASTROPHIC_FLAGS.fullmatch(word) for word in words):
        for word in command.argv[1:]:
            if not word.text.startswith("-"):
                yield Effect(Do.DELETE, word, recursive=True)
    if first.origins & {"network"}:
        yield Note("run-remote", "the command itself comes from the network")
    elif HOLE in command.name and not _is_like_no_other(command):
        yield Note("dynamic-command", " ".join(words)[:80])


def _is_like_no_other(command: Command) -> bool:
    """Whether a name that is known in part, such as `bin/lint${SUFFIX}`, can be none of those that matter here."""
    first = command.argv[0]
    if first.pattern is not None or first.text.startswith(HOLE) or not first.origins <= {"variable"}:
        return False
    return HOLE not in first.text.rpartition("/")[0] and _is_unknown(command.name)


@lru_cache(maxsize=256)
def _is_unknown(name: str) -> bool:
    pattern = re.compile(".*".join(map(re.escape, name.split(HOLE))))
    return language(name.replace(HOLE, "")) is None and not any(map(pattern.fullmatch, (*HANDLERS, *HOSTS, *LANGUAGES)))


def _strict(command: Command) -> Iterator[Act]:
    """The literal list: names whose mere use is refused."""
    if command.name == "dd" and any(word.startswith("if=") for word in command.words):
        yield Note("literal-list", "dd if=")
    elif command.name in STRICT_NAMES or is_format_command(command.name):
        yield Note("literal-list", command.name)
