"""What a model, a server or an MCP tool answered, read as a verdict."""

from collections.abc import Callable

from omnihook.dialect import Failure, Raw
from omnihook.hooks import Cause
from omnihook.jsontypes import JsonError, JsonObject, loads_strict, take
from omnihook.verdicts import WORDS, Decision, Verdict


def decode_model(raw: Raw, free_text: Callable[[str], Verdict | None] | None) -> Verdict | Failure:
    """A structured answer first, a dialect's rules for free text second; anything else is broken."""
    text = unfenced(raw.stdout)
    try:
        value = loads_strict(text)
    except JsonError:
        value = None
    if isinstance(value, dict):
        structured = _structured(value)
        if structured is not None:
            return structured
    found = free_text(text) if free_text is not None else None
    if found is not None:
        return found
    return Failure(cause=Cause.OUTPUT, message=f"the model's answer is not a decision: {text[:200]!r}")


def unfenced(text: str) -> str:
    """A text without the code fence that models like to put around JSON."""
    stripped = text.strip()
    if not stripped.startswith("```") or not stripped.endswith("```"):
        return stripped
    return stripped.strip("`").split("\n", 1)[-1].strip()


def _structured(value: JsonObject) -> Verdict | Failure | None:
    reason, context = take(value, "reason", str), take(value, "additionalContext", str)
    word, fine = value.get("decision"), value.get("ok")
    if isinstance(word, str):
        decision = WORDS.get(word.lower())
        if decision is None:
            return Failure(cause=Cause.OUTPUT, message=f"the model answered an unknown decision {word!r}")
        return Verdict(decision=decision, reason=reason, additional_context=context)
    if isinstance(fine, bool):
        decision = Decision.ALLOW if fine else Decision.BLOCK
        return Verdict(decision=decision, reason=reason, additional_context=context)
    return None
