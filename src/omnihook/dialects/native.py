"""omnihook's own dialect: hooks in TOML, events and replies in the shape most hooks are written for.

Every canonical event and field has a place here, and every decision a word.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence

from omnihook.dialect import (
    EVERY_EFFECT,
    ConfigFile,
    ConfigText,
    Dialect,
    Editing,
    Effects,
    Failure,
    Name,
    Policy,
    Raw,
    Reading,
    Reply,
    Wire,
    native_name,
)
from omnihook.events import EVENTS, NATIVE, Event
from omnihook.families import (
    claude_answers,
    claude_channels,
    claude_payloads,
    claude_replies,
    toml_configs,
    toml_writing,
)
from omnihook.families.fields import Field, Kind
from omnihook.hooks import Hook, Layer
from omnihook.jsontypes import Json, JsonObject, dumps, encoded, text_of
from omnihook.tools import Vocabulary, touched
from omnihook.verdicts import WORDS, Decision, Verdict

NAMES = tuple(Name(event=event, native=event) for event in EVENTS)
_CANONICAL = {row.native: row.event for row in NAMES}
VOCABULARY = Vocabulary(aliases={"Task": "Agent"})

_COMMON = (
    *claude_payloads.COMMON,
    Field("timestamp", "timestamp", Kind.INSTANT),
    Field("agent_name", "agent_name"),
    Field("profile_name", "profile_name"),
    Field("model", "model"),
    Field("metadata", "metadata", Kind.OBJECT),
)
_DURATION = Field("duration", "duration_ms", Kind.MILLISECONDS)
_ERROR = (Field("error", "error"), Field("error_code", "error_code"), Field("context", "context", Kind.OBJECT))
_TOOL_RESULT = (Field("exit_code", "exit_code", Kind.COUNT),)
_SUBAGENT = (Field("subagent_name", "agent_name"),)
# What the shared table does not have: fields of other dialects' events.
_OWN = {
    **claude_payloads.OWN,
    "SessionEnd": (*claude_payloads.OWN["SessionEnd"], _DURATION),
    "SessionError": _ERROR,
    "UserPromptSubmit": (
        *claude_payloads.OWN["UserPromptSubmit"],
        Field("mentioned_files", "mentioned_files", Kind.TEXTS),
    ),
    "PermissionRequest": (
        *claude_payloads.OWN["PermissionRequest"],
        Field("permission_type", "permission_type"),
        Field("path", "path"),
    ),
    "PostToolUse": (
        *claude_payloads.OWN["PostToolUse"],
        *_TOOL_RESULT,
        Field("tool_metadata", "tool_metadata", Kind.OBJECT),
    ),
    "PostToolUseFailure": (
        *claude_payloads.OWN["PostToolUseFailure"],
        *_TOOL_RESULT,
        Field("tool_response", "tool_response", Kind.JSON),
    ),
    "FileModified": (
        Field("file_path", "file_path"),
        Field("change_type", "change_type", Kind.WORD),
        Field("tool_name", "tool_name", Kind.TOOL),
        Field("tool_use_id", "tool_use_id"),
    ),
    "Stop": (
        *claude_payloads.OWN["Stop"],
        _DURATION,
        Field("tokens_used", "tokens_used", Kind.COUNT),
        Field("tool_calls_count", "tool_calls_count", Kind.COUNT),
        Field("turn_tool_calls", "turn_tool_calls", Kind.COUNT),
        Field("turn_duration", "turn_duration_ms", Kind.MILLISECONDS),
        Field("tool_execution_history", "tool_execution_history", Kind.JSON),
        Field("execution_stats", "execution_stats", Kind.JSON),
    ),
    "SubagentStart": (*_SUBAGENT, Field("description", "description")),
    "SubagentStop": (
        *claude_payloads.OWN["SubagentStop"],
        *_SUBAGENT,
        Field("success", "success", Kind.FLAG),
        Field("error", "error"),
        _DURATION,
    ),
    "BeforeModel": (Field("llm_request", "llm_request", Kind.JSON),),
    "AfterModel": (
        Field("llm_request", "llm_request", Kind.JSON),
        Field("llm_response", "llm_response", Kind.JSON),
    ),
    "BeforeToolSelection": (Field("llm_request", "llm_request", Kind.JSON),),
}

_REFUSABLE = frozenset(
    {
        "PreToolUse",
        "PermissionRequest",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "SessionStart",
        "SubagentStart",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "PreModelSwitch",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "TeammateIdle",
        "TaskCreated",
        "TaskCompleted",
        "Elicitation",
        "ElicitationResult",
        "ConfigChange",
        "WorktreeCreate",
        "BeforeModel",
        "AfterModel",
        "BeforeToolSelection",
    }
)
_ASKABLE = frozenset({"PreToolUse", "PermissionRequest", "PreModelSwitch"})
_TELLS = {"context": True, "stop": True, "message": True, "suppress": True}
_TOLD = Effects(**_TELLS)


def _effects(event: str) -> Effects:
    if event in ("PreToolUse", "PermissionRequest"):
        return EVERY_EFFECT
    return Effects(refuse=event in _REFUSABLE, ask=event in _ASKABLE, output=event == "PostToolUse", **_TELLS)


EFFECTS = {event: _effects(event) for event in EVENTS}

REPLIES = claude_replies.ReplyShape(
    vocabulary=VOCABULARY,
    names={row.event: row.native for row in NAMES},
    decisions=WORDS,
    permissions={**WORDS, "allow": Decision.APPROVE},
    plain_context=frozenset({"SessionStart", "UserPromptSubmit", "UserPromptExpansion"}),
    extras=claude_channels.REPLY_EXTRAS,
    named=False,
    partial=True,
    top_level=frozenset({"additionalContext", "updatedInput", "updatedToolOutput"}),
)


def read_config(files: Sequence[ConfigText]) -> Reading:
    """Read the layers' files in the order given."""
    return toml_configs.read(files, _CANONICAL)


