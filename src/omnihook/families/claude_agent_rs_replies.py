"""claude-agent-rs's replies: an exit code, then an object with any of six fields."""

from omnihook.dialect import Failure, Raw, Reply
from omnihook.events import Event, ToolEvent
from omnihook.families import exits, objects
from omnihook.families.claude_answers import full_input
from omnihook.hooks import Cause, Hook
from omnihook.jsontypes import Json, JsonObject, dumps
from omnihook.tools import Vocabulary, canonical_input
from omnihook.verdicts import NO_OPINION, Decision, Verdict

VOCABULARY = Vocabulary(tools={"Agent": "Task"}, aliases={"Agent": "Agent"})

_REPLY_KEYS = (
    "continue_execution",
    "stop_reason",
    "suppress_logging",
    "system_message",
    "updated_input",
    "additional_context",
)


def decode(hook: Hook, event: Event, raw: Raw, *, refusable: bool) -> Verdict | Failure:
    """Read a reply: the exit code, then the six fields; nothing and plain words go on."""
    if raw.exit_code in (0, None):
        return _said(event, raw.stdout)
    failure = exits.broken(raw, blocks=refusable)
    if failure is not None:
        return failure
    if not refusable:
        return exits.failed(raw)
    said = _said(event, raw.stdout)
    told = said.stop_reason if isinstance(said, Verdict) else None
    reason = told or raw.stderr.strip() or f"hook {hook.name!r} failed with exit code {raw.exit_code}"
    return Verdict(decision=Decision.BLOCK, reason=reason, stop_reason=reason)


def encode(event: Event, verdict: Verdict, *, refusable: bool) -> Reply:
    """Write a reply; there is one word for no, and no word for asking or for approval."""
    wants_no = verdict.decision >= Decision.ASK or not verdict.continue_
    refused = wants_no and refusable
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
