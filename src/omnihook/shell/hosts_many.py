"""Programs that run a command once per item: xargs, parallel and find."""

import re
from dataclasses import replace

from omnihook.shell.hosts import Host, Inner, known_words, stream_or_unknown
from omnihook.shell.options import FLAG, places
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.state import absolute
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Stream, Text, joined, unknown
from omnihook.shell.wrappers import Wrapper, reading
from omnihook.slotted import dataclass

_XARGS = Wrapper(
    "aEILnPsdRJS",
    names("--arg-file --delimiter --max-args --max-procs --max-chars --process-slot-var"),
)
_PARALLEL = Wrapper(
    "jIaSCPNLnds",
    names(
        "--jobs --arg-file --sshlogin --colsep --max-procs --max-args --delimiter --timeout --retries --joblog",
        "--results --workdir --wd --tmpdir --delay --load --memfree --nice --halt --env --basefile --return",
    ),
)
_ACTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_NOT_FILTERS = names(
    "-type -maxdepth -mindepth -depth -d -xdev -mount -print -print0 -ls -delete -follow -noleaf",
    "-ignore_readdir_race -warn -nowarn -true -xtype -daystart -a -and -prune -printf",
)
_WITH_VALUE = frozenset({"-type", "-maxdepth", "-mindepth", "-xtype", "-printf"})
_NAMES = frozenset({"-name", "-iname", "-lname", "-ilname"})
_PATHS = frozenset({"-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"})
_FLAG_FILTERS = names("-empty -executable -readable -writable -nouser -nogroup -false")


def xargs(command: Command) -> list[Inner]:
    """The command with the items of its input appended, or put where `-I` says."""
    argv = known_words(command)
    read = reading(argv, _XARGS)
    replaced, delimiter = "", ""
    for option in read.options:
        value = (argv[option.place] or "")[option.start :] if option.place != FLAG else ""
        match option.name:
            case "-a" | "--arg-file":
                command = _fed(command, value)
            case "-I" | "--replace" | "-i" | "-J":
                replaced = value or "{}"
            case "-0" | "--null":
                delimiter = "\0"
            case "-d" | "--delimiter":
                delimiter = unescape_ansi_c(value)
            case _:
                pass
    template = (Text("echo"),) if read.start is None else command.argv[read.start :]
    separator = re.escape(delimiter) if delimiter else r"[\n\0]+" if replaced else r"[\s\0]+"
    return [_filled(template, _items(command, separator), replaced)]


def _fed(command: Command, file: str) -> Command:
    """The command as if a file were its standard input."""
    text = command.files.get(absolute(file, command.cwd.text))
    return replace(command, stdin=Stream(unknown("file") if text is None else text))


def _items(command: Command, separator: str = r"[\s\0]+") -> tuple[Text, ...]:
    """The items on standard input: listed paths, pieces of known text, or one unknown word."""
    stream = stream_or_unknown(command.stdin)
    if stream.paths:
        return stream.paths
    if stream.text.known:
        return tuple(Text(word, stream.origins) for word in re.split(separator, stream.text.text.strip("\n")) if word)
    return (Text(stream.text.text.strip(), stream.origins | {"items"}),)


def _filled(template: tuple[Text, ...], items: tuple[Text, ...], replaced: str) -> Inner:
    if not replaced:
        return Inner(argv=(*template, *items))
    return Inner(argv=tuple(filled for word in template for filled in _substituted(word, replaced, items)))


def _substituted(word: Text, marker: str, items: tuple[Text, ...]) -> list[Text]:
    """The word once per item where it is the marker itself, else once with all items in its place."""
    if marker not in word.text:
        return [word]
    if word.text == marker and items:
        return list(items)
    if any(item.pattern is not None or "listing" in item.origins for item in items):
        # Any of the names listed; behind a folder, who writes the command means names without theirs.
        alone = len(items) == 1 and not re.search(r"[\w./~]" + re.escape(marker), word.text)
        named = items[0].text if alone else "*"
        # Quotes would keep the pattern that stands for the names from matching.
        bare = re.sub(r"(['\"])" + re.escape(marker) + r"\1", lambda _: named, word.text)
        text = bare.replace(marker, named)
        return [Text(text, word.origins.union(*[item.origins for item in items]), text)]
    whole = joined(items, " ")
    return [Text(word.text.replace(marker, whole.text), word.origins | whole.origins)]


