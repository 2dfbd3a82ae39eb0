"""Commands that only show what is in the files they are given; redirections are for others to look at."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from omnihook.shell.tables import names
from omnihook.shell.values import Command

_READERS = names(
    "cat less more head tail grep egrep fgrep rg ag ls stat file wc diff cmp jq bat nl od xxd cd test [",
    "echo printf md5sum sha1sum sha256sum sha512sum shasum cksum pwd realpath readlink basename dirname tree du cut",
    "sort uniq tac comm column strings hexdump",
)
# These may write to the repository, but leave the file as it is.
_GIT_READERS = names("diff log show status blame grep ls-files cat-file add commit push")
_SECOND = names("uniq xxd")  # whose second file is written
_OUTPUT: Mapping[str, re.Pattern[str]] = {
    "git": re.compile(r"--out"),
    "less": re.compile(r"-[A-Za-z]*[oO]|--(?:log|LOG)"),
    "tree": re.compile(r"-[A-Za-z]*o"),
}
"""Options by which a reader writes a file; what sort writes, the guard knows."""


def only_reads(command: Command) -> bool:
    """Whether a command leaves every file as it is that it is given as an argument."""
    name, words = command.name, command.words
    output = _OUTPUT.get(name)
    if output is not None and any(output.match(word) for word in words[1:]):
        return False
    if name in _SECOND and sum(not word.startswith("-") for word in words[1:]) > 1:
        return False
    return name in _READERS or (name == "git" and _git_verb(words) in _GIT_READERS)


def _git_verb(words: Sequence[str]) -> str:
    """The first word that is neither an option nor the folder after -C."""
    rest = [word for before, word in pairwise(words) if before != "-C" and not word.startswith("-")]
    return rest[0] if rest else ""
