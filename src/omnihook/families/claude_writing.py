"""Hooks as a settings file of Claude Code; what its shape cannot say is listed."""

import re
from collections.abc import Sequence

from omnihook.dialect import Name, Written
from omnihook.families.claude_configs import BLOCKING
from omnihook.families.writing import Losses, dump_json, in_units
from omnihook.hooks import Action, Argv, Command, Hook, Http, McpTool, OnError, Prompt, summary
from omnihook.jsontypes import Json

_NAMES = re.compile(r"[A-Za-z0-9_|, \-]+")
_SAID_OF_ACTIONS = frozenset({"interpreter", "model", "tools", "continue_on_block", "allowed_env", "input"})
_SAID = frozenset({"rule", "background", "rewake", "once", "status_message", "on_error", "enabled"})


def write(hooks: Sequence[Hook], names: Sequence[Name]) -> Written:
    """Hooks as a settings file; what the shape cannot say is listed."""
    native = {row.event: row.native for row in reversed(names)}
    table: dict[str, Json] = {}
    losses = Losses()
    for hook in hooks:
        value = _entry(hook, losses)
        for event in hook.events:
            if event not in native:
                losses.add(hook, f"event {event}")
            elif value is not None:
                _place(table, native[event], hook, value)
    return Written(files={".claude/settings.json": dump_json({"hooks": table})}, lost=losses.found)


def _place(table: dict[str, Json], event: str, hook: Hook, value: dict[str, Json]) -> None:
    groups = table.setdefault(event, [])
    assert isinstance(groups, list)
    matcher: dict[str, Json] = {} if hook.matcher.everything else {"matcher": _matcher_text(hook)}
    last = groups[-1] if groups else None
    if isinstance(last, dict) and last.get("matcher") == matcher.get("matcher"):
        held = last["hooks"]
        assert isinstance(held, list)
        held.append(value)
    else:
        groups.append({**matcher, "hooks": [value]})


def _matcher_text(hook: Hook) -> str:
    if hook.matcher.names is not None:
        return "|".join(sorted(hook.matcher.names))
    pattern = hook.matcher.pattern or ""
    if hook.matcher.whole:
        return f"^(?:{pattern})$"
    return f"(?:{pattern})" if _NAMES.fullmatch(pattern) else pattern  # names alone would compare exactly


def _entry(hook: Hook, losses: Losses) -> dict[str, Json] | None:
    value = _action_entry(hook.action)
    if value is None:
        losses.add(hook, f"action {summary(hook)}")
        return None
    extras: dict[str, Json] = {
        "if": hook.rule,
        "timeout": in_units(hook.timeout, 1.0),
        "async": True if hook.background and not hook.rewake else None,
        "asyncRewake": True if hook.rewake else None,
        "once": True if hook.once else None,
        "statusMessage": hook.status_message,
        "onFailure": "block" if any(found is OnError.DENY for found in hook.on_error.values()) else None,
    }
    losses.check_all(hook, _SAID)
    losses.check_action(hook, _SAID_OF_ACTIONS)
    if hook.on_error and dict(hook.on_error) != BLOCKING:
        losses.check(hook, "on_error")
    if not hook.enabled:
        losses.add(hook, "enabled = false (the hook is left out)")
        return None
    return {**value, **{key: item for key, item in extras.items() if item is not None}}


def _action_entry(action: Action) -> dict[str, Json] | None:
    match action:
        case Command(command=command, interpreter=shell):
            return {"type": "command", "command": command, **({"shell": shell} if shell else {})}
        case Argv(argv=(program, *rest)):
            return {"type": "command", "command": program, "args": list(rest)}
        case Http(url=url, headers=headers, allowed_env=allowed):
            extra: dict[str, Json] = {"headers": dict(headers)} if headers else {}
            return {"type": "http", "url": url, **extra, **({"allowedEnvVars": list(allowed)} if allowed else {})}
        case McpTool(server=server, tool=tool, input=given):
            return {"type": "mcp_tool", "server": server, "tool": tool, **({"input": dict(given)} if given else {})}
        case Prompt(prompt=prompt, model=model, tools=tools, continue_on_block=going):
            told: dict[str, Json] = {"model": model} if model else {}
            told |= {"continueOnBlock": True} if going else {}
            return {"type": "agent" if tools else "prompt", "prompt": prompt, **told}
        case _:
            return None
