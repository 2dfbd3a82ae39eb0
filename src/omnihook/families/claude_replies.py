"""The reply half of Claude Code's wire shape: exit 0 with JSON, exit 2 blocks, anything else is an error."""

from collections.abc import Mapping
from dataclasses import field, replace

from omnihook.dialect import Failure, Raw
from omnihook.events import Event
from omnihook.families import exits
from omnihook.families.objects import Wrong, bare, get, refuse_foreign, refuse_misspelt, refuse_retyped, torn, unheard
from omnihook.hooks import Cause, Hook
from omnihook.jsontypes import EMPTY, JsonError, JsonObject, loads_strict
from omnihook.slotted import dataclass
from omnihook.tools import Vocabulary, canonical_input
from omnihook.verdicts import NO_OPINION, Decision, Verdict

_DECLINING = ("decline", "cancel")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyShape:
    """What differs between the relatives that reply in this shape."""

    vocabulary: Vocabulary
    names: Mapping[str, str]  # canonical event -> the name a reply must give
    decisions: Mapping[str, Decision]  # words allowed at the top level
    permissions: Mapping[str, Decision]  # words allowed in permissionDecision
    plain_context: frozenset[str]  # events where plain text is context for the agent
    extras: frozenset[str] = frozenset()  # further keys of hookSpecificOutput that are passed on
    named: bool = True  # hookSpecificOutput must name its event
    honour_failed: bool = False  # JSON beside a failing exit code still counts
    partial: bool = False  # updatedInput names only the changed keys
    nonzero_blocks: frozenset[str] = frozenset()  # events at which any failing exit code refuses
    top_level: frozenset[str] = field(default_factory=frozenset)  # hookSpecificOutput keys also read at the top


def decode_reply(shape: ReplyShape, hook: Hook, event: Event, raw: Raw) -> Verdict | Failure:
    """Read what a hook brought back."""
    code = 0 if raw.exit_code is None else raw.exit_code
    if code == 0:
        return decode_text(shape, event, raw.stdout)
    blocks = exits.blocks(hook, code) or event.name in shape.nonzero_blocks
    failure = exits.broken(raw, blocks=blocks)
    if failure is not None:
        return failure
    said = decode_text(shape, event, raw.stdout) if raw.stdout.lstrip().startswith("{") else NO_OPINION
    if blocks:
        reason = said.reason if isinstance(said, Verdict) else None
        return _blocked(said, reason or raw.stderr.strip() or _blocked_without_words(raw, code))
    if not shape.honour_failed or isinstance(said, Failure):
        return exits.failed(raw)
    return replace(exits.failed(raw), said=None if said == NO_OPINION else said)


def decode_text(shape: ReplyShape, event: Event, text: str) -> Verdict | Failure:
    """Read an answer given as text: one JSON object, or plain words."""
    stripped = bare(text)
    if not stripped.startswith("{"):
        spoilt = unheard(stripped) or (None if event.name in shape.plain_context else torn(stripped))
        return _plain(shape, event, stripped) if spoilt is None else _unread(shape, event, stripped, spoilt)
    try:
        value = loads_strict(stripped)
    except JsonError as error:
        return _unread(shape, event, stripped, f"it is not valid JSON: {error}")
    assert isinstance(value, dict)  # it starts with a brace
    try:
        return decode_object(shape, event, value)
    except Wrong as wrong:
        return _unread(shape, event, stripped, str(wrong))


def decode_object(shape: ReplyShape, event: Event, reply: JsonObject) -> Verdict:
    """Read a reply object; raises on anything the schema does not allow."""
    refuse_foreign(reply, ("decision", "continue", "hookSpecificOutput"))
    refuse_misspelt(reply, tuple(shape.top_level))
    decision, reason = Decision.NONE, get(reply, "reason", str)
    word = get(reply, "decision", str)
    if word is not None:
        decision = _word(shape.decisions, word, "decision")
    specific = get(reply, "hookSpecificOutput", dict) or {}
    refuse_misspelt(specific, ("permissionDecision", "decision", "updatedInput"))
    _check_event_name(shape, event, specific)
    own = {**{key: reply[key] for key in shape.top_level if key in reply}, **specific}
    verdict = Verdict(
        decision=decision,
        reason=reason,
        continue_=get(reply, "continue", bool) is not False,
        stop_reason=get(reply, "stopReason", str),
        additional_context=get(own, "additionalContext", str) or None,
        system_message=get(reply, "systemMessage", str),
        suppress_output=get(reply, "suppressOutput", bool) is True,
        suppress_logging=get(reply, "suppressLogging", bool) is True,
        updated_output=own.get("updatedToolOutput", own.get("updatedMCPToolOutput")),
        extra={key: own[key] for key in shape.extras if own.get(key) is not None},
    )
    return _with_input(shape, event, own, _with_permission(shape, own, _declined(event, verdict)))


