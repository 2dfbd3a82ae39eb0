"""Filters on text: what comes out of cat, base64, tr and the like when what goes in is known."""

import re
from collections.abc import Callable

from omnihook.shell.arithmetic import value_of
from omnihook.shell.encodings import (
    base32_text,
    base64_text,
    hexadecimal,
    in_base64,
    in_hexadecimal,
    inflated,
    packed,
    reversed_lines,
    rot13,
)
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.state import State
from omnihook.shell.values import HOLE, Command, Stream, Text, joined, unknown

Maker = Callable[[Command, State], Stream]
Coder = Callable[[str], str | None]


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
    return Stream(one_after_another([text for word in files for text in held(word, command, state)]))


def one_after_another(texts: list[Text]) -> Text:
    """The text of several files; of more than anybody would write, only the origin."""
    if sum(len(text.text) for text in texts) > MAX_HELD:
        return unknown("file", *frozenset().union(*(text.origins for text in texts)))
    return joined(texts)


MAX_HELD = 256 * 1024
"""How much text is followed."""


def held(word: Text, command: Command, state: State) -> list[Text]:
    """What the files hold that a word names; a glob may mean more than this script has written."""
    if word.text == "-" and command.stdin is not None:
        return [command.stdin.text]
    if word.pattern is None:
        return [state.files.get(state.path(word.text), _FILE)]
    known = state.matching(word.pattern)
    return [*[state.files[path] for path in known], _MORE if known else _FILE]


_FILE = unknown("file")
_MORE = Text(f"\n{HOLE}", _FILE.origins)


def passed(command: Command, state: State) -> Stream:
    """What comes in goes out."""
    return command.stdin if command.stdin is not None else Stream(unknown("input"))


def _decoder(decode: Coder, *flags: str, encode: Coder = lambda text: None) -> Maker:
    """A filter that is undone when its input is known; without one of `flags` it encodes."""

    def maker(command: Command, state: State) -> Stream:
        if command.name == "base64":
            command = _without_values(command)
        source = cat(command, state).text
        words = command.words[1:]
        wanted = not flags or any(word.startswith("-") and word.lstrip("-")[:6] in flags for word in words)
        coder = decode if wanted else encode
        decoded = coder(source.text) if source.known else None
        if decoded is None:
            return Stream(unknown("command", *source.origins))
        return Stream(Text(decoded, source.origins | {"decoded"}))

    return maker


def _without_values(command: Command) -> Command:
    """base64 without `-w 0`, and without macOS's `-o file`; a file behind `-i` stays."""
    words = command.argv
    values = {place + 1 for place, word in enumerate(words) if word.text in _BASE64_VALUES}
    return Command(tuple(word for place, word in enumerate(words) if place not in values), command.cwd, command.stdin)


_BASE64_VALUES = frozenset({"-w", "--wrap", "-o", "--output", "-b", "--break"})


def _openssl(command: Command, state: State) -> Stream:
    words = command.words
    if "base64" in words or "-base64" in words or "-a" in words:
        named = command.argv[words.index("-in") + 1 :][:1] if "-in" in words else ()
        source = cat(Command((command.argv[0], *named), command.cwd, command.stdin), state).text
        decoded = base64_text(source.text) if source.known and "-d" in words else None
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
        kept = source.text.translate(dict.fromkeys(map(ord, first)))
        return Stream(Text(kept, source.origins | {"decoded"}))
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
        value = value_of(summed[1].strip()) if summed is not None else None
        if value is not None:
            return Stream(Text(f"{value}\n", word.origins))
        if _FETCHES.search(word.text):
            return Stream(unknown("network"))
        hidden = _DECODES.search(word.text) if _WRITES_OUT.search(word.text) else None
        if hidden is not None and (text := base64_text(hidden[1] or hidden[2])) is not None:
            return Stream(Text(text, word.origins | {"decoded"}))
    if command.words[1:3] == ("-m", "base64") and "-d" in command.words:
        source = cat(Command((words[0], *words[2:]), command.cwd, command.stdin), state).text
        text = base64_text(source.text) if source.known else None
        return Stream(Text(text, source.origins | {"decoded"})) if text is not None else filtered(command, state)
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
_LITERAL = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\])*+)\1""", re.S)
_JOINED = re.compile(rf"({_ONE}(?:\s*[+.,]\s*{_ONE})*)", re.S)
_PRINTS = re.compile(
    r"(?:BEGIN\s*\{\s*)?(?:print|puts|echo|say|printf|console\.log|process\.stdout\.write)[\s(]*"
    rf"({_ONE}(?:\s*[+.,]\s*{_ONE})*)[\s);}}]*",
    re.S,
)
_MAX_SUM = 100
_PRINTS_SUM = re.compile(r"(?:BEGIN\s*\{\s*)?(?:print|puts|echo|say|p|console\.log)\b\s*+([\d\s+*()-]++)[;}\s]*+")
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
    "base64": _decoder(base64_text, "d", "D", "decode", "di", encode=in_base64),
    "base32": _decoder(base32_text, "d", "D", "decode"),
    "xxd": _decoder(hexadecimal, "r", "rp", "pr", "revert", encode=in_hexadecimal),
    **dict.fromkeys(("gunzip", "zcat", "bunzip2", "bzcat", "unxz", "xzcat", "gzcat"), _decoder(inflated)),
    **{
        name: _decoder(inflated, "d", "dc", "cd", "decomp", "dk", "kd", encode=packed(name))
        for name in ("gzip", "bzip2", "xz")
    },
    "rev": _decoder(reversed_lines),
    "rot13": _decoder(rot13),
    "openssl": _openssl,
    "tr": _translated,
}