def parallel(command: Command) -> list[Inner]:
    """GNU parallel: a command template, then items after `:::` or on standard input."""
    words = list(command.argv)
    read = reading(known_words(command), _PARALLEL)
    index = len(words) if read.start is None else read.start
    for option in places(read.options, ("-a", "--arg-file")):
        command = _fed(command, words[option.place].text[option.start :])
    marks = [place for place, word in enumerate(words) if word.text in (":::", ":::+", "::::")]
    end = marks[0] if marks else len(words)
    items = tuple(word for word in words[end:] if not word.text.startswith(":::"))
    template = words[index:end]
    if marks and not template:
        return [Inner(script=item) for item in items]
    if not marks:
        items = _items(command)
        if not template:
            return [Inner(script=stream_or_unknown(command.stdin).text, via="pipe")]
    line = joined(template, " ")
    if "{" not in line.text:
        line = joined((line, Text("{}")), " ")
    return [Inner(script=text) for item in items for text in _substituted_line(line, item)]


def _substituted_line(line: Text, item: Text) -> list[Text]:
    text = re.sub(r"\{[./#]*\}", lambda _: item.text, line.text)
    return [Text(text, line.origins | item.origins)]


@dataclass(frozen=True, slots=True)
class Search:
    """What a find command walks and what it does with what it finds."""

    roots: tuple[Text, ...]
    targets: tuple[Text, ...]
    actions: tuple[tuple[Text, ...], ...]
    deletes: bool
    writes: tuple[Text, ...]


def search(command: Command) -> Search:
    """Read a find command. A target marked `tree` stands for everything below its root."""
    words = command.argv[1:]
    index = 0
    while index < len(words) and words[index].text in ("-H", "-L", "-P"):
        index += 1
    start = index
    while index < len(words) and not words[index].text.startswith(("-", "(", "!")):
        index += 1
    roots = words[start:index] or (Text("."),)
    names, filtered = _filters(words[index:])
    actions, writes = _actions(words[index:])
    targets = tuple(target for root in roots for target in _targets(root, names, filtered))
    deletes = any(word.text == "-delete" for word in words[index:])
    return Search(roots, targets, actions, deletes, writes)


def _filters(words: tuple[Text, ...]) -> tuple[list[Text], bool]:
    """The positive name patterns, and whether anything narrows the search at all."""
    names: list[Text] = []
    filtered, negated, index = False, False, 0
    while index < len(words):
        word = words[index].text
        value = words[index + 1] if index + 1 < len(words) else Text("")
        if word in ("!", "-not"):
            negated, index = True, index + 1
            continue
        if word in _ACTIONS:
            index = _action_end(words, index)
        elif word in _NAMES and value.text.strip("*") and not negated:
            names.append(value)
            filtered, index = True, index + 1
        elif word in _NAMES or word in _PATHS:
            filtered = filtered or (word in _PATHS and not negated and bool(value.text.strip("*./")))
            index += 1
        elif word in _WITH_VALUE:
            index += 1
        elif word.startswith("-") and word not in _NOT_FILTERS and not negated and not word.startswith("-fprint"):
            filtered = filtered or word not in ("-o", "-or")
            index += word not in _FLAG_FILTERS
        negated, index = False, index + 1
    return names, filtered


def _action_end(words: tuple[Text, ...], index: int) -> int:
    while index < len(words) and words[index].text not in (";", "+"):
        index += 1
    return index


