"""Trying a hook on a sample event: it runs while the screen is up, and what came of it is shown."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from omnihook.manager.facts import Fact
from omnihook.manager.panes import table

Try = Callable[[], Awaitable[tuple[Fact, ...]]]


class Trial(ModalScreen[None]):
    """Runs a hook once; leaving the screen ends it."""

    DEFAULT_CSS = """
    Trial { align: center middle; }
    Trial > VerticalScroll { width: 76; height: 22; border: round $accent; padding: 0 1; background: $surface;
        scrollbar-size-vertical: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", key_display="esc"),
        Binding("r", "again", "Run again"),
    ]

    def __init__(self, attempt: Try) -> None:
        super().__init__()
        self._attempt = attempt

    def compose(self) -> ComposeResult:
        """Room for what comes of it."""
        with VerticalScroll() as box:
            box.border_title = "Test"
            yield Static(id="trial")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Run at once."""
        self.query_one(VerticalScroll).focus()
        self.action_again()

    def action_again(self) -> None:
        """Run it, in place of an earlier run that is not over."""
        self.query_one("#trial", Static).update("Running ...")
        self.run_worker(self._run(), exclusive=True, exit_on_error=True)

    async def _run(self) -> None:
        found = await self._attempt()
        self.query_one("#trial", Static).update(table(found))
