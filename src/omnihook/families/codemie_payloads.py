"""CodeMie's event as its hooks see it: an object printed into one variable, and eight smaller ones beside it."""

from collections.abc import Mapping

from omnihook.dialect import Wire
from omnihook.events import EVENTS, Event, OtherEvent, PostToolUse
from omnihook.families import fields
from omnihook.families.fields import Field, Kind
from omnihook.jsontypes import Json, JsonObject, dumps, pretty, text_of
from omnihook.tools import Vocabulary

VARIABLES = (
    "CODEMIE_PROJECT_DIR",
    "CODEMIE_SESSION_ID",
    "CODEMIE_HOOK_EVENT",
    "CODEMIE_TOOL_NAME",
    "CODEMIE_AGENT_NAME",
    "CODEMIE_PROFILE_NAME",
    "CODEMIE_TRANSCRIPT_PATH",
    "CODEMIE_PERMISSION_MODE",
    "CODEMIE_HOOK_INPUT",
)
AGENT_NAME = "codemie-code"

_COMMON = (
    Field("session_id", "session_id", always=True),
    Field("cwd", "cwd", always=True),
    Field("transcript_path", "transcript_path"),
    Field("permission_mode", "permission_mode", Kind.WORD),
    Field("agent_name", "agent_name"),
    Field("profile_name", "profile_name"),
)
_TOOL = (
    Field("tool_name", "tool_name", Kind.TOOL),
    Field("tool_input", "tool_input", Kind.INPUT),
    Field("tool_use_id", "tool_use_id"),
)
_OWN: Mapping[str, tuple[Field, ...]] = {
    "PreToolUse": _TOOL,
    "PostToolUse": (
        *_TOOL,
        Field("tool_response", "tool_output", Kind.JSON),
        Field("tool_metadata", "tool_metadata", Kind.OBJECT),
    ),
    "UserPromptSubmit": (Field("prompt", "prompt"),),
    "Stop": (
        Field("tool_execution_history", "tool_execution_history", Kind.JSON),
        Field("execution_stats", "execution_stats", Kind.JSON),
    ),
    "SessionEnd": (Field("reason", "reason", Kind.WORD),),
}


def decode(payload: JsonObject, name: str | None, *, agent: str, words: Vocabulary) -> Event:
    """The event a payload tells of."""
    native = fields.event_name(payload, name)
    found = fields.decode(payload, _rows(native), words)
    event = EVENTS.get(native, OtherEvent)
    return event(**found, agent=agent, native=payload, native_name=native)  # type: ignore[arg-type]  # the table names the event's own fields


def encode(event: Event, native: str, *, agent: str, words: Vocabulary) -> Wire:
    """An event as variables; every one of them is there, empty where there is nothing to say."""
    own = event.agent == agent
    body = _body(event, native, words, own=own)
    env = {
        "CODEMIE_PROJECT_DIR": event.cwd,
        "CODEMIE_SESSION_ID": event.session_id,
        "CODEMIE_HOOK_EVENT": native,
        "CODEMIE_TOOL_NAME": _text(body, "tool_name"),
        "CODEMIE_AGENT_NAME": event.agent_name or (AGENT_NAME if own else event.agent),
        "CODEMIE_PROFILE_NAME": event.profile_name or "",
        "CODEMIE_TRANSCRIPT_PATH": event.transcript_path or "",
        "CODEMIE_PERMISSION_MODE": _text(body, "permission_mode"),
        "CODEMIE_HOOK_INPUT": pretty(body),
    }
    return Wire(stdin=None, env=env, body=body, values=_placeholders(event, body))


def _placeholders(event: Event, body: JsonObject) -> dict[str, str]:
    given = body.get("tool_input")
    return {
        "TOOL_NAME": _text(body, "tool_name"),
        "TOOL_INPUT": "" if given is None else dumps(given),
        "PROMPT": _text(body, "prompt"),
        "SESSION_ID": event.session_id,
        "CWD": event.cwd,
    }


def _rows(event: str) -> tuple[Field, ...]:
    return (*_OWN.get(event, ()), *_COMMON)


def _body(event: Event, native: str, words: Vocabulary, *, own: bool) -> dict[str, Json]:
    rows = _rows(event.name)
    made: dict[str, Json] = {"hook_event_name": native, **fields.encode(event, rows, words)}
    if own or isinstance(event, OtherEvent):
        changed = {row.key for row in rows if row.attr in event.changed}
        kept = {key: value for key, value in event.native.items() if key not in changed}
        return {**made, **kept, "hook_event_name": native}
    if isinstance(event, PostToolUse) and event.tool_response is not None:
        made["tool_output"] = text_of(event.tool_response)  # its hooks expect text
    return made


def _text(body: JsonObject, key: str) -> str:
    value = body.get(key)
    return value if isinstance(value, str) else ""
