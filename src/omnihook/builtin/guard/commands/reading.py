"""Commands that show, copy or send the content of files, and those that only name them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

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
    "dasel csvlook mlr xsv nc ncat netcat socat hexyl lolcat figlet cowsay banner toilet ditto pax mcopy xcopy",
    "robocopy restic borg kopia duplicity rdiff-backup rsnapshot tarsnap unison syncthing croc magic-wormhole wormhole",
    "hcl2json json2yaml yaml2json toml2json ccze grcat duplicacy rcp uucp shar jar ansible-vault",
)
_NAMING = names(
    "ls ll la dir vdir stat test [ [[ df realpath readlink basename dirname tree exa eza lsattr",
    "getfacl namei pathchk locate which whereis type command hash fd fdfind lsof fuser inotifywait chmod",
    "chown chgrp mkdir rmdir echo printf : true false export alias unalias unset set shift local declare",
    "readonly typeset man help info whatis apropos tldr logger notify-send say return exit cd pushd popd read",
    "expr sleep kill wait seq yes trap exec sudo doas env nohup time timeout nice omnihook mosh",
    "autossh sshfs ssh-copy-id xargs parallel eval git mktemp id whoami hostname",
    "uname pwd history jobs fg bg disown ulimit times getopts let shopt bind complete compgen npm yarn pnpm",
    "pip pip3 cargo go make cmake apt apt-get brew dnf yum pacman snap pipx poetry watch stdbuf shellcheck",
    "shfmt",
)
_PATTERN_FIRST = names(
    "grep egrep fgrep zgrep rg ag ack ugrep jq yq gojq jaq awk gawk mawk nawk perl pcregrep xq htmlq zipgrep",
)
_PATTERN_VALUES = {
    "jq": "fL",
    "jaq": "fL",
    "yq": "fpoI",
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
    asked = replace(command, argv=tuple(words))
    yield from searched(_only_file(asked) if command.name == "yq" else asked)


def _only_file(command: Command) -> Command:
    """yq takes a lone operand for a file where nothing is piped in: the same with a query before it."""
    given = arguments(command, _PATTERN_VALUES["yq"], _GREP_LONG)
    operands = [word for word in given.operands if word.text not in _YQ_VERBS]
    if len(operands) != 1 or command.stdin is not None or given.has("-n", "--null-input"):
        return command
    return replace(command, argv=(command.argv[0], Text("."), operands[0]))


_YQ_VERBS = names("e eval ea eval-all")


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
    module = "".join(words[place + 1 : place + 2])
    if module in _SHOWING_MODULES:
        yield from effects(Do.READ, command.argv[place + 2 :])
    elif module == "dotenv":
        yield from with_variables(replace(command, argv=command.argv[place + 1 :]))
    elif module == "http.server":
        served = arguments(replace(command, argv=command.argv[place + 1 :]), "bdp", ("--directory",))
        yield from effects(Do.READ, served.values("-d", "--directory"))


def counted(command: Command) -> Iterator[Act]:
    """Checksums and counts use a file without showing it; one that lists names is shown in complaints."""
    given = arguments(command, "", ("--files0-from",))
    yield from effects(Do.READ, given.values("--files0-from"))
    yield from effects(Do.USE, given.operands)


def told_by_file(command: Command) -> Iterator[Act]:
    """Tools that say nothing of a file's content, but repeat each line of one that tells them what to do."""
    letters, *options = _TOLD_BY[command.name]
    longs = [option for option in options if option.startswith("--")]
    yield from effects(Do.READ, arguments(command, letters, longs).values(*options))


_TOLD_BY = {
    "date": ("dfrs", "-f", "--file"),
    "make": ("CEfIjloW", "-f", "--file", "--makefile"),
    "file": ("fmPFe", "-f", "--files-from"),
    "du": ("BdtX", "--files0-from"),
    "dig": ("bcfkmpqtxy", "-f"),
    "ssh": ("bcDEeFIiJLlmOopQRSWwB", "-F"),
}


def scripted(command: Command) -> Iterator[Act]:
    """A shell that runs a file uses it, and shows it when told to repeat what it reads."""
    shows, place = False, 1
    words = command.argv
    while place < len(words) and words[place].text.startswith(("-", "+")):
        text = words[place].text
        if text[:2] == "--" or "c" in text or "n" in text:
            return
        shows = shows or (text[0] == "-" and ("v" in text or "x" in text))
        place += 2 if text[-1:] in "oO" else 1
    yield from effects(Do.READ if shows else Do.USE, words[place : place + 1])


def named(command: Command) -> Iterator[Act]:
    """Nothing of the content."""
    return iter(())


def found(command: Command) -> Iterator[Act]:
    """find itself only names files; `-fprint` writes."""
    yield from effects(Do.WRITE, search(command).writes)


_PUBLIC = ("-pubout", "-noout")


def openssl(command: Command) -> Iterator[Act]:
    """`-in` is shown, unless only the public part of a key is; keys that sign, and files that come to be, are used."""
    words = command.argv
    given = Do.USE if _shows_no_key(command.words) else Do.READ
    if command.words[1:2] == ("s_client",) and command.stdin is not None and "shell" in command.stdin.origins:
        yield Note("reverse-shell", "a shell's output goes to openssl")
    for place, word in enumerate(words[:-1]):
        if word.text == "-in":
            yield Effect(given, words[place + 1])
        elif re.fullmatch(r"-(out|keyout|key|inkey|CA|CAkey|cert|signkey|certfile|CAfile)", word.text):
            yield Effect(Do.USE, words[place + 1])


def _shows_no_key(words: tuple[str, ...]) -> bool:
    """What `-pubout` gives is public; `-text` gives all parts of a key."""
    verb, options = "".join(words[1:2]), frozenset(words[2:])
    return verb in ("rsa", "ec", "dsa", "pkey") and "-text" not in options and not options.isdisjoint(_PUBLIC)


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


def traces(words: Sequence[str]) -> bool | None:
    """Whether `set` makes the shell repeat what it reads or runs; None where it says nothing about it."""
    for option, value in pairwise((*words[1:], "")):
        if (option[:1] in ("-", "+") and option[:2] != "--" and _TRACES.search(option)) or (
            option in ("-o", "+o") and value in ("xtrace", "verbose")
        ):
            return option[0] == "-"
    return None


_TRACES = re.compile(r"[xv]")


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


READERS: frozenset[Handler] = frozenset({shown, searched, queried, counted, used, told_by_file, scripted})
"""Handlers that matter only when a protected file may be named."""
READING: dict[str, Handler] = {
    **dict.fromkeys(_SHOWING, shown),
    **dict.fromkeys(_NAMING, named),
    **dict.fromkeys(_PATTERN_FIRST, searched),
    **dict.fromkeys(COUNTING, counted),
    **dict.fromkeys(("jq", "gojq", "jaq", "yq", "xq"), queried),
    **dict.fromkeys(_TOLD_BY, told_by_file),
    **dict.fromkeys(names("bash sh zsh dash ksh fish ash mksh"), scripted),
    "find": found,
    **dict.fromkeys(("dotenv", "dotenv-cli", "dotenvx"), with_variables),
    "openssl": openssl,
    "getent": entries,
    "xargs": itemised,
    "gpg": gpg,
    "gpg2": gpg,
    "scp": copied_over_ssh,
    "sftp": copied_over_ssh,
}
