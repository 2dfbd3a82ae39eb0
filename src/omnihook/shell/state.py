"""What a shell remembers between commands: variables, folder, functions, aliases, files just written."""

import posixpath
from dataclasses import field
from fnmatch import fnmatchcase
from functools import lru_cache

from omnihook.shell.syntax import Statement
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Stream, Text, unknown
from omnihook.slotted import dataclass

_NUMBERS = names("$ ? RANDOM SRANDOM SECONDS LINENO BASHPID PPID EPOCHSECONDS")
_PROGRAMS = {
    **{name: name.lower() for name in names("MAKE CC CXX GO CMAKE PIP NODE NPM YARN DOCKER KUBECTL CARGO GIT HELM")},
    "PYTHON": "python3",
    "PYTHON3": "python3",
    "RM": "rm -f",
    "SUDO": "command",
}
"""Variables that by custom name a program. `$SUDO` is as often empty, so it only passes its command on."""
CUSTOMARY = frozenset(_PROGRAMS)
_FIXED: dict[str, Text] = {
    **{name: Text(program) for name, program in _PROGRAMS.items()},
    **dict.fromkeys(_NUMBERS, Text("1")),
    **dict.fromkeys(("TMPDIR", "TMP", "TEMP", "RUNNER_TEMP"), Text("/tmp")),
    **dict.fromkeys(("UID", "EUID"), Text("1000")),
    **dict.fromkeys(("SHELL", "BASH"), Text("/bin/bash")),
    "IFS": Text(" \t\n"),
    "PATH": Text("/usr/local/bin:/usr/bin:/bin"),
    "0": Text("bash"),
    "HOSTNAME": Text("host"),
}
_ANYTHING = unknown("variable")
_MAX_ALTERNATIVES = 8
_MAX_VALUE = 128 * 1024
_MAX_REMEMBERED = 200
_MANY = 100


class Files(dict[str, Text]):
    """What files hold that a script wrote, by their path; `changes` counts how often that became something else."""

    __slots__ = ("changes",)

    def __init__(self) -> None:
        super().__init__()
        self.changes = 0

    def __setitem__(self, path: str, text: Text) -> None:
        """Remember what a file now holds."""
        if self.get(path) != text:
            self.changes += 1
            super().__setitem__(path, text)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is true before the command starts."""

    cwd: str
    home: str
    project: str

    @property
    def user(self) -> str:
        """The user's name, as far as the home folder tells it."""
        return posixpath.basename(self.home) or "user"


