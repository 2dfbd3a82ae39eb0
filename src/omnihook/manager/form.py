"""The form for a new hook: every field says what is wrong with it while it is typed."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Button, Checkbox, Footer, Input, Label, Select, Static

from omnihook.errors import OmnihookError
from omnihook.hooks import Layer
from omnihook.manager.entries import (
    ABOUT,
    ANYWHERE,
    ASYNC,
    COMMAND,
    EVENT,
    MATCHER,
    PATHS,
    TIMEOUT,
    Entries,
    Problem,
    problem_of,
)
from omnihook.showing import one_line

LABELS: Mapping[str, tuple[str, str]] = {
    EVENT: ("Event", "when it runs; the right arrow completes"),
    COMMAND: ("Command", "what it runs, as in a shell"),
    ABOUT: ("Description", "shown in lists"),
    MATCHER: ("Matcher", "which tools or subjects; empty means all"),
    PATHS: ("Paths", "globs, such as src/**/*.py"),
    TIMEOUT: ("Time-out", "500ms, 30s, 2m"),
}
BACKGROUND = {False: "in the background: no", True: "in the background: yes"}  # said, where colours are not seen
NAMES = {
    Layer.USER: "yours, in every project",
    Layer.PROJECT: "this project's",
    Layer.LOCAL: "this project's, not shared",
}

Check = Callable[[Entries], Mapping[str, Problem]]
Save = Callable[[Entries], str]


class AddForm(ModalScreen[str | None]):
    """Gives what was said when the hook was added, or None when it was given up."""

    DEFAULT_CSS = """
    AddForm { align: center middle; }
    AddForm > Vertical { width: 78; height: auto; border: round $accent; padding: 0 1; background: $surface; }
    AddForm .field { height: 1; }
    AddForm .field Label { width: 13; }
    AddForm .field Input { width: 1fr; }
    AddForm .problem { height: 1; padding-left: 13; color: $text-error; text-wrap: nowrap; text-overflow: ellipsis; }
    AddForm .problem.hint { color: $foreground 60%; }
    AddForm .problem.warning { color: $text-warning; }
    AddForm Select { width: 34; }
    AddForm Checkbox { width: 1fr; background: $surface; border: none; padding: 0; }
    AddForm #problem-form { padding-left: 0; }
    AddForm #buttons { height: 1; align-horizontal: right; }
    AddForm Button { margin-left: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Add the hook"),
        Binding("tab,down", "app.focus_next", "Next field", key_display="tab"),
        Binding("up", "app.focus_previous", show=False),
        Binding("escape", "dismiss(None)", "Give up"),
    ]

    def __init__(
        self, check: Check, save: Save, *, events: Sequence[str], layers: Sequence[Layer], event: str = ""
    ) -> None:
        super().__init__()
        self._check, self._save = check, save
        self._events, self._layers, self._event = events, layers, event
        self._touched: set[str] = set()

    def compose(self) -> ComposeResult:
        """The fields."""
        with Vertical() as box:
            box.border_title = "Add a hook"
            for field in LABELS:
                yield from self._field(field)
            with Horizontal(classes="field"):
                yield Label("Where")
                choices = [(NAMES[layer], layer) for layer in self._layers]
                yield Select(choices, allow_blank=False, compact=True, id="layer")
                yield Checkbox(BACKGROUND[False], compact=True, id=ASYNC)
            yield Static(classes="problem", id=f"problem-{ANYWHERE}")
            with Horizontal(id="buttons"):
                yield Button("Give up", id="cancel", compact=True)
                yield Button("Add", id="add", compact=True, variant="success")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Start in the first field that has something to be filled in."""
        self.query_one(f"#{COMMAND if self._event else EVENT}", Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what is wrong, of the fields that somebody has been in."""
        if event.value:
            self._touched.add(str(event.input.id))
        self.review()

    def on_checkbox_changed(self, event: Checkbox.Changed) -> None:
        """Running in the background may not go with the rest."""
        event.checkbox.label = BACKGROUND[event.value]
        self.review()

    def on_select_changed(self, _: Select.Changed) -> None:
        """Another file may say something else."""
        self.review()

    def on_input_submitted(self, _: Input.Submitted) -> None:
        """Enter goes on to the next field."""
        self.screen.focus_next()

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """Add or give up."""
        if event.button.id == "add":
            await self.action_save()
        else:
            self.dismiss(None)

    async def action_save(self) -> None:
        """Add the hook if nothing is wrong with it; else go to the first field that is wrong."""
        self._touched.update(LABELS)
        errors = [name for name, problem in self.review().items() if not problem.warning]
        if errors:
            self.query_one(f"#{errors[0] if errors[0] in LABELS else EVENT}", Input).focus()
            return
        try:
            self.dismiss(await asyncio.to_thread(self._save, self.entries()))
        except OmnihookError as error:
            self._tell(ANYWHERE, problem_of(error))

    def entries(self) -> Entries:
        """What stands in the fields."""
        values = {field: self.query_one(f"#{field}", Input).value for field in LABELS}
        layer = self.query_one("#layer", Select).value
        background = self.query_one(f"#{ASYNC}", Checkbox).value
        return Entries(**values, background=background, layer=layer if isinstance(layer, Layer) else None)

    def review(self) -> Mapping[str, Problem]:
        """Look at everything and show what is wrong below the fields."""
        found = self._check(self.entries())
        for field in LABELS:
            self._tell(field, found.get(field) if field in self._touched else None)
        general = found.get(ANYWHERE) or found.get(ASYNC)
        self._tell(ANYWHERE, general)
        return found

    def _tell(self, field: str, problem: Problem | None) -> None:
        line = self.query_one(f"#problem-{field}", Static)
        hint = self._hint() if field == EVENT else ""
        near = problem is not None and hint and self.query_one(f"#{EVENT}", Input).value.strip()
        said = f"one of: {hint}" if near else hint if problem is None else problem.text
        line.update(Content(one_line(said)))
        line.set_class(problem is None, "hint")
        line.set_class(problem is not None and problem.warning, "warning")

    def _hint(self) -> str:
        """The names of events that have in them what was typed."""
        typed = self.query_one(f"#{EVENT}", Input).value.strip().lower()
        return "  ".join(name for name in self._events if typed in name.lower() and name.lower() != typed)

    def _field(self, field: str) -> Iterator[Horizontal | Static]:
        label, hint = LABELS[field]
        suggester = SuggestFromList(self._events, case_sensitive=False) if field == EVENT else None
        value = self._event if field == EVENT else ""
        entry = Input(value, id=field, placeholder=hint, compact=True, suggester=suggester, select_on_focus=False)
        yield Horizontal(Label(label), entry, classes="field")
        yield Static(classes="problem hint", id=f"problem-{field}")
