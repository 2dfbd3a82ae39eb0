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
from omnihook.families import claude_agent_rs_configs, exits, objects, places
from omnihook.families.claude_answers import full_input
from omnihook.families.fields import Kind
from omnihook.families.places import Place, place
from omnihook.hooks import Cause, Hook, Layer, OnError
from omnihook.jsontypes import Json, JsonObject, dumps
from omnihook.tools import Vocabulary, canonical_input, native_aliases
from omnihook.verdicts import NO_OPINION, Decision, Verdict

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

VOCABULARY = Vocabulary(tools={"Agent": "Task"}, aliases={"Agent": "Agent"})

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

_REPLY_KEYS = (
    "continue_execution",
    "stop_reason",
    "suppress_logging",
    "system_message",
    "updated_input",
    "additional_context",
)


def read_config(files: Sequence[ConfigText]) -> Reading:
    """Read settings, plugins and frontmatter; a later settings file's hook replaces an earlier one of its name."""
    return claude_agent_rs_configs.Reader(NAME, _CANONICAL).read(files)


def write_config(hooks: Sequence[Hook]) -> Written:
    """Write hooks as a settings file."""
    return claude_agent_rs_configs.write(hooks, _SETTINGS_NAMES, dialect=NAME)


def decode_event(payload: JsonObject, name: str | None) -> Event:
    """Read what hooks get on stdin; the event may be named in any of the three spellings."""
    given = payload.get("event", payload.get("hook_event_name"))
    native = name if name is not None else given if isinstance(given, str) else ""
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


def hook_env(hook: Hook, event: Event) -> Mapping[str, str]:
    """The plugin's folder, for plugin hooks."""
    root = hook.source.root
    return {} if root is None else {"CLAUDE_PLUGIN_ROOT": root}


def decode_reply(hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read a reply: the exit code, then the six fields; nothing and plain words go on."""
    if raw.exit_code in (0, None):
        return _said(event, raw.stdout)
    refusable = effects_of(DIALECT, event).refuse
    failure = exits.broken(raw, blocks=refusable)
    if failure is not None:
        return failure
    if not refusable:
        return exits.failed(raw)
    said = _said(event, raw.stdout)
    told = said.stop_reason if isinstance(said, Verdict) else None
    reason = told or raw.stderr.strip() or f"hook {hook.name!r} failed with exit code {raw.exit_code}"
    return Verdict(decision=Decision.BLOCK, reason=reason, stop_reason=reason)


def encode_reply(event: Event, verdict: Verdict) -> Reply:
    """Write a reply; there is one word for no, and no word for asking or for approval."""
    wants_no = verdict.decision >= Decision.ASK or not verdict.continue_
    refused = wants_no and effects_of(DIALECT, event).refuse
    lost = [*_unsaid(verdict), *([f"refusal at {event.name}"] if wants_no and not refused else [])]
    told: str | None = verdict.stop_reason
    if refused:
        told = verdict.reason or verdict.stop_reason or "refused by a hook"
    rewrite = verdict.updated_input is not None and not refused
    parts: dict[str, Json] = {
        "stop_reason": told,
        "suppress_logging": True if verdict.suppress_logging else None,
        "system_message": verdict.system_message,
        "updated_input": full_input(VOCABULARY, event, verdict) if rewrite else None,
        "additional_context": verdict.additional_context,
    }
    said = {key: value for key, value in parts.items() if value is not None}
    if not said and verdict.decision not in (Decision.ALLOW, Decision.APPROVE):
        return Reply(lost=tuple(lost))
    return Reply(stdout=dumps({"continue_execution": not refused, **said}), lost=tuple(lost))


def subjects(event: Event) -> tuple[str, ...] | None:
    """Matchers compare with the tool's name and are ignored where there is no tool."""
    return native_aliases(VOCABULARY, event.tool_name) if isinstance(event, ToolEvent) else None


def _rows(event: str) -> tuple[Place, ...]:
    return (*_COMMON, *_OWN.get(event, ()))


def _said(event: Event, output: str) -> Verdict | Failure:
    try:
        reply = objects.reply_object(output)
        return NO_OPINION if reply is None else _object(event, reply)
    except objects.Wrong as wrong:
        return Failure(cause=Cause.OUTPUT, message=f"the reply cannot be read: {wrong}")


def _object(event: Event, reply: JsonObject) -> Verdict:
    objects.refuse_foreign(reply, _REPLY_KEYS)
    going = objects.get(reply, "continue_execution", bool)
    told = objects.get(reply, "stop_reason", str)
    changed = _changed(event, objects.get(reply, "updated_input", dict))
    decision = {None: Decision.NONE, True: Decision.ALLOW, False: Decision.BLOCK}[going]
    reason = (told or "blocked by a hook") if going is False else None
    return Verdict(
        decision=decision,
        reason=reason,
        stop_reason=told,
        suppress_logging=objects.get(reply, "suppress_logging", bool) is True,
        system_message=objects.get(reply, "system_message", str),
        updated_input=changed,
        partial=changed is None,
        additional_context=objects.get(reply, "additional_context", str) or None,
    )


def _changed(event: Event, given: JsonObject | None) -> JsonObject | None:
    if given is None or not isinstance(event, ToolEvent):
        return given
    changed = canonical_input(VOCABULARY, event.tool_name, given)
    objects.refuse_retyped(changed, event.tool_input)
    return changed


def _unsaid(verdict: Verdict) -> list[str]:
    found = {
        "approve (said as allow)": verdict.decision is Decision.APPROVE,
        "ask (said as block)": verdict.decision is Decision.ASK,
        "defer (said as block)": verdict.decision is Decision.DEFER,
        "stop (said as block)": not verdict.continue_ and not verdict.refused,
        "rewritten output": verdict.updated_output is not None,
        "suppress output": verdict.suppress_output,
    }
    return [what for what, is_lost in found.items() if is_lost]


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
        variables=frozenset({"EVENT", "CLAUDE_PLUGIN_ROOT"}),
        single_quotes=True,
        prioritised=True,
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
    hook_env=hook_env,
    subjects=subjects,
    derives=frozenset({"FileModified"}),
)
