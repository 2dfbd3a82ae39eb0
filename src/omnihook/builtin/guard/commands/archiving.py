"""Archivers: what they pack is read, where they unpack matters, and the archive itself is written."""

import re
from collections.abc import Iterator
from itertools import pairwise

from omnihook.builtin.guard.commands.modes import mode_rule
from omnihook.builtin.guard.commands.table import Handler, effects, items
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_TARS = names("tar gtar bsdtar")
_ONLY_PACK = names("zip gzip bzip2 xz zstd pigz compress ar rar lz4 brotli")
_LISTING = names("-l -t -v -Z -p -c")
_REMOVES = re.compile(r" --remove-files\b")
_EXCLUDES = names("--exclude -X --exclude-from -xr --exclude-vcs-ignores -x")


def archived(command: Command) -> Iterator[Act]:
    """tar, zip and relatives; the names of what they pack may come on standard input."""
    if command.stdin is not None and _reads_names(command):
        yield from effects(Do.READ, items(command.stdin))
    if _extracts(command):
        if any(_is_top(folder, command) for folder in _folders(command)):
            yield Note("unpack-over", " ".join(command.words))
        yield from _unpacked(command)
        return
    packed, archives = _packed(command)
    yield from _given_modes(command)
    yield from effects(Do.READ, packed)
    yield from (Effect(Do.WRITE, archive) for archive in archives if archive.text != "-")
    if _REMOVES.search(" ".join(command.words)) if command.name in _TARS else _removes_packed(command):
        yield from effects(Do.MOVE, packed)


def _unpacked(command: Command) -> Iterator[Act]:
    """Members asked for by name: shown, or written where they are unpacked to."""
    members, _ = _packed(command)
    shown = "--to-stdout" in command.words or "-so" in command.words
    if command.name in _TARS:
        shown = shown or "O" in _letters(command.words[1:])
    elif command.name in ("unzip", "unrar"):
        members = members[1:]
    wild = command.name not in _TARS or command.name == "bsdtar" or "--wildcards" in command.words
    for member in members:
        pattern = member.text if wild and any(mark in member.text for mark in "*?[") else member.pattern
        yield Effect(Do.READ if shown else Do.WRITE, Text(member.text, member.origins, pattern))


def _given_modes(command: Command) -> Iterator[Act]:
    """`tar --mode=777`: what is packed gets that mode wherever it is unpacked."""
    for word, following in pairwise((*command.words, "")):
        mode = following if word == "--mode" else word.removeprefix("--mode=") if word.startswith("--mode=") else ""
        rule = mode_rule(mode) if mode and command.name in _TARS else None
        if rule is not None:
            yield Note(rule, " ".join(command.words))


def _removes_packed(command: Command) -> bool:
    """Whether what is packed is deleted afterwards: `zip -m`, `7z -sdel`, `rar m`."""
    if command.name == "zip":
        return any(
            word == "--move" or re.fullmatch(r"-[a-ln-zA-Z0-9]*+m[a-zA-Z0-9]*+", word) for word in command.words[1:]
        )
    return "-sdel" in command.words or "-df" in command.words or command.words[:2] == ("rar", "m")


def _is_top(folder: Text, command: Command) -> bool:
    """The root or a home."""
    path = folder.text.rstrip("/")
    return path in ("", command.home) or re.fullmatch(r"/home/[^/]+|/Users/[^/]+|/root", path) is not None


def _reads_names(command: Command) -> bool:
    if command.name in ("cpio", "bsdcpio"):
        return any(
            re.fullmatch(r"-[a-nq-zA-Z0-9]*+[op][a-zA-Z0-9]*+|--create|--pass-through", word) for word in command.words
        )
    if command.name == "zip":
        return "-@" in command.words
    return any(pair in (("-T", "-"), ("--files-from", "-")) for pair in pairwise(command.words)) or (
        "--files-from=-" in command.words or "-T-" in command.words
    )


def _extracts(command: Command) -> bool:
    words = command.words[1:]
    if command.name in _ONLY_PACK:
        return False
    if command.name in ("unzip", "unrar"):
        return not any(word in _LISTING for word in words)
    if command.name not in _TARS:
        return bool(words) and words[0].lstrip("-")[:1] in ("x", "e", "i")
    return any(word in ("--extract", "--get") for word in words) or "x" in _letters(words)


def _letters(words: tuple[str, ...]) -> str:
    """tar's letters: in the first word, with or without a dash, and in later clusters."""
    clusters = [word[1:] for word in words if re.fullmatch(r"-[a-zA-Z]+", word)]
    first = words[0] if words and re.fullmatch(r"[a-zA-Z]+", words[0]) else ""
    return first + "".join(clusters)


def _folders(command: Command) -> list[Text]:
    """Where the archive is unpacked to."""
    option = "-d" if command.name in ("unzip", "unrar") else "-C"
    found: list[Text] = []
    for word, following in zip(command.argv, (*command.argv[1:], Text("")), strict=True):
        if word.text in (option, "--directory"):
            found.append(following)
        elif word.text.startswith("--directory="):
            found.append(Text(word.text.partition("=")[2], word.origins))
    return found


def _packed(command: Command) -> tuple[list[Text], list[Text]]:
    """What is packed, seen from the folder `-C` names, and the archives it is packed into."""
    tar = command.name in _TARS
    words = list(command.argv[1:])
    old_style = tar and bool(words) and re.fullmatch(r"[a-zA-Z]+", words[0].text) is not None
    flags = words.pop(0).text if old_style else ""
    packed: list[Text] = []
    archives: list[Text] = []
    folder, index = "", 0
    while index < len(words):
        word, following = words[index], words[index + 1] if index + 1 < len(words) else Text("")
        index += 1
        if word.text in _EXCLUDES:
            index = len(words) if word.text == "-x" and not tar else index + 1
        elif tar and word.text in ("-C", "--directory"):
            folder, index = following.text.rstrip("/") + "/", index + 1
        elif tar and (word.text == "--file" or re.fullmatch(r"-[a-zA-Z]*f", word.text)):
            archives.append(following)
            index += 1
        elif word.text == "-" or not word.text.startswith("-"):
            if tar and "f" in flags and not archives:
                archives.append(word)
            else:
                pattern = None if word.pattern is None else folder + word.pattern
                packed.append(Text(folder + word.text, word.origins, pattern))
    if command.name in ("zip", "7z", "7za", "rar", "ar"):
        rest = packed[1:] if command.name in ("zip", "rar") else packed[2:]
        return rest, packed[:1] if command.name in ("zip", "rar") else packed[1:2]
    return packed, archives


ARCHIVING: dict[str, Handler] = dict.fromkeys(_TARS | _ONLY_PACK | names("unzip unrar 7z 7za cpio bsdcpio"), archived)
