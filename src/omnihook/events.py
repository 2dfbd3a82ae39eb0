"""The canonical events: frozen values with the parsed fields of every dialect, and the untouched payload beside them.

Names are PascalCase as most agents spell them. What an agent invents tomorrow is an `OtherEvent` under its own name.
One file, because the list of events is one table.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import ClassVar, TypeVar

from omnihook.jsontypes import EMPTY, Json, JsonObject
from omnihook.slotted import dataclass

NATIVE = "omnihook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A moment in an agent's life; subclasses add what is known at that moment.

    `agent` is the dialect the event came in, `native` the payload as it came, and `changed` the names of
    the fields that were rewritten since, so that encoding into the same dialect gives back everything else.
    """

    subject: ClassVar[str | None] = None  # the field that matchers compare with

    session_id: str = ""
    cwd: str = ""
    timestamp: float | None = None  # seconds since the epoch; None until it is fired
    agent: str = NATIVE
    agent_name: str | None = None  # what the host calls itself
    profile_name: str | None = None
    model: str | None = None
    subagent: str = ""  # the id of the subagent this happens in
    subagent_type: str | None = None
    transcript_path: str | None = None
    permission_mode: str | None = None
    prompt_id: str | None = None
    effort: Json = None
    metadata: JsonObject = field(default=EMPTY)
    native: JsonObject = field(default=EMPTY)
    native_name: str = ""
    changed: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The canonical name."""
        return type(self).__name__


E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherEvent(Event):
    """An event without a canonical name; hooks registered under its native name run."""

    @property
    def name(self) -> str:
        """The agent's own name for it."""
        return self.native_name


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart(Event):
    """A session begins, is resumed, or starts over."""

    subject: ClassVar[str | None] = "source"

    source: str | None = None  # startup, resume, clear, compact, fork
    session_title: str | None = None
    seconds_since_last_response: Json = None
    context_tokens: Json = None
    prompt_cache_likely_expired: bool | None = None
    estimated_cache_write_usd: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnd(Event):
    """A session is over."""

    subject: ClassVar[str | None] = "reason"

    reason: str | None = None  # clear, resume, logout, quit, exit, error, other
    duration: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionError(Event):
    """Something went wrong in the session itself."""

    error: str | None = None
    error_code: str | None = None
    context: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup(Event):
    """The agent prepares its environment."""

    subject: ClassVar[str | None] = "trigger"

    trigger: str | None = None  # init, maintenance


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPromptSubmit(Event):
    """The user said something and the model has not seen it yet."""

    prompt: str = ""
    mentioned_files: tuple[str, ...] | None = None
    source: str | None = None
    session_title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPromptExpansion(Event):
    """A slash command or a server's prompt is about to be expanded."""

    subject: ClassVar[str | None] = "command_name"

    expansion_type: str | None = None
    command_name: str | None = None
    command_args: str | None = None
    command_source: str | None = None
    prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEvent(Event):
    """Base of the events about one tool call; names and arguments are canonical."""

    subject: ClassVar[str | None] = "tool_name"

    tool_name: str = ""
    tool_input: JsonObject = field(default=EMPTY)
    tool_use_id: str | None = None
    mcp_server: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreToolUse(ToolEvent):
    """A tool is about to run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest(ToolEvent):
    """The user is about to be asked whether a tool may run."""

    permission_type: str | None = None
    path: str | None = None
    permission_suggestions: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionDenied(ToolEvent):
    """A tool call was refused."""

    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostToolUse(ToolEvent):
    """A tool has run."""

    tool_response: Json = None
    tool_metadata: JsonObject | None = None
    exit_code: int | None = None
    duration: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostToolUseFailure(ToolEvent):
    """A tool ran and failed."""

    error: str | None = None
    error_type: str | None = None
    is_interrupt: bool | None = None
    is_timeout: bool | None = None
    tool_response: Json = None
    exit_code: int | None = None
    duration: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostToolBatch(Event):
    """Several tool calls of one answer have run."""

    tool_calls: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileModified(Event):
    """A file was created, modified or deleted by the agent."""

    file_path: str = ""
    change_type: str | None = None  # create, modify, delete
    tool_name: str | None = None
    tool_use_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Event):
    """The agent has finished its turn and is about to hand over."""

    stop_hook_active: bool | None = None
    last_assistant_message: str | None = None
    tokens_used: int | None = None
    tool_calls_count: int | None = None
    turn_tool_calls: int | None = None
    turn_duration: float | None = None
    duration: float | None = None
    tool_execution_history: Json = None
    execution_stats: Json = None
    background_tasks: Json = None
    session_crons: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StopFailure(Event):
    """The turn ended because of an error."""

    subject: ClassVar[str | None] = "error"

    error: str | None = None
    error_details: str | None = None
    last_assistant_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt(Event):
    """The user interrupted the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubagentStart(Event):
    """A subagent is about to begin."""

    subject: ClassVar[str | None] = "subagent_type"

    subagent_name: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubagentStop(Event):
    """A subagent has finished."""

    subject: ClassVar[str | None] = "subagent_type"

    subagent_name: str | None = None
    success: bool | None = None
    error: str | None = None
    duration: float | None = None
    stop_hook_active: bool | None = None
    subagent_transcript_path: str | None = None
    last_assistant_message: str | None = None
    background_tasks: Json = None
    session_crons: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreCompact(Event):
    """The conversation is about to be compacted."""

    subject: ClassVar[str | None] = "trigger"

    trigger: str | None = None  # manual, auto
    custom_instructions: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostCompact(Event):
    """The conversation has been compacted."""

    subject: ClassVar[str | None] = "trigger"

    trigger: str | None = None
    compact_summary: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreModelSwitch(Event):
    """Another model is about to take over."""

    subject: ClassVar[str | None] = "to_model"

    from_model: str | None = None
    to_model: str | None = None
    requested_model: str | None = None
    source: str | None = None
    context_tokens: Json = None
    prompt_cache_warm: bool | None = None
    cache_ttl: Json = None
    estimated_cache_write_usd: Json = None
    pricing: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostModelSwitch(Event):
    """Another model has taken over."""

    subject: ClassVar[str | None] = "to_model"

    from_model: str | None = None
    to_model: str | None = None
    requested_model: str | None = None
    source: str | None = None
    context_tokens: Json = None
    prompt_cache_warm: bool | None = None
    cache_ttl: Json = None
    estimated_cache_write_usd: Json = None
    pricing: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification(Event):
    """The agent wants the user's attention."""

    subject: ClassVar[str | None] = "notification_type"

    notification_type: str | None = None
    message: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TeammateIdle(Event):
    """A teammate has nothing to do."""

    teammate_name: str | None = None
    team_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCreated(Event):
    """A task was put on the list."""

    task_id: str | None = None
    task_subject: str | None = None
    task_description: str | None = None
    teammate_name: str | None = None
    team_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCompleted(Event):
    """A task is about to be ticked off."""

    task_id: str | None = None
    task_subject: str | None = None
    task_description: str | None = None
    teammate_name: str | None = None
    team_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation(Event):
    """A server asks the user for input."""

    subject: ClassVar[str | None] = "mcp_server_name"

    mcp_server_name: str | None = None
    message: str | None = None
    mode: str | None = None
    url: str | None = None
    elicitation_id: str | None = None
    requested_schema: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ElicitationResult(Event):
    """The user answered a server."""

    subject: ClassVar[str | None] = "mcp_server_name"

    mcp_server_name: str | None = None
    elicitation_id: str | None = None
    mode: str | None = None
    action: str | None = None
    content: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange(Event):
    """A settings file of the agent changed."""

    subject: ClassVar[str | None] = "source"

    source: str | None = None
    file_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsLoaded(Event):
    """The agent read an instructions file."""

    subject: ClassVar[str | None] = "load_reason"

    file_path: str | None = None
    memory_type: str | None = None
    load_reason: str | None = None
    globs: Json = None
    trigger_file_path: str | None = None
    parent_file_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CwdChanged(Event):
    """The session moved to another directory."""

    old_cwd: str | None = None
    new_cwd: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanged(Event):
    """A watched file changed on disk, whoever wrote it."""

    subject: ClassVar[str | None] = "file_name"

    file_path: str = ""
    change: str | None = None  # change, add, unlink

    @property
    def file_name(self) -> str:
        """The last component of the path, which matchers compare with."""
        return self.file_path.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryAdded(Event):
    """The session may use one more directory."""

    subject: ClassVar[str | None] = "source"

    directory: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorktreeCreate(Event):
    """A work tree is wanted."""

    worktree_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorktreeRemove(Event):
    """A work tree is no longer wanted."""

    worktree_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDisplay(Event):
    """Text of the model is about to be shown."""

    turn_id: str | None = None
    message_id: str | None = None
    index: int | None = None
    final: bool | None = None
    delta: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeModel(Event):
    """A request is about to go to the model."""

    llm_request: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterModel(Event):
    """The model answered, or a piece of its answer came."""

    llm_request: Json = None
    llm_response: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeToolSelection(Event):
    """The model is about to be told which tools there are."""

    llm_request: Json = None


def _all_events() -> dict[str, type[Event]]:
    abstract = {Event, OtherEvent, ToolEvent}
    found = [c for c in globals().values() if isinstance(c, type) and issubclass(c, Event) and c not in abstract]
    return {c.__name__: c for c in found}


EVENTS: Mapping[str, type[Event]] = _all_events()
# Events before the fact: refusing one prevents something. A hook that breaks at any other event prevents nothing,
# and never keeps an agent at work.
PREVENTABLE: frozenset[str] = frozenset(
    {
        "PreToolUse",
        "PermissionRequest",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "SessionStart",
        "SubagentStart",
        "PreCompact",
        "PreModelSwitch",
        "TaskCreated",
        "Elicitation",
        "ElicitationResult",
        "ConfigChange",
        "WorktreeCreate",
        "BeforeModel",
        "BeforeToolSelection",
    }
)


def rewritten(event: E, **values: object) -> E:
    """The event with some fields changed, remembering which."""
    return replace(event, changed=event.changed | values.keys(), **values)  # type: ignore[arg-type]  # the caller's own fields
