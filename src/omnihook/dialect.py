"""What a dialect is: a codec in four functions, two functions for its files, and data the engine interprets."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, fields
from enum import Enum
from functools import cache
from importlib import import_module
from typing import cast

from omnihook.events import Event
from omnihook.hooks import Cause, Hook, Layer, OnError
from omnihook.jsontypes import EMPTY, JsonObject
from omnihook.slotted import dataclass
from omnihook.tools import Vocabulary
from omnihook.verdicts import Verdict


class Order(Enum):
    """How a dialect's hooks of one event run."""

    PARALLEL = "parallel"
    SEQUENTIAL = "sequential"


class EndLane(Enum):
    """What ends a sequential lane early."""

    NEVER = "never"
    STOP = "stop"  # `continue: false`
    BLOCK = "block"  # the first refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """One row of the relation of names: our event is their name, where the predicate holds.

    `send` is False for an alias under which hooks may be registered but which is not sent.
    """

    event: str
    native: str
    when: Callable[[Event], bool] | None = None
    send: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What a reply can do at an event."""

    refuse: bool = False
    ask: bool = False
    approve: bool = False
    defer: bool = False
    rewrite: bool = False
    output: bool = False
    context: bool = False
    stop: bool = False
    message: bool = False
    suppress: bool = False

    def __and__(self, other: "Effects") -> "Effects":
        return Effects(**{name: getattr(self, name) and getattr(other, name) for name in EFFECT_NAMES})


