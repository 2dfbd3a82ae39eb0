"""Code in other languages given on a command line: which interpreter, which code, and what it does."""

import re
from collections.abc import Iterator
from functools import lru_cache

from omnihook.builtin.guard.effects import Act, Note
from omnihook.builtin.guard.languages.python import python_acts
from omnihook.builtin.guard.languages.scanner import LANGUAGES, scan
from omnihook.shell.saving import contents
from omnihook.shell.values import HOLE, Command, Text

_EVAL = {
    **dict.fromkeys(("ruby", "lua", "Rscript", "osascript", "elixir", "groovy", "swift"), "e"),
    **dict.fromkeys(("perl", "julia"), "eE"),
    **dict.fromkeys(("node", "bun"), "ep"),
    **dict.fromkeys(("python", "tclsh"), "c"),
    "php": "rRBE",
}
_LONG_EVAL = frozenset({"--eval", "--print", "--run", "-Command", "-command", "--execute"})
_NAMES = re.compile(r"(python|pypy|node|nodejs|perl|ruby|php|lua|luajit|deno|bun|julia|Rscript|osascript|elixir|groovy|"
                    r"tclsh|expect|[gmn]?awk|pwsh|powershell|swift)(?:[\d.]+)?(?:\.exe)?")  # fmt: skip
_ALIASES = {"pypy": "python", "nodejs": "node", "luajit": "lua", "gawk": "awk", "mawk": "awk", "nawk": "awk",
            "powershell": "pwsh", "expect": "tclsh"}  # fmt: skip
_FROM_NETWORK = frozenset({"network"})


@lru_cache(maxsize=512)
def language(name: str) -> str | None:
    """The language an interpreter's name stands for: `python3.11` is python."""
    match = _NAMES.fullmatch(name)
    return _ALIASES.get(match[1], match[1]) if match else None


def interpreted(command: Command) -> Iterator[Act]:
    """What the code given to an interpreter does, and whether code comes from where nobody has looked."""
    spoken = language(command.name)
    if spoken is None:
        return
    if spoken == "awk":
        yield from _awk(command)
        return
    codes = list(_codes(command, spoken))
    for code in codes:
        yield from code_acts(code, spoken, command.home)
    if not codes and command.files:
        yield from _from_files(command, spoken)
    if not codes and reads_code(command):
        stdin = command.stdin
        if stdin is not None:
            yield from _from_input(stdin.text, spoken, command.home)


def _from_files(command: Command, spoken: str) -> Iterator[Act]:
    """A script file that was written earlier in the same text."""
    for path, text in contents(command)[:1]:
        if HOLE not in text.text:
            yield from code_acts(text, spoken, command.home)
        elif text.origins & _FROM_NETWORK:
            yield Note("run-remote" if path.startswith("/dev/fd/") else "run-download", path)


def _from_input(text: Text, spoken: str, home: str) -> Iterator[Act]:
    if HOLE not in text.text or text.text.strip(HOLE + "\n "):
        yield from code_acts(text, spoken, home)
    if HOLE in text.text and text.text.strip().startswith(HOLE):
        yield Note(
            "run-remote" if text.origins & _FROM_NETWORK else "run-unseen", f"{spoken} reads its code from a pipe"
        )


def code_acts(code: Text, spoken: str, home: str) -> Iterator[Act]:
    """What a piece of code does."""
    if code.text.strip() == HOLE:
        yield Note("run-remote" if code.origins & _FROM_NETWORK else "run-unseen", f"{spoken} code is not known")
        return
    if HOLE in code.text and code.origins & _FROM_NETWORK and code.text.strip().startswith(HOLE):
        yield Note("run-remote", f"{spoken} code from the network")
    if spoken == "python":
        yield from python_acts(code, home)
    elif spoken in LANGUAGES:
        yield from scan(code, spoken)


def _codes(command: Command, spoken: str) -> Iterator[Text]:
    letters = _EVAL.get(spoken, "")
    words = command.argv
    if spoken == "deno" and len(words) > 2 and words[1].text == "eval":
        yield words[-1]
    for place, word in enumerate(words[1:], 1):
        text = word.text
        if text in _LONG_EVAL or (spoken == "pwsh" and text.lower() in ("-c", "-command")):
            if place + 1 < len(words):
                yield words[place + 1]
        elif text.startswith(("--eval=", "--print=")):
            yield Text(text.partition("=")[2], word.origins)
        elif letters and re.fullmatch(rf"-[a-zA-Z0-9]*[{letters}]", text) and not text.startswith("--"):
            if place + 1 < len(words):
                yield words[place + 1]
        elif spoken == "python" and re.match(r"-[a-zA-Z]*c.", text) and not text.startswith("--"):
            yield Text(text[text.index("c") + 1 :], word.origins)
        elif not text.startswith("-") and spoken in ("python", "node"):
            return


def reads_code(command: Command) -> bool:
    """Whether an interpreter takes its code from standard input: no file, no module, no code given."""
    spoken = language(command.name)
    if spoken is None or spoken == "awk":
        return False
    for word in command.words[1:]:
        if word in ("-", "/dev/stdin", "/dev/fd/0"):
            return True
        if word.startswith("-m") and spoken == "python":
            return False
        if spoken == "perl" and re.match(r"-[a-z]*[ne]", word):
            return False
        if not word.startswith("-"):
            return False
        if word in ("--version", "-V", "-v", "--help", "-h"):
            return False
    return True


def _awk(command: Command) -> Iterator[Act]:
    """The program is the first operand."""
    skip = False
    for word in command.argv[1:]:
        if skip:
            skip = False
            continue
        if word.text in ("-F", "-v", "-f"):
            if word.text == "-f":
                return
            skip = True
            continue
        if word.text.startswith("-") and word.text != "-":
            continue
        yield from scan(word, "awk")
        return
