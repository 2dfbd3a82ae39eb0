"""`protect-hooks`: an agent that changes the hooks that watch it, or any agent's, is stopped until the user agrees."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from omnihook.builtin import places, tool_words
from omnihook.builtin.guard.acting import acts
from omnihook.builtin.guard.effects import Do, Effect, Shell
from omnihook.builtin.guard.judging import judge
from omnihook.builtin.guard.modes import Mode
from omnihook.builtin.guard.places import Scene
from omnihook.builtin.guard.rules import RULES
from omnihook.builtin.hook_files import RULE, HookFiles
from omnihook.builtin.readers import only_reads
from omnihook.builtin.security_guard import files, shell_texts, working_folder
from omnihook.events import Event, ToolEvent
from omnihook.folders import find
from omnihook.hooks import Context
from omnihook.shell.evaluating import Evaluator
from omnihook.shell.limiting import limited
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.state import Surroundings, absolute
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text
from omnihook.shell.watching import Written
from omnihook.slotted import dataclass
from omnihook.tools import TOOLS
from omnihook.verdicts import Verdict

_MANAGING = names("add remove enable disable on off hooks trust untrust init install uninstall")
_RUNNERS = re.compile(r"python[0-9.]*|pypy3?|py|uvx?|pipx?[0-9.]*|poetry|pdm|hatch|rye|conda|mamba|brew")
_OURS = re.compile(r"(?:^|/)omnihook(?:\Z|[@=<>~\[])")
_KNOWN = names("cp dd sed")  # what they write is told by their effects; what they read is often looked at
_LOSING = names("uninstall remove")
# Programs that change what is in a folder they are given, without naming a file of it.
_INTO = names("wget unzip 7z 7za cpio ar patch mount umount chattr rmdir bsdtar git")
_UNPACKS = re.compile(r"-?[A-Za-wyz]*+x[A-Za-z]*+|--extract|--get")
_OTHER_RULES = {name: False for name in RULES if name != RULE}
_READS = frozenset({Do.READ, Do.USE})
# What is lost with a folder, wherever in it the hooks are.
_TAKES = frozenset({Do.DELETE, Do.MOVE, Do.RENAME, Do.MIRROR})
_SOURCES = frozenset({Do.READ, Do.MOVE})
_PATH_KEY = re.compile(r"path|file|folder|dir|dest|source|src|target|uri|^(?:from|to|old|new|name|items|edits)", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`paths`: more files to protect, as globs relative to the project, below `~/`, or absolute."""

    paths: tuple[str, ...] = ()


def run(event: Event, options: Options, context: Context) -> Verdict | None:
    """Ask when the call would change a file that holds or steers hooks."""
    if not isinstance(event, ToolEvent):
        return None
    protected = HookFiles(
        find(context.env, cwd=places.folder(event, context)), working_folder(event, context), options.paths
    )
    what = next(_changes(event, protected), None)
    if what is None:
        return None
    return Verdict.ask(f"this changes hook configuration: {what}. Only the user may decide that.")


def _changes(event: ToolEvent, protected: HookFiles) -> Iterator[str]:
    for text in shell_texts(event.tool_name, event.tool_input):
        what = _by_command(text, protected)
        if what is not None:
            yield what
    for action, path in files(event):
        taken = action in ("delete", "move")
        if action not in ("read", "list") and (protected.holds(path) or protected.within(path, anywhere=taken)):
            yield path
    if event.tool_name not in TOOLS and not tool_words.only_looks(event.tool_name):
        for path in tool_words.named(event.tool_input, _may_be_path):
            if protected.holds(path) or protected.within(path):
                yield path


def _may_be_path(key: str) -> bool:
    return _PATH_KEY.search(key) is not None


def _by_command(text: str, protected: HookFiles) -> str | None:
    """What shell text would change: a file that no mere reader is given, or hooks by way of our own command."""
    folders, noted = protected.folders, _Noted(protected)
    try:
        with limited():
            Evaluator(noted, Surroundings(protected.cwd, folders.home, folders.project)).run(text)
    except ShellTextError:
        noted.broken(text)
    found = noted.touched or next((path for path in noted.paths if protected.holds(path)), None)
    if found is not None or noted.managing is not None:
        return found or noted.managing
    # The guard also reads programs inside the text: python -c and the like.
    given = judge(text, cwd=protected.cwd, home=folders.home, project=folders.project, rules=_OTHER_RULES)
    return given.reason if given.rule == RULE else None