EFFECT_NAMES = tuple(effect.name for effect in fields(Effects))
EVERY_EFFECT = Effects(**dict.fromkeys(EFFECT_NAMES, True))
NO_EFFECT = Effects()


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """What a runner brought back, before the dialect reads it."""

    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    channel: str = "process"  # process, http, model, mcp
    status: int | None = None  # of an http reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why there is no answer, in a sentence for people.

    `said` is a verdict that came along with the failure; it counts where it is stricter than `on_error`.
    """

    cause: Cause
    message: str
    said: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """An event as a hook receives it. A dialect without stdin leaves `stdin` None."""

    stdin: bytes | None
    env: Mapping[str, str] = field(default_factory=dict)
    body: JsonObject = field(default=EMPTY)  # the event as an object: what http calls send and `$ARGUMENTS` is
    values: Mapping[str, str] = field(default_factory=dict)  # placeholders of prompts, by name without the `$`


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A verdict as an agent reads it, and what could not be said."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """Where a dialect keeps hooks: a path below the home, the project or nothing, possibly a glob."""

    layer: Layer
    path: str
    base: str = "home"  # home, project, absolute
    role: str = "settings"  # settings, plugin, frontmatter: how the text is read


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigText:
    """A file that was found, as text."""

    path: str
    layer: Layer
    text: str
    role: str = "settings"
    root: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """Something wrong with a file, where, and what to do about it."""

    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    fix: str | None = None
    code: str = "config"
    severity: str = "error"  # error, warning
    pointer: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.fix})" if self.fix else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a dialect's files say besides hooks."""

    enabled: bool = True  # the switch of the file's own layer
    disable_all: bool = False  # everything but managed hooks is off
    managed_only: bool = False
    forbid_open: bool = False  # managed: hooks whose project content cannot be listed do not run
    read: tuple[str, ...] = ()
    max_retries: int | None = None
    debug: bool = False
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = None
    provider: str | None = None
    sequential: bool = False
    max_concurrent: int | None = None
    allowed_urls: tuple[str, ...] | None = None
    allowed_env: tuple[str, ...] | None = None
    servers: JsonObject = field(default=EMPTY)  # MCP servers by name


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a dialect's files hold."""

    hooks: tuple[Hook, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    settings: Mapping[Layer, Settings] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """What a running hook says to go on in the background, for at most `timeout` seconds when it says how long."""

    timeout: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a dialect's hooks run and what comes of them; data the engine interprets."""

    timeout: float = 60.0
    timeouts: Mapping[str, float] = field(default_factory=dict)  # per canonical event
    prompt_timeout: float | None = None
    agent_timeout: float | None = None
    timeout_unit: float = 1.0  # seconds in one of the file's units
    order: Order = Order.PARALLEL
    end_lane: EndLane = EndLane.NEVER
    hand_on: bool = True  # what one hook of a lane rewrote, the next one sees
    output_cap: int = 1 << 20
    truncate: bool = False
    on_error: OnError = OnError.ALLOW
    interpreter: str = "/bin/sh"  # runs shell text
    variables: frozenset[str] = frozenset()  # documented names, quoted for the author in commands
    project_variable: str | None = None  # holds the project's folder, whatever directory the session is in
    session_variable: str | None = None  # holds the directory of the session, for a dialect that has no other
    plugin_variable: str | None = None  # holds the folder of the plugin or skill that a hook belongs to
    single_quotes: bool = False  # documented names are also filled in inside single quotes
    dotfiles: bool = True  # whether `*` in a path glob matches a leading dot
    identity: Callable[[Hook], Hashable] | None = None  # equal hooks run once per dispatch
    no_http: frozenset[str] = frozenset()  # events at which http hooks are skipped
    joiner: str = "\n"  # between contexts
    stop_limit: int = 5  # consecutive Stop blocks before the turn ends anyway
    timeout_refuses: frozenset[str] = frozenset()  # events at which a time-out refuses
    # A variable naming a file of the session, to which hooks of some events append `export NAME=value` lines.
    env_file: str | None = None
    env_file_events: frozenset[str] = frozenset()
    leaves: Callable[[str], Leave | None] | None = None  # the first line a command writes -> whether it goes on alone


def _plain_table(document: JsonObject) -> tuple[str, ...]:
    return ("hooks",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """How a dialect's files are edited: their format, and where in a document the hooks and the switches are."""

    format: str = "json"  # json, toml
    table: Callable[[JsonObject], tuple[str, ...]] = _plain_table  # the way to what holds the hooks
    matcher: str = "matcher"  # the key of a matcher
    enabled: str | None = None  # the key that switches one hook; without one a disabled hook is kept elsewhere
    switch: tuple[str, ...] | None = None  # the way to the file's own switch
    off: bool = False  # what that switch holds when the hooks are off


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One agent's way of saying hooks. The functions are pure: no disk, no clock, no environment."""

    name: str
    title: str
    names: tuple[Name, ...]
    effects: Mapping[str, Effects]  # by canonical event
    vocabulary: Vocabulary
    policy: Policy
    files: tuple[ConfigFile, ...]
    read_config: Callable[[Sequence[ConfigText]], Reading]
    write_config: Callable[[Sequence[Hook]], "Written"]
    decode_event: Callable[[JsonObject, str | None], Event]
    encode_event: Callable[[Event], Wire]
    decode_reply: Callable[[Hook, Event, Raw], Verdict | Failure]
    encode_reply: Callable[[Event, Verdict], Reply]
    hook_env: Callable[[Hook, Event], Mapping[str, str]] | None = None
    # What matchers see: None where a matcher is ignored, empty where nothing can match but an empty pattern.
    subjects: Callable[[Event], tuple[str, ...] | None] | None = None
    other_effects: Effects = NO_EFFECT  # of events the table does not list
    derives: frozenset[str] = frozenset()  # events the host does not send, so that we derive them
    # What `init --as` writes below a home: path -> (text, mode). None: there are no default hooks.
    defaults: Callable[[str], dict[str, tuple[str, int]]] | None = None
    # Variables that tell the event without stdin: variable -> key of the payload, and the one with all of it.
    told_by: Mapping[str, str] = field(default_factory=dict)
    told_whole: str | None = None
    # Further files that a file names, relative to the folder of its plugin. None: no file names any.
    further: Callable[[ConfigText], tuple[str, ...]] | None = None
    marks: tuple[str, ...] = ()  # variables that a process finds when this agent started it
    editing: Editing = field(default_factory=Editing)
    # The log below the home that gets a line per event where `Settings.debug` asks for it; `{date}` is the day.
    debug_log: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A configuration written in a dialect, and what could not be said in it."""

    files: Mapping[str, str] = field(default_factory=dict)  # path as in ConfigFile -> text
    lost: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The one file, when there is one."""
        return next(iter(self.files.values()), "")


@cache
def lookup(name: str) -> Dialect:
    """A dialect by its name. Their table stands higher up than most who ask, so that it is found at run time."""
    return cast("Dialect", import_module("omnihook.dialects").get(name))


def effects_of(dialect: Dialect, event: Event) -> Effects:
    """What a reply in this dialect can do at the event."""
    return dialect.effects.get(event.name, dialect.other_effects)


def native_name(dialect: Dialect, event: Event) -> str:
    """The dialect's name for an event: its first row whose predicate holds, else the canonical name."""
    if event.agent == dialect.name and event.native_name:
        return event.native_name
    for row in dialect.names:
        if row.event == event.name and row.send and (row.when is None or row.when(event)):
            return row.native
    return event.name


def events_named(dialect: Dialect, native: str) -> tuple[str, ...]:
    """The canonical events that a native name stands for; empty for a name the dialect does not have."""
    return tuple(dict.fromkeys(row.event for row in dialect.names if row.native == native))
