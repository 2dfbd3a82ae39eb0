"""The rows of the list: hooks grouped by event as `omnihook list` shows them, and those that are kept aside."""

from collections.abc import Iterable, Mapping, Sequence

from omnihook.editing.choosing import grouped
from omnihook.editing.keeping import Kept
from omnihook.hooks import Hook, summary
from omnihook.showing import one_line
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A hook under one of its numbers, or one that was disabled by being taken out of its file."""

    label: str  # EVENT:N, which stays its own until hooks come or go
    event: str
    what: Hook | Kept
    held: str | None = None  # why it does not run

    @property
    def enabled(self) -> bool:
        """Whether the hook itself is switched on."""
        return isinstance(self.what, Hook) and self.what.enabled

    @property
    def number(self) -> str:
        """Its place among the hooks of its event; kept hooks have none until they are back."""
        return self.label.rpartition(":")[2] + "." if isinstance(self.what, Hook) else "-"

    def text(self) -> str:
        """The line of a list: `1. [enabled] command - description`; why it does not run comes first, to be seen."""
        state = "enabled" if self.enabled else "disabled"
        extra = ""
        if self.held is not None and self.enabled:
            extra = f"[{'switched off' if self.held == 'disabled' else one_line(self.held)}] "
        return f"{self.number} [{state}] {extra}{self.about()}"

    def about(self) -> str:
        """What it runs, and what for."""
        described = self.what.description if isinstance(self.what, Hook) else None
        return self.runs() + (f" - {one_line(described)}" if described else "")

    def runs(self) -> str:
        """What it runs."""
        return one_line(summary(self.what) if isinstance(self.what, Hook) else self.what.about)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The hooks of one event."""

    event: str
    rows: tuple[Row, ...]

    def heading(self) -> str:
        """`pre-tool (1/2 enabled)`."""
        return f"{one_line(self.event)} ({sum(row.enabled for row in self.rows)}/{len(self.rows)} enabled)"


def groups(hooks: Sequence[Hook], held: Mapping[int, str], kept: Iterable[Kept]) -> tuple[Group, ...]:
    """Every hook by event; `held` says by the identity of the value why one does not run."""
    found = {
        event: [
            Row(label=f"{event}:{number}", event=event, what=hook, held=held.get(id(hook)))
            for number, hook in enumerate(members, 1)
        ]
        for event, members in grouped(hooks).items()
    }
    for item in kept:
        event = item.label.rpartition(":")[0] or item.label
        found.setdefault(event, []).append(Row(label=f"kept:{item.id}", event=event, what=item))
    return tuple(Group(event=event, rows=tuple(rows)) for event, rows in found.items())


def totals(found: Iterable[Group]) -> str:
    """`Total: 5 hooks (5 enabled, 0 disabled)`; a hook of several events counts once."""
    rows = {id(row.what): row for group in found for row in group.rows}.values()
    on = sum(row.enabled for row in rows)
    return f"Total: {len(rows)} hooks ({on} enabled, {len(rows) - on} disabled)"
