"""The event half of Claude Code's wire shape: one JSON object with `hook_event_name`, as a table of fields."""

from collections.abc import Mapping

from omnihook.events import EVENTS, Event, OtherEvent
from omnihook.families import fields
from omnihook.families.fields import Field, Kind
from omnihook.jsontypes import Json, JsonObject
from omnihook.tools import Vocabulary

COMMON = (
    Field("session_id", "session_id", always=True),
    Field("transcript_path", "transcript_path"),
    Field("cwd", "cwd", always=True),
    Field("prompt_id", "prompt_id"),
    Field("permission_mode", "permission_mode", Kind.WORD),
    Field("subagent", "agent_id"),
    Field("subagent_type", "agent_type"),
    Field("effort", "effort", Kind.JSON),
)
_TOOL = (
    Field("tool_name", "tool_name", Kind.TOOL),
    Field("tool_input", "tool_input", Kind.INPUT),
    Field("tool_use_id", "tool_use_id"),
    Field("mcp_server", "mcp_server", Kind.JSON),
)
_ENDING = (
    Field("stop_hook_active", "stop_hook_active", Kind.FLAG),
    Field("last_assistant_message", "last_assistant_message"),
    Field("background_tasks", "background_tasks", Kind.JSON),
    Field("session_crons", "session_crons", Kind.JSON),
)
_MODELS = (
    Field("from_model", "from_model"),
    Field("to_model", "to_model"),
    Field("requested_model", "requested_model"),
    Field("source", "source", Kind.WORD),
    Field("context_tokens", "context_tokens", Kind.JSON),
    Field("prompt_cache_warm", "prompt_cache_warm", Kind.FLAG),
    Field("cache_ttl", "cache_ttl", Kind.JSON),
    Field("estimated_cache_write_usd", "estimated_cache_write_usd", Kind.JSON),
    Field("pricing", "pricing", Kind.JSON),
)
_TASK = (
    Field("task_id", "task_id"),
    Field("task_subject", "task_subject"),
    Field("task_description", "task_description"),
    Field("teammate_name", "teammate_name"),
    Field("team_name", "team_name"),
)
_DURATION = Field("duration", "duration_ms", Kind.MILLISECONDS)

