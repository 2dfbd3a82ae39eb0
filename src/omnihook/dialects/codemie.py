"""CodeMie Code: hooks in the profiles of its configuration, the event in one environment variable, JSON replies.

Facts are of its hooks document; what that leaves silent is of codemie-code's `src/hooks` at 8e8d4ce5.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial

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
    Wire,
    Written,
    native_name,
)
from omnihook.events import Event, ToolEvent
from omnihook.families import answers, codemie_configs, codemie_payloads, exits, top_replies
from omnihook.families.nested import NestedShape, plain_hook
from omnihook.hooks import Hook, Layer, Matcher
from omnihook.jsontypes import Json, JsonObject, dumps
from omnihook.tools import Vocabulary, native_aliases
from omnihook.verdicts import Decision, Verdict

NAME = "codemie"

NAMES = tuple(
    Name(event=event, native=event)
    for event in (
        "PreToolUse",
        "PostToolUse",
        "UserPromptSubmit",
        "SessionStart",
        "Stop",
        # Its configuration check accepts these two; they run where another agent fires them.
        "SubagentStop",
        "SessionEnd",
    )
)
WITHOUT_SUBJECT = frozenset({"UserPromptSubmit", "SessionStart", "Stop", "SubagentStop", "SessionEnd"})
# The documents of these events know allow and block only: to deny is to block.
ALL_OR_NOTHING = frozenset({"UserPromptSubmit", "SessionStart", "Stop", "SubagentStop"})

VOCABULARY = Vocabulary(
    values={
        # The first row with a native word is the one it is decoded to.
        "permission_mode": {
            "auto": "auto",
            "default": "manual",
            "acceptEdits": "manual",
            "plan": "manual",
            "bypassPermissions": "auto",
            "dontAsk": "auto",
        },
    },
)

_TURN = Effects(refuse=True, context=True, suppress=True)
EFFECTS: Mapping[str, Effects] = {
    "PreToolUse": Effects(refuse=True, approve=True, rewrite=True, context=True, suppress=True),
    "PostToolUse": Effects(context=True, suppress=True),
    "UserPromptSubmit": _TURN,
    "SessionStart": _TURN,
    "Stop": _TURN,
    "SubagentStop": _TURN,
    "SessionEnd": Effects(suppress=True),
}

REPLIES = top_replies.TopShape(
    decisions={
        "allow": Decision.ALLOW,
        "approve": Decision.APPROVE,
        "deny": Decision.DENY,
        "block": Decision.BLOCK,
    },
    vocabulary=VOCABULARY,
    silent=Decision.ALLOW,  # "allow (default)"
    suppresses=True,
)
_WORDS = {decision: word for word, decision in REPLIES.decisions.items()}
_REFUSAL = re.compile(r"\b(block|deny|reject|prevent)\b", re.IGNORECASE)


def read_config(files: Sequence[ConfigText]) -> Reading:
    """Read the active profile."""
    return codemie_configs.read(files, SHAPE)


def write_config(hooks: Sequence[Hook]) -> Written:
    """Write hooks as a profile."""
    return codemie_configs.write(hooks, {row.event: row.native for row in NAMES}, dialect=NAME)


def matcher(text: str, event: str) -> Matcher:
    """What a group's matcher means at an event; where there is no tool it is ignored."""
    return Matcher(text=text) if event in WITHOUT_SUBJECT else codemie_configs.matcher(text)


def decode_event(payload: JsonObject, name: str | None) -> Event:
    """Read a payload."""
    return codemie_payloads.decode(payload, name, agent=NAME, words=VOCABULARY)


def encode_event(event: Event) -> Wire:
    """Write an event: all of it in one variable, and nothing on stdin."""
    return codemie_payloads.encode(event, native_name(DIALECT, event), agent=NAME, words=VOCABULARY)


def hook_env(hook: Hook, event: Event) -> Mapping[str, str]:
    """The profile a hook was read from, where the event names none."""
    profile = codemie_configs.profile_of(hook)
    return {} if profile is None or event.profile_name is not None else {"CODEMIE_PROFILE_NAME": profile}


def subjects(event: Event) -> tuple[str, ...] | None:
    """What a matcher compares: the tool's name; nothing where there is no tool."""
    return native_aliases(VOCABULARY, event.tool_name) if isinstance(event, ToolEvent) else None