@dataclass(slots=True)
class State:
    """The shell's memory. `files`, `links` and `exported` are shared between copies."""

    surroundings: Surroundings
    cwds: tuple[Text, ...]
    variables: dict[str, tuple[Text, ...]] = field(default_factory=dict)
    arrays: dict[str, tuple[Text, ...]] = field(default_factory=dict)
    functions: dict[str, Statement] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    arguments: tuple[Text, ...] | None = None
    previous: tuple[Text, ...] = ()
    context: frozenset[str] = frozenset()
    stdin: Stream | None = None
    holes: frozenset[str] = frozenset()
    mounts: tuple[tuple[str, Text], ...] = ()
    files: Files = field(default_factory=Files)
    links: dict[str, str] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    """Functions and variables that shells started from here know too."""
    unsure: frozenset[str] = frozenset()
    """Variables that were set and not exported before this shell was started, so that they are not set in it."""
    startups: tuple[tuple[str, Text], ...] = ()
    """Variables that stay set and make programs run something first."""
    forked: bool = False
    """Whether a variable or the folder may have several values."""

    def copy(self) -> "State":
        """A subshell's memory: changes stay in it, except to files."""
        return State(
            surroundings=self.surroundings,
            cwds=self.cwds,
            variables=dict(self.variables),
            arrays=dict(self.arrays),
            functions=dict(self.functions),
            aliases=dict(self.aliases),
            references=dict(self.references),
            arguments=self.arguments,
            previous=self.previous,
            context=self.context,
            stdin=self.stdin,
            holes=self.holes,
            mounts=self.mounts,
            files=self.files,
            links=self.links,
            exported=self.exported,
            unsure=self.unsure,
            startups=self.startups,
            forked=self.forked,
        )

    @property
    def cwd(self) -> Text:
        """The current folder; callers that must consider several choose one first."""
        return self.cwds[0]

    def known_value(self, name: str) -> Text | None:
        """The value the text itself or the surroundings give a variable, else None."""
        if self.references:
            name = self.references.get(name, name)
        values = self.variables.get(name)
        if values is not None:
            return values[0]
        if name in self.arrays:
            return self.arrays[name][0] if self.arrays[name] else Text("")
        if name.isdigit() and name != "0":
            return self._argument(int(name))
        fixed = _FIXED.get(name)
        return fixed if fixed is not None else self._surrounding(name)

    def _argument(self, number: int) -> Text | None:
        if self.arguments is None:
            # A text on its own has no arguments. The first two are asked about, as people leave them to be filled in.
            return Text("") if number > 2 and "uncalled" not in self.context else None
        return self.arguments[number - 1] if number <= len(self.arguments) else Text("")

    def _surrounding(self, name: str) -> Text | None:
        match name:
            case "HOME":
                return Text(self.surroundings.home)
            case "#":
                return Text("1" if self.arguments is None else str(len(self.arguments)))
            case "PWD":
                return self.cwd
            case "USER" | "LOGNAME":
                return Text(self.surroundings.user)
            case "_":
                return self.previous[-1] if self.previous else Text("")
            case _:
                return None

    def value(self, name: str) -> Text:
        """A variable's value, perhaps unknown."""
        known = self.known_value(name)
        return _ANYTHING if known is None else known

    def assign(self, name: str, value: Text) -> None:
        """Set a variable; one that grows without bound becomes unknown."""
        if len(value.text) > _MAX_VALUE:
            value = unknown("variable", *value.origins)
        self.variables[name] = (value,)
        self.arrays.pop(name, None)
        if self.unsure:
            self.unsure -= {name}

    def join(self, others: list["State"]) -> None:
        """Become what the shell may remember after one of several branches, or none, ran."""
        for other in others:
            self.forked = self.forked or other.forked
            self.functions.update(other.functions)
            self.aliases.update(other.aliases)
            self.references.update(other.references)
            self.arrays.update(other.arrays)
            if other.startups is not self.startups:
                self.startups = tuple(dict((*self.startups, *other.startups)).items())
            for name, values in other.variables.items():
                mine = self.variables.get(name)
                if mine is not values:
                    self.variables[name] = values if mine is None else self._either(mine, values)
            if self.cwds is not other.cwds:
                self.cwds = self._either(self.cwds, other.cwds)

    def _either(self, some: tuple[Text, ...], others: tuple[Text, ...]) -> tuple[Text, ...]:
        """The values of both; of more than a few, the first."""
        values = tuple(dict.fromkeys((*some, *others)))
        self.forked = self.forked or len(values) > 1
        return values if len(values) <= _MAX_ALTERNATIVES else (*values[: _MAX_ALTERNATIVES - 1], _ANYTHING)

    def matching(self, pattern: str) -> list[str]:
        """The files written so far that a glob can mean; none where there are too many to look through."""
        if not self.files or len(self.files) > _MANY:
            return []
        glob = self.path(pattern)
        return sorted(path for path in self.files if path.count("/") == glob.count("/") and fnmatchcase(path, glob))

    def path(self, text: str) -> str:
        """A path as an absolute one without dots; holes stay."""
        if text.startswith("~"):
            return text
        return absolute(text, self.cwd.text)


def element_name(name: str, index: str) -> str:
    """What one element of an array is remembered as."""
    return f"{name}[{index.strip(QUOTES)}]"


QUOTES = "\"'"


def absolute(text: str, cwd: str) -> str:
    """`text` seen from `cwd`, with `.`, `..` and doubled slashes resolved; a hole is one path component."""
    return _remembered(text, cwd) if len(text) <= _MAX_REMEMBERED else _absolute(text, cwd)


def _absolute(text: str, cwd: str) -> str:
    whole = text if text.startswith("/") else f"{cwd}/{text}"
    path = posixpath.normpath(whole) if whole else cwd
    if path.startswith("//"):
        path = path[1:]
    return path if path.startswith("/") or HOLE in path else "/" + path


_remembered = lru_cache(maxsize=2048)(_absolute)
