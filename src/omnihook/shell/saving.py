"""Files a script writes while it runs, so that reading or running them later is no mystery."""

import re

from omnihook.shell.state import State, absolute
from omnihook.shell.tables import names
from omnihook.shell.values import SILENT, Command, Opened, Stream, Text, unknown

SAVERS = names("curl wget aria2c tee cp mv ln install dd")
"""Commands that write files by themselves."""


def store(path: Text, text: Text, state: State, *, append: bool = False) -> None:
    """Remember what a file now holds."""
    place = state.path(path.text)
    before = state.files.get(place) if append else None
    if before is not None:
        text = Text(before.text + text.text, before.origins | text.origins)
    state.files[place] = text


def content(path: Text, state: State) -> Text:
    """What a file holds: known if this script wrote it."""
    if path.text.startswith(("/dev/tcp/", "/dev/udp/")):
        return unknown("network")
    return state.files.get(state.path(path.text), unknown("file"))


def contents(command: Command) -> list[tuple[str, Text]]:
    """The files among a command's words that its script wrote, with what they hold."""
    if not command.files:
        return []
    known = ((word, command.files.get(absolute(word, command.cwd.text))) for word in command.words)
    return [(path, text) for path, text in known if text is not None]


def standard_input(opened: tuple[Opened, ...], state: State, stdin: Stream | None) -> Stream | None:
    """What a command reads after its redirections."""
    for item in opened:
        source = _source(item, state)
        if source is None:
            continue
        if item.fd in ("", "0"):
            stdin = Stream(source)
        else:
            store(Text(f"/dev/fd/{item.fd}"), source, state)
    return stdin


def _source(item: Opened, state: State) -> Text | None:
    """What a redirection gives to be read; a descriptor's name stands for what it was opened on."""
    if item.op == "<<<":
        return Text(item.target.text + "\n", item.target.origins)
    if item.op == "<<":
        return item.target
    if item.op == "<":
        return content(item.target, state)
    return state.files.get(f"/dev/fd/{item.target.text}") if item.op == "<&" else None


def redirected(opened: tuple[Opened, ...], stream: Stream, state: State) -> Stream:
    """Remember what redirections write; what went to a file does not go on."""
    for item in opened:
        if item.writes and item.fd in ("", "1") and item.op != ">&":
            store(item.target, stream.text, state, append=">>" in item.op)
            stream = SILENT
    return stream


def save(command: Command, state: State) -> None:
    """Remember the files that one of the savers writes: downloads, copies, what tee is given."""
    operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
    if command.name in ("curl", "wget", "aria2c"):
        for path in _saved(command):
            store(path, unknown("network"), state)
    elif command.name == "tee" and command.stdin is not None:
        for path in operands:
            store(path, command.stdin.text, state)
    elif command.name == "dd":
        targets = [Text(word.text[3:], word.origins) for word in operands if word.text.startswith("of=")]
        for path in targets if command.stdin is not None else ():
            store(path, command.stdin.text if command.stdin is not None else unknown("input"), state)
    elif command.name == "ln" and any("s" in word.text for word in command.argv[1:] if word.text[:1] == "-"):
        _link(operands, state)
    elif len(operands) > 1:
        _copied(operands[-2], operands[-1], state)


def _copied(source: Text, target: Text, state: State) -> None:
    """Remember what a copy holds; a copy of a program is that program."""
    known = state.files.get(state.path(source.text))
    if known is not None:
        store(target, known, state)
    elif _PROGRAM.fullmatch(source.text):
        state.links[state.path(target.text)] = source.text


_PROGRAM = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[\w.-]+")


def _link(operands: list[Text], state: State) -> None:
    """Remember where a symbolic link leads; a target that is not absolute is seen from the link's folder."""
    if not operands or not all(word.known for word in operands):
        return
    target = operands[0].text
    name = operands[1].text if len(operands) > 1 else "./" + target.rstrip("/").rsplit("/", 1)[-1]
    place = state.path(name)
    state.links[place] = absolute(target, place.rsplit("/", 1)[0] or "/")


def _saved(command: Command) -> list[Text]:
    """The files a download command writes."""
    words = command.argv
    urls = [word for word in words[1:] if "://" in word.text]
    for index, word in enumerate(words[1:], 1):
        text = word.text
        named = (
            re.fullmatch(r"-[a-zA-Z]*o|--output|-[a-zA-Z]*O|--output-document", text)
            if command.name != "curl"
            else re.fullmatch(r"-[a-zA-Z]*o|--output", text)
        )
        if named and index + 1 < len(words):
            return [words[index + 1]]
        if text.startswith(("--output=", "--output-document=")):
            return [Text(text.partition("=")[2], word.origins)]
        if command.name == "curl" and re.fullmatch(r"-[a-zA-Z]*O|--remote-name", text):
            return [_url_name(url) for url in urls]
    return [_url_name(url) for url in urls] if command.name != "curl" else []


def _url_name(url: Text) -> Text:
    return Text(re.sub(r"[?#].*", "", url.text).rstrip("/").rsplit("/", 1)[-1], url.origins)
