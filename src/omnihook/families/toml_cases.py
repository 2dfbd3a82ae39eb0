"""The shape of `[[hook.case]]`, the cases kept beside native hooks: what can be read of one without running it."""

from collections.abc import Sequence

from omnihook.errors import suggestion
from omnihook.events import EVENTS
from omnihook.jsontypes import Json, JsonObject, kind
from omnihook.verdicts import WORDS

BROKEN, NOTHING = "broken", "none"
EXPECTED = (NOTHING, BROKEN, *WORDS)
_TEXTS = ("name", "event", "tool", "reason")
_TABLES = ("payload", "input")
KEYS = tuple(sorted((*_TEXTS, *_TABLES, "expect")))


def wrong(case: Json, events: Sequence[str]) -> tuple[str, str] | None:
    """Why a case of a hook for some events cannot be run and what to write instead, or None for a sound one."""
    if not isinstance(case, dict):
        return f"it must be a table, not {kind(case)}", "write [[hook.case]]"
    unknown = next((key for key in case if key not in KEYS), None)
    if unknown is not None:
        return f"unknown key {unknown!r}{suggestion(unknown, KEYS)}", f"a case has {', '.join(KEYS)}"
    if case.get("expect") not in EXPECTED:
        words = ", ".join(EXPECTED)
        return f"expect must be one of {words}, not {case.get('expect')!r}", f"write one of {words}"
    return _retyped(case) or _nameless(case, events)


def _retyped(case: JsonObject) -> tuple[str, str] | None:
    for keys, wanted, called, fix in ((_TEXTS, str, "a text", '= "..."'), (_TABLES, dict, "a table", "= { ... }")):
        for key in keys:
            if key in case and not isinstance(case[key], wanted):
                return f"{key} must be {called}, not {kind(case[key])}", f"write {key} {fix}"
    return None


def _nameless(case: JsonObject, events: Sequence[str]) -> tuple[str, str] | None:
    """An event that is nobody's. One that the hook is not for is none: a case may say that it stays silent."""
    event = case.get("event")
    if event is None or event in EVENTS or event in events:
        return None
    near = suggestion(str(event), (*events, *EVENTS))
    return f"unknown event {event!r}{near}", "correct the name, or leave it out for the hook's own"
