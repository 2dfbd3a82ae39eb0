"""What commands print, as far as it follows from their text: constants folded, origins kept."""

import base64
import binascii
import codecs
import posixpath
import re
from collections.abc import Callable

from omnihook.shell.hosts_many import fd_targets, search
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.state import State, absolute
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, SILENT, Command, Stream, Text, joined, unknown

NETWORK = names(
    "curl wget ssh fetch http https aria2c lynx w3m links elinks nc ncat netcat socat telnet ftp tftp",
    "lwp-request GET dig nslookup host drill gh glab hub rclone gsutil xh axel s3cmd",
)
"""Programs whose output comes from another machine."""

_QUIET = names(
    "true false : cd rm mkdir rmdir touch chmod chown cp mv ln export unset set shift local declare readonly",
    "typeset alias unalias trap exit return break continue wait sleep kill read mapfile readarray pushd popd",
    "shopt umask hash source . eval test [ sync install truncate",
)
_FILTERS = names(
    "sed awk gawk mawk tr cut head tail sort uniq grep egrep fgrep rg gunzip zcat gzip bunzip2 bzcat xz xzcat",
    "unxz zstd zstdcat lz4 brotli openssl gpg iconv dos2unix fold fmt nl column pv less more jq yq perl",
    "python python3 ruby node php rev tac base64 base32 xxd od hexdump uudecode sponge envsubst colrm cat tee",
    "awk expand strings split dd unix2dos buffer mbuffer stdbuf",
)
_TOKENS = names("date nproc id hostname uname arch tty wc seq jot expr bc uuidgen md5sum sha256sum")


def output(command: Command, state: State) -> Stream:
    """What the command writes to standard output."""
    name = command.name
    maker = _MAKERS.get(name)
    if maker is not None:
        return maker(command, state)
    if name in NETWORK:
        return Stream(unknown("network"))
    if name in _QUIET:
        return SILENT
    if name in _TOKENS:
        return Stream(Text("1\n"))
    if name in _FILTERS:
        return _filtered(command, state)
    path = command.argv[0].text
    installed = "/" not in path or path.startswith(("/usr/", "/opt/", "/bin/", command.home + "/."))
    origin = "generator" if installed and command.argv[0].known else "command"
    return Stream(unknown(origin))


def _filtered(command: Command, state: State) -> Stream:
    """A filter's output: unknown text with the origins of what went in."""
    origins = {"command"}
    if command.stdin is not None:
        origins |= command.stdin.origins or {"command"}
    for word in command.argv[1:]:
        written = state.files.get(state.path(word.text))
        origins |= written.origins if written is not None else set()
    return Stream(unknown(*origins))


def _echo(command: Command, state: State) -> Stream:
    words = list(command.argv[1:])
    escapes = False
    newline = "\n"
    while words and re.fullmatch(r"-[neE]+", words[0].text):
        flags = words.pop(0).text
        escapes = "e" in flags or escapes
        newline = "" if "n" in flags else newline
    line = joined(words, " ")
    text = unescape_ansi_c(line.text) if escapes else line.text
    return Stream(Text(text + newline, line.origins), _listed(words))


def _listed(words: list[Text]) -> tuple[Text, ...]:
    """`echo *` names files: keep them as paths."""
    return tuple(words) if any(word.pattern is not None for word in words) else ()


def _printf(command: Command, state: State) -> Stream:
    words = list(command.argv[1:])
    if len(words) > 1 and words[0].text == "-v":
        return SILENT
    if words and words[0].text == "--":
        words.pop(0)
    if not words:
        return SILENT
    form, values = words[0], words[1:]
    origins: frozenset[str] = frozenset().union(*(word.origins for word in words))
    return Stream(Text(_formatted(form.text, [value.text for value in values]), origins))


