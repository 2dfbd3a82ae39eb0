"""Claude Code: the shape most hooks are written for. Facts are of version 2.1.325 unless a line says otherwise."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from omnihook.dialect import (
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
    Settings,
    Wire,
    Written,
    native_name,
)
from omnihook.events import EVENTS, Event
from omnihook.families import (
    claude_answers,
    claude_channels,
    claude_configs,
    claude_payloads,
    claude_plugins,
    claude_replies,
    claude_writing,
    patterns,
)
from omnihook.families.nested import Collector, NestedShape
from omnihook.hooks import EVERYTHING, Hook, Layer, Matcher
from omnihook.jsontypes import JsonObject, encoded
from omnihook.tools import Vocabulary
from omnihook.verdicts import Decision, Verdict

NAME = "claude-code"

NOT_CLAUDES = frozenset(
    {"SessionError", "FileModified", "Interrupt", "BeforeModel", "AfterModel", "BeforeToolSelection"}
)
NAMES = tuple(Name(event=event, native=event) for event in EVENTS if event not in NOT_CLAUDES)
_CANONICAL = {row.native: row.event for row in NAMES}

VOCABULARY = Vocabulary(
    aliases={"Task": "Agent"},
    values={
        # The first row with a native word is the one it is decoded to.
        "reason": {"other": "other", "quit": "prompt_input_exit", "exit": "other", "error": "other"},
    },
)

_GATE = {"context": True, "stop": True, "message": True, "suppress": True}
_SHOWN = Effects(**_GATE)
_QUIET = Effects(message=True, suppress=True)
EFFECTS: Mapping[str, Effects] = {
    "PreToolUse": Effects(refuse=True, ask=True, approve=True, defer=True, rewrite=True, **_GATE),
    "PermissionRequest": Effects(refuse=True, ask=True, approve=True, rewrite=True, message=True, stop=True),
    "PermissionDenied": _QUIET,
    "PostToolUse": Effects(refuse=True, output=True, **_GATE),
    "PostToolUseFailure": Effects(refuse=True, **_GATE),
    "PostToolBatch": Effects(refuse=True, **_GATE),
    "UserPromptSubmit": Effects(refuse=True, **_GATE),
    "UserPromptExpansion": Effects(refuse=True, **_GATE),
    "SessionStart": _SHOWN,
    "SessionEnd": _QUIET,
    "Setup": _SHOWN,
    "Stop": Effects(refuse=True, **_GATE),
    "StopFailure": Effects(),
    "SubagentStart": _SHOWN,
    "SubagentStop": Effects(refuse=True, **_GATE),
    "PreCompact": Effects(refuse=True, **_GATE),
    "PostCompact": _QUIET,
    "PreModelSwitch": Effects(refuse=True, ask=True, message=True),
    "PostModelSwitch": Effects(context=True, message=True),
    "Notification": Effects(context=True, message=True, suppress=True),
    "TeammateIdle": Effects(refuse=True, stop=True, message=True),
    "TaskCreated": Effects(refuse=True, stop=True, message=True),
    "TaskCompleted": Effects(refuse=True, stop=True, message=True),
    "Elicitation": Effects(refuse=True, message=True),
    "ElicitationResult": Effects(refuse=True, message=True),
    "ConfigChange": Effects(refuse=True, message=True),
    "InstructionsLoaded": _QUIET,
    "CwdChanged": _QUIET,
    "FileChanged": _QUIET,
    "DirectoryAdded": _QUIET,
    "WorktreeCreate": Effects(refuse=True),
    "WorktreeRemove": _QUIET,
    "MessageDisplay": Effects(suppress=True),
}

REPLIES = claude_replies.ReplyShape(
    vocabulary=VOCABULARY,
    names={row.event: row.native for row in NAMES},
    decisions={"block": Decision.BLOCK, "approve": Decision.APPROVE},
    permissions={
        "allow": Decision.APPROVE,
        "ask": Decision.ASK,
        "defer": Decision.DEFER,
        "deny": Decision.DENY,
    },
    plain_context=frozenset(
        {"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreCompact", "PostModelSwitch"}
    ),
    extras=claude_channels.REPLY_EXTRAS,
    honour_failed=True,
    nonzero_blocks=frozenset({"WorktreeCreate"}),
)
ANSWERS = claude_answers.AnswerShape(vocabulary=VOCABULARY, names={row.event: row.native for row in NAMES})


def read_config(files: Sequence[ConfigText]) -> Reading:
    """Merge every source; nothing overrides anything."""
    collector = Collector(SHAPE)
    settings: dict[Layer, Settings] = {}
    for config in claude_plugins.current(files):
        found = claude_configs.read_file(config, collector)
        if found is not None:
            settings[config.layer] = claude_configs.joined(settings.get(config.layer), found)
    off = claude_plugins.switched_off(files)
    hooks = tuple(collector.hooks)
    if off:
        hooks = tuple(replace(hook, enabled=False) if hook.source.path in off else hook for hook in hooks)
    return Reading(hooks=hooks, diagnostics=tuple(collector.diagnostics), settings=settings)


def matcher(text: str, event: str) -> Matcher:
    """Names joined by `|` or `,` compare exactly; anything else is a regular expression that may match anywhere."""
    if text in ("", "*"):
        return EVERYTHING
    if text.isidentifier() and text.isascii():
        return patterns.exact(text, text)
    simple = _NAMES if _has_subject(event) else _BARE_NAMES
    if simple.fullmatch(text):
        return patterns.exact(text, *(part.strip() for part in re.split(r"[|,]", text) if part.strip()))
    return patterns.search(text, star=False)


_NAMES = re.compile(r"[A-Za-z0-9_|, \-]+")
_BARE_NAMES = re.compile(r"[A-Za-z0-9_|]+")


def _has_subject(event: str) -> bool:
    known = EVENTS.get(event)
    return known is not None and known.subject is not None


def decode_event(payload: JsonObject, name: str | None) -> Event:
    """Read a payload."""
    return claude_payloads.decode(payload, name, agent=NAME, names=_CANONICAL, words=VOCABULARY)


def encode_event(event: Event) -> Wire:
    """Write an event: one JSON object and a newline, with Claude Code's variables."""
    body = claude_payloads.encode(event, native_name(DIALECT, event), agent=NAME, words=VOCABULARY)
    env = {
        "CLAUDE_PROJECT_DIR": event.cwd,
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": event.session_id,
        "CLAUDE_CODE_CHILD_SESSION": "1",
    }
    if isinstance(event.effort, dict) and isinstance(event.effort.get("level"), str):
        env["CLAUDE_EFFORT"] = str(event.effort["level"])
    return Wire(stdin=encoded(body) + b"\n", env=env, body=body)