@dataclass(slots=True)
class _Noted:
    """Watches a walk through shell text and keeps the paths that may be changed, and what surely is."""

    protected: HookFiles
    paths: list[str] = field(default_factory=list)
    touched: str | None = None
    managing: str | None = None

    def command(self, command: Command) -> list[Text | Written]:
        """Keep what is written to, and every argument of a program that does more than read."""
        written = [item.target for item in command.redirects if item.writes]
        self.managing = self.managing or _managed(command.words)
        place = self.protected
        scene = Scene(place.cwd, place.folders.home, place.folders.project)
        done = [act for row in acts(command, scene, Mode.STANDARD) for act in row]
        effects = [act for act in done if isinstance(act, Effect) and act.target.text.strip(HOLE)]
        for word in (*written, *_searched(command), *_changed(command, effects)):
            for part in _readings(word.text.replace(HOLE, "*")):
                self._argument(part, word, command)
        self._acted(command, effects)
        return [act.text if isinstance(act, Shell) else act for act in done if isinstance(act, Shell | Written)]

    def _argument(self, part: str, word: Text, command: Command) -> None:
        path = absolute(part, command.cwd.text)
        if "/" in part or "." in part:
            self.paths.append(path)
        looks = command.name == "find" and "-delete" not in command.words
        if word.pattern is not None and not looks and self.protected.matched(path):
            self.touched = self.touched or part
        if _changes_folders(command) and self.protected.within(path):
            self.touched = self.touched or part

    def _acted(self, command: Command, effects: Sequence[Effect]) -> None:
        """Look at what the command does to folders and globs."""
        sources = [act.target.text.rstrip("/").rpartition("/")[2] for act in effects if act.do in _SOURCES]
        # What tar writes to is an archive, and stands among its arguments.
        skipped = _READS | {Do.WRITE} if command.name == "tar" else _READS
        for act in effects:
            targets = [act.target.text]
            if act.do is Do.WRITE:
                targets += [f"{act.target.text}/{name}" for name in sources if name.strip(".*")]
            if act.do not in skipped and any(self._hit(text, act, command) for text in targets):
                self.touched = self.touched or act.target.text.replace(HOLE, "…")

    def _hit(self, text: str, act: Effect, command: Command) -> bool:
        path = absolute(text, command.cwd.text)
        taken = act.do in _TAKES or (act.do is Do.MODE and act.recursive)
        if HOLE in path:
            return self.protected.matched(path.replace(HOLE, "*"))
        if act.target.origins & {"listing", "tree"}:
            return self.protected.listed(path)
        if act.target.pattern is not None:
            return self.protected.matched(path, anywhere=taken)
        return self.protected.within(path, anywhere=taken)

    def script(self, text: Text, via: str, command: Command) -> None:
        """Text that nobody can see names no file."""

    def bomb(self, name: str) -> None:
        """No file either."""

    def broken(self, text: str) -> None:
        """Text that does not parse: every word may be a path."""
        self.paths += [word.strip("'\"") for word in text.split() if "/" in word]


def _managed(words: Sequence[str]) -> str | None:
    """What a command asks of omnihook itself, by its own name, through a runner, or of a package manager."""
    name = words[0].rpartition("/")[2] if words else ""
    if name != "omnihook" and not _RUNNERS.fullmatch(name):
        return None
    at = next((at for at, word in enumerate(words) if _OURS.search(word)), None)
    if at is None:
        return None
    if not _MANAGING.isdisjoint(words[at + 1 : at + 2]):
        return " ".join((name, *words[1 : at + 3]))
    return None if _LOSING.isdisjoint(words[1:at]) else " ".join((name, *words[1 : at + 1]))


def _changed(command: Command, effects: Sequence[Effect]) -> Iterator[Text]:
    """The arguments that may name a changed file: none of a reader, and all of a program that nobody knows well."""
    if command.name in _KNOWN:
        yield from (act.target for act in effects if act.do not in _READS)
    elif not only_reads(command):
        yield from command.argv[1:]


def _readings(text: str) -> dict[str, None]:
    """A word, and what it may say of a file: of=FILE, --out=FILE, -oFILE."""
    return dict.fromkeys((text, text.partition("=")[2], text[2:] if text.startswith("-") else ""))


def _changes_folders(command: Command) -> bool:
    if command.name == "tar":
        words = (*command.words[1:2], *(word for word in command.words[2:] if word.startswith("-")))
        return any(_UNPACKS.fullmatch(word) for word in words)
    return command.name in _INTO


def _searched(command: Command) -> Iterator[Text]:
    """What `find` deletes by its whole path; what it leaves out by it does not count."""
    words = command.words
    if command.name == "find" and "-delete" in words:
        for at, word in enumerate(words[:-1]):
            if word in ("-path", "-wholename", "-ipath") and words[at - 1] not in ("!", "-not"):
                glob = words[at + 1].removeprefix("*/")
                yield Text(glob, frozenset(), glob)
