"""Hook, its kinds of action, and where we read it: what to run, when, and what its failure means."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from enum import Enum, IntEnum
from typing import TypeAlias

from omnihook.events import NATIVE
from omnihook.jsontypes import EMPTY, Json, JsonObject
from omnihook.slotted import dataclass
from omnihook.verdicts import Verdict

BUILTIN = "builtin:"  # how the target of a call to a hook of ours begins


class Layer(IntEnum):
    """Who wrote a hook, most trusted first."""

    MANAGED = 0
    PROGRAM = 1  # registered by the host program
    USER = 2
    FLAG = 3  # a file named on the command line or to the API
    PLUGIN = 4
    PROJECT = 5
    LOCAL = 6  # in the work tree, not committed

    @property
    def label(self) -> str:
        """The lower-case word shown to people."""
        return self.name.lower()


class Cause(Enum):
    """Why a hook gave no answer."""

    START = "start"  # could not be started
    TIMEOUT = "timeout"
    SIGNAL = "signal"
    EXIT = "exit"  # an exit code that is neither an answer nor a block
    OUTPUT = "output"  # an answer that cannot be read
    OVERFLOW = "overflow"
    INPUT = "input"  # the event is too large for it
    CANCELLED = "cancelled"


class OnError(IntEnum):
    """What a broken hook means."""

    ALLOW = 0
    ASK = 1
    DENY = 2


class BlockOn(Enum):
    """Which exit codes mean block."""

    DIALECT = "dialect"  # as the dialect says
    TWO = "2"
    NONZERO = "nonzero"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a hook was read: the file, the way to the entry inside it, and whose file it is."""

    dialect: str = NATIVE
    layer: Layer = Layer.PROGRAM
    path: str | None = None
    pointer: tuple[str | int, ...] = ()
    root: str | None = None  # the plugin's or skill's own folder
    owner: str | None = None  # the skill, subagent or profile it belongs to
    line: int | None = None  # filled in when somebody asks

    def __str__(self) -> str:
        if self.path is None:
            return self.layer.label
        return self.path if self.line is None else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """What a hook's matcher compares: nothing (always), exact names, or a pattern.

    `pattern` is a regular expression; it must match the whole subject when `whole`, else anywhere in it.
    `never` is a matcher that cannot match (an invalid pattern, say), with the reason.
    """

    text: str = ""
    names: frozenset[str] | None = None
    pattern: str | None = None
    whole: bool = False
    never: str | None = None

    @property
    def everything(self) -> bool:
        """Whether it matches any subject, even a missing one."""
        return self.names is None and self.pattern is None and self.never is None


EVERYTHING = Matcher()


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Shell text, given to the dialect's shell or to `interpreter`."""

    command: str
    interpreter: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Argv:
    """A program and its arguments, without a shell."""

    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """`package.module:function`, imported and called in a process of its own.

    `builtin:NAME` is a hook of ours, which takes `options`; one that is `inline` is called in this process.
    """

    target: str
    options: JsonObject = field(default=EMPTY)
    inline: bool = False

    @property
    def builtin(self) -> str | None:
        """The name of the hook of ours that is called; None for a function of somebody else."""
        return self.target.removeprefix(BUILTIN) if self.target.startswith(BUILTIN) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A Python function of the host program, plain or async; with a time-out a plain one runs in a thread."""

    function: "HookFunction"
    contextual: bool = False  # it takes a Context as its second argument


@dataclass(frozen=True, slots=True, kw_only=True)
class Http:
    """A POST of the event to a server."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    allowed_env: tuple[str, ...] = ()  # variables that headers may name


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A question to a model; with `tools` the model may look at the project before it answers."""

    prompt: str
    model: str | None = None
    tools: bool = False
    base_url: str | None = None
    api_key: str | None = None
    continue_on_block: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A call of a tool of an MCP server, by the name under which the server is configured."""

    server: str
    tool: str
    input: JsonObject = field(default=EMPTY)


Action: TypeAlias = Command | Argv | Call | Function | Http | Prompt | McpTool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """Something a person wants to happen at a moment in an agent's life.

    `events` are canonical names, or an agent's own for events we do not know. Times are seconds; a `timeout`
    of None means the dialect's default. `on_error` says what failure means, per cause, where it differs.
    """

    name: str
    events: tuple[str, ...]
    action: Action
    native_events: tuple[str, ...] = ()  # as written, in the dialect's words
    matcher: Matcher = EVERYTHING
    tools: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    rule: str | None = None  # `if`
    timeout: float | None = None
    background: bool = False  # `async`
    rewake: bool = False  # a background hook whose block is delivered as context
    priority: int = 0
    once: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
    clean_env: bool = False
    cwd: str | None = None
    on_error: Mapping[Cause, OnError] = field(default_factory=dict)
    block_on: BlockOn = BlockOn.DIALECT
    guard: bool = False
    observe: bool = False
    pure: bool = False
    shadow: bool = False
    may_allow: bool = False  # a prompt hook may approve
    detach: bool = False  # children that outlive it are meant to
    enabled: bool = True
    description: str | None = None
    status_message: str | None = None
    pins: tuple[str, ...] = ()
    slot: str | None = None  # of hooks with the same slot only the last that may run does
    source: Source = field(default_factory=Source)
    entry: Json = None  # the entry as it was written


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a function hook may know and use besides the event."""

    session_id: str = ""
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    cancelled: Callable[[], bool] = lambda: False


HookFunction: TypeAlias = Callable[..., "Verdict | Awaitable[Verdict | None] | None"]


def summary(hook: Hook) -> str:
    """The one line that says what a hook runs."""
    match hook.action:
        case Command(command=text):
            return text
        case Argv(argv=words):
            return " ".join(words)
        case Call(target=target):
            return target
        case Function(function=function):
            return str(getattr(function, "__qualname__", function))
        case Http(url=url):
            return url
        case Prompt(prompt=text):
            return text
        case McpTool(server=server, tool=tool):
            return f"{server}/{tool}"
