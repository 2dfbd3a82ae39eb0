"""Filters on text: what comes out of cat, base64, tr and the like when what goes in is known."""

import base64
import binascii
import bz2
import codecs
import lzma
import re
import zlib
from collections.abc import Callable
from fnmatch import fnmatchcase

from omnihook.shell.arithmetic import value_of
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.state import State
from omnihook.shell.values import HOLE, Command, Stream, Text, joined, unknown

Maker = Callable[[Command, State], Stream]


def filtered(command: Command, state: State) -> Stream:
    """A filter's output: unknown text with the origins of what went in."""
    origins = {"command"}
    if command.stdin is not None:
        origins |= command.stdin.origins or {"command"}
    for word in command.argv[1:] if state.files else ():
        written = state.files.get(state.path(word.text))
        origins |= written.origins if written is not None else set()
    return Stream(unknown(*origins))


def cat(command: Command, state: State) -> Stream:
    """Files written by this very command are known; others are not."""
    files = [word for word in command.argv[1:] if not word.text.startswith("-") or word.text == "-"]
    if not files:
        return command.stdin if command.stdin is not None else Stream(unknown("input"))
    return Stream(joined([text for word in files for text in held(word, command, state)]))


def held(word: Text, command: Command, state: State) -> list[Text]:
    """What the files hold that a word names; a glob may mean more than this script has written."""
    if word.text == "-" and command.stdin is not None:
        return [command.stdin.text]
    if word.pattern is None:
        return [state.files.get(state.path(word.text), _FILE)]
    glob = state.path(word.pattern)
    known = sorted(path for path in state.files if path.count("/") == glob.count("/") and fnmatchcase(path, glob))
    return [*[state.files[path] for path in known], _MORE if known else _FILE]


_FILE = unknown("file")
_MORE = Text(f"\n{HOLE}", _FILE.origins)


def passed(command: Command, state: State) -> Stream:
    """What comes in goes out."""
    return command.stdin if command.stdin is not None else Stream(unknown("input"))


def _decoder(decode: Callable[[str], str | None], *flags: str) -> Maker:
    """A filter that is undone when its input is known; without one of `flags` it encodes."""

    def maker(command: Command, state: State) -> Stream:
        source = cat(command, state).text
        words = command.words[1:]
        wanted = not flags or any(word.startswith("-") and word.lstrip("-")[:6] in flags for word in words)
        decoded = decode(source.text) if source.known and wanted else None
        if decoded is None:
            return Stream(unknown("command", *source.origins))
        return Stream(Text(decoded, source.origins | {"decoded"}))

    return maker


def _base64(text: str) -> str | None:
    try:
        return _as_text(base64.b64decode("".join(text.split()) + "==", validate=False))
    except (ValueError, binascii.Error):
        return None