def decode_reply(hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read a reply: JSON or plain text with exit 0, exit 2 blocks, any other code goes on with its text."""
    found = answers.decode_model(raw, free_text) if raw.channel == "model" else _process(event, raw)
    return _settled(event, found)


def encode_reply(event: Event, verdict: Verdict) -> Reply:
    """Write a verdict as the JSON object CodeMie reads."""
    changes = top_replies.patch(VOCABULARY, event, verdict)
    lost = [f"{what} has no place in a reply" for what, there in _unsayable(verdict) if there]
    decision, reason = verdict.decision, verdict.reason
    if changes is not None and changes.gone and not verdict.refused:
        lost.append(f"rewrite -> deny: {', '.join(changes.gone)} cannot be removed")
        decision, changes = Decision.DENY, None
        reason = reason or "a hook rewrote the input and the rewrite cannot be applied here"
    if decision in (Decision.ASK, Decision.DEFER) or (not verdict.continue_ and decision < Decision.DENY):
        said = decision.word if decision >= Decision.ASK else "stop"
        lost.append(f"{said} -> deny: there is no word for it")
        decision, reason = Decision.DENY, reason or verdict.stop_reason
    if decision is Decision.DENY and event.name in ALL_OR_NOTHING:
        decision = Decision.BLOCK
    parts: dict[str, Json] = {
        "decision": _WORDS.get(decision),
        "reason": reason,
        "updatedInput": None if changes is None or decision.refuses else dict(changes.changed),
        "additionalContext": verdict.additional_context,
        "suppressOutput": True if verdict.suppress_output else None,
    }
    told = {key: value for key, value in parts.items() if value is not None}
    return Reply(stdout=dumps(told) if told else "", lost=tuple(lost))


def free_text(text: str) -> Verdict:
    """A model's answer in plain words: a word of refusal denies, anything else allows with the text as its reason."""
    decision = Decision.DENY if _REFUSAL.search(text) else Decision.ALLOW
    return Verdict(decision=decision, reason=text.strip() or None)


def identity(hook: Hook) -> Hashable:
    """Same type, command or prompt, and time-out: it runs once per event."""
    return (repr(hook.action), DIALECT.policy.timeout if hook.timeout is None else hook.timeout)


def _process(event: Event, raw: Raw) -> Verdict | Failure:
    text = raw.stdout.strip()
    if raw.exit_code in (0, None):
        found = top_replies.decode(REPLIES, event, text)
        return found if found is not None else Verdict(decision=Decision.ALLOW, additional_context=text or None)
    blocks = raw.exit_code == 2
    failure = exits.broken(raw, blocks=blocks)
    if failure is not None:
        return failure
    told = "\n\n".join(part for part in (raw.stderr.strip(), text) if part) or None
    if blocks:
        reason = raw.stderr.strip() or "blocked by a hook that gave no reason"
        return Verdict(decision=Decision.BLOCK, reason=reason, additional_context=told)
    said = None if told is None else Verdict(additional_context=told)
    plain = exits.failed(raw)
    return Failure(cause=plain.cause, message=plain.message, said=said)


def _settled(event: Event, found: Verdict | Failure) -> Verdict | Failure:
    if isinstance(found, Failure) or found.decision is not Decision.DENY or event.name not in ALL_OR_NOTHING:
        return found
    return replace(found, decision=Decision.BLOCK)


def _unsayable(verdict: Verdict) -> tuple[tuple[str, bool], ...]:
    return (
        ("the message", verdict.system_message is not None),
        ("the rewritten output", verdict.updated_output is not None),
    )


SHAPE = NestedShape(
    dialect=NAME,
    events={row.native: (row.event,) for row in NAMES},
    matcher=matcher,
    hook=partial(plain_hook, unit=codemie_configs.UNIT),
)

DIALECT = Dialect(
    name=NAME,
    title="CodeMie Code",
    names=NAMES,
    effects=EFFECTS,
    vocabulary=VOCABULARY,
    policy=Policy(
        timeout=60.0,
        timeout_unit=codemie_configs.UNIT,
        session_variable="CODEMIE_PROJECT_DIR",
        variables=frozenset(codemie_payloads.VARIABLES),
        identity=identity,
        joiner="\n\n",
        stop_limit=codemie_configs.RETRIES,
    ),
    files=(ConfigFile(layer=Layer.USER, path=codemie_configs.PATH),),
    read_config=read_config,
    write_config=write_config,
    decode_event=decode_event,
    encode_event=encode_event,
    decode_reply=decode_reply,
    encode_reply=encode_reply,
    hook_env=hook_env,
    subjects=subjects,
    other_effects=Effects(context=True),
    derives=frozenset({"FileModified", "PostToolUseFailure"}),
    told_whole="CODEMIE_HOOK_INPUT",
    marks=("CODEMIE_HOOK_INPUT",),
    editing=Editing(table=codemie_configs.table),
    debug_log=".codemie/logs/debug-{date}.log",
)
