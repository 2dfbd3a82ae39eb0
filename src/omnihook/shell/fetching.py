"""What came from another machine and lies on the disk now: clones and unpacked archives, and what is below them."""

import re
from collections.abc import Iterator, Mapping

from omnihook.shell.options import given, places
from omnihook.shell.state import State, absolute
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text, unknown

FETCHERS = names("git gh glab tar gtar bsdtar unzip bsdunzip 7z 7za")
_URL = "url:"
_ANYWHERE = "\0"
"""Stands for a name that is not known: the archive says what its folder is called."""
_COMMON = names(
    "releases download archive refs tags heads main master latest linux darwin amd arm bin src lib build dist scripts",
    "script test tests tools tar gz tgz zip xz bz com org net io v x raw file files get install node venv",
)
_BUILT = re.compile(r"/(?:\.?venv|env|node_modules|target|_?build|out|dist|\.tox|\.nox)/")
"""Folders that are made after fetching, by tools that install or build."""
_CLONE_VALUES = "bocujl"
_CLONE_LONG = names(
    "--branch --origin --config --upload-pack --jobs --template --reference --depth --filter --shallow-since",
    "--shallow-exclude --separate-git-dir --server-option --bundle-uri",
)


def url_origin(url: str) -> str:
    """How text is marked that came from an address."""
    return _URL + url


def fetch(command: Command, state: State) -> None:
    """Remember the folder that a clone or an unpacked download makes."""
    if command.name in ("git", "gh", "glab"):
        folder = _cloned(command)
        if folder is not None:
            state.files[state.path(folder) + "/"] = unknown("network")
        return
    origins = _archive_origins(command)
    if "network" not in origins or not _extracts(command):
        return
    folder = _folder(command)
    place = state.cwd.text if folder is None else state.path(folder)
    own = folder is not None and place.startswith((state.surroundings.project + "/", "/tmp/", "/var/tmp/"))
    state.files[f"{place.rstrip('/')}/{'' if own else _ANYWHERE}"] = unknown(*origins)


def fetched(path: str, files: Mapping[str, Text]) -> Text | None:
    """What a file is known to hold that lies below a fetched folder: something from the network."""
    if _BUILT.search(path):
        return None
    folder, _, name = path.rpartition("/")
    while folder:
        found = files.get(folder + "/")
        if found is None and (unpacked := files.get(f"{folder}/{_ANYWHERE}")) is not None:
            found = unpacked if _named(name, unpacked.origins) else None
        if found is not None:
            return found
        folder, _, name = folder.rpartition("/")
    return None


def own_program(command: Command, state: State) -> Text | None:
    """The program's file, where this very script wrote or fetched it: named by its path, or found on PATH."""
    first = command.argv[0]
    if "/" in first.text:
        place = state.path(first.text)
        return first if place in state.files or fetched(place, state.files) is not None else None
    if not command.env and "PATH" not in state.variables:
        return None
    path = dict(command.env).get("PATH") or (state.value("PATH") if "PATH" in state.variables else None)
    folders = path.text.split(":") if path is not None else []
    found = [f"{folder or '.'}/{first.text}" for folder in folders if HOLE not in folder]
    return next((Text(file) for file in found if state.path(file) in state.files), None)


def _named(name: str, origins: frozenset[str]) -> bool:
    """Whether a file or folder is called like the archive it may have come from."""
    token = re.match(r"[a-z]+", name.lower())
    if token is None or token[0] in _COMMON:
        return False
    urls = [origin for origin in origins if origin.startswith(_URL)]
    return any(token[0] in _words(url) for url in urls)


def _words(url: str) -> list[str]:
    """The words of a URL's path."""
    return re.findall(r"[a-z]+", url.lower().rpartition("://")[2].partition("/")[2])


def _cloned(command: Command) -> str | None:
    """The folder of `git clone url [folder]` and `gh repo clone name [folder]`."""
    words = command.words
    verb = words.index("clone") if "clone" in words[1:] else 0
    if not verb or (command.name == "git" and any(not word.startswith("-") for word in _before(words[1:verb]))):
        return None
    _, operands = given(words[verb:], _CLONE_VALUES, _CLONE_LONG)
    texts = [words[verb + place] for place in operands]
    if len(texts) > 1 and command.name == "git":
        return texts[1]
    if not texts or texts[0].startswith((".", "/")):
        return None
    return texts[1] if len(texts) > 1 else re.split(r"[/:]", texts[0].rstrip("/").removesuffix(".git"))[-1] or None


def _before(words: tuple[str, ...]) -> Iterator[str]:
    """The words before git's verb that are no values of `-c` and `-C`."""
    values = {place + 1 for place, word in enumerate(words) if word in ("-c", "-C", "--git-dir", "--work-tree")}
    return (word for place, word in enumerate(words) if place not in values)


def _archive_origins(command: Command) -> frozenset[str]:
    """Where the archive came from: standard input, or a file that this script downloaded."""
    known = [command.files.get(absolute(word, command.cwd.text)) for word in command.words[1:]]
    texts = [text for text in known if text is not None]
    if not texts and command.stdin is not None:
        texts.append(command.stdin.text)
    return frozenset().union(*(text.origins for text in texts))


def _extracts(command: Command) -> bool:
    words = command.words[1:]
    if command.name in ("unzip", "bsdunzip"):
        return not any(word in ("-l", "-t", "-p", "-Z") for word in words)
    if command.name in ("7z", "7za"):
        return words[:1] in (("x",), ("e",))
    clusters = [
        word for place, word in enumerate(words) if re.fullmatch(r"-[a-zA-Z]+" if place else r"-?[a-zA-Z]+", word)
    ]
    return "--extract" in words or any("x" in word for word in clusters[:2])


def _folder(command: Command) -> str | None:
    """The folder that the archive is unpacked into, where an option says so."""
    letters, long = ("d", ()) if command.name in ("unzip", "bsdunzip") else ("Cf", ("--directory", "--file"))
    options, _ = given(command.words, letters, long)
    found = list(places(options, ("-d", "-C", "--directory")))
    return command.words[found[-1].place][found[-1].start :] if found else None
