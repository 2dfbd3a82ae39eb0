"""Which program speaks which language, and which of its words, if any, are code."""

import base64
import binascii
import itertools
import re
from collections.abc import Iterator
from functools import lru_cache

from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text
from omnihook.slotted import dataclass

_VERSION = "-.0123456789"
LANGUAGES: dict[str, str] = {
    **dict.fromkeys(("python", "pypy", "ipython", "jython", "micropython", "bpython", "sage"), "python"),
    **dict.fromkeys(("node", "nodejs", "tsx", "ts-node", "qjs", "gjs", "esno", "babel-node", "jsc"), "node"),
    "deno": "deno", **dict.fromkeys(("bun", "zx"), "bun"), "perl": "perl", "raku": "raku", "rakudo": "raku",
    **dict.fromkeys(("ruby", "jruby", "truffleruby", "irb", "pry", "crystal", "rails"), "ruby"),
    **dict.fromkeys(("php", "php-cli", "php-cgi"), "php"),
    **dict.fromkeys(("lua", "luajit", "texlua", "luau"), "lua"),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk", "goawk"), "awk"),
    "julia": "julia", **dict.fromkeys(("Rscript", "R", "littler"), "Rscript"), "osascript": "osascript",
    **dict.fromkeys(("elixir", "iex"), "elixir"), **dict.fromkeys(("erl", "escript"), "erl"), "groovy": "groovy",
    **dict.fromkeys(("scala", "scala-cli", "amm"), "scala"),
    **dict.fromkeys(("jshell", "java", "kotlinc", "kotlin", "bsh", "beanshell"), "java"),
    **dict.fromkeys(("dart", "rdmd", "dmd", "ldc2", "zig"), "java"), **dict.fromkeys(("nim", "gnuplot"), "nim"),
    "go": "go", **dict.fromkeys(("rustc", "cargo", "rust-script"), "rust"),
    **dict.fromkeys(("dotnet", "dotnet-script", "csharp", "csc", "mcs"), "csharp"),
    "swift": "swift", **dict.fromkeys(("ghc", "ghci", "runghc", "runhaskell", "stack"), "ghc"),
    **dict.fromkeys(("ocaml", "utop"), "ocaml"), **dict.fromkeys(("tclsh", "expect", "wish"), "tclsh"),
    **dict.fromkeys(("pwsh", "powershell"), "pwsh"), **dict.fromkeys(("octave", "octave-cli", "matlab"), "octave"),
    **dict.fromkeys(
        ("emacs", "emacsclient", "guile", "racket", "clojure", "clj", "bb", "sbcl", "clisp", "ecl", "gosh", "csi",
         "chicken-csi", "janet", "fennel", "scheme", "mit-scheme", "gsi", "lein"), "lisp"),
    **dict.fromkeys(("vim", "vi", "nvim", "view", "gvim", "ex", "vimdiff", "rvim"), "vim"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Options:
    """Options that hold code: letters that may stand among others, and whole words."""

    letters: str = ""
    takers: str = ""
    """Letters that take the rest of the word or the next word, which is then not code."""
    words: frozenset[str] = frozenset()
    all: bool = False
    """Operands do not end the options."""


_ANY = _Options("e", "", names("--eval --execute -eval --expr --expression"), True)
_OPTIONS: dict[str, _Options] = {
    "python": _Options("c", "WXm"),
    "node": _Options("", "r", names("-e -p -pe -ep --eval --print -c --command")),
    "deno": _Options("", "", names("-e")),
    "bun": _Options("", "", names("-e -p --eval --print -pe")),
    "perl": _Options("eE", "MmICFDix"),
    "raku": _Options("e", "MI"),
    "ruby": _Options("e", "rICFEKTxi"),
    "php": _Options("", "", names("-r -R -B -E --run --process-code --process-begin --process-end"), True),
    "lua": _Options("e", "l"),
    "julia": _Options("", "", names("-e -E --eval --print")),
    "pwsh": _Options("", "", names("-c -command -commandwithargs /c /command")),
    "tclsh": _Options("c", ""),
    "erl": _Options("", "", names("-eval"), True),
    "scala": _Options("", "", names("-e -execute --execute-script --script-snippet --code -c"), True),
    "java": _Options("", "", names("-e -script"), True),
    "lisp": _Options("", "", names("--eval -eval --execute -e -c -x -b --expr -E --evaluate -ex"), True),
    "nim": _Options("e", "", names("--eval"), True),
    "octave": _Options("", "", names("--eval -r -batch"), True),
    **dict.fromkeys(("go", "rust", "csharp"), _Options()),
}  # fmt: skip
_VERBS = {"deno": ("eval",), "bun": ("eval",), "crystal": ("eval",), "rails": ("runner", "r"), "stack": ("eval",)}
_FIRST_OPERAND = names("bb")
_VALUED = names("--require --import --loader --experimental-loader --conditions --env-file --input-type --project")
_SUBCOMMANDS = names("run repl eval shell exec")


@lru_cache(maxsize=512)
def language(name: str) -> str | None:
    """The language an interpreter's name stands for: `python3.11` is python."""
    if name in LANGUAGES:
        return LANGUAGES[name]
    return LANGUAGES.get(name.removesuffix(".exe").rstrip(_VERSION))


def codes(command: Command, spoken: str) -> tuple[list[Text], tuple[Text, ...]]:
    """The pieces of code among a command's words, and the words after them."""
    words = command.argv
    verb = _VERBS.get(command.name)
    if verb and len(words) > 2 and words[1].text in verb:
        place = next((index for index, word in enumerate(words[2:], 2) if not word.text.startswith("-")), None)
        return ([words[place]], words[place + 1 :]) if place is not None else ([], ())
    if command.name in _FIRST_OPERAND and len(words) > 1 and words[1].text.startswith("("):
        return [words[1]], words[2:]
    if spoken == "python" and command.words[1:3] == ("-m", "timeit"):
        return [word for word in words[3:] if not word.text.startswith("-")], ()
    found: list[Text] = []
    after = 0
    for code, end in _given(words, _OPTIONS.get(spoken, _ANY), spoken):
        found.append(code)
        after = end
    if "manage.py" in command.words[1:3] or "artisan" in command.words[1:3]:
        found.extend(_framework(words))
    return found, tuple(words[after:]) if found else ()


def _framework(words: tuple[Text, ...]) -> Iterator[Text]:
    """`manage.py shell -c code`, `artisan tinker --execute=code`."""
    for word, following in itertools.pairwise(words):
        if word.text in ("-c", "--command", "--execute"):
            yield following
    for word in words:
        if word.text.startswith(("--execute=", "--command=")):
            yield Text(word.text.partition("=")[2], word.origins)


def _given(words: tuple[Text, ...], options: _Options, spoken: str) -> Iterator[tuple[Text, int]]:
    place = 1
    while place < len(words):
        word = words[place]
        text = word.text
        place += 1
        if text in _VALUED:
            place += 1
            continue
        if not text.startswith("-") or text == "-" or text == "--":
            if options.all or (spoken == "pwsh" and text.startswith("/")):
                continue
            return
        whole, equals, value = text.partition("=")
        known = text.lower() if spoken == "pwsh" else text
        if known in options.words:
            if place < len(words):
                yield words[place], place + 1
                place += 1
        elif equals and whole in options.words:
            yield Text(value, word.origins), place
        elif spoken == "pwsh":
            place += 1 if known in _PWSH_VALUES else 0
            if known.startswith(("-enc", "-ec")) or known == "-e":
                yield from _encoded(words[place - 1 : place], place)
        elif not text.startswith("--"):
            step = _cluster(text, options)
            if step is None:
                continue
            if step < 0:
                place += 1
            elif step < len(text):
                yield Text(text[step:], word.origins), place
            elif place < len(words):
                yield words[place], place + 1
                place += 1


_PWSH_VALUES = names(
    "-enc -ec -e -executionpolicy -ep -ex -file -f -wd -workingdirectory -inputformat -outputformat -version -w",
    "-windowstyle -encodedcommand",
)


def _encoded(words: tuple[Text, ...], place: int) -> Iterator[tuple[Text, int]]:
    for word in words:
        try:
            yield Text(base64.b64decode(word.text).decode("utf-16-le", "replace"), word.origins), place
        except (ValueError, binascii.Error):
            continue


def _cluster(text: str, options: _Options) -> int | None:
    """Where code starts in `-lne...`; the length when it is the next word; -1 when the next word is no code."""
    for index, letter in enumerate(text[1:], 1):
        if letter in options.letters:
            return index + 1
        if letter in options.takers:
            return -1 if index + 1 == len(text) and letter in "mWXrICFlE" else None
    return None


def scripts(command: Command, spoken: str) -> list[Text]:
    """The words that may name a file of code; what a script is given behind its name is only data to it."""
    words = command.argv
    options = _OPTIONS.get(spoken, _ANY)
    if spoken == "vim" or command.name in ("emacs", "emacsclient"):
        return [value for option, value in itertools.pairwise(words[1:]) if option.text in _LOADS]
    if options.all and options is not _ANY and spoken != "php":
        return [word for word in words[1:] if not word.text.startswith("-")]
    found: list[Text] = []
    place = 1
    while place < len(words):
        text = words[place].text
        place += 1
        if place == 2 and text in _SUBCOMMANDS:
            continue
        if not text.startswith("-") or text == "-":
            return [*found, words[place - 1]]
        if spoken == "python" and _MODULE.fullmatch(text):
            return _module_scripts(words[place:]) if text[-1] == "m" else []
        if text in _VALUED or text in _LOADS or (_cluster(text, options) == -1 and not text.startswith("--")):
            found.extend(words[place : place + 1])
            place += 1
    return found


def _module_scripts(words: tuple[Text, ...]) -> list[Text]:
    """The file given to a module that runs it."""
    if not words or words[0].text not in _RUNNING_MODULES:
        return []
    return [word for word in words[1:] if not word.text.startswith("-")]


_LOADS = names("-S -u -l --load --script -load -script -f --file --require --import")
_MODULE = re.compile(r"-[a-ln-zA-Z]*+m\w*+")
_RUNNING_MODULES = names("pdb cProfile profile trace runpy IPython doctest")


def reads_code(command: Command, spoken: str) -> bool:
    """Whether an interpreter takes its code from standard input: no file, no module, no code given."""
    if spoken == "vim":
        return False
    for place, word in enumerate(command.words[1:], 1):
        if word in ("-", "/dev/stdin", "/dev/fd/0"):
            return True
        if place == 1 and word in _SUBCOMMANDS and command.name in ("deno", "bun", "scala-cli", "ipython", "go"):
            continue
        if word.startswith("-m") and spoken == "python":
            return False
        if not word.startswith("-") or word in ("--version", "-V", "-v", "--help", "-h", "-version"):
            return False
    return command.name not in (
        "java",
        "lein",
        "rails",
        "stack",
        "ghc",
        "emacsclient",
        "emacs",
        "swift",
        "go",
    ) and spoken not in ("rust", "csharp")
