"""Files that decoders, unpackers and decrypting programs write by themselves, and what is known of their text."""

from collections.abc import Iterator

from omnihook.shell.encodings import uuencoded
from omnihook.shell.filters import FILTERS, Maker, cat, held
from omnihook.shell.options import Given, given, places
from omnihook.shell.state import State
from omnihook.shell.tables import names
from omnihook.shell.values import SILENT, Command, Stream, Text, unknown

_ENDINGS = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".lz4", ".Z", ".br", ".tgz")
_UNPACKS = names("gunzip bunzip2 unxz unlzma unzstd unlz4 uncompress")
_PACKS = names("gzip bzip2 xz lzma zstd lz4 brotli pigz")
_PACKED = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz"}
_SECRETS = names("gpg gpg2 age rage")
UNPACKERS = _UNPACKS | _PACKS | _SECRETS | names("openssl xxd base64 uudecode")
"""Programs that write what they decode to a file."""
_STANDARD_OUTPUT = frozenset({"-", "/dev/stdout", "/dev/fd/1"})
_LONG = ("--output", "--suffix", "--recipient", "--identity", "--passphrase", "--output-file")
_UNSEEN = unknown("command")


def unpacked(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    """Each file that one of these writes, with its text."""
    name = command.name
    if name == "openssl" and "-out" in command.words[:-1]:
        yield command.argv[command.words.index("-out") + 1], FILTERS["openssl"](command, state).text
    elif name == "xxd":
        yield from _reverted(command, state)
    elif name == "base64":
        paths = [value for word, value in zip(command.words, command.argv[1:], strict=False) if word in _OUTPUT]
        yield from ((path, FILTERS["base64"](command, state).text) for path in paths)
    elif name == "uudecode":
        found = _uudecoded(command, state)
        if found is not None and found[0].text not in _STANDARD_OUTPUT:
            yield found
    elif name in _SECRETS and any(word in ("-d", "--decrypt") for word in command.words):
        yield from ((path, _UNSEEN) for path in _outputs(command))
    elif name in _UNPACKS or (name in _PACKS and _decompresses(command)):
        yield from _inflated_files(command, state)
    elif name in _PACKED and state.files and not any("c" in word for word in command.words[1:] if word[:1] == "-"):
        known = [word for word in command.argv[1:] if state.path(word.text) in state.files]
        yield from ((Text(word.text + _PACKED[name], word.origins), _inflated(command, word, state)) for word in known)


_OUTPUT = frozenset({"-o", "--output"})


def _outputs(command: Command) -> list[Text]:
    """The files behind `-o`."""
    options, _ = given(command.words, "oriRpu", _LONG)
    found: list[Given] = list(places(options, _OUTPUT))
    return [Text(command.words[one.place][one.start :], command.argv[one.place].origins) for one in found]


def _reverted(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    """`xxd -r -p dump file`: what the dump stands for."""
    operands = [word for word in command.argv[1:] if word.text == "-" or not word.text.startswith("-")]
    if len(operands) == 2 and any(word.startswith("-") and "r" in word for word in command.words[1:]):
        options = [word for word in command.argv[1:] if word not in operands]
        read = Command((command.argv[0], *options, operands[0]), state.cwd, command.stdin)
        yield operands[1], FILTERS["xxd"](read, state).text


def _uudecoded(command: Command, state: State) -> tuple[Text, Text] | None:
    """The file that uudecode writes: the one behind `-o`, else the one that its input names."""
    options, operands = given(command.words, "o", _LONG)
    paths = [command.words[one.place][one.start :] for one in places(options, ("-o", "--output-file", "--output"))]
    source = cat(Command((command.argv[0], *(command.argv[at] for at in operands)), state.cwd, command.stdin), state)
    found = uuencoded(source.text.text) if source.text.known else None
    if found is None:
        return (Text(paths[-1]), unknown("command", *source.origins)) if paths else None
    return Text(paths[-1] if paths else found[0]), Text(found[1], source.origins | {"decoded"})


def _printed(command: Command, state: State) -> Stream:
    """uudecode prints only when told to write to standard output."""
    found = _uudecoded(command, state)
    return Stream(found[1]) if found is not None and found[0].text in _STANDARD_OUTPUT else SILENT


def _decompresses(command: Command) -> bool:
    words = [word for word in command.words[1:] if word.startswith("-")]
    return any(word in ("--decompress", "--uncompress") or (word[1:2] != "-" and "d" in word) for word in words)


def _inflated_files(command: Command, state: State) -> Iterator[tuple[Text, Text]]:
    """A packed file gives way to one without its ending, unless it is printed or merely tested."""
    flags = [word for word in command.words[1:] if word.startswith("-")]
    if any(word in ("--stdout", "--to-stdout", "--test", "--list") for word in flags):
        return
    if any(word[1:2] != "-" and not {"c", "t", "l"}.isdisjoint(word) for word in flags):
        return
    named = _outputs(command)
    for word in command.argv[1:]:
        ending = next((one for one in _ENDINGS if word.text.endswith(one)), None)
        if ending is not None and word.pattern is None:
            path = named[0] if named else Text(word.text.removesuffix(ending), word.origins)
            yield path, _inflated(command, word, state)


def _inflated(command: Command, word: Text, state: State) -> Text:
    maker = FILTERS.get(command.name)
    if maker is None or not held(word, command, state)[0].known:
        return unknown("file", *held(word, command, state)[0].origins)
    flags = [one for one in command.argv[1:] if one.text.startswith("-")]
    return maker(Command((command.argv[0], *flags, word), state.cwd), state).text


UNPACKING: dict[str, Maker] = {"uudecode": _printed}
"""What those print that are no plain filters."""
