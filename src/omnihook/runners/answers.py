"""What a function hook gave back or raised, as a sound verdict or a failure that says what is wrong."""

import math
from collections.abc import Mapping
from dataclasses import replace

from omnihook.dialect import Failure
from omnihook.hooks import Cause
from omnihook.jsontypes import MAX_NESTING, thawed
from omnihook.verdicts import NO_OPINION, Decision, Verdict

_TEXTS = ("reason", "stop_reason", "additional_context", "system_message")
_FLAGS = ("continue_", "partial", "suppress_output", "suppress_logging", "ordinary")


def checked(answer: object) -> Verdict | Failure:
    """The verdict a hook gave; anything that is not one, or is one with values of the wrong kind, is a failure."""
    if answer is None:
        return NO_OPINION
    if not isinstance(answer, Verdict):
        message = f"it returned {type(answer).__name__}; a hook returns a Verdict or None"
        return Failure(cause=Cause.OUTPUT, message=message)
    problem = _problem(answer)
    if problem is not None:
        return Failure(cause=Cause.OUTPUT, message=f"its Verdict has {problem}")
    return answer if answer.updated_output is None else replace(answer, updated_output=thawed(answer.updated_output))


def raised(error: BaseException) -> Failure:
    """The failure of a hook that raised something."""
    if isinstance(error, TimeoutError):
        return Failure(cause=Cause.TIMEOUT, message="it timed out")
    return Failure(cause=Cause.EXIT, message=f"{type(error).__name__}: {_text(error)}")


def _problem(verdict: Verdict) -> str | None:
    if not isinstance(verdict.decision, Decision):
        return f"the decision {verdict.decision!r}; write Verdict.deny(...) or decision=Decision.DENY"
    for name in _TEXTS:
        value = getattr(verdict, name)
        if value is not None and not isinstance(value, str):
            return f"{name} of type {type(value).__name__}; it is text or None"
    for name in _FLAGS:
        value = getattr(verdict, name)
        if value is not True and value is not False:
            return f"{name}={value!r}; it is True or False"
    for name, value in (("updated_input", verdict.updated_input or {}), ("extra", verdict.extra)):
        if not isinstance(value, Mapping):
            return f"{name} of type {type(value).__name__}; it is a dict"
        if value and not _is_json(value):
            return f"{name} that is not JSON"
    return None if _is_json(verdict.updated_output) else "updated_output that is not JSON"


def _is_json(value: object, room: int = MAX_NESTING) -> bool:
    if value is None or isinstance(value, str | int):
        return True
    if isinstance(value, float):
        return math.isfinite(value)
    if room == 0:
        return False
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_json(item, room - 1) for key, item in value.items())
    return isinstance(value, list | tuple) and all(_is_json(item, room - 1) for item in value)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - its own way of saying what went wrong is the hook's code too
        return "(it cannot say what went wrong)"
