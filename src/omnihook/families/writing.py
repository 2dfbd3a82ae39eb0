"""Writing hooks in a dialect's own configuration: JSON as people format it, and the list of what was lost."""

from dataclasses import MISSING, field, fields
from enum import Enum

from omnihook.hooks import Hook
from omnihook.jsontypes import Json, pretty
from omnihook.slotted import dataclass

_DEFAULTS = {f.name: f.default for f in fields(Hook)}
_PARTS = {"interpreter": "shell", "tools": "the tools that its model may use"}
# What every dialect says in one way or another, and what is about the reading, not about the hook.
_ALWAYS = frozenset({"name", "events", "native_events", "action", "matcher", "timeout", "source", "entry", "slot"})


@dataclass(slots=True)
class Losses:
    """What a dialect cannot say about some hooks."""

    items: list[str] = field(default_factory=list)

    def add(self, hook: Hook, what: str) -> None:
        """Note one loss."""
        self.items.append(f"{hook.name}: {what}")

    def check(self, hook: Hook, attribute: str) -> None:
        """Note an attribute that is set and has no place in the dialect."""
        value: object = getattr(hook, attribute)
        if value != _DEFAULTS[attribute] and (value or attribute == "enabled"):
            self.add(hook, f"{attribute} = {(value.value if isinstance(value, Enum) else value)!r}")

    def check_all(self, hook: Hook, says: frozenset[str]) -> None:
        """Note every attribute that is set, other than those the dialect has a key for."""
        for attribute in _DEFAULTS:
            if attribute not in says and attribute not in _ALWAYS:
                self.check(hook, attribute)

    def check_action(self, hook: Hook, says: frozenset[str] = frozenset()) -> None:
        """Note every part of a hook's action that is set, other than what runs and what the dialect has a key for."""
        for part in fields(hook.action):
            value: object = getattr(hook.action, part.name)
            if part.default is not MISSING and value != part.default and part.name not in says:
                label = _PARTS.get(part.name, part.name)
                # A flag says no more than its name, and a key is nobody else's business.
                self.add(hook, label if value is True or part.name == "api_key" else f"{label} {value}")

    @property
    def found(self) -> tuple[str, ...]:
        """The losses, each once, in order."""
        return tuple(dict.fromkeys(self.items))


def dump_json(value: Json) -> str:
    """JSON with two spaces and a newline at the end."""
    return pretty(value) + "\n"


def in_units(seconds: float | None, unit: float) -> Json:
    """A time in a file's unit, in the shortest form that reads back the same; None stays None."""
    if seconds is None:
        return None
    exact = seconds / unit
    rounded = (round(exact, digits) for digits in (0, 3, 6, 9, 12))
    value = next((number for number in rounded if number * unit == seconds), exact)
    return int(value) if value == int(value) else value
