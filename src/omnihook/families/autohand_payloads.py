"""Autohand's event as its hooks see it: one JSON object of thirty keys, and thirty HOOK_ variables made from it."""

from collections.abc import Mapping

from omnihook.events import EVENTS, Event, OtherEvent, PermissionRequest, PostToolUse, PostToolUseFailure
from omnihook.families import fields
from omnihook.families.fields import Field, Kind
from omnihook.jsontypes import Json, JsonObject, dumps, text_of
from omnihook.tools import Vocabulary, touched

# In the document's order; a key without a value is sent as null.
KEYS = (
    "session_id",
    "cwd",
    "hook_event_name",
    "tool_name",
    "tool_input",
    "tool_use_id",
    "tool_response",
    "tool_success",
    "file_path",
    "change_type",
    "instruction",
    "mentioned_files",
    "tokens_used",
    "tool_calls_count",
    "turn_tool_calls",
    "turn_duration",
    "duration",
    "error",
    "error_code",
    "session_type",
    "session_end_reason",
    "subagent_id",
    "subagent_name",
    "subagent_type",
    "subagent_success",
    "subagent_error",
    "subagent_duration",
    "permission_type",
    "notification_type",
    "notification_message",
)
VARIABLES: Mapping[str, str] = {
    "HOOK_EVENT": "hook_event_name",
    "HOOK_WORKSPACE": "cwd",
    "HOOK_SESSION_ID": "session_id",
    "HOOK_TOOL": "tool_name",
    "HOOK_TOOL_CALL_ID": "tool_use_id",
    "HOOK_ARGS": "tool_input",
    "HOOK_SUCCESS": "tool_success",
    "HOOK_OUTPUT": "tool_response",
    "HOOK_DURATION": "duration",
    "HOOK_PATH": "file_path",
    "HOOK_CHANGE_TYPE": "change_type",
    "HOOK_INSTRUCTION": "instruction",
    "HOOK_MENTIONED_FILES": "mentioned_files",
    "HOOK_TOKENS": "tokens_used",
    "HOOK_TOOL_CALLS_COUNT": "tool_calls_count",
    "HOOK_TURN_TOOL_CALLS": "turn_tool_calls",
    "HOOK_TURN_DURATION": "turn_duration",
    "HOOK_ERROR": "error",
    "HOOK_ERROR_CODE": "error_code",
    "HOOK_SESSION_TYPE": "session_type",
    "HOOK_SESSION_END_REASON": "session_end_reason",
    "HOOK_SUBAGENT_ID": "subagent_id",
    "HOOK_SUBAGENT_NAME": "subagent_name",
    "HOOK_SUBAGENT_TYPE": "subagent_type",
    "HOOK_SUBAGENT_SUCCESS": "subagent_success",
    "HOOK_SUBAGENT_ERROR": "subagent_error",
    "HOOK_SUBAGENT_DURATION": "subagent_duration",
    "HOOK_PERMISSION_TYPE": "permission_type",
    "HOOK_NOTIFICATION_TYPE": "notification_type",
    "HOOK_NOTIFICATION_MSG": "notification_message",
}

