"""claude-agent-rs: hooks by name, in order of priority, that refuse when they break.

Its document decides; where that is silent, the crate at 2b7cb8d does.
"""

import re
from collections.abc import Mapping, Sequence

from omnihook.dialect import (
    ConfigFile,
    ConfigText,
    Dialect,
    Effects,
    EndLane,
    Failure,
    Name,
    Order,
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
from omnihook.families import claude_agent_rs_configs, claude_agent_rs_replies, claude_agent_rs_writing, fields, places
from omnihook.families.claude_agent_rs_replies import VOCABULARY
from omnihook.families.fields import Kind
from omnihook.families.places import Place, place
from omnihook.hooks import Hook, Layer, OnError
from omnihook.jsontypes import JsonObject, dumps
from omnihook.tools import native_aliases
from omnihook.verdicts import Verdict

NAME = "claude-agent-rs"

_EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "SessionStart",
    "SessionEnd",
)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _camel(name: str) -> str:
    return name[0].lower() + name[1:]


# On stdin in snake_case; in settings in camelCase; in plugins, frontmatter and the crate's own settings in PascalCase.
NAMES = tuple(
    row
    for event in _EVENTS
    for row in (
        Name(event=event, native=_snake(event)),
        Name(event=event, native=_camel(event), send=False),
        Name(event=event, native=event, send=False),
    )
    if row.send or row.native != _snake(event)
)
_CANONICAL = {row.native: row.event for row in NAMES}
_SETTINGS_NAMES = tuple(Name(event=event, native=_camel(event)) for event in _EVENTS)

_TOLD = {"context": True, "message": True}
_GATE = Effects(refuse=True, **_TOLD)
EFFECTS: Mapping[str, Effects] = {
    **dict.fromkeys(_EVENTS, Effects(**_TOLD)),
    "PreToolUse": Effects(refuse=True, rewrite=True, **_TOLD),
    "UserPromptSubmit": _GATE,
    "SessionStart": _GATE,
    "SubagentStart": _GATE,
}

_COMMON = (
    place("session_id", "session_id", "sessionId", always=True),
    place("tool_name", "tool_name", "data.tool_name", kind=Kind.TOOL, always=True),
    place("tool_input", "tool_input", "data.tool_input", kind=Kind.INPUT, always=True),
    place("cwd", "cwd"),
    place("timestamp", "timestamp", kind=Kind.INSTANT),
    place("metadata", "metadata", kind=Kind.OBJECT),
)
_RESULT = place("tool_response", "tool_result", "data.tool_result", "result", "tool_response", kind=Kind.JSON)
_ERROR = place("error", "error", "data.error")
_SUBAGENT = (
    place("subagent", "subagent_id", "data.subagent_id", "agent_id"),
    place("subagent_type", "subagent_type", "data.subagent_type", "agent_type"),
    place("description", "description", "data.description"),
)
_OWN: Mapping[str, tuple[Place, ...]] = {
    "PostToolUse": (_RESULT,),
    "PostToolUseFailure": (_ERROR, _RESULT),
    "UserPromptSubmit": (place("prompt", "prompt", "data.prompt"),),
    "SubagentStart": _SUBAGENT,
    "SubagentStop": (*_SUBAGENT[:2], place("success", "success", "data.success", kind=Kind.FLAG), _ERROR),
    "PreCompact": (place("trigger", "trigger"),),
    "SessionStart": (place("source", "source"),),
    "SessionEnd": (place("reason", "reason"),),
}
_NOT_OF_EVERY_EVENT = frozenset({"tool_name", "tool_input"})


def read_config(files: Sequence[ConfigText]) -> Reading:
    """Read settings, plugins and frontmatter; a later settings file's hook replaces an earlier one of its name."""
    return claude_agent_rs_configs.Reader(NAME, _CANONICAL).read(files)


def write_config(hooks: Sequence[Hook]) -> Written:
    """Write hooks as a settings file."""
    return claude_agent_rs_writing.write(hooks, _SETTINGS_NAMES, dialect=NAME)


def decode_event(payload: JsonObject, name: str | None) -> Event:
    """Read what hooks get on stdin; the event may be named in any of the three spellings."""
    native = fields.event_name(payload, name, ("event", "hook_event_name"))
    canonical = _CANONICAL.get(native, native)
    event = EVENTS.get(canonical, OtherEvent)
    rows = [
        row for row in _rows(canonical) if row.field.attr not in _NOT_OF_EVERY_EVENT or issubclass(event, ToolEvent)
    ]
    found = places.decode(payload, rows, VOCABULARY)
    sent = _snake(canonical) if canonical in _EVENTS else native
    return event(**found, agent=NAME, native=payload, native_name=sent)  # type: ignore[arg-type]  # the table names the event's own fields


def encode_event(event: Event) -> Wire:
    """Write an event: one compact object on stdin, and `$EVENT`."""
    name = native_name(DIALECT, event)
    body = places.encode(event, _rows(event.name), VOCABULARY, agent=NAME)
    if not body.get("metadata") and "metadata" not in event.native:
        body.pop("metadata", None)
    if isinstance(given := body.get("event"), str) and given in _CANONICAL:
        del body["event"]  # hooks read the event's name in one spelling
    body = {"event": name, **body}
    return Wire(stdin=dumps(body).encode(), env={"EVENT": name}, body=body, values={"EVENT": name})


def decode_reply(hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read a reply."""
    return claude_agent_rs_replies.decode(hook, event, raw, refusable=effects_of(DIALECT, event).refuse)


def encode_reply(event: Event, verdict: Verdict) -> Reply:
    """Write a reply."""
    return claude_agent_rs_replies.encode(event, verdict, refusable=effects_of(DIALECT, event).refuse)


def subjects(event: Event) -> tuple[str, ...] | None:
    """Matchers compare with the tool's name and are ignored where there is no tool."""
    return native_aliases(VOCABULARY, event.tool_name) if isinstance(event, ToolEvent) else None


def _rows(event: str) -> tuple[Place, ...]:
    return (*_COMMON, *_OWN.get(event, ()))


DIALECT = Dialect(
    name=NAME,
    title="claude-agent-rs",
    names=NAMES,
    effects=EFFECTS,
    vocabulary=VOCABULARY,
    policy=Policy(
        timeout=60.0,
        order=Order.SEQUENTIAL,
        end_lane=EndLane.BLOCK,
        hand_on=False,
        on_error=OnError.DENY,
        plugin_variable="CLAUDE_PLUGIN_ROOT",
        variables=frozenset({"EVENT", "CLAUDE_PLUGIN_ROOT"}),
        single_quotes=True,
    ),
    files=(
        ConfigFile(layer=Layer.USER, path=".claude/settings.json"),
        ConfigFile(layer=Layer.PLUGIN, path=".claude/plugins/*/hooks/hooks.json", role="plugin"),
        ConfigFile(layer=Layer.USER, path=".claude/skills/*/SKILL.md", role="frontmatter"),
        ConfigFile(layer=Layer.USER, path=".claude/agents/*.md", role="frontmatter"),
        ConfigFile(layer=Layer.PROJECT, base="project", path=".claude/settings.json"),
        ConfigFile(layer=Layer.LOCAL, base="project", path=".claude/settings.local.json"),
        ConfigFile(layer=Layer.PROJECT, base="project", path=".claude/skills/*/SKILL.md", role="frontmatter"),
        ConfigFile(layer=Layer.PROJECT, base="project", path=".claude/agents/*.md", role="frontmatter"),
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
