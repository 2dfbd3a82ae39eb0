"""Native entries that name a built-in hook: what they leave out is filled in, and what they tell it is checked."""

from difflib import get_close_matches

from omnihook.errors import suggestion
from omnihook.families.entries import BadEntry, text
from omnihook.hooks import BUILTIN, Action, Call
from omnihook.jsontypes import Json, JsonObject
from omnihook.shipped import SHIPPED, Shipped, entry, problems

KEY = "builtin"


def filled(value: JsonObject) -> JsonObject:
    """The entry with everything the built-in implies; what is written in the entry stands."""
    return value if KEY not in value else {**entry(_about(value)), **value}


def wrong_options(value: JsonObject) -> list[BadEntry]:
    """What cannot be meant. The entry is kept: a guard with a misspelt option must fail, not be gone."""
    if KEY not in value:
        return []
    about = _about(value)
    given = value.get("options")
    if given is not None and not isinstance(given, dict):
        return [BadEntry("'options' must be a table", fix='write options = { mode = "strict" }', code="option")]
    found = problems(about, _options(value))
    return [BadEntry(message, fix="correct the option", key=name, code="option") for name, message in found]


def misspelt(value: JsonObject) -> BadEntry | None:
    """What to say of an entry that must mean a guard but does not name it: kept, too, it refuses."""
    name = value.get(KEY)
    return None if not isinstance(name, str) or name in SHIPPED or _near_guard(name) is None else _unknown(name)


def misplaced(value: JsonObject, key: str) -> str | None:
    """How to correct a key that the named built-in takes as an option."""
    about = SHIPPED.get(str(value.get(KEY)))
    return f"write options = {{ {key} = ... }}" if about is not None and key in about.options else None


def action(value: JsonObject) -> Call:
    """The call of the named built-in with its options."""
    return Call(target=f"{BUILTIN}{value[KEY]}", options=_options(value), inline=_about(value).inline)


def written(call: Call) -> dict[str, Json]:
    """The keys of an entry that name a built-in."""
    return {KEY: call.builtin, "options": dict(call.options) or None}


def noes(action: Action) -> dict[str, Json]:
    """What an entry must deny, where it does not say otherwise, because naming the built-in implies it."""
    about = SHIPPED.get(action.builtin or "") if isinstance(action, Call) else None
    return {} if about is None else {key: no for key, value in entry(about).items() if (no := _no(value)) is not None}


def _no(value: Json) -> Json:
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return 0
    return [] if isinstance(value, list) else None


def _about(value: JsonObject) -> Shipped:
    name = text(value, KEY, required=True) or ""
    about = SHIPPED.get(name) or _near_guard(name)
    if about is None:
        raise _unknown(name)
    return about


def _near_guard(name: str) -> Shipped | None:
    """The guard that a word is nearest to."""
    near = get_close_matches(name.lower(), SHIPPED, n=1) if len(name) < 100 else []
    about = SHIPPED[near[0]] if near else None
    return about if about is not None and about.guard else None


def _unknown(name: str) -> BadEntry:
    near = suggestion(name, SHIPPED)
    return BadEntry(f"there is no built-in hook {name!r}{near}", fix="see 'omnihook list --builtin'", key=KEY)


def _options(value: JsonObject) -> JsonObject:
    given = value.get("options")
    if given is None:
        return {}
    return given if isinstance(given, dict) else {"options": given}  # which no built-in has, so that it fails
