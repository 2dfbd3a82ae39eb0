"""Writing claude-agent-rs's settings: named hooks as a map, those of lists as a list, those of rules as rules."""

from collections.abc import Sequence

from omnihook.dialect import Name, Written
from omnihook.families import nested_writing
from omnihook.families.writing import Losses, dump_json, in_units
from omnihook.hooks import Hook
from omnihook.jsontypes import Json, JsonObject

KNOWN = frozenset({"type", "command", "timeout", "timeout_secs", "matcher", "extra_env", "priority"})


def write(hooks: Sequence[Hook], names: Sequence[Name], *, dialect: str) -> Written:
    """Hooks as a settings file: named ones as a map, those of lists as a list."""
    native = {row.event: row.native for row in reversed(names)}
    losses = Losses()
    grouped: dict[str, list[tuple[Hook, Json]]] = {}
    for hook in hooks:
        value = _written(hook, losses, dialect) if nested_writing.is_on(hook, losses) else None
        if value is not None:
            for event in nested_writing.event_names(hook, native, losses, dialect=dialect):
                grouped.setdefault(event, []).append((hook, value))
    table: dict[str, Json] = {event: _arranged(held, dialect) for event, held in grouped.items()}
    return Written(files={".claude/settings.json": dump_json({"hooks": table})}, lost=losses.found)


def _arranged(held: list[tuple[Hook, Json]], dialect: str) -> Json:
    if all(hook.slot is None and nested_writing.is_own(hook, dialect) for hook, _ in held):
        return [value for _, value in held]
    table: dict[str, Json] = {}
    for hook, value in held:
        name, number = hook.name, 2
        while name in table:
            name, number = f"{hook.name}-{number}", number + 1
        table[name] = _unruled(value)
    return table


def _unruled(value: Json) -> Json:
    """A rule of one action as the object that a named map wants."""
    if not isinstance(value, dict) or "hooks" not in value:
        return value
    held = value["hooks"]
    assert isinstance(held, list)
    action = held[0]
    whole = action if isinstance(action, dict) else {"command": action}
    return {**whole, "matcher": value["matcher"]}


def _written(hook: Hook, losses: Losses, dialect: str) -> Json:
    base = nested_writing.base_entry(hook, losses, says=frozenset({"priority", "env"}))
    if base is None or base["type"] != "command":
        if base is not None:
            losses.add(hook, "prompt (the hook is left out)")
        return None
    matcher = nested_writing.matcher_text(hook, losses, dialect=dialect)
    if matcher is None:
        return None
    entry = hook.entry if nested_writing.is_own(hook, dialect) else None
    own: JsonObject = entry if isinstance(entry, dict) else {}
    ruled = bool(matcher) and entry is not None and "matcher" not in own
    clock = "timeout" if "timeout" in own and "timeout_secs" not in own else "timeout_secs"
    parts: dict[str, Json] = {
        "type": own.get("type"),
        "command": base["command"],
        clock: in_units(hook.timeout, 1.0),
        "matcher": None if ruled else matcher or own.get("matcher"),
        "extra_env": dict(hook.env) if hook.env or "extra_env" in own else None,
        "priority": hook.priority if hook.priority or "priority" in own else None,
    }
    value: dict[str, Json] = {key: item for key, item in parts.items() if item is not None}
    value |= nested_writing.unknown_keys(hook, KNOWN, dialect=dialect)
    short: Json = base["command"] if len(value) == 1 and not isinstance(entry, dict) else value
    return {"matcher": matcher, "hooks": [short]} if ruled else short