def _actions(words: tuple[Text, ...]) -> tuple[tuple[tuple[Text, ...], ...], tuple[Text, ...]]:
    found: list[tuple[Text, ...]] = []
    writes: list[Text] = []
    for index, word in enumerate(words):
        if word.text in _ACTIONS:
            found.append(words[index + 1 : _action_end(words, index)])
        elif word.text in ("-fprint", "-fprintf", "-fls", "-fprint0") and index + 1 < len(words):
            writes.append(words[index + 1])
    return tuple(found), tuple(writes)


def _targets(root: Text, names: list[Text], filtered: bool) -> list[Text]:
    base = root.text.rstrip("/")
    if names:
        return [_named(base, name, root) for name in names]
    if filtered:
        return [Text(f"{base}/any", root.origins | {"listing"})]
    return [Text(f"{base}/*", root.origins | {"tree"}, f"{base}/*")]


def _named(base: str, name: Text, root: Text) -> Text:
    text = f"{base}/{name.text}"
    wild = any(mark in name.text for mark in "*?[")
    return Text(text, root.origins | name.origins | {"listing"}, text if wild else None)


def find(command: Command) -> list[Inner]:
    """What find runs for what it finds; `-delete` is given as the pseudo-command `find-delete`."""
    found = search(command)
    inner = [_filled(action, found.targets, "{}") for action in found.actions if action]
    if found.deletes:
        inner.append(Inner(argv=(Text("find-delete"), *found.targets)))
    return inner


def fd_targets(command: Command) -> tuple[tuple[Text, ...], tuple[Text, ...]]:
    """What fd finds, and the command it runs for it."""
    words = list(command.argv[1:])
    place = next((index for index, word in enumerate(words) if word.text in _FD_EXEC), len(words))
    operands: list[Text] = []
    narrowed, index = False, 0
    while index < place:
        text = words[index].text
        if not text.startswith("-"):
            operands.append(words[index])
        elif len(text) == 2 and text[1] in "edtESojc":
            narrowed = narrowed or text[1] == "e"
            index += 1
        index += 1
    pattern = operands[0].text if operands else "."
    roots = operands[1:] or [Text(".")]
    narrowed = narrowed or pattern.strip(".*^$") != ""
    names = _fd_names(pattern, glob=any(word.text in ("-g", "--glob") for word in words[:place]))
    targets = tuple(target for root in roots for target in _targets(root, names, narrowed))
    return targets, tuple(words[place + 1 :])


def _fd_names(pattern: str, *, glob: bool) -> list[Text]:
    """A search by name, where the expression is a plain name with anchors or nothing around it."""
    if glob:
        return [Text(pattern, frozenset(), pattern)]
    plain = pattern.removeprefix("^").removesuffix("$").replace("\\.", ".")
    if not plain.strip(".") or any(mark in plain for mark in "\\*+?()[]{}|^$"):
        return []
    end = "" if pattern[-1] == "$" else "*"
    # A name that begins with a dot is found too, which a star would not match.
    hidden = [Text(plain + end)] if plain.startswith(".") and pattern[0] != "^" else []
    return [*hidden, Text(f"{'' if pattern[0] == '^' else '*'}{plain}{end}")]


def fd(command: Command) -> list[Inner]:
    """`fd pattern root -x command`."""
    targets, action = fd_targets(command)
    if not action:
        return []
    marked = any("{}" in word.text for word in action)
    return [_filled(action, targets, "{}" if marked else "")]


def run_parts(command: Command) -> list[Inner]:
    """`run-parts folder`: every program in it."""
    folders = [word.text for word in command.argv[1:] if not word.text.startswith("-")]
    if "--test" in command.words or "--list" in command.words:
        return []
    globs = [f"{folder.rstrip('/')}/*" for folder in folders[-1:]]
    return [Inner(file=Text(glob, frozenset(), glob)) for glob in globs]


_FD_EXEC = frozenset({"-x", "--exec", "-X", "--exec-batch"})
MANY: dict[str, Host] = {
    "xargs": xargs,
    "gxargs": xargs,
    "parallel": parallel,
    "find": find,
    "gfind": find,
    "fd": fd,
    "fdfind": fd,
    "run-parts": run_parts,
}
