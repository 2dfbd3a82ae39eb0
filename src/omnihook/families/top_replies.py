"""Replies with everything at the top level of one JSON object: decision, reason, updatedInput, additionalContext.

Strict: an unknown decision or a value of the wrong type is a broken reply, never a weaker one.
"""

from collections.abc import Mapping
from dataclasses import replace

from omnihook.dialect import Failure
from omnihook.events import Event, ToolEvent
from omnihook.families.objects import Wrong, get, refuse_foreign, refuse_misspelt, refuse_retyped, reply_object
from omnihook.hooks import Cause
from omnihook.jsontypes import EMPTY, Json, JsonObject
from omnihook.slotted import dataclass
from omnihook.tools import Vocabulary, canonical_input, native_input
from omnihook.verdicts import Decision, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class TopShape:
    """What differs between the dialects that reply in this shape."""

    decisions: Mapping[str, Decision]
    vocabulary: Vocabulary
    silent: Decision = Decision.NONE  # what a reply without a decision says
    ordinary_ask: bool = False  # asking is the agent's ordinary prompt and forces nothing
    stops: bool = False  # it reads `continue` and `stopReason`
    suppresses: bool = False  # it reads `suppressOutput`


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A rewrite as keys to set, in the agent's words, and the keys it would have to remove."""

    changed: Mapping[str, Json]
    gone: tuple[str, ...] = ()


def decode(shape: TopShape, event: Event, text: str) -> Verdict | Failure | None:
    """Read an answer given as text; None when it is plain words and no JSON object at all."""
    try:
        reply = reply_object(text)
        return None if reply is None else _verdict(shape, event, reply)
    except Wrong as wrong:
        return Failure(cause=Cause.OUTPUT, message=f"the reply cannot be read: {wrong}")


def patch(words: Vocabulary, event: Event, verdict: Verdict) -> Patch | None:
    """The rewrite of a verdict as a patch over what the agent sent; None when nothing is rewritten."""
    new = verdict.updated_input
    if new is None:
        return None
    if not isinstance(event, ToolEvent):
        return Patch(changed=dict(new))
    given = event.tool_input
    changed = {key: value for key, value in new.items() if key not in given or given[key] != value}
    gone = () if verdict.partial else tuple(key for key in given if key not in new)
    return Patch(
        changed=dict(native_input(words, event.tool_name, changed)),
        gone=tuple(native_input(words, event.tool_name, dict.fromkeys(gone))),
    )


def _verdict(shape: TopShape, event: Event, reply: JsonObject) -> Verdict:
    refuse_foreign(reply, ("decision", "continue") if shape.stops else ("decision",))
    refuse_misspelt(reply, ("updatedInput",))
    word = get(reply, "decision", str)
    decision = shape.silent if word is None else shape.decisions.get(word)
    if decision is None:
        raise Wrong(f"unknown decision {word!r}; known: {', '.join(sorted(shape.decisions))}")
    verdict = Verdict(
        decision=decision,
        reason=get(reply, "reason", str),
        additional_context=get(reply, "additionalContext", str) or None,
        suppress_output=shape.suppresses and get(reply, "suppressOutput", bool) is True,
        ordinary=shape.ordinary_ask and decision is Decision.ASK,
    )
    if shape.stops:
        going, why = get(reply, "continue", bool) is not False, get(reply, "stopReason", str)
        verdict = replace(verdict, continue_=going, stop_reason=why)
    changed = get(reply, "updatedInput", dict)
    if changed is None:
        return verdict
    made = canonical_input(shape.vocabulary, str(getattr(event, "tool_name", "")), changed)
    refuse_retyped(made, getattr(event, "tool_input", EMPTY))
    return replace(verdict, updated_input=made)
