"""What git prints: places, names, listings, and lines in the format that it was given."""

import re

from omnihook.shell.downloading import DOWNLOADED
from omnihook.shell.listing import git_listing
from omnihook.shell.state import State
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Stream, Text, unknown

_PLACES = {
    "--show-cdup": "",
    "--show-prefix": "",
    "--git-dir": ".git",
    "--git-common-dir": ".git",
    "--absolute-git-dir": ".git",
}
"""What git says about the root of the work tree, where commands are taken to start."""
_LISTING = names("ls-files diff diff-tree ls-tree grep show log")
_FORMATTED = names("for-each-ref log show branch tag stash reflog")
_FILLED_IN = re.compile(r"%\([^)]*+(?:\)|\Z)|%[-+ ]?(?:[CGa-z][a-zA-Z]?(?:\([^)]*+(?:\)|\Z))?+|[A-Z%])")


def git(command: Command, state: State) -> Stream:
    """What a git command prints, by the words in it."""
    words = command.words
    if "rev-parse" in words:
        # An object named by its path stands for itself, so that who reads it is seen to read that path.
        named = next((word for word in words[1:] if ":" in word and not word.startswith("-")), "abc1234")
        place = state.surroundings.project if "--show-toplevel" in words else _PLACES.get(words[-1], named)
        return Stream(Text(f"{place}\n"))
    if words[1:2] in (("describe",), ("branch",), ("symbolic-ref",)):
        return Stream(Text("name\n"))
    if "ls-remote" in words or any(word.startswith("--remote") for word in words if "archive" in words):
        return DOWNLOADED
    listing = next((git_listing(command, word) for word in words[1:] if word in _LISTING), None)
    if listing is not None:
        return listing
    return _lines(command) if any(word in _FORMATTED for word in words[1:]) else Stream(unknown("command"))


def _lines(command: Command) -> Stream:
    """What git prints for each thing it lists: the format it was given, with what is filled in left open."""
    formats = [
        Text(word.text.partition("=")[2].removeprefix("format:").removeprefix("tformat:"), word.origins)
        for word in command.argv
        if word.text.startswith(("--format=", "--pretty=format:", "--pretty=tformat:"))
    ]
    line = _FILLED_IN.sub(lambda found: "\n" if found[0] == "%n" else HOLE, formats[-1].text) if formats else HOLE
    if not re.search(r"[A-Za-z]", line):
        return Stream(unknown("command"))
    return Stream(Text(line + "\n", formats[-1].origins | {"command"}))
