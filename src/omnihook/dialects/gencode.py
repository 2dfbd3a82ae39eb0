"""GenCode, earlier called mycode: its own settings and Claude Code's merged, exit 2 blocks, output is for people.

Its document decides; where that is silent, the TypeScript program at 4e39308 does.
"""

from collections.abc import Hashable, Mapping, Sequence

from omnihook.dialect import (
    ConfigFile,
    ConfigText,
    Dialect,
    Effects,
    EndLane,
    Failure,
    Name,
    Policy,
    Raw,
    Reading,
    Reply,
    Wire,
    Written,
    effects_of,
    native_name,
)
from omnihook.events import EVENTS, Event, OtherEvent, ToolEvent
from omnihook.families import answers, calls, exits, fields, gencode_configs, gencode_display, places
from omnihook.families.fields import Kind
from omnihook.families.gencode_configs import AGENT, MILLISECOND
from omnihook.families.places import Place, place
from omnihook.hooks import Hook, Layer
from omnihook.jsontypes import Json, JsonObject, dumps, pretty
from omnihook.outcomes import Report
from omnihook.tools import Vocabulary, native_aliases
from omnihook.verdicts import NO_OPINION, Decision, Verdict

# The union of the design's list and of the list that was built.
_EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Notification",
    "Stop",
    "SubagentStop",
    "SessionStart",
    "SessionEnd",
)
NAMES = tuple(Name(event=event, native=event) for event in _EVENTS)

VOCABULARY = Vocabulary(
    tools={"Agent": "Task"},
    aliases={"Agent": "Agent"},
    arguments={"Grep": {"glob": "include"}},
)

# A block holds what comes next and tells the agent why, after a tool has run too.
_HELD = Effects(refuse=True, message=True)
_SHOWN = Effects(message=True)
EFFECTS: Mapping[str, Effects] = {
    **dict.fromkeys(_EVENTS, _HELD),
    **dict.fromkeys(("SessionStart", "SessionEnd", "Notification"), _SHOWN),
}

_COMMON = (
    place("session_id", "session_id", "sessionId", always=True),
    place("cwd", "cwd", always=True),
    place("tool_name", "tool_name", "toolName", kind=Kind.TOOL, always=True),
    place("tool_input", "tool_input", "toolInput", kind=Kind.INPUT, always=True),
    place("timestamp", "timestamp", kind=Kind.INSTANT),
)
_RESULT = place("tool_response", "tool_result", "toolResult", "tool_response", "result", kind=Kind.JSON)
_EXIT = place("exit_code", "exit_code", "exitCode", kind=Kind.COUNT)
_ERROR = place("error", "error", "tool_result.error", "toolResult.error")
_OWN: Mapping[str, tuple[Place, ...]] = {
    "PostToolUse": (_RESULT, _EXIT),
    "PostToolUseFailure": (_RESULT, _ERROR, _EXIT),
    "UserPromptSubmit": (place("prompt", "prompt"),),
    "Notification": (place("message", "message"), place("notification_type", "notification_type")),
    "Stop": (place("last_assistant_message", "last_assistant_message"),),
    "SubagentStop": (place("subagent_type", "subagent_type", "agent_type"),),
    "SessionStart": (place("source", "source"),),
    "SessionEnd": (place("reason", "reason"),),
}
_NAME_KEYS = ("hook_event_name", "event")
_NO_TOOL: Mapping[str, Json] = {"tool_name": "", "tool_input": {}}

VARIABLES = ("TOOL_NAME", "FILE_PATH", "EXIT_CODE", "SESSION_ID", "CWD", "COMMAND", "HOOK_EVENT_NAME")


def read_config(files: Sequence[ConfigText]) -> Reading:
    """Merge every level: the user's, the project's, the local one; in each Claude Code's file first."""
    return gencode_configs.read(files, _CANONICAL)


def write_config(hooks: Sequence[Hook]) -> Written:
    """Write hooks as GenCode's own settings file."""
    return gencode_configs.write(hooks, {row.event: row.native for row in NAMES})


def decode_event(payload: JsonObject, name: str | None) -> Event:
    """Read what hooks get on stdin, or the program's HookContext."""
    native = fields.event_name(payload, name, _NAME_KEYS)
    event = EVENTS.get(native, OtherEvent)
    rows = [row for row in _rows(native) if issubclass(event, ToolEvent) or row.field.attr not in _NO_TOOL]
    found = places.decode(payload, rows, VOCABULARY)
    return event(**found, agent=AGENT, native=payload, native_name=native)  # type: ignore[arg-type]  # the table names the event's own fields


