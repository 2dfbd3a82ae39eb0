"""`omnihook list --builtin`: the hooks that come with omnihook, and which of them are switched on here."""

from omnihook.cli.common import print_json, say
from omnihook.engine import Engine
from omnihook.hooks import Call, Hook
from omnihook.jsontypes import Json
from omnihook.shipped import SHIPPED, Shipped


def list_builtins(engine: Engine, *, as_json: bool) -> None:
    """Print every built-in with its events; one is enabled when some hook that may run calls it."""
    enabled = {_name(hook) for hook in engine.hooks if hook.enabled}
    if as_json:
        print_json([_row(about, about.name in enabled) for about in SHIPPED.values()])
        return
    width = max(len(name) for name in SHIPPED)
    for about in SHIPPED.values():
        state = "enabled" if about.name in enabled else "disabled"
        say(f"{about.name:<{width}}  {f'[{state}]':<10}  {', '.join(about.events)} - {about.description}")
    say()
    say("Switch one on with 'omnihook enable NAME'; any agent's configuration may call 'omnihook builtin NAME'.")


def _name(hook: Hook) -> str:
    """The built-in a hook calls: by name in a native entry, else as a command."""
    if isinstance(hook.action, Call):
        return hook.action.builtin or ""
    words = str(getattr(hook.action, "command", "")).split()
    return words[2] if words[:2] == ["omnihook", "builtin"] and len(words) > 2 else ""


def _row(about: Shipped, enabled: bool) -> Json:
    return {
        "name": about.name,
        "description": about.description,
        "enabled": enabled,
        "events": [*about.events],
        "paths": [*about.paths],
        "async": about.background,
        "guard": about.guard,
        "timeout_s": about.timeout,
        "options": {
            name: {"help": option.help, **({"choices": [*option.choices]} if option.choices else {})}
            for name, option in about.options.items()
        },
    }