COMMON = (Field("session_id", "session_id"), Field("cwd", "cwd"))
_CALL = (Field("tool_name", "tool_name", Kind.TOOL), Field("tool_use_id", "tool_use_id"))
_TOOL = (*_CALL, Field("tool_input", "tool_input", Kind.INPUT))
_DURATION = Field("duration", "duration", Kind.MILLISECONDS)
_RESULT = (*_TOOL, Field("tool_response", "tool_response", Kind.JSON), _DURATION)
# `context` is no key of the document's list, but its events table promises it for session-error.
_ERROR = (Field("error", "error"), Field("error_code", "error_code"), Field("context", "context", Kind.OBJECT))
OWN: Mapping[str, tuple[Field, ...]] = {
    "PreToolUse": _TOOL,
    "PostToolUse": _RESULT,
    "PostToolUseFailure": _RESULT,
    "PermissionRequest": (*_TOOL, Field("permission_type", "permission_type"), Field("path", "file_path")),
    "FileModified": (Field("file_path", "file_path"), Field("change_type", "change_type", Kind.WORD)),
    "UserPromptSubmit": (Field("prompt", "instruction"), Field("mentioned_files", "mentioned_files", Kind.TEXTS)),
    "Stop": (
        Field("tokens_used", "tokens_used", Kind.COUNT),
        Field("tool_calls_count", "tool_calls_count", Kind.COUNT),
        Field("turn_tool_calls", "turn_tool_calls", Kind.COUNT),
        Field("turn_duration", "turn_duration", Kind.MILLISECONDS),
        _DURATION,
    ),
    "SessionStart": (Field("source", "session_type", Kind.WORD),),
    "SessionEnd": (Field("reason", "session_end_reason", Kind.WORD), _DURATION),
    "SessionError": _ERROR,
    "StopFailure": (Field("error", "error"),),
    "SubagentStop": (
        Field("subagent", "subagent_id"),
        Field("subagent_name", "subagent_name"),
        Field("subagent_type", "subagent_type"),
        Field("success", "subagent_success", Kind.FLAG),
        Field("error", "subagent_error"),
        Field("duration", "subagent_duration", Kind.MILLISECONDS),
    ),
    "Notification": (
        Field("notification_type", "notification_type", Kind.WORD),
        Field("message", "notification_message"),
    ),
}
# Which call changed a file is read where it is sent, and is not part of what hooks of that event are promised.
_ALSO_READ: Mapping[str, tuple[Field, ...]] = {"FileModified": _CALL}


def decode(payload: JsonObject, native: str, canonical: str, *, agent: str, words: Vocabulary) -> Event:
    """The event a payload tells of; a tool that failed is another event than one that succeeded."""
    if canonical == "PostToolUse" and payload.get("tool_success") is False:
        canonical = "PostToolUseFailure"
    rows = (*COMMON, *OWN.get(canonical, ()), *_ALSO_READ.get(canonical, ()))
    found = fields.decode(payload, rows, words)
    if canonical == "PostToolUseFailure":
        error = payload.get("error") or payload.get("tool_response")
        found["error"] = None if error is None else text_of(error)
    event = EVENTS.get(canonical, OtherEvent)
    return event(**found, agent=agent, native=payload, native_name=native)  # type: ignore[arg-type]  # the table names the event's own fields


def encode(event: Event, native: str, *, agent: str, words: Vocabulary) -> dict[str, Json]:
    """The payload for an event: every key of the list, and whatever else Autohand itself sent."""
    rows = (*COMMON, *OWN.get(event.name, ()))
    made: dict[str, Json] = {**dict.fromkeys(KEYS), **fields.encode(event, rows, words)}
    if event.agent != agent:
        made |= _told(event)
    if event.agent == agent or isinstance(event, OtherEvent):
        changed = {row.key for row in rows if row.attr in event.changed}
        made |= {key: value for key, value in event.native.items() if key not in changed}
    made["hook_event_name"] = native
    return made


def environment(body: JsonObject) -> dict[str, str]:
    """The variables: empty text is not exported, 0 and false are."""
    texts = {name: _text(body.get(key)) for name, key in VARIABLES.items()}
    return {name: text for name, text in texts.items() if text}


def path_of(event: PermissionRequest) -> str | None:
    """The file a permission is about: as sent, else the first one the call names."""
    if event.path is not None:
        return event.path
    files = touched(event.tool_name, event.tool_input)
    return files[0].path if files else None


def _told(event: Event) -> dict[str, Json]:
    """Keys that no single attribute holds."""
    match event:
        case PostToolUse():
            return {"tool_success": True}
        case PostToolUseFailure(tool_response=response, error=error):
            return {"tool_success": False, "tool_response": error if response is None else response}
        case PermissionRequest():
            return {"file_path": path_of(event)}
        case _:
            return {}


def _text(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else dumps(value)
