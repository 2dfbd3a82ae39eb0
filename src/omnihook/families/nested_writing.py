"""Writing the nested configuration shape: event -> list of {matcher, hooks: [...]}, with the losses listed."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence

from omnihook.families.writing import Losses, in_units
from omnihook.hooks import Action, Argv, Command, Hook, Prompt, summary
from omnihook.jsontypes import Json

_PLAIN_KEYS = frozenset({"type", "command", "prompt", "timeout"})
WriteEntry = Callable[[Hook, Losses], dict[str, Json] | None]


def write_table(
    hooks: Iterable[Hook], native: Mapping[str, str], entry: WriteEntry, losses: Losses, *, dialect: str
) -> dict[str, Json]:
    """The `hooks` table; neighbours with the same matcher share a group. `native` maps canonical names to theirs."""
    table: dict[str, Json] = {}
    for hook in hooks:
        matcher = matcher_text(hook, losses, dialect=dialect)
        value = entry(hook, losses) if matcher is not None and is_on(hook, losses) else None
        if matcher is None or value is None:
            continue
        for name in event_names(hook, native, losses, dialect=dialect):
            _place(table, name, matcher, value)
    return table


def event_names(hook: Hook, native: Mapping[str, str], losses: Losses, *, dialect: str) -> Sequence[str]:
    """The dialect's names for a hook's events; what it wrote itself is kept, what it has no name for is lost."""
    if is_own(hook, dialect) and hook.native_events:
        return hook.native_events
    for event in hook.events:
        if event not in native:
            losses.add(hook, f"event {event}")
    return tuple(native[event] for event in hook.events if event in native)


def matcher_text(hook: Hook, losses: Losses, *, dialect: str) -> str | None:
    """A hook's matcher for a dialect that searches; None, with a loss, for one that can never match."""
    matcher = hook.matcher
    if is_own(hook, dialect):
        return matcher.text
    if matcher.never is not None:
        losses.add(hook, f"matcher {matcher.text!r} (the hook is left out)")
        return None
    if matcher.everything:
        return ""
    if matcher.names is not None:
        return "^(" + "|".join(sorted(matcher.names)) + ")$"
    return f"^(?:{matcher.pattern})$" if matcher.whole else matcher.pattern or ""


def is_own(hook: Hook, dialect: str) -> bool:
    """Whether a hook was read from the dialect's own file, so that its words are to be kept."""
    return hook.source.dialect == dialect and hook.entry is not None


def is_on(hook: Hook, losses: Losses) -> bool:
    """Whether a hook is written at all: the shape has no switch for one hook."""
    if not hook.enabled:
        losses.add(hook, "enabled = false (the hook is left out)")
    return hook.enabled


def action_entry(action: Action) -> dict[str, Json] | None:
    """The part of an entry that says what runs; None for what only others can run."""
    match action:
        case Command(command=text):
            return {"type": "command", "command": text}
        case Argv(argv=words):
            return {"type": "command", "command": shlex.join(words)}
        case Prompt(prompt=text):
            return {"type": "prompt", "prompt": text}
        case _:
            return None


def base_entry(hook: Hook, losses: Losses, *, says: frozenset[str]) -> dict[str, Json] | None:
    """An entry with its action, the losses of all that the dialect does not say being noted."""
    value = action_entry(hook.action)
    if value is None:
        losses.add(hook, f"action {summary(hook)}")
        return None
    losses.check_all(hook, says)
    losses.check_action(hook)
    return value


def plain_entry(hook: Hook, losses: Losses, *, unit: float, dialect: str) -> dict[str, Json] | None:
    """An entry that knows only commands, prompts and a time-out, with whatever else its own dialect had in it."""
    value = base_entry(hook, losses, says=frozenset())
    if value is None:
        return None
    timeout = in_units(hook.timeout, unit)
    told: dict[str, Json] = {} if timeout is None else {"timeout": timeout}
    return {**value, **told, **unknown_keys(hook, _PLAIN_KEYS, dialect=dialect)}


def unknown_keys(hook: Hook, known: frozenset[str], *, dialect: str) -> dict[str, Json]:
    """What the dialect's own entry held besides the keys we know; it is written back."""
    if not is_own(hook, dialect) or not isinstance(hook.entry, dict):
        return {}
    return {key: value for key, value in hook.entry.items() if key not in known}


def _place(table: dict[str, Json], event: str, matcher: str, value: dict[str, Json]) -> None:
    groups = table.setdefault(event, [])
    assert isinstance(groups, list)
    last = groups[-1] if groups else None
    if isinstance(last, dict) and last.get("matcher", "") == matcher:
        held = last["hooks"]
        assert isinstance(held, list)
        held.append(value)
    else:
        group: dict[str, Json] = {"matcher": matcher} if matcher else {}
        groups.append({**group, "hooks": [value]})
