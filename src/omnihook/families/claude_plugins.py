"""Which of Claude Code's plugins count: the newest of the versions that are kept, unless it is switched off.

And what their hooks are told: a folder for their data, which outlives the versions.
"""

import os
import re
from collections.abc import Sequence
from contextlib import suppress

from omnihook.dialect import ConfigText
from omnihook.events import Event
from omnihook.hooks import Hook, Layer
from omnihook.jsontypes import JsonError, loads_object, take

_KEPT = re.compile(r"(?P<store>.*/plugins/cache/)(?P<market>[^/]+)/(?P<plugin>[^/]+)/(?P<version>[^/]+)/")


def current(files: Sequence[ConfigText]) -> list[ConfigText]:
    """The files without those of plugin versions that were replaced by a newer one."""
    newest: dict[str, str] = {}
    for config in files:
        if (kept := _kept(config)) is not None:
            newest[kept[0]] = max(newest.get(kept[0], ""), kept[1], key=_order)
    return [config for config in files if (kept := _kept(config)) is None or newest[kept[0]] == kept[1]]


def switched_off(files: Sequence[ConfigText]) -> frozenset[str]:
    """The paths of plugin files whose plugin the user or an administrator has switched off (`enabledPlugins`).

    The administrator has the last word. A project's settings do not count: whoever wrote them must not switch off a
    user's guard.
    """
    said: dict[str, bool] = {}
    for config in sorted(files, key=lambda config: config.layer, reverse=True):
        if config.layer <= Layer.USER:
            said |= _said(config)
    off = {name for name, enabled in said.items() if not enabled}
    return frozenset(config.path for config in files if (kept := _kept(config)) is not None and kept[0] in off)


def hook_env(hook: Hook, event: Event) -> dict[str, str]:
    """The variables of one hook: the agent's process, and for a plugin from a marketplace its folder for data."""
    env = {"CLAUDE_PID": str(os.getpid())}
    found = _KEPT.match(f"{hook.source.root}/")
    if found is not None and hook.source.layer is Layer.PLUGIN:
        name = re.sub(r"[^\w-]", "-", f"{found['plugin']}-{found['market']}", flags=re.ASCII)
        folder = env["CLAUDE_PLUGIN_DATA"] = os.path.join(os.path.dirname(found["store"].rstrip("/")), "data", name)
        with suppress(OSError):  # the hook finds out, if it wants to write there
            os.makedirs(folder, exist_ok=True)
    return env


def _kept(config: ConfigText) -> tuple[str, str] | None:
    """The name and the version of the plugin a file belongs to, if it came from a marketplace."""
    found = _KEPT.match(config.path) if config.role == "plugin" else None
    return None if found is None else (f"{found['plugin']}@{found['market']}", found["version"])


def _said(config: ConfigText) -> dict[str, bool]:
    if config.role != "settings" or '"enabledPlugins"' not in config.text:
        return {}
    try:
        table = take(loads_object(config.text), "enabledPlugins", dict) or {}
    except JsonError:
        return {}  # said when it is read
    return {name: value is not False for name, value in table.items()}


def _order(version: str) -> tuple[tuple[int, int | str], ...]:
    """Versions compare number by number; a word comes before any number and before the end: 1.0-beta is before 1.0."""
    parts = re.findall(r"\d+|[a-z]+", version.lower())
    return (*((1, int(part)) if part.isdigit() else (0, part) for part in parts), (1, -1))