def _as_text(data: bytes) -> str:
    """Bytes as text; those that are none keep their values, so that they can be unpacked."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _inflated(text: str) -> str | None:
    """What compressed bytes unpack to, as far as a small script would go."""
    try:
        data = text.encode("latin-1")
        for start, make in _UNPACKERS.items():
            if data.startswith(start):
                return _as_text(make(data))
    except (UnicodeEncodeError, ValueError, EOFError, OSError, zlib.error, lzma.LZMAError):
        return None
    return text


def _gunzip(data: bytes) -> bytes:
    return zlib.decompressobj(wbits=31).decompress(data, _MAX_UNPACKED)


def _bunzip(data: bytes) -> bytes:
    return bz2.BZ2Decompressor().decompress(data, _MAX_UNPACKED)


def _unxz(data: bytes) -> bytes:
    return lzma.LZMADecompressor(memlimit=_MAX_MEMORY).decompress(data, _MAX_UNPACKED)


_MAX_UNPACKED = 64 * 1024
_MAX_MEMORY = 16 * 1024 * 1024
_UNPACKERS: dict[bytes, Callable[[bytes], bytes]] = {b"\x1f\x8b": _gunzip, b"BZh": _bunzip, b"\xfd7zXZ": _unxz}


def _base32(text: str) -> str | None:
    try:
        return base64.b32decode("".join(text.split())).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return None


def _hexadecimal(text: str) -> str | None:
    try:
        return _as_text(bytes.fromhex(re.sub(r"\s|0x", "", text)))
    except ValueError:
        return None


def _reversed(text: str) -> str:
    return "\n".join(line[::-1] for line in text.split("\n"))


def _openssl(command: Command, state: State) -> Stream:
    words = command.words
    if "base64" in words or "-base64" in words or "-a" in words:
        piped = Command(command.argv[:1], command.cwd, command.stdin)
        source = cat(piped, state).text if "-in" not in words else unknown("file")
        decoded = _base64(source.text) if source.known and "-d" in words else None
        return filtered(command, state) if decoded is None else Stream(Text(decoded, source.origins | {"decoded"}))
    if "s_client" in words:
        return Stream(unknown("network"))
    return filtered(command, state)


def _translated(command: Command, state: State) -> Stream:
    """`tr a-z n-za-m` and `tr -d x` on known text."""
    source = passed(command, state).text
    words = [word for word in command.argv[1:] if not word.text.startswith("-")]
    flags = "".join(word.text[1:] for word in command.argv[1:] if word.text.startswith("-"))
    if not source.known or not words or not all(word.known for word in words) or "c" in flags or "[:" in words[0].text:
        return filtered(command, state)
    first = _tr_set(words[0].text)
    if "d" in flags:
        return Stream(Text("".join(mark for mark in source.text if mark not in first), source.origins | {"decoded"}))
    if len(words) < 2 or "s" in flags:
        return filtered(command, state)
    second = _tr_set(words[1].text)
    second += second[-1:] * (len(first) - len(second))
    table = dict(zip(map(ord, first), second, strict=False))
    return Stream(Text(source.text.translate(table), source.origins | {"decoded"}))


def _tr_set(text: str) -> str:
    return re.sub(r"(.)-(.)", _tr_range, unescape_ansi_c(text), flags=re.S)


def _tr_range(found: re.Match[str]) -> str:
    first, last = ord(found[1]), ord(found[2])
    return "".join(map(chr, range(first, last + 1))) if 0 <= last - first < 256 else found[0]


def _sed(command: Command, state: State) -> Stream:
    """`s/old/new/` on known text, and lines by number or plain expression: `2p`, `1,3d`, `/x/p`, `$d`, `5q`."""
    words = command.argv[1:]
    scripts = [words[place + 1] for place, word in enumerate(words[:-1]) if word.text in ("-e", "--expression")]
    operands = [word for word in words if not word.text.startswith("-") and not any(word is one for one in scripts)]
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    texts = [text for word in operands for text in held(word, command, state)]
    source = joined(texts) if texts else passed(command, state).text
    if len(scripts) != 1 or not source.known:
        return filtered(command, state)
    script = scripts[0].text.strip()
    lines = _chosen(script, source.text, quiet=any(word.text in ("-n", "--quiet", "--silent") for word in words))
    if lines is not None:
        return Stream(Text(lines, source.origins))
    changed = _substituted(script, source.text)
    return filtered(command, state) if changed is None else Stream(Text(changed, source.origins | {"decoded"}))


def _chosen(script: str, text: str, *, quiet: bool) -> str | None:
    """The lines that `p` prints where nothing else is printed, that `d` leaves, or up to the one where `q` ends."""
    match = _ADDRESSED.fullmatch(script)
    if match is None or (match["verb"] == "p") is not quiet:
        return None
    lines = text.split("\n")
    ends = lines[-1:] if lines[-1] == "" else []
    lines = lines[: len(lines) - len(ends)]
    wanted = plain_expression(match["words"]) if match["words"] is not None else ""
    if wanted is None:
        return None
    pattern = re.compile(wanted) if wanted else None
    first = len(lines) if match["first"] == "$" else int(match["first"] or 0)
    last = first if match["last"] is None else len(lines) if match["last"] == "$" else int(match["last"])
    if match["verb"] == "q":
        return "\n".join([*lines[:first], ""])
    kept = [
        line
        for number, line in enumerate(lines, 1)
        if (bool(pattern.search(line)) if pattern is not None else first <= number <= last) == (match["verb"] == "p")
    ]
    return "\n".join([*kept, ""]) if kept else ""


_ADDRESSED = re.compile(
    r"(?:(?P<first>\d{1,6}|\$)(?:\s*,\s*(?P<last>\d{1,6}|\$))?|/(?P<words>[^/\\]+)/)\s*(?P<verb>[pdq])"
)


def _substituted(script: str, text: str) -> str | None:
    """What `s/old/new/` makes of text, for expressions of plain characters, dots, stars and anchors."""
    parts = _substitution(script)
    if parts is None:
        return None
    old, new, every = parts
    lines = text.split("\n")
    expression = plain_expression(old)
    if expression is None or any(len(line) > _MAX_LINE for line in lines):
        return None
    wanted = re.compile(expression)
    ends = lines[-1:] if lines[-1] == "" else []
    changed = [wanted.sub(lambda _: new, line, count=0 if every else 1) for line in lines[: len(lines) - len(ends)]]
    return "\n".join([*changed, *ends])


def plain_expression(old: str) -> str | None:
    """A basic regular expression as Python spells it; None unless it is of plain characters, dots, stars, anchors."""
    if re.search(r"[\\\[\]()|+?{}]", old) or old.count("*") > 2 or re.search(r"(?:^\^?|\*)\*", old):
        return None
    return _expression(old)


def _substitution(script: str) -> tuple[str, str, bool] | None:
    """The parts of `s/old/new/` and whether it is for every match; None for anything less plain."""
    if len(script) < 4 or script[0] != "s":
        return None
    parts = script[2:].split(script[1], 3)
    if len(parts) != 3 or parts[2] not in ("", "g") or re.search(r"[\\\[\]&\n]", parts[0] + parts[1]):
        return None
    return parts[0], parts[1], parts[2] == "g"


def _expression(text: str) -> str:
    """A basic regular expression without brackets or backslashes, as Python spells it."""
    anchors = {(0, "^"), (len(text) - 1, "$")}
    return "".join(
        mark if mark in ".*" or (place, mark) in anchors else re.escape(mark) for place, mark in enumerate(text)
    )


_MAX_LINE = 2_000


def _rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def interpreter(command: Command, state: State) -> Stream:
    """Code that prints one literal prints it; code that speaks to the network prints what came from there."""
    words = command.argv[1:]
    if not words and command.stdin is not None:
        words = (command.stdin.text,)
    for word in words:
        printed = _PRINTS.fullmatch(word.text.strip()) if len(word.text) <= _MAX_PRINTED else None
        if printed is None and command.name in _SHOWING_VALUES and word.text[:1] in ("'", '"'):
            printed = _JOINED.fullmatch(word.text.strip()) if len(word.text) <= _MAX_PRINTED else None
        if printed is not None:
            literals = "".join([inner for _, inner in _LITERAL.findall(printed[1])])
            return Stream(Text(unescape_ansi_c(literals) + "\n", word.origins | {"decoded"}))
        summed = _PRINTS_SUM.fullmatch(word.text.strip()) if len(word.text) <= _MAX_SUM else None
        value = value_of(summed[1]) if summed is not None else None
        if value is not None:
            return Stream(Text(f"{value}\n", word.origins))
        if _FETCHES.search(word.text):
            return Stream(unknown("network"))
        hidden = _DECODES.search(word.text) if _WRITES_OUT.search(word.text) else None
        if hidden is not None and (text := _base64(hidden[1] or hidden[2])) is not None:
            return Stream(Text(text, word.origins | {"decoded"}))
    if command.words[1:3] == ("-m", "base64") and command.stdin is not None and command.stdin.text.known:
        text = _base64(command.stdin.text.text) if "-d" in command.words else None
        return Stream(Text(text, frozenset({"decoded"}))) if text is not None else filtered(command, state)
    return filtered(command, state)


_WRITES_OUT = re.compile(r"\b(?:print|puts|echo|say|console\.log|stdout)\b|@base64d")
_DECODES = re.compile(
    r"""(?:b64decode|decode_base64|decode64|base64_decode|Buffer\.from|atob)\s*\(\s*b?["']([\w+/=-]+)["']"""
    r"""|"([\w+/=-]+)"\s*\|\s*@base64d"""
)
"""Text that code decodes before it prints it."""


_MAX_PRINTED = 8 * 1024
_SHOWING_VALUES = frozenset({"node", "jq"})
"""Programs that print the value of an expression: `node -p`, `jq -n`."""
_ONE = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_LITERAL = re.compile(r"""(["'])((?:\\.|(?!\1).)*)\1""", re.S)
_JOINED = re.compile(rf"({_ONE}(?:\s*[+.,]\s*{_ONE})*)", re.S)
_PRINTS = re.compile(
    r"(?:BEGIN\s*\{\s*)?(?:print|puts|echo|say|printf|console\.log|process\.stdout\.write)[\s(]*"
    rf"({_ONE}(?:\s*[+.,]\s*{_ONE})*)[\s);}}]*",
    re.S,
)
_MAX_SUM = 100
_PRINTS_SUM = re.compile(
    r"(?:BEGIN\s*\{\s*)?(?:print|puts|echo|say|p|console\.log)\b\s*(\(?[\d\s+*()-]+?\)?)\s*[;}\s]*"
)
_FETCHES = re.compile(
    r"urlopen|requests\.get|urlretrieve|https?\.get|fetch\(|Net::HTTP|open-uri|LWP::|file_get_contents\(.http"
)
FILTERS: dict[str, Maker] = {
    **dict.fromkeys(
        ("python", "python3", "python2", "perl", "ruby", "node", "php", "awk", "gawk", "lua", "jq"), interpreter
    ),
    "cat": cat,
    "tee": passed,
    "pv": passed,
    "sponge": passed,
    "base64": _decoder(_base64, "d", "D", "decode", "di"),
    "base32": _decoder(_base32, "d", "D", "decode"),
    "xxd": _decoder(_hexadecimal, "r", "rp", "pr", "revert"),
    **dict.fromkeys(("gunzip", "zcat", "bunzip2", "bzcat", "unxz", "xzcat", "gzcat"), _decoder(_inflated)),
    **dict.fromkeys(("gzip", "bzip2", "xz"), _decoder(_inflated, "d", "dc", "cd", "decomp")),
    "rev": _decoder(_reversed),
    "rot13": _decoder(_rot13),
    "openssl": _openssl,
    "tr": _translated,
    "sed": _sed,
}
