"""Commands that show, copy or send the content of files, and those that only name them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.table import Handler, effects, inside
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.builtin.guard.protected import may_be_protected
from omnihook.shell.hosts_many import search
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_SHOWING = names(
    "cat tac less more most bat batcat head tail nl od xxd hexdump hd strings base64 base32 basenc uuencode",
    "rev cut paste tr fold fmt pr column expand unexpand uniq comm diff colordiff sdiff vimdiff cmp join look",
    "tsort split csplit zcat gunzip bzcat xzcat zless zmore openssl gpg age sops vim vi nvim nano emacs pico",
    "micro ed joe mcedit code subl open xdg-open view gedit kate scp sftp rcp ftp pbcopy xclip xsel clip",
    "wl-copy glow mdcat highlight pygmentize ccat mail mutt sendmail rclone gsutil s3cmd az gist pastebinit",
    "termbin qrencode dotenv-linter xmllint tidy envsubst m4 iconv dos2unix unix2dos jc jless fx vd gron",
    "lp lpr enscript a2ps pandoc asciidoctor wkhtmltopdf unshadow wdiff dwdiff icdiff difft delta meld kdiff3",
    "dasel csvlook mlr xsv nc ncat netcat socat hexyl lolcat figlet cowsay banner toilet",
)
_NAMING = names(
    "ls ll la dir vdir stat test [ [[ file du df realpath readlink basename dirname tree exa eza lsattr",
    "getfacl namei pathchk locate which whereis type command hash fd fdfind lsof fuser inotifywait chmod",
    "chown chgrp mkdir rmdir echo printf : true false export alias unalias unset set shift local declare",
    "readonly typeset man help info whatis apropos tldr logger notify-send say return exit cd pushd popd read",
    "expr sleep kill wait date seq yes trap exec sudo doas env nohup time timeout nice omnihook ssh mosh",
    "autossh sshfs ssh-copy-id xargs parallel bash sh zsh dash ksh fish eval git mktemp id whoami hostname",
    "uname pwd history jobs fg bg disown ulimit times getopts let shopt bind complete compgen npm yarn pnpm",
    "pip pip3 cargo go make cmake apt apt-get brew dnf yum pacman snap pipx poetry watch stdbuf shellcheck",
    "shfmt",
)
_PATTERN_FIRST = names(
    "grep egrep fgrep zgrep rg ag ack ugrep jq yq gojq awk gawk mawk nawk perl pcregrep xq htmlq zipgrep",
)
_PATTERN_VALUES = {
    "jq": "fL",
    "yq": "fp",
    "awk": "Fvf",
    "gawk": "Fvf",
    "mawk": "Fvf",
    "nawk": "Fvf",
    "perl": "eEiI0FmM",
}
COUNTING = names("wc md5sum sha1sum sha256sum sha512sum shasum cksum b2sum sum")
_NAMED_VALUES = names("--arg --argjson --slurpfile --rawfile")
_LOADS = re.compile(r"\bload(?:_str|_xml|_props|_base64)?\(\s*[\"']([^\"']+)")
_LEFT_OUT = re.compile(r"--?(exclude|ignore|skip|omit|not)[a-z-]*|-x")
_SHOWING_MODULES = frozenset({"json.tool", "base64", "zipfile", "tarfile", "gzip", "quopri"})
_GREP_LONG = ("--regexp", "--file", "--after-context", "--before-context", "--context", "--max-count", "--include",
              "--exclude", "--exclude-dir", "--glob", "--iglob", "--type", "--type-not", "--color", "--colour", "--arg",
              "--slurpfile", "--rawfile", "--argjson", "--indent", "--max-depth", "--exclude-from")  # fmt: skip


def shown(command: Command) -> Iterator[Act]:
    """The content of every operand goes somewhere."""
    skip = False
    for word in command.argv[1:]:
        if skip or word.text in ("--exclude", "-x", "-i", "-F"):
            skip = not skip and word.text != "-i"
            continue
        valued = not word.text.startswith("-") or "=" in word.text
        if valued and not word.text.startswith(("--exclude", "--ignore")):
            yield from effects(Do.READ, inside(word))


def copied_over_ssh(command: Command) -> Iterator[Act]:
    """scp and sftp: `-i key` is ordinary use, the operands are copied."""
    given = arguments(command, "iFPcloSJXDsB")
    for operand in given.operands:
        yield from effects(Do.READ, inside(operand))
    if command.stdin is not None:
        text = command.stdin.text
        for path in re.findall(r"^[ \t]*put[ \t]+(?:-\w+[ \t]+)*(\S+)", text.text, re.M):
            yield Effect(Do.READ, Text(path, text.origins))


def queried(command: Command) -> Iterator[Act]:
    """jq and yq: options that give a variable a name and a file, and files that the query itself loads."""
    words = list(command.argv)
    for place in range(len(words) - 3, 0, -1):
        if words[place].text in _NAMED_VALUES:
            if words[place].text.endswith("file"):
                yield Effect(Do.READ, words[place + 2])
            del words[place : place + 3]
    for word in words[1:]:
        for path in _LOADS.findall(word.text):
            yield Effect(Do.READ, Text(path, word.origins))
    yield from searched(replace(command, argv=tuple(words)))


def searched(command: Command) -> Iterator[Act]:
    """grep and relatives: the first operand is a pattern, unless `-e` or `-f` gave one."""
    values = _PATTERN_VALUES.get(command.name, "efABCmgtTMdDjE")
    given = arguments(command, values, _GREP_LONG)
    has_pattern = (
        given.has("-e", "--regexp", "-f", "--file", "-E")
        if command.name != "grep"
        else given.has("-e", "-f", "--regexp", "--file")
    )
    listing = command.name in ("rg", "ag") and given.has("--files")
    files = given.operands if has_pattern or listing else given.operands[1:]
    quiet = given.has("-q", "--quiet", "--silent", "-c", "--count", "-l", "--files-with-matches", "-L")
    yield from effects(Do.USE if quiet or listing else Do.READ, files)
    for value in given.values("--include", "-g", "--glob", "--iglob", "--slurpfile", "--rawfile"):
        if not value.text.startswith("!"):
            yield Effect(Do.READ, Text(value.text, value.origins, value.text))


def entries(command: Command) -> Iterator[Act]:
    """`getent shadow`."""
    if "shadow" in command.words or "gshadow" in command.words:
        yield Effect(Do.READ, Text("/etc/shadow"))


def itemised(command: Command) -> Iterator[Act]:
    """`xargs -a file` shows the file's items to another command; without bounds on endless input it is a bomb."""
    given = arguments(command, "aEILnPsd", ("--arg-file", "--max-procs"))
    unbounded = any(value.text == "0" for value in given.values("-P", "--max-procs"))
    if unbounded and command.stdin is not None and "endless" in command.stdin.origins:
        yield Note("fork-bomb", "as many processes as there are lines, without end")
    yield from effects(Do.READ, arguments(command, "aEILnPsd", ("--arg-file",)).values("-a", "--arg-file"))