def decode_event(payload: JsonObject, name: str | None) -> Event:
    """Read a payload."""
    return claude_payloads.decode(
        payload, name, agent=NATIVE, names=_CANONICAL, words=VOCABULARY, own=_OWN, common=_COMMON
    )


def encode_event(event: Event) -> Wire:
    """Write an event, with every field that is known."""
    name = native_name(DIALECT, event)
    body = claude_payloads.encode(event, name, agent=NATIVE, words=VOCABULARY, own=_OWN, common=_COMMON)
    tool = getattr(event, "tool_name", None)
    path = _file_path(event)
    env = {
        "OMNIHOOK_EVENT": name,
        "OMNIHOOK_AGENT": event.agent,
        "OMNIHOOK_SESSION_ID": event.session_id,
        "OMNIHOOK_PROJECT_DIR": event.cwd,
        **({"OMNIHOOK_TOOL_NAME": tool} if isinstance(tool, str) and tool else {}),
        **({"OMNIHOOK_FILE_PATH": path} if path else {}),
    }
    return Wire(stdin=encoded(body) + b"\n", env=env, body=body, values=_Placeholders(body, env))


def decode_reply(hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read a reply."""
    return claude_channels.decode_reply(REPLIES, hook, event, raw)


def encode_reply(event: Event, verdict: Verdict) -> Reply:
    """Write a reply in which every part of a verdict has its key."""
    own: dict[str, Json] = {"hookEventName": event.name}
    if verdict.updated_input is not None:
        own["updatedInput"] = claude_answers.full_input(VOCABULARY, event, verdict)
    if verdict.updated_output is not None:
        own["updatedToolOutput"] = verdict.updated_output
    if verdict.additional_context is not None:
        own["additionalContext"] = verdict.additional_context
    own |= verdict.extra
    parts: dict[str, Json] = {
        "decision": verdict.decision.word,
        "reason": verdict.reason,
        "continue": None if verdict.continue_ else False,
        "stopReason": verdict.stop_reason,
        "systemMessage": verdict.system_message,
        "suppressOutput": True if verdict.suppress_output else None,
        "suppressLogging": True if verdict.suppress_logging else None,
        "hookSpecificOutput": own if len(own) > 1 else None,
    }
    said = {key: value for key, value in parts.items() if value is not None}
    stderr = (verdict.reason or "refused by a hook") if verdict.refused else ""
    return Reply(stdout=dumps(said) if said else "", stderr=stderr, exit_code=2 if verdict.refused else 0)


def identity(hook: Hook) -> Hashable:
    """Equal definitions of one name run once: a hook copied from one file to another does not run twice."""
    return (hook.name, repr(hook.action), hook.matcher, hook.rule, hook.tools, hook.paths)


def _file_path(event: Event) -> str | None:
    path = getattr(event, "file_path", None)
    if isinstance(path, str) and path:
        return path
    files = touched(getattr(event, "tool_name", "") or "", getattr(event, "tool_input", {}) or {})
    return files[0].path if files else None


class _Placeholders(Mapping[str, str]):
    """A prompt may name any field of the payload in capitals, or any variable; made when one asks."""

    __slots__ = ("_body", "_env", "_keys")

    def __init__(self, body: JsonObject, env: Mapping[str, str]) -> None:
        self._body, self._env = body, env
        self._keys = {key.upper(): key for key in body}

    def __getitem__(self, name: str) -> str:
        return self._env[name] if name in self._env else text_of(self._body[self._keys[name]])

    def __iter__(self) -> Iterator[str]:
        return iter({**self._keys, **self._env})

    def __len__(self) -> int:
        return len({**self._keys, **self._env})


DIALECT = Dialect(
    name=NATIVE,
    title="omnihook",
    names=NAMES,
    effects=EFFECTS,
    vocabulary=VOCABULARY,
    policy=Policy(
        timeout=60.0,
        timeouts={"SessionEnd": 10.0},
        identity=identity,
        project_variable="OMNIHOOK_PROJECT_DIR",
        variables=frozenset(
            {
                "OMNIHOOK_EVENT",
                "OMNIHOOK_AGENT",
                "OMNIHOOK_SESSION_ID",
                "OMNIHOOK_PROJECT_DIR",
                "OMNIHOOK_TOOL_NAME",
                "OMNIHOOK_FILE_PATH",
            }
        ),
    ),
    files=(
        ConfigFile(layer=Layer.MANAGED, base="absolute", path="/etc/omnihook/hooks.toml"),
        ConfigFile(layer=Layer.USER, base="config", path="omnihook/hooks.toml"),
        ConfigFile(layer=Layer.PROJECT, base="project", path=".omnihook/hooks.toml"),
        ConfigFile(layer=Layer.LOCAL, base="project", path=".omnihook/hooks.local.toml"),
    ),
    read_config=read_config,
    write_config=toml_writing.write,
    decode_event=decode_event,
    encode_event=encode_event,
    decode_reply=decode_reply,
    encode_reply=encode_reply,
    other_effects=_TOLD,
    derives=frozenset({"FileModified"}),
    editing=Editing(format="toml", table=lambda _: ("hook",), matcher="match", enabled="enabled", switch=("enabled",)),
)
