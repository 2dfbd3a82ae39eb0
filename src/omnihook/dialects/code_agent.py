"""Code Agent: hooks in `.claude/settings.json`, told of an event by environment variables alone.

Its document decides; where that is silent, the implementation of January 2026 (889bc08ad) does.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial

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
from omnihook.events import Event, ToolEvent
from omnihook.families import answers, code_agent_payloads, code_agent_replies, nested_writing, patterns
from omnihook.families.claude_configs import read_file
from omnihook.families.code_agent_payloads import PLAIN, PREFIXED, VOCABULARY
from omnihook.families.code_agent_replies import model_answer
from omnihook.families.nested import Collector, NestedShape, plain_hook
from omnihook.families.writing import Losses, dump_json
from omnihook.hooks import Hook, Layer, Matcher
from omnihook.tools import native_aliases
from omnihook.verdicts import Verdict

NAME = code_agent_payloads.AGENT
MILLISECOND = 0.001

_EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "Setup",
    "SessionStart",
    "SessionEnd",
    "Notification",
)
NAMES = tuple(Name(event=event, native=event) for event in _EVENTS)

_HEARD = {"context": True}
EFFECTS: Mapping[str, Effects] = {
    "PreToolUse": Effects(refuse=True, rewrite=True, **_HEARD),
    "UserPromptSubmit": Effects(refuse=True, **_HEARD),
    # 889bc08ad, agentLoop.ts: a block keeps the agent going, with the text for it to read.
    "Stop": Effects(refuse=True, **_HEARD),
    "SubagentStop": Effects(refuse=True, **_HEARD),
    **dict.fromkeys(("PostToolUse", "PostToolUseFailure", "SessionStart", "Setup"), Effects(**_HEARD)),
    **dict.fromkeys(("PreCompact", "SessionEnd", "Notification"), Effects()),
}


def read_config(files: Sequence[ConfigText]) -> Reading:
    """Project hooks first, then global ones, each in the order of its file."""
    collector = Collector(SHAPE)
    for config in sorted(files, key=lambda config: config.layer is not Layer.PROJECT):
        read_file(config, collector)
    return Reading(hooks=tuple(collector.hooks), diagnostics=tuple(collector.diagnostics))


def write_config(hooks: Sequence[Hook]) -> Written:
    """Write hooks as a settings file."""
    losses = Losses()
    native = {row.event: row.native for row in NAMES}
    entry = partial(nested_writing.plain_entry, unit=MILLISECOND, dialect=NAME)
    table = nested_writing.write_table(hooks, native, entry, losses, dialect=NAME)
    return Written(files={".claude/settings.json": dump_json({"hooks": table})}, lost=losses.found)


def encode_event(event: Event) -> Wire:
    """Write an event: variables for scripts, an object for whoever wants one; there is no stdin."""
    name = native_name(DIALECT, event)
    env = code_agent_payloads.variables(event, name)
    body = code_agent_payloads.encode(event, name)
    return Wire(stdin=None, env=env, body=body, values=code_agent_payloads.placeholders(event, name, env))


def decode_reply(hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read a reply of a script or a model."""
    if raw.channel == "model":
        return answers.decode_model(raw, model_answer)
    return code_agent_replies.decode(event, raw, refusable=effects_of(DIALECT, event).refuse)


def encode_reply(event: Event, verdict: Verdict) -> Reply:
    """Write a reply."""
    return code_agent_replies.encode(event, verdict, refusable=effects_of(DIALECT, event).refuse)


def subjects(event: Event) -> tuple[str, ...] | None:
    """Matchers compare with the tool's name and are ignored where there is no tool."""
    return native_aliases(VOCABULARY, event.tool_name) if isinstance(event, ToolEvent) else None


def identity(hook: Hook) -> Hashable:
    """Identical hooks are those of one type, command or prompt, and matcher."""
    return (repr(hook.action), hook.matcher.text)


def _matcher(pattern: str, _event: str) -> Matcher:
    return patterns.search(pattern, star=True)


SHAPE = NestedShape(
    dialect=NAME,
    events={row.native: (row.event,) for row in NAMES},
    matcher=_matcher,
    hook=partial(plain_hook, unit=MILLISECOND),
)

DIALECT = Dialect(
    name=NAME,
    title="Code Agent",
    names=NAMES,
    effects=EFFECTS,
    vocabulary=VOCABULARY,
    policy=Policy(
        timeout=5.0,
        prompt_timeout=10.0,
        timeout_unit=MILLISECOND,
        order=Order.SEQUENTIAL,
        end_lane=EndLane.BLOCK,
        output_cap=10_000,
        variables=frozenset({*PLAIN, *PREFIXED}),
        single_quotes=True,
        identity=identity,
    ),
    files=(
        ConfigFile(layer=Layer.USER, path=".claude/settings.json"),
        ConfigFile(layer=Layer.PROJECT, base="project", path=".claude/settings.json"),
    ),
    told_by={
        "HOOK_EVENT": "hook_event_name",
        "HOOK_SESSION_ID": "session_id",
        "HOOK_WORKING_DIR": "cwd",
        "TOOL_NAME": "tool_name",
        "TOOL_INPUT": "tool_input",
        "HOOK_TOOL_OUTPUT": "tool_response",
        "HOOK_ERROR_MESSAGE": "error_message",
        "HOOK_USER_PROMPT": "prompt",
    },
    read_config=read_config,
    write_config=write_config,
    decode_event=code_agent_payloads.decode,
    encode_event=encode_event,
    decode_reply=decode_reply,
    encode_reply=encode_reply,
    subjects=subjects,
    derives=frozenset({"FileModified"}),
)