def module_run(command: Command) -> Iterator[Act]:
    """`python -m json.tool file` and other modules that print or pack what they are given."""
    words = command.words
    place = words.index("-m") if "-m" in words else len(words)
    if words[place + 1 : place + 2] and words[place + 1] in _SHOWING_MODULES:
        yield from effects(Do.READ, command.argv[place + 2 :])


def counted(command: Command) -> Iterator[Act]:
    """Checksums and counts use a file without showing it."""
    yield from effects(Do.USE, arguments(command).operands)


def named(command: Command) -> Iterator[Act]:
    """Nothing of the content."""
    return iter(())


def found(command: Command) -> Iterator[Act]:
    """find itself only names files; `-fprint` writes."""
    yield from effects(Do.WRITE, search(command).writes)


def openssl(command: Command) -> Iterator[Act]:
    """`-in` is shown; keys that sign, and files that come to be, are used."""
    words = command.argv
    if command.words[1:2] == ("s_client",) and command.stdin is not None and "shell" in command.stdin.origins:
        yield Note("reverse-shell", "a shell's output goes to openssl")
    for place, word in enumerate(words[:-1]):
        if word.text == "-in":
            yield Effect(Do.READ, words[place + 1])
        elif re.fullmatch(r"-(out|keyout|key|inkey|CA|CAkey|cert|signkey|certfile|CAfile)", word.text):
            yield Effect(Do.USE, words[place + 1])


def gpg(command: Command) -> Iterator[Act]:
    """Exporting secret keys shows them."""
    if any(re.match(r"--export-secret|--export-options.*secret", word) for word in command.words):
        yield Effect(Do.READ, Text("/root/.gnupg"))
    yield from shown(command)


def used(command: Command) -> Iterator[Act]:
    """Any other program: it may read what it is given, without showing it."""
    if not may_be_protected(command):
        return
    skip = False
    for word in command.argv[1:]:
        if skip:
            skip = False
            continue
        option = word.text.partition("=")[0]
        if _LEFT_OUT.fullmatch(option):
            skip = "=" not in word.text
            continue
        yield from effects(Do.USE, inside(word))


def with_variables(command: Command) -> Iterator[Act]:
    """dotenv and dotenvx: verbs that show or change what the file holds, and what it holds shown by a command."""
    given = arguments(command, "fe", ("--file", "--env-file", "--env"))
    files = given.values("-f", "-e", "--file", "--env-file") or [Text(".env")]
    words = [word.text for word in given.operands]
    verb = words[0] if words else ""
    told = words[1:] if verb == "run" else words
    shows = verb in ("get", "list", "decrypt", "ls", "keypair") or given.has("-p") or prints_variables(told)
    if shows:
        yield from effects(Do.READ, files)
    elif verb in ("set", "unset", "encrypt"):
        yield from effects(Do.APPEND, files)
    else:
        yield from used(replace(command, argv=(command.argv[0], *given.values("-f", "-e", "--file", "--env-file"))))


def prints_variables(words: Sequence[str]) -> bool:
    """Whether a command shows all variables, or those it names."""
    if not words:
        return False
    name, rest = words[0].rsplit("/", 1)[-1], words[1:]
    if name == "env":
        return all(word in ("-0", "--null", "-v", "--debug") for word in rest)
    if name in ("export", "declare", "typeset"):
        return list(rest) in (["-p"], ["-x"], ["-px"], ["-xp"]) or (name != "typeset" and not rest)
    return name == "printenv" or (name == "set" and not rest)


READERS: frozenset[Handler] = frozenset({shown, searched, queried, counted, used})
"""Handlers that matter only when a protected file may be named."""
READING: dict[str, Handler] = {
    **dict.fromkeys(_SHOWING, shown),
    **dict.fromkeys(_NAMING, named),
    **dict.fromkeys(_PATTERN_FIRST, searched),
    **dict.fromkeys(COUNTING, counted),
    **dict.fromkeys(("jq", "gojq", "yq", "xq"), queried),
    "find": found,
    **dict.fromkeys(("dotenv", "dotenvx"), with_variables),
    "openssl": openssl,
    "getent": entries,
    "xargs": itemised,
    "gpg": gpg,
    "gpg2": gpg,
    "scp": copied_over_ssh,
    "sftp": copied_over_ssh,
}