def encode_event(event: Event) -> Wire:
    """Write an event: indented JSON on stdin, and variables."""
    name = native_name(DIALECT, event)
    made = places.encode(event, _rows(event.name), VOCABULARY, agent=AGENT)
    if not isinstance(event, ToolEvent):
        made = {**made, **{key: blank for key, blank in _NO_TOOL.items() if key not in event.native}}
    body: dict[str, Json] = {"hook_event_name": name, **made}
    env = variables(event, name)
    values = {**dict.fromkeys(VARIABLES, ""), "PROMPT": getattr(event, "prompt", ""), **env}
    return Wire(stdin=pretty(body).encode(), env=env, body=body, values=values)


def variables(event: Event, name: str) -> dict[str, str]:
    """Four variables always, and those that tell of the tool call where it has such a thing."""
    made = {"TOOL_NAME": _tool_name(event), "SESSION_ID": event.session_id, "CWD": event.cwd, "HOOK_EVENT_NAME": name}
    code = calls.exit_code(event)
    some = {
        "FILE_PATH": calls.file_path(event),
        "COMMAND": calls.command(event),
        "EXIT_CODE": None if code is None else str(code),
    }
    return made | {key: value for key, value in some.items() if value is not None}


def decode_reply(hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read a reply: only the exit code decides; what a hook prints is for people."""
    if raw.channel == "model":
        return answers.decode_model(raw, None)
    code = 0 if raw.exit_code is None else raw.exit_code
    if code == 0:
        return NO_OPINION
    blocks = exits.blocks(hook, code)
    failure = exits.broken(raw, blocks=blocks)
    if failure is not None:
        return failure
    if not blocks:
        return exits.failed(raw)
    return Verdict.block(raw.stderr.strip() or raw.stdout.strip() or f"exit {code} with no message")


def encode_reply(event: Event, verdict: Verdict) -> Reply:
    """Write a reply: exit 2 with the reason on stderr; a message for people on stdout."""
    lost = _unsaid(verdict)
    if verdict.decision >= Decision.ASK or not verdict.continue_:
        if effects_of(DIALECT, event).refuse:
            reason = verdict.reason or verdict.stop_reason or "refused by a hook"
            return Reply(stderr=reason, exit_code=2, lost=lost)
        lost = (*lost, f"refusal at {event.name}")
    return Reply(stdout=verdict.system_message or "", lost=lost)


def subjects(event: Event) -> tuple[str, ...] | None:
    """Matchers compare with the tool's name; without one only a matcher for everything holds."""
    return native_aliases(VOCABULARY, event.tool_name) if isinstance(event, ToolEvent) else ()


def identity(hook: Hook) -> Hashable:
    """Structurally identical hooks of several files run once."""
    return (hook.matcher.text, dumps(hook.entry))


def display(report: Report) -> str:
    """What GenCode's terminal shows of the hooks of one event."""
    name = native_name(DIALECT, report.event)
    return gencode_display.display(report, name, variables(report.event, name))


def _rows(event: str) -> tuple[Place, ...]:
    return (*_COMMON, *_OWN.get(event, ()))


def _tool_name(event: Event) -> str:
    if not isinstance(event, ToolEvent):
        return ""
    name = places.written(event, _COMMON[2], VOCABULARY, agent=AGENT)
    return name if isinstance(name, str) else ""


def _unsaid(verdict: Verdict) -> tuple[str, ...]:
    found = {
        "approve": verdict.decision is Decision.APPROVE,
        "ask (said as block)": verdict.decision is Decision.ASK,
        "defer (said as block)": verdict.decision is Decision.DEFER,
        "stop (said as block)": not verdict.continue_ and not verdict.refused,
        "rewritten input": verdict.updated_input is not None and not verdict.refused,
        "rewritten output": verdict.updated_output is not None,
        "context": verdict.additional_context is not None,
        "suppress output": verdict.suppress_output,
    }
    return tuple(what for what, is_lost in found.items() if is_lost)


_CANONICAL = {row.native: (row.event,) for row in NAMES}
_FOLDERS = gencode_configs.FOLDERS

DIALECT = Dialect(
    name=AGENT,
    title="GenCode",
    names=NAMES,
    effects=EFFECTS,
    vocabulary=VOCABULARY,
    policy=Policy(
        timeout=60.0,
        timeout_unit=MILLISECOND,
        end_lane=EndLane.BLOCK,
        output_cap=30 * 1024,
        truncate=True,
        interpreter="/bin/bash",
        variables=frozenset(VARIABLES),
        single_quotes=True,
        identity=identity,
    ),
    files=(
        *(ConfigFile(layer=Layer.USER, path=f"{folder}/settings.json") for folder in _FOLDERS),
        *(ConfigFile(layer=Layer.PROJECT, base="project", path=f"{folder}/settings.json") for folder in _FOLDERS),
        *(ConfigFile(layer=Layer.LOCAL, base="project", path=f"{folder}/settings.local.json") for folder in _FOLDERS),
    ),
    read_config=read_config,
    write_config=write_config,
    decode_event=decode_event,
    encode_event=encode_event,
    decode_reply=decode_reply,
    encode_reply=encode_reply,
    subjects=subjects,
    derives=frozenset({"FileModified"}),
)