OWN: Mapping[str, tuple[Field, ...]] = {
    "PreToolUse": _TOOL,
    "PostToolUse": (*_TOOL, Field("tool_response", "tool_response", Kind.JSON), _DURATION),
    "PostToolUseFailure": (
        *_TOOL,
        Field("error", "error"),
        Field("error_type", "error_type"),
        Field("is_interrupt", "is_interrupt", Kind.FLAG),
        Field("is_timeout", "is_timeout", Kind.FLAG),
        _DURATION,
    ),
    "PostToolBatch": (Field("tool_calls", "tool_calls", Kind.OBJECTS),),
    "PermissionRequest": (*_TOOL, Field("permission_suggestions", "permission_suggestions", Kind.JSON)),
    "PermissionDenied": (*_TOOL, Field("reason", "reason")),
    "UserPromptSubmit": (Field("prompt", "prompt"), Field("source", "source"), Field("session_title", "session_title")),
    "UserPromptExpansion": (
        Field("expansion_type", "expansion_type"),
        Field("command_name", "command_name"),
        Field("command_args", "command_args"),
        Field("command_source", "command_source"),
        Field("prompt", "prompt"),
    ),
    "SessionStart": (
        Field("source", "source", Kind.WORD),
        Field("model", "model"),
        Field("session_title", "session_title"),
        Field("seconds_since_last_response", "seconds_since_last_response", Kind.JSON),
        Field("context_tokens", "context_tokens", Kind.JSON),
        Field("prompt_cache_likely_expired", "prompt_cache_likely_expired", Kind.FLAG),
        Field("estimated_cache_write_usd", "estimated_cache_write_usd", Kind.JSON),
    ),
    "SessionEnd": (Field("reason", "reason", Kind.WORD),),
    "Setup": (Field("trigger", "trigger"),),
    "Stop": _ENDING,
    "StopFailure": (
        Field("error", "error"),
        Field("error_details", "error_details"),
        Field("last_assistant_message", "last_assistant_message"),
    ),
    "SubagentStart": (),
    "SubagentStop": (*_ENDING, Field("subagent_transcript_path", "agent_transcript_path")),
    "PreCompact": (
        Field("trigger", "trigger"),
        Field("custom_instructions", "custom_instructions", always=True),
    ),
    "PostCompact": (Field("trigger", "trigger"), Field("compact_summary", "compact_summary")),
    "PreModelSwitch": _MODELS,
    "PostModelSwitch": _MODELS,
    "Notification": (
        Field("message", "message"),
        Field("title", "title"),
        Field("notification_type", "notification_type", Kind.WORD),
    ),
    "TeammateIdle": (Field("teammate_name", "teammate_name"), Field("team_name", "team_name")),
    "TaskCreated": _TASK,
    "TaskCompleted": _TASK,
    "Elicitation": (
        Field("mcp_server_name", "mcp_server_name"),
        Field("message", "message"),
        Field("mode", "mode"),
        Field("url", "url"),
        Field("elicitation_id", "elicitation_id"),
        Field("requested_schema", "requested_schema", Kind.JSON),
    ),
    "ElicitationResult": (
        Field("mcp_server_name", "mcp_server_name"),
        Field("elicitation_id", "elicitation_id"),
        Field("mode", "mode"),
        Field("action", "action"),
        Field("content", "content", Kind.JSON),
    ),
    "ConfigChange": (Field("source", "source"), Field("file_path", "file_path")),
    "InstructionsLoaded": (
        Field("file_path", "file_path"),
        Field("memory_type", "memory_type"),
        Field("load_reason", "load_reason"),
        Field("globs", "globs", Kind.JSON),
        Field("trigger_file_path", "trigger_file_path"),
        Field("parent_file_path", "parent_file_path"),
    ),
    "CwdChanged": (Field("old_cwd", "old_cwd"), Field("new_cwd", "new_cwd")),
    "FileChanged": (Field("file_path", "file_path"), Field("change", "event")),
    "DirectoryAdded": (Field("directory", "directory"), Field("source", "source")),
    "WorktreeCreate": (Field("worktree_name", "name"),),
    "WorktreeRemove": (Field("worktree_path", "worktree_path"),),
    "MessageDisplay": (
        Field("turn_id", "turn_id"),
        Field("message_id", "message_id"),
        Field("index", "index", Kind.COUNT),
        Field("final", "final", Kind.FLAG),
        Field("delta", "delta"),
    ),
}


def decode(
    payload: JsonObject,
    name: str | None,
    *,
    agent: str,
    names: Mapping[str, str],
    words: Vocabulary,
    own: Mapping[str, tuple[Field, ...]] = OWN,
    common: tuple[Field, ...] = COMMON,
) -> Event:
    """The event a payload tells of; `names` maps native to canonical names."""
    native = fields.event_name(payload, name)
    canonical = names.get(native, native)
    event = EVENTS.get(canonical, OtherEvent)
    found = fields.decode(payload, (*common, *own.get(canonical, ())), words)
    return event(**found, agent=agent, native=payload, native_name=native)  # type: ignore[arg-type]  # the table names the event's own fields


def encode(
    event: Event,
    native_name: str,
    *,
    agent: str,
    words: Vocabulary,
    own: Mapping[str, tuple[Field, ...]] = OWN,
    common: tuple[Field, ...] = COMMON,
) -> dict[str, Json]:
    """The payload for an event, as the agent itself would send it."""
    rows = (*common, *own.get(event.name, ()))
    if event.agent == agent and event.native:
        return {**fields.overlay(event, rows, words), "hook_event_name": native_name}
    if isinstance(event, OtherEvent):
        return {**event.native, **fields.encode(event, rows, words), "hook_event_name": native_name}
    split = len(common)
    head = fields.encode(event, rows[:split], words)
    return {**head, "hook_event_name": native_name, **fields.encode(event, rows[split:], words)}
