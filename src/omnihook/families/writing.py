"""Writing hooks in a dialect's own configuration: JSON as people format it, and the list of what was lost."""

import json
from dataclasses import field, fields
from enum import Enum
from typing import cast

from omnihook.hooks import Hook
from omnihook.jsontypes import Json
from omnihook.slotted import dataclass

_DEFAULTS = {f.name: f.default for f in fields(Hook)}
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

    @property
    def found(self) -> tuple[str, ...]:
        """The losses, each once, in order."""
        return tuple(dict.fromkeys(self.items))


def dump_json(value: Json) -> str:
    """JSON with two spaces and a newline at the end."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def plain_number(value: float) -> Json:
    """A number without a needless fraction."""
    return cast("Json", int(value) if value == int(value) else value)