def _formatted(form: str, values: list[str]) -> str:
    """printf repeats its format until the values are used up."""
    pieces = re.split(r"(%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%])", form)
    wanted = sum(1 for piece in pieces[1::2] if piece != "%%")
    rounds = max(1, -(-len(values) // wanted)) if wanted else 1
    left = list(values)
    result: list[str] = []
    for _ in range(min(rounds, 1000)):
        for index, piece in enumerate(pieces):
            if index % 2 == 0:
                result.append(unescape_ansi_c(piece))
            elif piece == "%%":
                result.append("%")
            else:
                value = left.pop(0) if left else ""
                result.append(unescape_ansi_c(value) if piece[-1] == "b" else value)
    return "".join(result)


def _cat(command: Command, state: State) -> Stream:
    """Files written by this very command are known; others are not."""
    files = [word for word in command.argv[1:] if not word.text.startswith("-") or word.text == "-"]
    if not files:
        return command.stdin if command.stdin is not None else Stream(unknown("input"))
    parts: list[Text] = []
    for word in files:
        if word.text == "-" and command.stdin is not None:
            parts.append(command.stdin.text)
        else:
            parts.append(state.files.get(state.path(word.text), unknown("file")))
    return Stream(joined(parts))


def _passed(command: Command, state: State) -> Stream:
    return command.stdin if command.stdin is not None else Stream(unknown("input"))


def _decoder(decode: Callable[[str], str | None], *flags: str) -> Callable[[Command, State], Stream]:
    """A filter that is undone when its input is known; without one of `flags` it encodes."""

    def maker(command: Command, state: State) -> Stream:
        source = _cat(command, state).text
        words = command.words[1:]
        wanted = not flags or any(word.startswith("-") and word.lstrip("-")[:6] in flags for word in words)
        decoded = decode(source.text) if source.known and wanted else None
        if decoded is None:
            return Stream(unknown("command", *source.origins))
        return Stream(Text(decoded, source.origins | {"decoded"}))

    return maker


def _base64(text: str) -> str | None:
    try:
        return base64.b64decode("".join(text.split()) + "==", validate=False).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return None


def _base32(text: str) -> str | None:
    try:
        return base64.b32decode("".join(text.split())).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return None


def _hexadecimal(text: str) -> str | None:
    try:
        return bytes.fromhex(re.sub(r"\s|0x", "", text)).decode("utf-8", "replace")
    except ValueError:
        return None


def _reversed(text: str) -> str:
    return "\n".join(line[::-1] for line in text.split("\n"))


def _openssl(command: Command, state: State) -> Stream:
    words = command.words
    if "base64" in words or "-base64" in words or "-a" in words:
        return _decoder(_base64, "d", "D")(command, state)
    if "s_client" in words:
        return Stream(unknown("network"))
    return _filtered(command, state)


def _translated(command: Command, state: State) -> Stream:
    """`tr a-z n-za-m` and `tr -d x` on known text."""
    source = _passed(command, state).text
    words = [word for word in command.argv[1:] if not word.text.startswith("-")]
    flags = "".join(word.text[1:] for word in command.argv[1:] if word.text.startswith("-"))
    if not source.known or not words or not all(word.known for word in words) or "c" in flags or "[:" in words[0].text:
        return _filtered(command, state)
    first = _tr_set(words[0].text)
    if "d" in flags:
        return Stream(Text("".join(mark for mark in source.text if mark not in first), source.origins | {"decoded"}))
    if len(words) < 2 or "s" in flags:
        return _filtered(command, state)
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
    """`s/old/new/` with plain text on known text."""
    source = _passed(command, state).text
    scripts = [word.text for word in command.argv[1:] if not word.text.startswith("-")]
    match = re.fullmatch(r"s(.)(.*?)\1(.*?)\1(g?)", scripts[0]) if len(scripts) == 1 else None
    if match is None or not source.known or re.search(r"[\\.*\[\]^$&]", match[2] + match[3]):
        return _filtered(command, state)
    lines = source.text.split("\n")
    changed = [line.replace(match[2], match[3], -1 if match[4] else 1) if match[2] else line for line in lines]
    return Stream(Text("\n".join(changed), source.origins | {"decoded"}))


def _pwd(command: Command, state: State) -> Stream:
    return Stream(Text(state.cwd.text + "\n", state.cwd.origins))


def _mktemp(command: Command, state: State) -> Stream:
    """A fresh path below the temp root, or where a template says."""
    words = command.words[1:]
    operands = [word for word in words if not word.startswith("-")]
    if operands and "/" in operands[-1] and "-p" not in words:
        return Stream(Text(operands[-1] + "\n", frozenset({"mktemp"})))
    folder = next((words[index + 1] for index, word in enumerate(words[:-1]) if word in ("-p", "--tmpdir")), "/tmp")
    return Stream(Text(f"{folder}/tmp.fresh\n", frozenset({"mktemp"})))


def _which(command: Command, state: State) -> Stream:
    names = [word for word in command.words[1:] if not word.startswith("-")]
    return Stream(Text("".join(f"/usr/bin/{name}\n" for name in names)))


def _command_builtin(command: Command, state: State) -> Stream:
    return _which(command, state) if any(word in ("-v", "-V") for word in command.words) else SILENT


def _path_function(change: Callable[[str], str]) -> Callable[[Command, State], Stream]:
    def maker(command: Command, state: State) -> Stream:
        operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
        lines = [Text(change(word.text), word.origins) for word in operands[:1]]
        return Stream(Text(lines[0].text + "\n", lines[0].origins)) if lines else SILENT

    return maker


def _real(command: Command, state: State) -> Stream:
    operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
    return Stream(Text(absolute(operands[0].text, state.cwd.text) + "\n", operands[0].origins)) if operands else SILENT


def _basename(command: Command, state: State) -> Stream:
    operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
    if not operands:
        return SILENT
    text = posixpath.basename(operands[0].text.rstrip("/"))
    suffix = operands[1].text if len(operands) > 1 else ""
    return Stream(Text(text.removesuffix(suffix) + "\n", operands[0].origins))


def _listing(command: Command, state: State) -> Stream:
    """`ls`: names in the given folders, or the names given."""
    operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
    flags = "".join(word.text[1:] for word in command.argv[1:] if word.text.startswith("-"))
    if not operands:
        star = ".*" if "a" in flags.lower() else "*"
        paths = (Text("*", frozenset({"tree"}), "*"), *((Text(".*", frozenset(), ".*"),) if star == ".*" else ()))
        return Stream(unknown("listing"), paths)
    inside = tuple(
        Text(f"{word.text.rstrip('/')}/any", word.origins | {"listing"}) for word in operands if word.pattern is None
    )
    return Stream(unknown("listing"), (*operands, *(inside if "d" not in flags else ())))


def _found(command: Command, state: State) -> Stream:
    return Stream(unknown("listing"), search(command).targets)


def _fd_found(command: Command, state: State) -> Stream:
    return Stream(unknown("listing"), fd_targets(command)[0])


def _kept_paths(command: Command, state: State) -> Stream:
    """`sort`, `head`, `grep` between a listing and its consumer leave it a listing."""
    if command.stdin is None or not command.stdin.paths or len(command.argv) < 1:
        return _filtered(command, state)
    if command.name in ("grep", "egrep", "fgrep", "rg"):
        return Stream(unknown("listing"), tuple(_narrowed(command, path) for path in command.stdin.paths))
    return command.stdin


def _narrowed(command: Command, path: Text) -> Text:
    """A listing after `grep word`: names with that word in them; a dot in the pattern is taken for itself."""
    words = [word.text for word in command.argv[1:] if not word.text.startswith("-")]
    inverted = any(word.text.startswith("-") and "v" in word.text[1:] for word in command.argv[1:])
    if inverted:
        return path
    pattern = words[0].replace("\\", "") if words else ""
    literal = pattern.strip("^$")
    folder = posixpath.dirname(path.text) or "."
    origins = path.origins - {"tree"} | {"listing"}
    if not literal or any(mark in literal for mark in "*[]()|?+"):
        return Text(f"{folder}/any", origins)
    dot = "." if posixpath.basename(path.text).startswith(".") and not literal.startswith(".") else ""
    before = "" if pattern.startswith("^") or literal.startswith(".") else "*"
    text = f"{folder}/{dot}{before}{literal}{'' if pattern.endswith('$') else '*'}"
    return Text(text, origins, text)


def _git(command: Command, state: State) -> Stream:
    words = command.words
    if "rev-parse" in words:
        place = state.surroundings.project if "--show-toplevel" in words else "abc1234"
        return Stream(Text(f"{place}\n"))
    if words[1:2] in (("describe",), ("branch",), ("symbolic-ref",)):
        return Stream(Text("name\n"))
    return Stream(unknown("command"))


def _whoami(command: Command, state: State) -> Stream:
    return Stream(Text(state.surroundings.user + "\n"))


def _yes(command: Command, state: State) -> Stream:
    text = joined(command.argv[1:], " ")
    return Stream(Text((text.text or "y") + "\n", text.origins))


def _wget(command: Command, state: State) -> Stream:
    """wget prints only with `-O -`; curl prints unless `-o` or `-O` names a file."""
    for index, word in enumerate(command.words):
        if re.fullmatch(r"-[a-zA-Z]*O-?|--output-document(=-)?", word):
            target = word[-1] == "-" or command.words[index + 1 : index + 2] == ("-",)
            return Stream(unknown("network")) if target else SILENT
    return SILENT


def _curl(command: Command, state: State) -> Stream:
    for index, word in enumerate(command.words):
        if word in ("-o", "--output") and command.words[index + 1 : index + 2] != ("-",):
            return SILENT
        if re.fullmatch(r"-[a-zA-Z]*O|--remote-name|--remote-name-all", word):
            return SILENT
    return Stream(unknown("network"))


def _environment(command: Command, state: State) -> Stream:
    return Stream(unknown("variable")) if len(command.argv) == 1 else SILENT


def _aws(command: Command, state: State) -> Stream:
    words = command.words
    return (
        Stream(unknown("network")) if words[1:3] == ("s3", "cp") and words[-1] == "-" else Stream(unknown("generator"))
    )


def _rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


_MAKERS: dict[str, Callable[[Command, State], Stream]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "tac": _cat,
    "tee": _passed,
    "pv": _passed,
    "sponge": _passed,
    "base64": _decoder(_base64, "d", "D", "decode", "di"),
    "base32": _decoder(_base32, "d", "D", "decode"),
    "xxd": _decoder(_hexadecimal, "r", "rp", "pr", "revert"),
    "rev": _decoder(_reversed),
    "rot13": _decoder(_rot13),
    "openssl": _openssl,
    "tr": _translated,
    "sed": _sed,
    "pwd": _pwd,
    "mktemp": _mktemp,
    "which": _which,
    "command": _command_builtin,
    "type": _which,
    "whereis": _which,
    "dirname": _path_function(lambda text: posixpath.dirname(text.rstrip("/")) or "."),
    "basename": _basename,
    "realpath": _real,
    "readlink": _real,
    "ls": _listing,
    "find": _found,
    "fd": _fd_found,
    "fdfind": _fd_found,
    **dict.fromkeys(("sort", "uniq", "head", "tail", "grep", "egrep", "fgrep", "rg", "shuf"), _kept_paths),
    "git": _git,
    "whoami": _whoami,
    "logname": _whoami,
    "yes": _yes,
    "wget": _wget,
    "curl": _curl,
    "env": _environment,
    "aws": _aws,
}
__all__ = ["HOLE", "NETWORK", "output"]
