"""The manager's screen: keys in, the desk's actions, and what came of them."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Footer, OptionList, Static

from omnihook.errors import JournalError, OmnihookError
from omnihook.manager.desk import Desk
from omnihook.manager.dialogs import Question, Reading, help_lines
from omnihook.manager.facts import short
from omnihook.manager.form import AddForm
from omnihook.manager.panes import Details, Feed, HookList
from omnihook.manager.trial import Trial
from omnihook.showing import counted, one_line

PACE = 0.25  # seconds between looks at the journal and the files


class Manager(App[None]):
    """Hooks on a full screen."""

    TITLE = "omnihook hooks"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #top { height: 1; background: $panel; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    #hooks { height: 1fr; border: round $primary; padding: 0; text-wrap: nowrap; text-overflow: ellipsis; }
    #bottom { height: 50%; min-height: 12; max-height: 18; }
    #hooks > .option-list--option-disabled { color: $text-primary; text-style: bold; }
    #hooks, #details, #feed { scrollbar-size-vertical: 1; }
    #details { width: 1fr; border: round $primary; padding: 0 1; }
    #feed { width: 1fr; border: round $primary; padding: 0 1; }
    #events { text-wrap: nowrap; text-overflow: ellipsis; }
    #hooks:focus, #details:focus, #feed:focus { border: round $accent; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "turn", "Toggle"),
        Binding("a", "add", "Add"),
        Binding("d,delete", "remove", "Remove", key_display="d"),
        Binding("t", "test", "Test"),
        Binding("g", "switch", "Global"),
        Binding("r", "reload", "Read again", show=False),
        Binding("p", "problems", "Problems", show=False),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q,ctrl+c", "quit", "Quit", key_display="q"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self._trouble = ""  # what was last wrong with the journal

    def compose(self) -> ComposeResult:
        """The parts."""
        yield Static(id="top")
        yield HookList()
        with Horizontal(id="bottom"):
            yield Details()
            yield Feed()
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Fill the parts and keep them up to date."""
        self.query_one(HookList).focus()
        self.follow()
        self.set_interval(PACE, self.follow)

    def on_unmount(self) -> None:
        """Let go of the journal."""
        self.desk.history.close()

    def refresh_hooks(self) -> None:
        """Show the hooks as the files are now."""
        self.query_one(HookList).show(self.desk.groups())
        self.query_one("#top", Static).update(self._top())
        self.show_details()

    def _top(self) -> Content:
        engine, problems = self.desk.engine, len(self.desk.engine.diagnostics)
        place = short(engine.folders.project, engine.folders.home)
        return Content.assemble(
            ("Mode: ", "dim"),
            ("enabled" if self.desk.mode() else "disabled", "bold"),
            (f"   {counted(problems, 'problem')}: p" if problems else "", "$text-error"),
            (f"   {self.desk.host.name}   {one_line(place)}", "dim"),
        )

    def show_details(self) -> None:
        """Show what is known of the selected hook."""
        row = self.query_one(HookList).selected
        self.query_one(Details).show(() if row is None else self.desk.facts(row))

    def on_option_list_option_highlighted(self, _: OptionList.OptionHighlighted) -> None:
        """The cursor moved."""
        self.show_details()

    async def action_turn(self) -> None:
        """Enable or disable the selected hook."""
        row = self.query_one(HookList).selected
        if row is not None:
            await self.do(lambda: self.desk.toggle(row))

    async def action_switch(self) -> None:
        """Switch all hooks on or off."""
        row = self.query_one(HookList).selected
        await self.do(lambda: self.desk.switch(row))

    def action_remove(self) -> None:
        """Remove the selected hook, if that is confirmed."""
        row = self.query_one(HookList).selected
        if row is None:
            return

        async def answered(yes: bool | None) -> None:
            if yes:
                await self.do(lambda: self.desk.remove(row))

        self.push_screen(Question(f"Remove this hook from its file?\n\n{row.event}: {row.about()}"), answered)

    def action_add(self) -> None:
        """Ask for a new hook."""

        def ended(said: str | None) -> None:
            if said is not None:
                self.notify(one_line(said), markup=False)
                self.refresh_hooks()

        desk, row = self.desk, self.query_one(HookList).selected
        event = row.event if row is not None and row.event in desk.events() else ""
        form = AddForm(desk.problems, desk.add, events=desk.events(), layers=desk.layers(), event=event)
        self.push_screen(form, ended)

    def action_test(self) -> None:
        """Run the selected hook on a sample event."""
        row = self.query_one(HookList).selected
        if row is not None:
            self.push_screen(Trial(lambda: self.desk.attempt(row)))

    def on_option_list_option_selected(self, _: OptionList.OptionSelected) -> None:
        """Enter."""
        self.action_test()

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(Reading("Keys", help_lines()))

    def action_problems(self) -> None:
        """Show what is wrong with the files."""
        found = [Content(one_line(str(item), 2000)) for item in self.desk.engine.diagnostics]
        self.push_screen(Reading("Problems", found or [Content("Nothing is wrong with the files that were read.")]))

    def action_reload(self) -> None:
        """Read the files again."""
        self.refresh_hooks()

    async def do(self, action: Callable[[], str]) -> None:
        """Do something, say what came of it, and show the files as they are now. Further keys wait meanwhile."""
        try:
            # In a thread: another process may hold the lock of the file for a while.
            self.notify(one_line(await asyncio.to_thread(action)), markup=False)
        except OmnihookError as error:
            self.notify(one_line(str(error), 1000), severity="error", markup=False)
        self.refresh_hooks()

    def follow(self) -> None:
        """Show what fired and what was changed since the last look."""
        if not self.query(HookList):  # on the way out the parts go before the clock does
            return
        if self.desk.changed():
            self.refresh_hooks()
        try:
            found = self.desk.history.new()
        except JournalError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                self.query_one(Feed).say(str(error))
            return
        if found:
            self.query_one(Feed).show(found)
            self.show_details()
