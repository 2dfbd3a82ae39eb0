"""Text as far as it is known without running anything, and what flows through pipes."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import lru_cache

from omnihook.slotted import dataclass

HOLE = "\ufffc"
"""Stands in `Text.text` for a stretch nobody can know. A command that spells it is taken as unknown too."""

_GLOB = frozenset("*?[")


# `Text`, `Stream` and `Command` are not frozen: several are made for every word walked, and freezing doubles the time
# that takes. Nobody changes one.
@dataclass(slots=True, unsafe_hash=True)
class Text:
    """A string with holes.

    `origins` says where holes came from (`network`, `variable`, `file` ...) and may mark the text as a
    whole (`tree`: it stands for everything below a folder). `pattern` is set when unquoted glob characters
    are in it: the same text with quoted ones in brackets.
    """

    text: str
    origins: frozenset[str] = frozenset()
    pattern: str | None = None

    @property
    def known(self) -> bool:
        """Whether every character is known."""
        return HOLE not in self.text

    def with_origin(self, *origins: str) -> "Text":
        """The same text, marked."""
        return Text(self.text, self.origins.union(origins), self.pattern)


EMPTY = Text("")


@lru_cache(maxsize=1024)
def unknown(*origins: str) -> Text:
    """Text of which only the origin is known."""
    return Text(HOLE, frozenset(origins))


def joined(texts: Iterable[Text], separator: str = "") -> Text:
    """Texts one after the other."""
    listed = list(texts)
    origins: frozenset[str] = frozenset().union(*[text.origins for text in listed])
    return Text(separator.join([text.text for text in listed]), origins)


@dataclass(slots=True, unsafe_hash=True)
class Stream:
    """What a command writes to its output: text, and the paths it lists when it is a list of paths."""

    text: Text = EMPTY
    paths: tuple[Text, ...] = ()

    @property
    def origins(self) -> frozenset[str]:
        """Where the unknown parts came from."""
        return self.text.origins


SILENT = Stream()


def combined(streams: Iterable[Stream]) -> Stream:
    """The output of statements that run one after the other."""
    listed = [stream for stream in streams if stream is not SILENT]
    if not listed:
        return SILENT
    if len(listed) == 1:
        return listed[0]
    paths = tuple([path for stream in listed for path in stream.paths])
    return Stream(joined([stream.text for stream in listed]), paths)


class Field:
    """A word under construction: characters, which of them are quoted, and whether a glob is active."""

    __slots__ = ("active", "origins", "pattern", "present", "text")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.pattern: list[str] = []
        self.origins: frozenset[str] = frozenset()
        self.active = False
        self.present = False

    def add(self, text: str, *, quoted: bool, origins: frozenset[str] = frozenset()) -> None:
        """Append characters."""
        self.present = True
        self.text.append(text)
        if origins:
            self.origins |= origins
        if _GLOB.isdisjoint(text):
            self.pattern.append(text)
        elif quoted:
            self.pattern.append("".join(f"[{mark}]" if mark in _GLOB else mark for mark in text))
        else:
            self.active = True
            self.pattern.append(text)

    def finish(self) -> Text:
        """The word."""
        pattern = "".join(self.pattern) if self.active else None
        return Text("".join(self.text), self.origins, pattern)


@dataclass(frozen=True, slots=True)
class Opened:
    """A redirection with its target expanded."""

    op: str
    target: Text
    fd: str = ""

    @property
    def writes(self) -> bool:
        """Whether the target is opened for writing."""
        return ">" in self.op and not (self.op in (">&", "<&", ">&-") and self.target.text.isdigit())


@dataclass(slots=True, eq=False)
class Command:
    """One command about to run: its words expanded, what it reads, where it runs, and in what circumstances.

    `context` holds words such as `elevated`, `remote`, `container` and `uncalled`; `files` is what this script has
    written so far, by path (`saving.contents` says which of it the words name), and `links` where its links lead.
    """

    argv: tuple[Text, ...]
    cwd: Text
    stdin: Stream | None = None
    redirects: tuple[Opened, ...] = ()
    env: tuple[tuple[str, Text], ...] = ()
    context: frozenset[str] = frozenset()
    mounts: tuple[tuple[str, Text], ...] = ()
    home: str = ""
    files: Mapping[str, Text] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = field(init=False)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        """Work out what every reader asks for: the words' texts, and the program's name without its folder."""
        self.words = words = tuple([word.text for word in self.argv])
        self.name = words[0].rsplit("/", 1)[-1] if words else ""
