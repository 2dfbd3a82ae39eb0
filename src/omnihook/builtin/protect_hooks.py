"""`protect-hooks`: an agent that changes the hooks that watch it, or any agent's, is stopped until the user agrees."""

import os
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import import_module

from omnihook.builtin import places
from omnihook.builtin.guard.files import judge_file
from omnihook.builtin.guard.judging import judge
from omnihook.builtin.guard.rules import RULES
from omnihook.builtin.security_guard import files, shell_texts
from omnihook.events import Event, ToolEvent
from omnihook.folders import Folders, find
from omnihook.hooks import Context
from omnihook.shell.evaluating import Evaluator
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.state import Surroundings, absolute
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text
from omnihook.verdicts import Verdict

RULE = "agent-config"
# Programs that only show what is in a file, whatever their arguments are; redirections are looked at separately.
READERS = names(
    "cat less more head tail grep egrep fgrep rg ag ls stat file wc diff cmp jq bat nl od xxd cd test [",
    "echo printf md5sum sha256sum pwd realpath readlink basename dirname tree du cut sort uniq",
)
# These may write to the repository, but leave the file as it is.
_GIT_READERS = names("diff log show status blame grep ls-files cat-file add commit push")
_MANAGING = names("add remove enable disable on off hooks trust untrust init install uninstall")
_OTHER_RULES = {name: False for name in RULES if name != RULE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`paths`: more files to protect, as globs relative to the project, below `~/`, or absolute."""

    paths: tuple[str, ...] = ()


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Ask when the call would change a file that holds or steers hooks."""
    if not isinstance(event, ToolEvent):
        return None
    folders = find(context.env, cwd=places.folder(event, context))
    protected = _Protected(folders, places.folder(event, context), options.paths)
    for text in shell_texts(event.tool_name, event.tool_input):
        what = _by_command(text, protected)
        if what is not None:
            return Verdict.ask(f"this changes hook configuration: {what}. Only the user may decide that.")
    for action, path in files(event):
        if action not in ("read", "list") and protected.holds(path):
            return Verdict.ask(f"this changes hook configuration: {path}. Only the user may decide that.")
    return None


@lru_cache(maxsize=8)
def known_globs(folders: Folders) -> tuple[str, ...]:
    """Every file that some agent reads hooks from, and our own folders, as absolute globs."""
    dialects = import_module("omnihook.dialects")  # by name: built-ins and dialects do not know each other
    bases = {"home": folders.home, "config": folders.config, "project": folders.project, "absolute": "/"}
    found = [
        os.path.join(bases.get(file.base, "/"), file.path.lstrip("/"))
        for name in dialects.names()
        for file in dialects.get(name).files
    ]
    own = (f"{folders.project}/.omnihook/*", f"{folders.config}/omnihook/*", f"{folders.state}/*")
    return (*dict.fromkeys(found), *own)


@dataclass(frozen=True, slots=True)
class _Protected:
    folders: Folders
    cwd: str
    more: tuple[str, ...]

    def holds(self, path: str) -> bool:
        """Whether a path, as written or where it leads, is a file that holds hooks."""
        full = absolute(self.folders.home + path[1:] if path.startswith("~/") else path, self.cwd)
        globs = (*known_globs(self.folders), *map(self._absolute, self.more))
        if any(fnmatchcase(text, glob) for text in {full, os.path.realpath(full)} for glob in globs):
            return True
        given = judge_file("write", path, cwd=self.cwd, home=self.folders.home, project=self.folders.project)
        return given.rule == RULE

    def _absolute(self, glob: str) -> str:
        return self.folders.home + glob[1:] if glob.startswith("~/") else os.path.join(self.folders.project, glob)


def _by_command(text: str, protected: _Protected) -> str | None:
    """What shell text would change: a file that no mere reader is given, or hooks by way of our own command."""
    folders, noted = protected.folders, _Noted()
    try:
        Evaluator(noted, Surroundings(protected.cwd, folders.home, folders.project)).run(text)
    except ShellTextError:
        noted.broken(text)
    found = next((path for path in noted.paths if protected.holds(path)), None)
    if found is not None or noted.managing is not None:
        return found or noted.managing
    # The guard also reads programs inside the text: python -c and the like.
    given = judge(text, cwd=protected.cwd, home=folders.home, project=folders.project, rules=_OTHER_RULES)
    return given.reason if given.rule == RULE else None


@dataclass(slots=True)
class _Noted:
    """Watches a walk through shell text and keeps the paths that may be changed."""

    paths: list[str] = field(default_factory=list)
    managing: str | None = None

    def command(self, command: Command) -> list[Text]:
        """Keep what is written to, and every argument of a program that does more than read."""
        written = [item.target for item in command.redirects if item.writes]
        words = command.words
        if command.name == "omnihook" and not _MANAGING.isdisjoint(words[1:2]):
            self.managing = " ".join(words[:3])
        reads = command.name in READERS or (command.name == "git" and len(words) > 1 and words[1] in _GIT_READERS)
        for word in (*written, *(() if reads else command.argv[1:])):
            text = word.text.replace(HOLE, "*")
            flag = text[2:] if text.startswith("-") else ""
            for part in dict.fromkeys((text, text.partition("=")[2], flag)):  # of=FILE, --out=FILE, -oFILE
                if "/" in part or "." in part:
                    self.paths.append(absolute(part, command.cwd.text))
        return []

    def script(self, text: Text, via: str, command: Command) -> None:
        """Text that nobody can see names no file."""

    def bomb(self, name: str) -> None:
        """No file either."""

    def broken(self, text: str) -> None:
        """Text that does not parse: every word may be a path."""
        self.paths += [word.strip("'\"") for word in text.split() if "/" in word]
