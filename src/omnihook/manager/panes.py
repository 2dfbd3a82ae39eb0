"""The three parts of the main screen: the list of hooks, what is known of the selected one, and the live feed."""

import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from omnihook.journal.wanting import Record
from omnihook.jsontypes import Json, list_at
from omnihook.manager.facts import BAD, GOOD, PLAIN, WARNING, Fact
from omnihook.manager.rows import Group, Row, totals
from omnihook.showing import one_line

# Foreign text becomes Content or Text, never markup: brackets in a command are brackets.
TONES = {GOOD: "$text-success", WARNING: "$text-warning", BAD: "$text-error", PLAIN: ""}
COLOURS = {GOOD: "green", WARNING: "yellow", BAD: "bright_red", PLAIN: ""}
DECISIONS = {"deny": BAD, "block": BAD, "ask": WARNING, "defer": WARNING, "allow": GOOD, "approve": GOOD}
MUTED = "dim"
LABELS = 9  # columns
KEPT = 200  # lines of the feed


class HookList(OptionList):
    """Hooks under the names of their events; the names cannot be selected."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="hooks")
        self.border_title = "Hooks"
        self._rows: dict[str, Row] = {}

    @property
    def selected(self) -> Row | None:
        """The row under the cursor."""
        option = self.highlighted_option
        return None if option is None or option.id is None else self._rows.get(option.id)

    def show(self, groups: Sequence[Group]) -> None:
        """Show other hooks; the cursor stays on the same one where it still is, else at its place."""
        before, place = self.selected, self.highlighted
        self._rows = {f"row-{row.label}": row for group in groups for row in group.rows}
        self.clear_options()
        self.add_options(_options(groups))
        self.border_subtitle = totals(groups)
        self._put_cursor(before, place)

    def _put_cursor(self, before: Row | None, place: int | None) -> None:
        wanted = None if before is None else _same(before, self._rows.values())
        if wanted is not None:
            self.highlighted = self.get_option_index(f"row-{wanted.label}")
        else:
            self.highlighted = _nearest([option.disabled for option in self.options], place or 0)


class Details(VerticalScroll):
    """What is known of the selected hook."""

    def __init__(self) -> None:
        super().__init__(Static(id="facts"), id="details")
        self.border_title = "Details"

    def show(self, facts: Iterable[Fact]) -> None:
        """Show what is known of another hook."""
        lines = [Content.assemble((f"{fact.label:<{LABELS}}", MUTED), (fact.text, TONES[fact.tone])) for fact in facts]
        self.query_one("#facts", Static).update(Content("\n").join(lines))


class Feed(VerticalScroll):
    """Events as they fire, newest last; it stays at the end unless somebody scrolled away."""

    def __init__(self) -> None:
        super().__init__(Static(id="events"), id="feed")
        self.border_title = "Events"
        self._lines: deque[Content] = deque(maxlen=KEPT)

    def on_mount(self) -> None:
        """Say that nothing has come yet."""
        self.show([])

    def show(self, records: Iterable[Record]) -> None:
        """Show further records."""
        at_end = self.scroll_offset.y >= self.max_scroll_y
        self._lines.extend(_line(record) for record in records)
        nothing = Content.styled("Nothing has fired yet.", MUTED)
        self.query_one("#events", Static).update(Content("\n").join(self._lines) if self._lines else nothing)
        if at_end:
            self.scroll_end(animate=False)

    def say(self, text: str) -> None:
        """A line that is no event."""
        self._lines.append(Content.styled(one_line(text), TONES[WARNING]))
        self.show([])


def table(facts: Iterable[Fact]) -> Table:
    """Labelled texts; long ones go on below themselves."""
    made = Table.grid(padding=(0, 1))
    made.add_column(width=LABELS, no_wrap=True, style="dim")
    made.add_column(overflow="fold")
    for fact in facts:
        made.add_row(Text(fact.label), Text(fact.text, style=COLOURS[fact.tone]))
    return made


def _options(groups: Sequence[Group]) -> Iterable[Option]:
    for group in groups:
        yield Option(Content.styled(group.heading(), "bold"), disabled=True)
        for row in group.rows:
            tone = TONES[PLAIN] if row.enabled and row.held is None else MUTED
            yield Option(Content.styled(f"  {row.text()}", tone), id=f"row-{row.label}")


def _same(before: Row, rows: Iterable[Row]) -> Row | None:
    """The row of what a row was about: the same command for the same event, best under the same number."""
    alike = [row for row in rows if row.event == before.event and row.runs() == before.runs()]
    return next((row for row in alike if row.label == before.label), alike[0] if alike else None)


def _nearest(disabled: Sequence[bool], place: int) -> int | None:
    """The selectable option at a place, else after it, else before it."""
    open_ = [number for number, closed in enumerate(disabled) if not closed]
    return next((number for number in open_ if number >= place), open_[-1] if open_ else None)


def _line(record: Record) -> Content:
    decision = record.get("decision")
    word = decision if isinstance(decision, str) else "-"
    at = record.get("at")
    clock = time.strftime("%H:%M:%S", time.localtime(at)) if isinstance(at, int | float) else "--:--:--"
    what = " ".join(_text(record.get(key)) for key in ("event", "tool") if record.get(key))
    return Content.assemble(
        (f"{clock} ", MUTED),
        (f"{one_line(word, 20):<5} ", TONES[DECISIONS.get(word, PLAIN)]),
        one_line(what, 60),
        (_tail(record), MUTED),
    )


def _tail(record: Record) -> str:
    """How many hooks ran, and in which agent."""
    return f" ({len(list_at(record, 'runs'))}) {one_line(_text(record.get('agent')), 20)}".rstrip()


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
