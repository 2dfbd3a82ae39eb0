"""Small dialogs: a question whose default is no, the list of keys, and a text to read."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Static

from omnihook.showing import shown


class Question(ModalScreen[bool]):
    """Yes or no; Enter and Escape mean no."""

    DEFAULT_CSS = """
    Question { align: center middle; }
    Question > Vertical { width: 64; height: auto; border: round $warning; padding: 1 2; background: $surface; }
    Question Horizontal { height: auto; margin-top: 1; align-horizontal: right; }
    Question Button { margin-left: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape", "answer(False)", "No"),
        Binding("left,right,tab", "app.focus_next", "Other", show=False),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """The question and its answers."""
        with Vertical():
            yield Static(Content(shown(self._text)))
            with Horizontal():
                yield Button("No", id="no", compact=True)
                yield Button("Yes", id="yes", compact=True, variant="warning")

    def on_mount(self) -> None:
        """No is the default."""
        self.query_one("#no", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """An answer."""
        self.dismiss(event.button.id == "yes")

    def action_answer(self, yes: bool) -> None:
        """An answer by its letter."""
        self.dismiss(yes)


class Reading(ModalScreen[None]):
    """A text that can be scrolled; any of the usual keys closes it."""

    DEFAULT_CSS = """
    Reading { align: center middle; }
    Reading > VerticalScroll { width: 76; height: 22; border: round $accent; padding: 0 1; background: $surface;
        scrollbar-size-vertical: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss", "Close")]

    def __init__(self, title: str, lines: Sequence[Content]) -> None:
        super().__init__()
        self._title, self._lines = title, lines

    def compose(self) -> ComposeResult:
        """The text."""
        with VerticalScroll() as box:
            box.border_title = self._title
            yield Static(Content("\n").join(self._lines), id="text")
        yield Footer(compact=True)


KEYS = (
    ("up, down, j, k", "select a hook"),
    ("space", "enable or disable it, or bring it back from quarantine"),
    ("a", "add a hook"),
    ("d, Delete", "remove the hook, after a question"),
    ("t, Enter", "run the hook on a sample event"),
    ("g", "switch all hooks of the hook's file on or off"),
    ("p", "what is wrong with the files"),
    ("r", "read the files again"),
    ("Tab", "go to the details and the events, which scroll"),
    ("?", "these keys"),
    ("q, Ctrl+C", "leave"),
)


def help_lines() -> list[Content]:
    """The keys, and what the words on the screen mean."""
    keys = [Content.assemble((f"{key:<15} ", "bold"), text) for key, text in KEYS]
    notes = (
        "",
        "Every change is written to the hook's own file at once, as the command",
        "line does. A dialect without a key for disabled hooks has them kept",
        "aside: they are shown with a dash, and come back to their place.",
        "What weakens protection is refused inside an agent's session.",
        "Events are read from the journal, whichever process fired them.",
    )
    return [*keys, *(Content(line) for line in notes)]
