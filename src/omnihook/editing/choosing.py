"""Which hook a person means: by its name, by `EVENT:N` as lists number it, or by a number that is unique."""

from collections.abc import Iterable, Mapping, Sequence

from omnihook.errors import ConfigError, suggestion
from omnihook.hooks import Hook, summary
from omnihook.showing import one_line
from omnihook.slotted import dataclass

SHOWN = 12  # candidates in one line


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A hook under one of its numbers."""

    label: str  # EVENT:N
    hook: Hook


def grouped(hooks: Iterable[Hook]) -> dict[str, list[Hook]]:
    """Hooks by the event name they were written under, in order of first appearance."""
    groups: dict[str, list[Hook]] = {}
    for hook in hooks:
        for event in hook.native_events or hook.events:
            groups.setdefault(event, []).append(hook)
    return groups


def listed(hooks: Iterable[Hook]) -> tuple[Listed, ...]:
    """Every hook under each of its numbers, which restart per event."""
    groups = grouped(hooks)
    return tuple(
        Listed(label=f"{event}:{number}", hook=hook)
        for event, held in groups.items()
        for number, hook in enumerate(held, 1)
    )


def label_of(hook: Hook, hooks: Iterable[Hook]) -> str:
    """The first number of a hook."""
    return next((item.label for item in listed(hooks) if item.hook is hook), hook.name)


def choose(hooks: Sequence[Hook], wanted: str) -> Hook:
    """The one hook that is meant; raises ConfigError with the candidates when it is none or several."""
    rows = listed(hooks)
    found = matching(rows, wanted)
    if len(found) == 1:
        return found[0].hook
    if found:
        raise ConfigError(f"{wanted!r} could be {several(found)}; say which, as EVENT:N")
    if not rows:
        raise ConfigError(f"there is no hook {wanted!r}: no hooks are configured here; 'omnihook add' adds one")
    names = [*(row.label for row in rows), *(row.hook.name for row in rows)]
    raise ConfigError(f"there is no hook {wanted!r}{suggestion(wanted, names)}; there are {several(rows)}")


def matching(rows: Sequence[Listed], wanted: str) -> list[Listed]:
    """The hooks that a word may mean: what lists show as EVENT:N counts before a name, a name before a number."""
    ways = (
        [row for row in rows if row.label == wanted],
        [row for row in rows if row.hook.name == wanted],
        [row for row in rows if wanted.isdecimal() and row.label.endswith(f":{wanted}")],
    )
    found = next((way for way in ways if way), [])
    return list({id(row.hook): row for row in reversed(found)}.values())[::-1]


def several(rows: Iterable[Listed]) -> str:
    """Candidates in one line."""
    texts = [described(row.label, row.hook) for row in rows]
    more = f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return ", ".join(texts[:SHOWN]) + more


def described(label: str, hook: Hook) -> str:
    """A hook in a few words: its number, its name where it has one of its own, and what it runs."""
    about = hook.name if ":" not in hook.name else one_line(summary(hook), 40)
    return f"{label} ({about})"


def positions(hooks: Iterable[Hook]) -> Mapping[int, str]:
    """The first number of each hook, by the identity of the value."""
    found: dict[int, str] = {}
    for row in listed(hooks):
        found.setdefault(id(row.hook), row.label)
    return found
