"""Files of code that other code loads, where the same command wrote them: which names mean which file."""

import re
from collections.abc import Iterator, Mapping

from omnihook.builtin.guard.languages.surroundings import Around
from omnihook.shell.state import absolute
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text

_JAVASCRIPT = ("", ".js", ".mjs", ".cjs", ".ts", "/index.js")
_ENDINGS: dict[str, tuple[str, ...]] = {
    "python": (".py", "/__init__.py", "/__main__.py", ""),
    **dict.fromkeys(("node", "deno", "bun"), _JAVASCRIPT),
    "ruby": ("", ".rb"),
    "perl": ("", ".pm", ".pl"),
    "lua": ("", ".lua"),
    "julia": ("", ".jl"),
}
_DOTTED = frozenset({"python", "lua"})
"""Languages in which a module's name has dots where its path has slashes."""
READERS = names(
    "read readFileSync readFile file_get_contents read_text read_bytes slurp read_file readTextFile readTextFileSync",
    "readlines readLines binread ReadAllText ReadAllBytes ReadAllLines readall getlines read_to_string readAllLines",
    "readString slurp_file read-file file->string",
)
"""Functions and methods that are worth what a file holds."""
_IMPORTS: dict[str, re.Pattern[str]] = {
    "python": re.compile(
        r"(?:^|;)[ \t]*+(?:from[ \t]++([\w.]++)[ \t]++import\b|import[ \t]++([\w.,][\w., \t]*+))", re.M
    ),
    **dict.fromkeys(("node", "deno", "bun"), re.compile(r"""\b(?:from|import)\s*["']([^"'\n]+)["']()""")),
    "perl": re.compile(r"(?:^|[;{])[^\S\n]*+use\s++([A-Za-z_][\w:]*+)()", re.M),
}
_PRELOADS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(
        ("node", "deno", "bun"), re.compile(r"(?:-r|--require|--import|--preload|--(?:experimental-)?loader)(?:=(.+))?")
    ),
    "ruby": re.compile(r"-r(.+)?|--require=(.+)"),
    "perl": re.compile(r"-[Mm]-?([\w:]+).*"),
    "lua": re.compile(r"-l(.+)?"),
    "php": re.compile(r"-d(auto_(?:pre|ap)pend_file=.+)?"),
    "python": re.compile(r"-m(.+)?"),
}
_PATHS = ("PYTHONPATH", "RUBYLIB", "PERL5LIB", "NODE_PATH")
_SEARCHING = frozenset({"python", "ruby", "perl", "lua"})
_MANY = 100
_MAX_NAMES = 64
_SAVED = frozenset({"saved"})


def held(path: str, around: Around, written: Mapping[str, Text]) -> Text | None:
    """What a file holds that this script or the code wrote."""
    if not around.files and not written:
        return None
    place = absolute(path, around.folder)
    text = written.get(place) or around.files.get(place)
    return None if text is None else _unseen(text)


def found(name: str, around: Around, written: Mapping[str, Text]) -> Text | None:
    """What the file holds that a name of a module or a path stands for, where this script or the code wrote it."""
    if not around.files and not written:
        return None
    exact = held(name, around, written)
    if exact is not None:
        return exact
    plain = name.replace("::", "/")
    if around.language in _DOTTED and "/" not in plain and not plain.endswith((".py", ".lua")):
        plain = plain.lstrip(".").replace(".", "/")
    for folder in ("", *around.search):
        for ending in _ENDINGS.get(around.language, ("",)):
            place = absolute(f"{folder}/{plain}{ending}" if folder else plain + ending, around.folder)
            text = written.get(place) or around.files.get(place)
            if text is not None:
                return _unseen(text)
    return _somewhere(plain, around) if around.language in _SEARCHING else None


def _somewhere(plain: str, around: Around) -> Text | None:
    """A module of that name in whatever folder: code can add to the folders that are searched."""
    endings = tuple(f"/{plain}{ending}" for ending in _ENDINGS[around.language] if ending)
    if not plain or plain.startswith(("/", ".")) or len(around.files) > _MANY:
        return None
    places = [path for path in around.files if path.endswith(endings)]
    return _unseen(around.files[places[0]]) if places else None


def _unseen(text: Text) -> Text:
    """What nobody has seen of a file came from the disk, whoever put it there."""
    if HOLE in text.text and text.origins & {"network"}:
        return Text(text.text, (text.origins - {"network"}) | _SAVED)
    return text


def imported(code: str, spoken: str) -> list[str]:
    """The modules that code imports by a statement of its own."""
    pattern = _IMPORTS.get(spoken)
    rows = pattern.findall(code) if pattern is not None else []
    listed = [name.strip().partition(" ")[0] for one, several in rows for name in (one or several).split(",")]
    return list(dict.fromkeys(name for name in listed if name))[:_MAX_NAMES]


def preloaded(command: Command, spoken: str) -> Iterator[str]:
    """The modules that options name, to be loaded first."""
    pattern = _PRELOADS.get(spoken)
    for place, word in enumerate(command.words[1:], 1) if pattern is not None else ():
        match = pattern.fullmatch(word) if pattern is not None and word[:1] == "-" else None
        if match is not None:
            inside = next((part for part in match.groups() if part), None)
            named = (inside,) if inside is not None else command.words[place + 1 : place + 2]
            yield from (name.rpartition("=")[2] for name in named)
    if spoken == "Rscript" and "--vanilla" not in command.words and "--no-init-file" not in command.words:
        yield ".Rprofile"


def folders(command: Command, script: str = "") -> tuple[str, ...]:
    """Where else modules are looked for: beside the script, and where options and variables say."""
    given = [value.text for name, value in command.env if name in _PATHS]
    listed = [folder for text in given for folder in text.split(":") if folder]
    options = [word[2:] for word in command.words if word.startswith("-I") and len(word) > 2]
    options += [value for word, value in zip(command.words, command.words[1:], strict=False) if word == "-I"]
    own = [script.rpartition("/")[0]] if "/" in script else []
    return tuple(dict.fromkeys((*own, *options, *listed)))
