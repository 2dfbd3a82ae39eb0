"""Writing hooks in a dialect's own configuration: JSON as people format it, and the list of what was lost."""

import json
from dataclasses import dataclass, field, fields
from typing import cast

from omnihook.hooks import Hook
from omnihook.jsontypes import Json

_DEFAULTS = {f.name: f.default for f in fields(Hook)}


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
        if value and value != _DEFAULTS.get(attribute):
            self.add(hook, f"{attribute} = {value!r}")

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
