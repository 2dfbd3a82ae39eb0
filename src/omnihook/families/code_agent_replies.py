"""Code Agent's replies: a non-zero exit, an object `{action, message, modifiedInput}`, or a leading word."""

import re
from dataclasses import replace

from omnihook.dialect import Failure, Raw, Reply
from omnihook.events import Event, PreToolUse, ToolEvent
from omnihook.families import exits, objects
from omnihook.families.claude_answers import full_input
from omnihook.families.code_agent_payloads import VOCABULARY
from omnihook.hooks import Cause
from omnihook.jsontypes import Json, JsonError, JsonObject, dumps, loads_object
from omnihook.tools import canonical_input
from omnihook.verdicts import NO_OPINION, Decision, Verdict

_REPLY_KEYS = ("action", "decision", "message", "reason", "modifiedInput")
_ACTIONS = {
    "allow": Decision.ALLOW,
    "approve": Decision.ALLOW,
    "continue": Decision.NONE,
    "block": Decision.BLOCK,
    "deny": Decision.BLOCK,
}
# A word of decision at the start of a script's output: alone, before a colon, or in capitals.
_SAID = re.compile(r"((?i:allow|block|continue)(?=\s*(?::|\Z))|(?:ALLOW|BLOCK|CONTINUE)(?=\s))\s*:?\s*(.*)", re.DOTALL)
# A model is asked for the word, so any case will do, and `BLOCKED` means what it says.
_ANSWERED = re.compile(r"\W*(allow|block|continue)(?:ed|s)?\b\W*(.*)", re.DOTALL | re.IGNORECASE)


def decode(event: Event, raw: Raw, *, refusable: bool) -> Verdict | Failure:
    """Read a reply: the exit code first, then an object or a leading word."""
    if raw.exit_code in (0, None):
        return _said(event, raw.stdout)
    failure = exits.broken(raw, blocks=refusable)
    if failure is not None:
        return failure
    return Verdict.block(_block_reason(event, raw)) if refusable else exits.failed(raw)


def encode(event: Event, verdict: Verdict, *, refusable: bool) -> Reply:
    """Write a reply: a non-zero exit with the reason where the event can be refused, else an object."""
    losses = _unsaid(verdict)
    if verdict.decision >= Decision.ASK or not verdict.continue_:
        if refusable:
            reason = verdict.reason or verdict.stop_reason or "refused by a hook"
            # The document reads stderr, the program of January read stdout.
            return Reply(stdout=reason, stderr=reason, exit_code=1, lost=losses)
        losses = (*losses, f"{verdict.decision.word or 'stop'} cannot be said at {event.name}")
    said = _words_for(verdict)
    if verdict.updated_input is not None and isinstance(event, PreToolUse):
        said = {"action": "continue", **said, "modifiedInput": dumps(full_input(VOCABULARY, event, verdict))}
    elif verdict.updated_input is not None:
        losses = (*losses, f"rewritten input at {event.name}")
    return Reply(stdout=dumps(said) if said else "", lost=losses)


def _words_for(verdict: Verdict) -> dict[str, Json]:
    if verdict.additional_context is not None:
        return {"action": "continue", "message": verdict.additional_context}
    if verdict.decision not in (Decision.ALLOW, Decision.APPROVE):
        return {}
    return {"action": "allow"} if verdict.reason is None else {"action": "allow", "message": verdict.reason}


def model_answer(answer: str) -> Verdict | None:
    """ALLOW, BLOCK or CONTINUE at the start of an answer, with what follows; None for anything else."""
    try:
        reply = objects.reply_object(answer)
        if reply is not None:
            made = _object(None, reply) if "action" in reply else None
            return made if isinstance(made, Verdict) else None
    except objects.Wrong:
        return None
    found = _ANSWERED.match(answer)
    return None if found is None else _word(found[1], found[2])


def _said(event: Event, output: str) -> Verdict | Failure:
    try:
        reply = objects.reply_object(output)
        if reply is not None:
            return _object(event, reply)
    except objects.Wrong as wrong:
        return Failure(cause=Cause.OUTPUT, message=f"the reply cannot be read: {wrong}")
    found = _SAID.match(output.strip())
    return NO_OPINION if found is None else _word(found[1], found[2])


def _word(word: str, rest: str) -> Verdict:
    words = rest.strip() or None
    decision = _ACTIONS[word.lower()]
    if decision is Decision.NONE:
        return Verdict(additional_context=words)
    return Verdict(decision=decision, reason=words or ("blocked by a hook" if decision is Decision.BLOCK else None))


def _object(event: Event | None, reply: JsonObject) -> Verdict | Failure:
    """`{action, message, modifiedInput}`; an object that says none of these is plain output."""
    objects.refuse_foreign(reply, _REPLY_KEYS)
    word = objects.get(reply, "action", str)
    word = objects.get(reply, "decision", str) if word is None else word
    message = objects.get(reply, "message", str) or objects.get(reply, "reason", str)
    changed = _changed(event, reply.get("modifiedInput"))
    if word is None:
        return NO_OPINION if changed is None else Verdict(updated_input=changed, partial=False)
    if word.lower() == "error":
        return Failure(cause=Cause.EXIT, message=f"it reports an error: {message or 'no message'}")
    if word.lower() not in _ACTIONS:
        raise objects.Wrong(f"unknown action {word!r}; known: allow, block, continue, error")
    made = _word(word, message or "")
    return made if changed is None or made.refused else replace(made, updated_input=changed, partial=False)


def _changed(event: Event | None, value: Json) -> JsonObject | None:
    """A new input, given as an object or, as in January's program, as the JSON text of one."""
    if isinstance(value, str):
        try:
            value = loads_object(value)
        except JsonError as error:
            raise objects.Wrong(f"'modifiedInput' is not a JSON object: {error}") from None
    if value is None:
        return None
    if not isinstance(value, dict):
        raise objects.Wrong("'modifiedInput' must be an object")
    if not isinstance(event, ToolEvent):
        return value
    changed = canonical_input(VOCABULARY, event.tool_name, value)
    objects.refuse_retyped(changed, event.tool_input)
    return changed


def _block_reason(event: Event, raw: Raw) -> str:
    words = raw.stderr.strip()
    if words:
        return words
    said = _said(event, raw.stdout)
    told = said.reason if isinstance(said, Verdict) else None
    return told or raw.stdout.strip() or f"exit {raw.exit_code} with no message"


def _unsaid(verdict: Verdict) -> tuple[str, ...]:
    found = {
        "approve (said as allow)": verdict.decision is Decision.APPROVE,
        "ask (said as block)": verdict.decision is Decision.ASK,
        "defer (said as block)": verdict.decision is Decision.DEFER,
        "stop (said as block)": not verdict.continue_ and not verdict.refused,
        "system message": verdict.system_message is not None,
        "rewritten output": verdict.updated_output is not None,
        "suppress output": verdict.suppress_output,
    }
    return tuple(what for what, is_lost in found.items() if is_lost)
