"""Files a script writes while it runs, so that reading or running them later is no mystery."""

import json
import re
from collections.abc import Callable, Iterator

from omnihook.shell.amending import AMENDERS, amended
from omnihook.shell.fetching import fetched, url_origin
from omnihook.shell.filters import MAX_HELD
from omnihook.shell.picking import converted
from omnihook.shell.splitting import split, split_by_context
from omnihook.shell.state import State, absolute
from omnihook.shell.tables import names
from omnihook.shell.unpacking import UNPACKERS, unpacked
from omnihook.shell.values import EMPTY, SILENT, Command, Opened, Stream, Text, unknown


def store(path: Text, text: Text, state: State, *, append: bool = False) -> None:
    """Remember what a file now holds."""
    place = state.path(path.text)
    before = state.files.get(place)
    if before is not None and "fifo" in before.origins:
        text = text.with_origin("fifo")
    elif before is not None and append:
        text = Text(before.text + text.text, before.origins | text.origins)
    state.files[place] = text if len(text.text) <= MAX_HELD else unknown(*text.origins)


def content(path: Text, state: State) -> Text:
    """What a file holds: known if this script wrote it."""
    if path.text.startswith(("/dev/tcp/", "/dev/udp/")):
        return unknown("network")
    if path.text == "/dev/null":
        return EMPTY
    return state.files.get(state.path(path.text), unknown("file"))


def contents(command: Command) -> list[tuple[str, Text]]:
    """The files among a command's words that its script wrote, with what they hold."""
    if not command.files:
        return []
    known = ((word, command.files.get(absolute(word, command.cwd.text))) for word in command.words)
    return [(path, text) for path, text in known if text is not None]


def written(path: str, command: Command) -> Text | None:
    """What a file holds that this script wrote, downloaded, cloned or unpacked; None for any other."""
    place = absolute(path, command.cwd.text)
    known = command.files.get(place)
    return fetched(place, command.files) if known is None else known


def standard_input(opened: tuple[Opened, ...], state: State, stdin: Stream | None) -> Stream | None:
    """What a command reads after its redirections."""
    given: Text | None = None
    for item in opened:
        source = _source(item, state)
        if source is None:
            continue
        if item.fd in ("", "0"):
            # Of several texts the last counts, but a descriptor may stand before one that was not kept.
            here = given if item.op in ("<<", "<<<") else None
            given = source if here is None else Text(f"{here.text}\n{source.text}", here.origins | source.origins)
            stdin = Stream(given)
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
    if command.name in ("mkfifo", "mknod"):
        for path in _operands(command) if command.name == "mkfifo" else _operands(command)[:1]:
            # A second walk comes here again, and then knows what is written later on.
            state.files.setdefault(state.path(path.text), unknown("fifo"))
    elif command.name in ("npm", "pnpm"):
        _set_scripts(command, state)
    elif command.name in _COPIERS:
        _copy(command, state)
    else:
        for path, text in list(_WRITERS[command.name](command, state)):
            store(path, text, state)


def _operands(command: Command) -> list[Text]:
    return [word for word in command.argv[1:] if not word.text.startswith("-")]


def _downloads(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    urls = [url_origin(word.text) for word in command.argv[1:] if "://" in word.text]
    return ((path, unknown("network", *urls)) for path in _saved(command))


def _teed(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    paths = _operands(command) if command.stdin is not None else []
    return ((path, command.stdin.text) for path in paths if command.stdin is not None)


def _dumped(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    targets = [Text(word.text[3:], word.origins) for word in command.argv[1:] if word.text.startswith("of=")]
    taken = converted(command, state)
    return ((path, taken) for path in targets if taken is not None)


_WRITERS: dict[str, Callable[[Command, State], Iterator[tuple[Text, Text]]]] = {
    **dict.fromkeys(AMENDERS, amended),
    **dict.fromkeys(UNPACKERS, unpacked),
    **dict.fromkeys(("curl", "wget", "aria2c"), _downloads),
    **dict.fromkeys(("tee", "sponge"), _teed),
    "dd": _dumped,
    "split": split,
    "csplit": split_by_context,
}
"""The files that programs write, each with what it holds."""
_COPIERS = names("cp mv ln install rsync scp")
SAVERS = _COPIERS.union(_WRITERS, names("npm pnpm mkfifo mknod"))
"""Commands that write files by themselves."""


def _set_scripts(command: Command, state: State) -> None:
    """`npm pkg set scripts.name=line` and `npm set-script name line` change package.json."""
    words = command.words[1:]
    if words[:2] == ("pkg", "set"):
        found = {name: line for name, line in map(_script_setting, words[2:]) if name}
    elif words[:1] == ("set-script",) and len(words) > 2:
        found = {words[1]: words[2]}
    else:
        return
    place = Text("package.json")
    before = state.files.get(state.path(place.text))
    scripts = package_scripts(before.text) if before is not None else {}
    store(place, Text(json.dumps({"scripts": {**scripts, **found}}, ensure_ascii=False)), state)


def _script_setting(word: str) -> tuple[str, str]:
    key, _, line = word.partition("=")
    match = re.fullmatch(r"scripts(?:\.(.+)|\[[\"']?(.+?)[\"']?\])", key)
    return ((match[1] or match[2]), line) if match else ("", "")


def package_scripts(text: str) -> dict[str, str]:
    """The scripts of a package.json; none where it cannot be read."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    scripts = content.get("scripts") if isinstance(content, dict) else None
    return {name: line for name, line in scripts.items() if isinstance(line, str)} if isinstance(scripts, dict) else {}


def _copy(command: Command, state: State) -> None:
    """`cp a b`, `cp a b folder`, `cp -t folder a b`, `ln -s a b`."""
    operands = _operands(command)
    if command.name == "ln" and any("s" in word.text for word in command.argv[1:] if word.text[:1] == "-"):
        _link(operands, state)
        return
    told = [value for word, value in zip(command.words, command.argv[1:], strict=False) if word in _INTO]
    for target in told or operands[-1:]:
        _copy_to(target, [word for word in operands if word is not target], command, state)


def _copy_to(target: Text, sources: list[Text], command: Command, state: State) -> None:
    for source in sources:
        if source.text == "/dev/stdin" and command.stdin is not None:
            store(target, command.stdin.text, state)
        else:
            _copied(source, target, state)


_INTO = frozenset({"-t", "--target-directory"})


def _copied(source: Text, target: Text, state: State) -> None:
    """Remember what a copy holds, whether its target is a file or a folder; a copy of a program is that program."""
    known = state.files.get(state.path(source.text))
    if known is not None:
        name = source.text.rsplit("/", 1)[-1]
        if not target.text.endswith(("/", "/.", "/..")) and target.text not in (".", ".."):
            store(target, known, state)
        store(Text(f"{target.text}/{name}", target.origins), known, state)
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