def _declined(event: Event, verdict: Verdict) -> Verdict:
    """Who declines what a server asks for refuses it: no other hook's answer may come before that."""
    if event.name not in ("Elicitation", "ElicitationResult") or verdict.extra.get("action") not in _DECLINING:
        return verdict
    return replace(verdict, decision=max(verdict.decision, Decision.DENY))


def _with_permission(shape: ReplyShape, own: JsonObject, verdict: Verdict) -> Verdict:
    word = get(own, "permissionDecision", str)
    if word is not None:
        stronger = max(verdict.decision, _word(shape.permissions, word, "permissionDecision"))
        return replace(verdict, decision=stronger, reason=get(own, "permissionDecisionReason", str) or verdict.reason)
    asked = own.get("decision")
    if not isinstance(asked, dict):
        return verdict
    behaviour = get(asked, "behavior", str)
    if behaviour not in ("allow", "deny"):
        raise Wrong(f"decision.behavior must be 'allow' or 'deny', not {behaviour!r}")
    decision = Decision.APPROVE if behaviour == "allow" else Decision.DENY
    extra = {key: asked[key] for key in ("updatedPermissions", "interrupt") if asked.get(key) is not None}
    return replace(
        verdict,
        decision=max(verdict.decision, decision),
        reason=get(asked, "message", str) or verdict.reason,
        extra={**verdict.extra, **extra},
    )


def _with_input(shape: ReplyShape, event: Event, own: JsonObject, verdict: Verdict) -> Verdict:
    asked = own.get("decision")
    holder = asked if isinstance(asked, dict) and "updatedInput" in asked else own
    changed = get(holder, "updatedInput", dict)
    if changed is None:
        return verdict
    made = canonical_input(shape.vocabulary, str(getattr(event, "tool_name", "")), changed)
    refuse_retyped(made, getattr(event, "tool_input", EMPTY))
    return replace(verdict, updated_input=made, partial=shape.partial)


def _check_event_name(shape: ReplyShape, event: Event, specific: JsonObject) -> None:
    name = specific.get("hookEventName")
    if name is None and (not shape.named or not specific):
        return
    wanted = shape.names.get(event.name, event.native_name or event.name)
    if name != wanted:
        raise Wrong(f"hookSpecificOutput.hookEventName is {name!r} but the event is {wanted!r}")


def _plain(shape: ReplyShape, event: Event, text: str) -> Verdict:
    if text and event.name in shape.plain_context:
        return Verdict(additional_context=text)
    if event.name == "WorktreeCreate" and text.startswith("/"):
        return Verdict(extra={"worktreePath": text})  # what a command prints there is the folder it made
    return NO_OPINION


def _unread(shape: ReplyShape, event: Event, text: str, why: str) -> Failure:
    """A reply nobody can read. Claude Code 2.1.325 still takes such text as plain words: context, never a decision."""
    words = _plain(shape, event, text) if shape.honour_failed else NO_OPINION
    said = None if words == NO_OPINION else words
    return Failure(cause=Cause.OUTPUT, message=f"the reply cannot be read: {why}", said=said)


def _blocked(said: Verdict | Failure, reason: str) -> Verdict:
    if isinstance(said, Failure):
        return Verdict.block(reason)
    return replace(said, decision=Decision.BLOCK, reason=reason)


def _blocked_without_words(raw: Raw, code: int) -> str:
    text = raw.stdout.strip()
    return text if text and not text.startswith("{") else f"exit {code} with no message"


def _word(words: Mapping[str, Decision], word: str, key: str) -> Decision:
    found = words.get(word)
    if found is None:
        raise Wrong(f"unknown {key} {word!r}; known: {', '.join(sorted(words))}")
    return found
