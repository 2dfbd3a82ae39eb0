"""Quarantine: hooks that broke too often in a row and are left out until somebody brings them back."""

import json
import os
from collections.abc import Callable, Mapping

from omnihook.errors import ConfigError
from omnihook.files import replace_text
from omnihook.folders import make
from omnihook.hooks import Hook, Layer, summary
from omnihook.slotted import dataclass

LIMIT = 5  # breaks or time-outs in a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A hook in quarantine: since when (seconds since the epoch), and what it did last."""

    name: str
    source: str
    since: float
    reason: str


class Quarantine:
    """The hooks that are held back, in one small file that several processes share."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, "quarantine.json")
        self._seen: tuple[int, int] | None = None
        self._held: dict[str, Held] = {}

    def holds(self, hook: Hook) -> bool:
        """Whether a hook is held back; guards and managed hooks never are."""
        return not exempt(hook) and key_of(hook) in self._current()

    def held(self) -> tuple[Held, ...]:
        """Every hook that is held back."""
        return tuple(self._current().values())

    def hold(self, hook: Hook, *, since: float, reason: str) -> bool:
        """Hold a hook back; whether that could be kept."""
        made = Held(name=hook.name, source=str(hook.source.path or ""), since=since, reason=reason)
        return self._change(lambda found: {**found, key_of(hook): made})

    def release(self, hook: Hook) -> bool:
        """Bring a hook back; whether it was held."""
        was = key_of(hook) in self._current()
        if was:
            self._change(lambda found: {key: item for key, item in found.items() if key != key_of(hook)})
        return was

    def _current(self) -> Mapping[str, Held]:
        try:
            found = os.stat(self.path)
        except OSError:
            self._seen, self._held = None, {}
            return self._held
        seen = (found.st_mtime_ns, found.st_ino)
        if seen != self._seen:
            self._held = self._read()
            self._seen = seen
        return self._held

    def _read(self) -> dict[str, Held]:
        try:
            with open(self.path, encoding="utf-8") as file:
                return _parsed(file.read())
        except (OSError, ValueError):
            return {}

    def _change(self, change: Callable[[dict[str, Held]], dict[str, Held]]) -> bool:
        try:
            make(os.path.dirname(self.path))
            replace_text(self.path, lambda text: _written(change(_parsed(text))))
        except (OSError, ConfigError):
            return False
        self._seen = None
        return True


def exempt(hook: Hook) -> bool:
    """Whether a hook is never held back: losing a guard would be worse than its failures."""
    return hook.guard or hook.source.layer in (Layer.MANAGED, Layer.PROGRAM)


def key_of(hook: Hook) -> str:
    """What makes a hook the same one: its file, its name and what it runs. A changed hook gets a new chance."""
    return "\n".join((str(hook.source.path), hook.name, summary(hook)))


def _parsed(text: str) -> dict[str, Held]:
    try:
        document = json.loads(text) if text.strip() else {}
        return {str(key): Held(**value) for key, value in document.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _written(held: Mapping[str, Held]) -> str:
    parts = {
        key: {"name": item.name, "source": item.source, "since": item.since, "reason": item.reason}
        for key, item in held.items()
    }
    return json.dumps(parts, indent=1) + "\n"
