"""Commands that show, copy or send the content of files, and those that only name them."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.searching import SEARCHING, queried, searched
from omnihook.builtin.guard.commands.table import Handler, effects, inside
from omnihook.builtin.guard.commands.told import TOLD, scripted, told_by_file
from omnihook.builtin.guard.effects import Act, Do, Effect
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
COUNTING = names("wc md5sum sha1sum sha256sum sha512sum shasum cksum b2sum sum")
_LEFT_OUT = re.compile(r"--?(exclude|ignore|skip|omit|not)[a-z-]*|-x")


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


def entries(command: Command) -> Iterator[Act]:
    """`getent shadow`."""
    if "shadow" in command.words or "gshadow" in command.words:
        yield Effect(Do.READ, Text("/etc/shadow"))


def counted(command: Command) -> Iterator[Act]:
    """Checksums and counts use a file without showing it; one that lists names is shown in complaints."""
    given = arguments(command, "", ("--files0-from",))
    yield from effects(Do.READ, given.values("--files0-from"))
    yield from effects(Do.USE, given.operands)


def named(command: Command) -> Iterator[Act]:
    """Nothing of the content."""
    return iter(())


def found(command: Command) -> Iterator[Act]:
    """find itself only names files; `-fprint` writes."""
    yield from effects(Do.WRITE, search(command).writes)


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


READERS: frozenset[Handler] = frozenset({shown, searched, queried, counted, used, told_by_file, scripted})
"""Handlers that matter only when a protected file may be named."""
READING: dict[str, Handler] = {
    **dict.fromkeys(_SHOWING, shown),
    **dict.fromkeys(_NAMING, named),
    **dict.fromkeys(COUNTING, counted),
    **SEARCHING,
    **TOLD,
    "find": found,
    "getent": entries,
    "scp": copied_over_ssh,
    "sftp": copied_over_ssh,
}
