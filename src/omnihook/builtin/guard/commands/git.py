"""git: its own options, hooks that are skipped, settings, and the verbs in `git_dropping` and `git_files`."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.git_dropping import DROPPING
from omnihook.builtin.guard.commands.git_files import FILES
from omnihook.builtin.guard.commands.table import Handler, effects
from omnihook.builtin.guard.effects import Act, Do, Note
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_GLOBAL_VALUES = names("-C -c --git-dir --work-tree --namespace --exec-path --config-env")
_HOOK_SETTING = re.compile(r"core\.hookspath(=|$)", re.I)
_MAGIC = re.compile(r":\(([^()]*)\)")


def git(command: Command) -> Iterator[Act]:
    """Every git command, by its verb."""
    words = command.argv
    index = 1
    while index < len(words) and words[index].text.startswith("-"):
        if words[index].text == "-c" and index + 1 < len(words) and _HOOK_SETTING.match(words[index + 1].text):
            yield Note("git-hooks", words[index + 1].text)
        index += 2 if words[index].text in _GLOBAL_VALUES else 1
    if index >= len(words):
        return
    inner = Command(
        _plain_paths(words[index:]), command.cwd, command.stdin, (), command.env, command.context, command.mounts
    )
    if any(word in ("--no-verify",) for word in inner.words):
        yield Note("git-hooks", " ".join(inner.words))
    yield from effects(Do.WRITE, _outputs(inner))
    handler = _VERBS.get(words[index].text)
    if handler is not None:
        yield from handler(inner)


def _outputs(command: Command) -> Iterator[Text]:
    """The files that `--output` of diff, log, show and others names."""
    words = command.argv
    for place, word in enumerate(words):
        if word.text == "--output":
            yield from words[place + 1 : place + 2]
        elif word.text.startswith("--output="):
            yield Text(word.text.removeprefix("--output="), word.origins)


def _plain_paths(words: tuple[Text, ...]) -> tuple[Text, ...]:
    """Paths without the long form of git's magic: `:(top,icase).env` is `.env`, and one left out begins with `:!`."""
    if not any(word.text.startswith(":(") for word in words):
        return words
    return tuple([_plain_path(word) for word in words])


def _plain_path(word: Text) -> Text:
    magic = _MAGIC.match(word.text)
    if magic is None:
        return word
    path = (":!" if "exclude" in magic[1].split(",") else "") + word.text[magic.end() :]
    return Text(path, word.origins, path if "*" in path or "?" in path or "[" in path else None)


def _config(command: Command) -> Iterator[Act]:
    given = arguments(command, "f", ("--file", "--blob", "--type", "--default", "--comment", "--value", "--url"))
    asks = any(option.startswith(("--get", "--list")) or option == "-l" for option, _ in given.options)
    operands = [word.text for word in given.operands]
    reads = asks or operands[:1] in (["get"], ["list"]) or (len(operands) == 1 and not given.has("--unset", "--edit"))
    yield from effects(Do.READ if reads else Do.APPEND, given.values("-f", "--file"))
    if reads:
        return
    operands = operands[1:] if operands[:1] == ["set"] else operands
    if operands and _HOOK_SETTING.match(operands[0]) and len(operands) > 1:
        yield Note("git-hooks", " ".join(command.words))
    elif len(operands) > 1 and re.match(r"alias\..*", operands[0]) and operands[1].startswith("!"):
        yield Note("persistence", " ".join(command.words))


_VERBS: dict[str, Handler] = {**DROPPING, **FILES, "config": _config}
GIT: dict[str, Handler] = {"git": git, "hub": git, "yadm": git}
