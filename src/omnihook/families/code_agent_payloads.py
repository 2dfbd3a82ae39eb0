"""Code Agent's events: the document's HookEvent, the program's flat context, and the variables scripts are given."""

from collections.abc import Mapping

from omnihook.events import EVENTS, Event, OtherEvent, ToolEvent
from omnihook.families import calls, fields, places
from omnihook.families.fields import Kind
from omnihook.families.places import Place, place
from omnihook.families.times import iso
from omnihook.jsontypes import Json, JsonObject, text_of
from omnihook.tools import Vocabulary

AGENT = "code-agent"

# The document's matchers use the canonical names; the program itself calls its tools by these.
VOCABULARY = Vocabulary(
    aliases={
        "bash": "Bash",
        "read_file": "Read",
        "write_file": "Write",
        "edit_file": "Edit",
        "notebook_edit": "NotebookEdit",
        "list_directory": "LS",
        "glob": "Glob",
        "grep": "Grep",
        "web_fetch": "WebFetch",
        "web_search": "WebSearch",
        "task": "Agent",
        "todo_write": "TodoWrite",
    },
)

# The first way is the document's HookEvent; then the program's flat context, then what most agents send.
_COMMON = (
    place("session_id", "sessionId", "session_id", always=True),
    place("timestamp", "timestamp", kind=Kind.MILLISECONDS),
    place("cwd", "workingDirectory", "cwd", always=True),
)
_TOOL = (
    place("tool_name", "payload.toolName", "toolName", "tool_name", kind=Kind.TOOL),
    place("tool_input", "payload.input", "toolInput", "input", "tool_input", kind=Kind.INPUT),
)
_OUTPUT = place(
    "tool_response", "payload.output", "toolOutput", "output", "tool_output", "tool_response", kind=Kind.JSON
)
_ERROR = place("error", "payload.error", "errorMessage", "error", "error_message")
_RESPONSE = place("last_assistant_message", "payload.response", "response")
_OWN: Mapping[str, tuple[Place, ...]] = {
    "PreToolUse": _TOOL,
    "PostToolUse": (*_TOOL, _OUTPUT),
    "PostToolUseFailure": (*_TOOL, _OUTPUT, _ERROR),
    "UserPromptSubmit": (place("prompt", "payload.prompt", "prompt"),),
    "Stop": (_RESPONSE,),
    "SubagentStop": (_RESPONSE, place("subagent_type", "payload.subagentType", "subagentType", "subagent_type")),
    "PreCompact": (place("trigger", "payload.trigger", "trigger"),),
    "Setup": (place("trigger", "payload.trigger", "trigger"),),
    "SessionStart": (place("source", "payload.source", "source"),),
    "SessionEnd": (place("reason", "payload.reason", "reason"),),
    "Notification": (
        place("notification_type", "payload.notificationType", "notificationType", "notification_type"),
        place("message", "payload.message", "message"),
    ),
}

PLAIN = ("TOOL_NAME", "TOOL_INPUT", "SESSION_ID", "FILE_PATH", "COMMAND")
PREFIXED = (
    "HOOK_SESSION_ID",
    "HOOK_EVENT",
    "HOOK_WORKING_DIR",
    "HOOK_TOOL_NAME",
    "HOOK_TOOL_INPUT",
    "HOOK_TOOL_OUTPUT",
    "HOOK_ERROR_MESSAGE",
    "HOOK_USER_PROMPT",
)

_NAME_KEYS = ("type", "event", "hook_event_name")


def decode(payload: JsonObject, name: str | None) -> Event:
    """Read a HookEvent, or the flat context of the program."""
    native = fields.event_name(payload, name, _NAME_KEYS)
    event = EVENTS.get(native, OtherEvent)
    found = places.decode(payload, (*_COMMON, *_OWN.get(native, ())), VOCABULARY)
    return event(**found, agent=AGENT, native=payload, native_name=native)  # type: ignore[arg-type]  # the table names the event's own fields


def encode(event: Event, name: str) -> dict[str, Json]:
    """Write a HookEvent."""
    own = _OWN.get(event.name, _TOOL if isinstance(event, ToolEvent) else ())
    body = places.encode(event, (*_COMMON, *own), VOCABULARY, agent=AGENT)
    return body if any(key in body for key in _NAME_KEYS) else {"type": name, **body}


def variables(event: Event, name: str) -> dict[str, str]:
    """The document's plain names and the program's `HOOK_` names."""
    tool, given = _tool_words(event)
    made = {
        "TOOL_NAME": tool,
        "TOOL_INPUT": given,
        "SESSION_ID": event.session_id,
        "HOOK_SESSION_ID": event.session_id,
        "HOOK_EVENT": name,
        "HOOK_WORKING_DIR": event.cwd,
    }
    output = getattr(event, "tool_response", None)
    some: dict[str, str | None] = {
        "FILE_PATH": calls.file_path(event),
        "COMMAND": calls.command(event),
        "HOOK_TOOL_NAME": tool or None,
        "HOOK_TOOL_INPUT": given if tool else None,
        "HOOK_TOOL_OUTPUT": None if output is None else text_of(output),
        "HOOK_ERROR_MESSAGE": getattr(event, "error", None),
        "HOOK_USER_PROMPT": getattr(event, "prompt", None),
    }
    return made | {key: value for key, value in some.items() if value is not None}


def _tool_words(event: Event) -> tuple[str, str]:
    """The tool's name and its input as JSON, in the dialect's words; as they came, where they came in it."""
    if not isinstance(event, ToolEvent):
        return "", "{}"
    name, given = (places.written(event, row, VOCABULARY, agent=AGENT) for row in _TOOL)
    return text_of(name), text_of(given)


def placeholders(event: Event, name: str, env: Mapping[str, str]) -> dict[str, str]:
    """Every placeholder of a prompt; what an event does not have is empty."""
    return {
        "EVENT": name,
        "SESSION_ID": event.session_id,
        "WORKING_DIR": event.cwd,
        "TIMESTAMP": "" if event.timestamp is None else iso(event.timestamp),
        "TOOL_NAME": env["TOOL_NAME"],
        "TOOL_INPUT": env.get("HOOK_TOOL_INPUT", ""),
        "TOOL_OUTPUT": env.get("HOOK_TOOL_OUTPUT", ""),
        "ERROR_MESSAGE": env.get("HOOK_ERROR_MESSAGE", ""),
        "USER_PROMPT": env.get("HOOK_USER_PROMPT", ""),
        "FILE_PATH": env.get("FILE_PATH", ""),
        "COMMAND": env.get("COMMAND", ""),
    }
