"""What commands print, as far as it follows from their text: constants folded, origins kept.

The table joins those of whole families of commands to those that have a line or two here.
"""

import re

from omnihook.shell.calculating import bc, dc, expr, seq, some_number
from omnihook.shell.columns import COLUMNS
from omnihook.shell.downloading import DOWNLOADED, DOWNLOADING, NETWORK
from omnihook.shell.filters import FILTERS, Maker, filtered
from omnihook.shell.git_printing import git
from omnihook.shell.listing import LISTING
from omnihook.shell.paths import PATHS
from omnihook.shell.picking import converted
from omnihook.shell.printing import hides, printed
from omnihook.shell.querying import QUERYING
from omnihook.shell.quoting import unescape_ansi_c
from omnihook.shell.state import State
from omnihook.shell.substituting import edited
from omnihook.shell.tables import names
from omnihook.shell.unpacking import UNPACKING
from omnihook.shell.values import SILENT, Command, Stream, Text, joined, unknown

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
_GENERATED = Stream(unknown("generator"))
_PRINTED = Stream(unknown("command"))


def output(command: Command, state: State) -> Stream:
    """What the command writes to standard output."""
    name = command.name
    maker = _MAKERS.get(name)
    if maker is not None:
        return maker(command, state)
    if name in NETWORK:
        return DOWNLOADED
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


def _environment(command: Command, state: State) -> Stream:
    return Stream(unknown("variable")) if len(command.argv) == 1 else SILENT


def _printenv(command: Command, state: State) -> Stream:
    """The values of the variables named, or all that nobody can know."""
    named = [word for word in command.words[1:] if not word.startswith("-")]
    return Stream(joined([*map(state.value, named), Text("")], "\n")) if named else Stream(unknown("variable"))


_MAKERS: dict[str, Maker] = {
    **FILTERS,
    **LISTING,
    **COLUMNS,
    **UNPACKING,
    **QUERYING,
    **PATHS,
    **DOWNLOADING,
    **dict.fromkeys(("sed", "gsed"), edited),
    **dict.fromkeys(_TOKENS, some_number),
    "date": _date,
    "expr": expr,
    "bc": bc,
    "dc": dc,
    "seq": seq,
    "echo": _echo,
    "printf": _printf,
    "git": git,
    "getent": _entry,
    "whoami": _whoami,
    "logname": _whoami,
    "yes": _yes,
    "dd": _dd,
    "env": _environment,
    "printenv": _printenv,
    **dict.fromkeys(("tar", "gtar", "bsdtar", "unzip", "funzip", "7z", "7za", "cpio"), _unpacked),
}