def decode_reply(hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read a reply."""
    return claude_channels.decode_reply(REPLIES, hook, event, raw)


def encode_reply(event: Event, verdict: Verdict) -> Reply:
    """Write a reply."""
    return claude_answers.encode_reply(ANSWERS, event, verdict)


def write_config(hooks: Sequence[Hook]) -> Written:
    """Write hooks as a settings file."""
    return claude_writing.write(hooks, NAMES)


def identity(hook: Hook) -> Hashable:
    """The same command in two settings files runs once; in two plugins it runs twice."""
    return (hook.source.root, repr(hook.action), hook.rule)


SHAPE = NestedShape(
    dialect=NAME,
    events={row.native: (row.event,) for row in NAMES},
    matcher=matcher,
    hook=claude_configs.read_entry,
)

_MACOS = "/Library/Application Support/ClaudeCode"

DIALECT = Dialect(
    name=NAME,
    title="Claude Code",
    names=NAMES,
    effects=EFFECTS,
    vocabulary=VOCABULARY,
    policy=Policy(
        timeout=600.0,
        timeouts={"UserPromptSubmit": 30.0, "PreModelSwitch": 30.0, "PostModelSwitch": 30.0, "SessionEnd": 1.5},
        agent_timeout=60.0,
        interpreter="/bin/bash",
        identity=identity,
        project_variable="CLAUDE_PROJECT_DIR",
        plugin_variable="CLAUDE_PLUGIN_ROOT",
        variables=frozenset({"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"}),
        stop_limit=8,
        leaves=claude_channels.leave,
        no_http=frozenset({"SessionStart", "Setup"}),
        timeout_refuses=frozenset({"PreModelSwitch"}),
        env_file="CLAUDE_ENV_FILE",
        env_file_events=frozenset({"SessionStart", "Setup", "CwdChanged", "FileChanged"}),
    ),
    files=(
        ConfigFile(layer=Layer.MANAGED, base="absolute", path="/etc/claude-code/managed-settings.json"),
        ConfigFile(layer=Layer.MANAGED, base="absolute", path="/etc/claude-code/managed-settings.d/*.json"),
        ConfigFile(layer=Layer.MANAGED, base="absolute", path=f"{_MACOS}/managed-settings.json"),
        ConfigFile(layer=Layer.MANAGED, base="absolute", path=f"{_MACOS}/managed-settings.d/*.json"),
        ConfigFile(layer=Layer.USER, path=".claude/settings.json"),
        ConfigFile(layer=Layer.PLUGIN, path=".claude/plugins/*/hooks/hooks.json", role="plugin"),
        ConfigFile(layer=Layer.PLUGIN, path=".claude/plugins/cache/*/*/*/hooks/hooks.json", role="plugin"),
        ConfigFile(layer=Layer.PLUGIN, path=".claude/plugins/*/.claude-plugin/plugin.json", role="plugin"),
        ConfigFile(layer=Layer.PLUGIN, path=".claude/plugins/cache/*/*/*/.claude-plugin/plugin.json", role="plugin"),
        ConfigFile(layer=Layer.USER, path=".claude/skills/*/SKILL.md", role="frontmatter"),
        ConfigFile(layer=Layer.USER, path=".claude/agents/*.md", role="frontmatter"),
        ConfigFile(layer=Layer.USER, path=".claude/commands/*.md", role="frontmatter"),
        ConfigFile(layer=Layer.PROJECT, base="project", path=".claude/settings.json"),
        ConfigFile(layer=Layer.LOCAL, base="project", path=".claude/settings.local.json"),
        ConfigFile(layer=Layer.PROJECT, base="project", path=".claude/skills/*/SKILL.md", role="frontmatter"),
        ConfigFile(layer=Layer.PROJECT, base="project", path=".claude/agents/*.md", role="frontmatter"),
        ConfigFile(layer=Layer.PROJECT, base="project", path=".claude/commands/*.md", role="frontmatter"),
    ),
    read_config=read_config,
    write_config=write_config,
    decode_event=decode_event,
    encode_event=encode_event,
    decode_reply=decode_reply,
    encode_reply=encode_reply,
    derives=frozenset({"FileModified"}),
    further=claude_configs.named_files,
    hook_env=claude_plugins.hook_env,
    marks=("CLAUDECODE",),
    editing=Editing(switch=("disableAllHooks",), off=True),
)
