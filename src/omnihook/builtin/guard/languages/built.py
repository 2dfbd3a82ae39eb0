"""Languages whose programs are built before they run: the sources a tool takes, and their spelling made plainer."""

import re
from collections.abc import Callable, Iterator

from omnihook.shell.state import absolute
from omnihook.shell.values import Command, Text

_VERBS = frozenset({"run", "build", "test", "install", "generate", "script", "exec", "publish", "bench", "r", "b", "t"})
_ENDINGS = {"go": (".go",), "rust": (".rs",), "csharp": (".cs", ".csx")}
_WITHOUT_VERB = frozenset({"rustc", "rust-script", "dotnet-script", "csc", "mcs"})
_RESULT_PAIR = re.compile(r"(^[ \t]*|[;{][ \t]*|\bif[ \t]+)(\w+)[ \t]*,[ \t]*\w+[ \t]*:?=(?!=)", re.M)
_WITH_CONTEXT = re.compile(r"\bexec\.CommandContext\(\s*[\w.]+(?:\(\))?\s*,")
_STRING = r'"(?:[^"\\]|\\.)*+"'
_COMMAND = re.compile(
    rf"\bCommand::new\(\s*({_STRING})\s*\)((?:\s*\.args?\((?:{_STRING}|[^()\"]|\((?:{_STRING}|[^()\"])*+\))*+\))*+)"
)
_STARTED = re.compile(rf"\bProcess\.Start\(\s*({_STRING})\s*,\s*\$?@?({_STRING})\s*\)")


def is_built(language: str) -> bool:
    """Whether programs in the language are built from source files."""
    return language in _ENDINGS


def sources(command: Command, language: str) -> Iterator[Text]:
    """Sources that were just written: those the command names, or else those below the folder it works in."""
    if command.name not in _WITHOUT_VERB and not _VERBS.intersection(command.words[1:2]):
        return
    written = {path: text for path, text in command.files.items() if path.endswith(_ENDINGS[language])}
    if not written:
        return
    given = {absolute(word, command.cwd.text) for word in command.words[1:]}
    below = command.cwd.text.rstrip("/") + "/"
    chosen = [path for path in written if path in given] or [path for path in written if path.startswith(below)]
    for path in chosen:
        yield written[path]


def plainer(code: str, language: str) -> str:
    """The code with what only these languages spell in their way put as others do."""
    rewrite = _REWRITES.get(language)
    return code if rewrite is None else rewrite(code)


def _go(code: str) -> str:
    """A call's error comes as a second result; who takes the first is all that matters here."""
    return _WITH_CONTEXT.sub("exec.Command(", _RESULT_PAIR.sub(r"\1\2 =", code))


def _rust(code: str) -> str:
    """`Command::new("a").arg("b")` is a call with a list of words."""
    return _COMMAND.sub(lambda found: f"Command({', '.join([found[1], *re.findall(_STRING, found[2])])})", code)


def _csharp(code: str) -> str:
    """A program and its arguments in one string make a command line."""
    return _STARTED.sub(lambda found: f"system({found[1][:-1]} {found[2][1:]})", code)


_REWRITES: dict[str, Callable[[str], str]] = {"go": _go, "rust": _rust, "csharp": _csharp}
