"""What commands print, as far as it follows from their text: constants folded, origins kept."""

import posixpath
import re
from collections.abc import Callable

from omnihook.shell.calculating import bc, dc, expr, seq, some_number
from omnihook.shell.columns import COLUMNS
from omnihook.shell.fetching import url_origin
from omnihook.shell.filters import FILTERS, Maker, filtered
from omnihook.shell.listing import LISTING, git_listing
from omnihook.shell.picking import converted
from omnihook.shell.printing import hides, printed
from omnihook.shell.querying import QUERYING
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.state import State, absolute
from omnihook.shell.substituting import edited
from omnihook.shell.tables import names
from omnihook.shell.unpacking import UNPACKING
from omnihook.shell.values import HOLE, SILENT, Command, Stream, Text, joined, unknown

NETWORK = names(
    "curl wget wget2 curlie ssh fetch http https aria2c lynx w3m links elinks nc ncat netcat socat telnet ftp tftp",
    "rsync scp sftp iwr irm Invoke-WebRequest Invoke-RestMethod invoke-webrequest invoke-restmethod",
    "lwp-request GET dig nslookup host drill gh glab hub rclone gsutil xh axel s3cmd",
)
"""Programs whose output comes from another machine."""

_QUIET = names(
    "true false : cd rm mkdir rmdir touch chmod chown cp mv ln export unset set shift local declare readonly",
    "typeset alias unalias trap exit return break continue wait sleep kill read mapfile readarray pushd popd",
    "shopt umask hash source . eval test [ sync install truncate",
)
_FILTER_NAMES = names(
    "sed awk gawk mawk tr cut head tail sort uniq grep egrep fgrep rg gunzip zcat gzip bunzip2 bzcat xz xzcat",
    "unxz zstd zstdcat lz4 brotli openssl gpg iconv dos2unix fold fmt nl column pv less more jq yq perl",
    "python python3 ruby node php rev tac base64 base32 xxd od hexdump uudecode sponge envsubst colrm cat tee",
    "awk expand strings split dd unix2dos buffer mbuffer stdbuf",
)
_TOKENS = names("date nproc id hostname uname arch tty wc jot uuidgen md5sum sha256sum")
_INSTALLED = ("/usr/", "/opt/", "/bin/", "/home/linuxbrew/.linuxbrew/bin/")
_ECHO_FLAGS = re.compile(r"-[neE]+")
_DOWNLOADED = Stream(unknown("network"))
_GENERATED = Stream(unknown("generator"))
_PRINTED = Stream(unknown("command"))
_STANDARD_OUTPUT = frozenset({"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})


def output(command: Command, state: State) -> Stream:
    """What the command writes to standard output."""
    name = command.name
    maker = _MAKERS.get(name)
    if maker is not None:
        return maker(command, state)
    if name in NETWORK:
        return _DOWNLOADED
    if name in _QUIET:
        return SILENT
    if name in _FILTER_NAMES:
        return filtered(command, state)
    path = command.argv[0].text
    installed = "/" not in path or path.startswith((*_INSTALLED, command.home + "/."))
    return _GENERATED if installed and command.argv[0].known else _PRINTED


def _echo(command: Command, state: State) -> Stream:
    words = list(command.argv[1:])
    escapes = False
    newline = "\n"
    while words and words[0].text[:1] == "-" and _ECHO_FLAGS.fullmatch(words[0].text):
        flags = words.pop(0).text
        escapes = "e" in flags or escapes
        newline = "" if "n" in flags else newline
    line = joined(words, " ")
    text = unescape_ansi_c(line.text) if escapes else line.text
    origins = line.origins | {"decoded"} if escapes and hides(line.text) else line.origins
    return Stream(Text(text + newline, origins), _listed(words))


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
    return Stream(printed(words), _listed(words[1:]))


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


def _path_function(change: Callable[[str], str]) -> Maker:
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


def _git(command: Command, state: State) -> Stream:
    words = command.words
    if "rev-parse" in words:
        # An object named by its path stands for itself, so that who reads it is seen to read that path.
        named = next((word for word in words[1:] if ":" in word and not word.startswith("-")), "abc1234")
        place = state.surroundings.project if "--show-toplevel" in words else _GIT_PLACES.get(words[-1], named)
        return Stream(Text(f"{place}\n"))
    if words[1:2] in (("describe",), ("branch",), ("symbolic-ref",)):
        return Stream(Text("name\n"))
    if "ls-remote" in words or any(word.startswith("--remote") for word in words if "archive" in words):
        return _DOWNLOADED
    listing = next((git_listing(command, word) for word in words[1:] if word in _GIT_LISTING), None)
    if listing is not None:
        return listing
    return _git_lines(command) if any(word in _GIT_FORMATTED for word in words[1:]) else Stream(unknown("command"))


def _git_lines(command: Command) -> Stream:
    """What git prints for each thing it lists: the format it was given, with what is filled in left open."""
    formats = [
        Text(word.text.partition("=")[2].removeprefix("format:").removeprefix("tformat:"), word.origins)
        for word in command.argv
        if word.text.startswith(("--format=", "--pretty=format:", "--pretty=tformat:"))
    ]
    line = _GIT_PLACE.sub(lambda found: "\n" if found[0] == "%n" else HOLE, formats[-1].text) if formats else HOLE
    if not re.search(r"[A-Za-z]", line):
        return Stream(unknown("command"))
    return Stream(Text(line + "\n", formats[-1].origins | {"command"}))


_GIT_PLACES = {
    "--show-cdup": "",
    "--show-prefix": "",
    "--git-dir": ".git",
    "--git-common-dir": ".git",
    "--absolute-git-dir": ".git",
}
"""What git says about the root of the work tree, where commands are taken to start."""
_GIT_LISTING = names("ls-files diff diff-tree ls-tree grep show log")
_GIT_FORMATTED = names("for-each-ref log show branch tag stash reflog")
_GIT_PLACE = re.compile(r"%\([^)]*+(?:\)|\Z)|%[-+ ]?(?:[CGa-z][a-zA-Z]?(?:\([^)]*+(?:\)|\Z))?+|[A-Z%])")


def _whoami(command: Command, state: State) -> Stream:
    return Stream(Text(state.surroundings.user + "\n"))


def _entry(command: Command, state: State) -> Stream:
    """`getent passwd user`: the line that names the user's home."""
    words = command.words
    if words[1:2] != ("passwd",) or len(words) < 3:
        return _GENERATED
    around = state.surroundings
    home = around.home if words[2] in (around.user, "1000") else "/root" if words[2] in ("root", "0") else None
    folder = f"/home/{words[2]}" if home is None and words[2].isidentifier() else home
    return Stream(Text(f"{words[2]}:x:1000:1000::{folder}:/bin/bash\n")) if folder is not None else _GENERATED


def _yes(command: Command, state: State) -> Stream:
    text = joined(command.argv[1:], " ")
    return Stream(Text((text.text or "y") + "\n", text.origins | {"endless"}))


def _unpacked(command: Command, state: State) -> Stream:
    """Archivers told to write what they unpack to standard output."""
    letters = "".join(word.lstrip("-") for word in command.words[1:3] if "=" not in word and "/" not in word)
    to_stdout = "--to-stdout" in command.words or "-so" in command.words or "O" in letters
    if command.name in ("unzip", "funzip"):
        to_stdout = command.name == "funzip" or "-p" in command.words
    return filtered(command, state) if to_stdout else SILENT


def _date(command: Command, state: State) -> Stream:
    """`date +format`: a format without places to fill in is printed as it is."""
    form = next((word for word in command.argv[1:] if word.text.startswith("+")), None)
    if form is None or "%" in form.text:
        return some_number(command, state)
    return Stream(Text(form.text[1:] + "\n", form.origins))


def _dd(command: Command, state: State) -> Stream:
    """dd prints unless `of=` names a file."""
    if any(word.startswith("of=") for word in command.words):
        return SILENT
    text = converted(command, state)
    return Stream(text) if text is not None else filtered(command, state)


def _wget(command: Command, state: State) -> Stream:
    """wget prints only when told to write to standard output."""
    for index, word in enumerate(command.words):
        match = re.fullmatch(r"-[a-zA-Z]*O(.*)|--output-document(?:=(.*))?", word)
        if match is not None:
            target = match[1] or match[2] or "".join(command.words[index + 1 : index + 2])
            return _downloaded(command) if target in _STANDARD_OUTPUT else SILENT
    return SILENT


def _curl(command: Command, state: State) -> Stream:
    """curl prints unless `-o` or `-O` names a file."""
    for index, word in enumerate(command.words):
        match = re.fullmatch(r"-[a-zA-Z]*o(.*)|--output(?:=(.*))?", word)
        if match is not None:
            target = match[1] or match[2] or "".join(command.words[index + 1 : index + 2])
            return SILENT if target not in _STANDARD_OUTPUT else _downloaded(command)
        if re.fullmatch(r"-[a-zA-Z]*O|--remote-name|--remote-name-all", word):
            return SILENT
    return _downloaded(command)


def _downloaded(command: Command) -> Stream:
    """What comes from the addresses among the words."""
    return Stream(unknown("network", *[url_origin(word) for word in command.words[1:] if "://" in word]))


def _environment(command: Command, state: State) -> Stream:
    return Stream(unknown("variable")) if len(command.argv) == 1 else SILENT


def _printenv(command: Command, state: State) -> Stream:
    """The values of the variables named, or all that nobody can know."""
    named = [word for word in command.words[1:] if not word.startswith("-")]
    return Stream(joined([*map(state.value, named), Text("")], "\n")) if named else Stream(unknown("variable"))


def _aws(command: Command, state: State) -> Stream:
    words = command.words
    return (
        Stream(unknown("network")) if words[1:3] == ("s3", "cp") and words[-1] == "-" else Stream(unknown("generator"))
    )


_MAKERS: dict[str, Maker] = {
    **FILTERS,
    **LISTING,
    **COLUMNS,
    **UNPACKING,
    **QUERYING,
    **dict.fromkeys(("sed", "gsed"), edited),
    **dict.fromkeys(_TOKENS, some_number),
    "date": _date,
    "expr": expr,
    "bc": bc,
    "dc": dc,
    "seq": seq,
    "echo": _echo,
    "printf": _printf,
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
    "git": _git,
    "getent": _entry,
    "whoami": _whoami,
    "logname": _whoami,
    "yes": _yes,
    "dd": _dd,
    "wget": _wget,
    "curl": _curl,
    "env": _environment,
    "printenv": _printenv,
    "aws": _aws,
    "svn": lambda command, state: _downloaded(command) if "://" in " ".join(command.words) else _PRINTED,
    **dict.fromkeys(("tar", "gtar", "bsdtar", "unzip", "funzip", "7z", "7za", "cpio"), _unpacked),
}
__all__ = ["HOLE", "NETWORK", "output"]
