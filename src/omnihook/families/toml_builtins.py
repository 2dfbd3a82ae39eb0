"""Native entries that name a built-in hook: what they leave out is filled in, and what they tell it is checked."""

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
    found = problems(_about(value), _options(value))
    return [BadEntry(message, fix="correct the option", key=name, code="option") for name, message in found]


def action(value: JsonObject) -> Call:
    """The call of the named built-in with its options."""
    about = _about(value)
    return Call(target=f"{BUILTIN}{about.name}", options=_options(value), inline=about.inline)


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
    about = SHIPPED.get(name)
    if about is None:
        near = suggestion(name, SHIPPED)
        raise BadEntry(f"there is no built-in hook {name!r}{near}", fix="see 'omnihook list --builtin'", key=KEY)
    return about


def _options(value: JsonObject) -> JsonObject:
    given = value.get("options")
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise BadEntry("'options' must be a table", fix='write options = { mode = "strict" }', key="options")
    return given
