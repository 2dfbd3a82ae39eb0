"""Desk: what the manager reads and does, without a screen; every action is what the command line does."""

from collections.abc import Mapping

from omnihook import dialects
from omnihook.checking import examine
from omnihook.dialect import Dialect
from omnihook.editing import changing, setting_aside
from omnihook.editing.adding import add
from omnihook.editing.keeping import Kept, Ledger
from omnihook.editing.reading import Target, target_of
from omnihook.editing.targets import existing
from omnihook.engine import Engine
from omnihook.errors import ConfigError, OmnihookError
from omnihook.hooks import Hook, Layer
from omnihook.loading import signatures
from omnihook.manager.attempts import told
from omnihook.manager.entries import (
    EVENT,
    Entries,
    Problem,
    by_field,
    filled,
    gaps,
    make,
    problem_of,
    problems_of,
    tried,
)
from omnihook.manager.facts import BAD, Fact, facts, kept_facts, short
from omnihook.manager.history import History
from omnihook.manager.rows import Group, Row, groups
from omnihook.protection import guards, refuse_in_session
from omnihook.trust import TrustStore
from omnihook.trying.one import attempt
from omnihook.trying.samples import sample_for


class Desk:
    """The hooks an engine reads, and what can be done to them. `host` is the dialect that new hooks are written in.

    Whoever shows it sits at a terminal. Actions raise OmnihookError, and give a sentence about what was done.
    """

    def __init__(self, engine: Engine, host: Dialect) -> None:
        self.engine = engine
        self.host = host
        self.history = History(engine.folders.state)
        self._trust = TrustStore(engine.folders.state)
        self._seen: object = None

    def changed(self) -> bool:
        """Whether a file is no longer as it was when this was last asked."""
        configuration = self.engine.configuration
        seen = (configuration.seen, signatures([Ledger(self.engine.folders.state).path]))
        changed = seen != self._seen
        self._seen = seen
        return changed

    def groups(self) -> tuple[Group, ...]:
        """Every hook by event, as the files are now."""
        configuration = self.engine.configuration
        held = {id(item.hook): item.why for item in configuration.planner.held.values()}
        return groups(configuration.hooks, held, self.kept())

    def kept(self) -> tuple[Kept, ...]:
        """Disabled hooks that are not in their files."""
        try:
            found = Ledger(self.engine.folders.state).read().kept
        except ConfigError:
            return ()
        read = self.engine.configuration.watched
        return tuple(item for item in found if item.path in read)

    def facts(self, row: Row) -> tuple[Fact, ...]:
        """What is known of a row."""
        if isinstance(row.what, Hook):
            return facts(row.what, self.engine, self._trust, self.history.figures(row.what.name))
        return kept_facts(row.what, self.engine.folders.home)

    def mode(self) -> bool:
        """Whether the switch of the files is on."""
        return self.engine.configuration.switched_on

    def toggle(self, row: Row) -> str:
        """Enable a hook that is disabled or in quarantine, disable any other."""
        what, folders = row.what, self.engine.folders
        if isinstance(what, Kept):
            path = setting_aside.enable(what, dialects.get(what.dialect), folders)
            return f"enabled again in {self._short(path)}: {what.about}"
        dialect = dialects.get(what.source.dialect)
        if not what.enabled:
            changed = changing.enable(what, dialect, folders)
            self.engine.quarantine.release(what)
            return f"enabled {row.label} in {self._short(changed.path)}"
        if self.engine.quarantine.release(what):
            return f"brought back {row.label} from quarantine"
        if guards(what):
            refuse_in_session("a hook that guards is not disabled", self.engine.environ)
        changed = changing.disable(what, dialect, folders, label=row.label)
        return f"disabled {row.label} in {self._short(changed.path)}"

    def remove(self, row: Row) -> str:
        """Take a hook out of its file; one that is kept aside is forgotten."""
        what, folders = row.what, self.engine.folders
        if isinstance(what, Kept):
            if what.guard:
                refuse_in_session("a hook that guards is not removed", self.engine.environ)
            Ledger(folders.state).forget(what.id)
            return f"removed for good: {what.about}"
        if guards(what):
            refuse_in_session("a hook that guards is not removed", self.engine.environ)
        changed = changing.remove(what, dialects.get(what.source.dialect), folders)
        return f"removed {row.label} from {self._short(changed.path)}"

    def switch(self, row: Row | None) -> str:
        """Turn the switch of the file a row is from, else of the only file there is."""
        target = self._switched(row)
        on = not self._is_on(target)
        if not on:
            refuse_in_session("hooks are not switched off", self.engine.environ)
        changing.switch(target, self.engine.folders, on=on)
        return f"hooks are {'on' if on else 'off'} in {self._short(target.path)}"

    async def attempt(self, row: Row) -> tuple[Fact, ...]:
        """Run a hook on a sample event, whatever its matcher and whether it is enabled or not."""
        hook = row.what
        if isinstance(hook, Kept):
            return (Fact(label="not run", text="it is kept aside; enable it first", tone=BAD),)
        dialect = self.engine.configuration.dialects[hook.source.dialect]
        native = {item.native: item.event for item in dialect.names}
        name = next((event for event in (native.get(row.event), row.event) if event in hook.events), hook.events[0])
        event = sample_for(hook, name, dialect, self.engine.folders.project)
        return tuple(told(await attempt(hook, event, self.engine), dialect))

    def problems(self, entries: Entries) -> Mapping[str, Problem]:
        """What is wrong with a new hook, by field; nothing is written."""
        found = gaps(entries, self.host)
        if any(problem.field == EVENT for problem in found):
            return by_field(found)
        try:
            made = make(filled(entries, found), self.host, self.engine.folders)
            said = tried(made, self._text(made.target))
        except OmnihookError as error:
            return by_field([*found, problem_of(error)])
        looked = examine(said.hooks, self.host, self.engine.folders, self.engine.environ)
        return by_field([*found, *problems_of([*said.diagnostics, *looked])])

    def add(self, entries: Entries) -> str:
        """Write a new hook into its file."""
        made = make(entries, self.host, self.engine.folders)
        add(made.request, made.draft, made.target, self.engine.folders)
        later = "; it runs once you approved it: omnihook trust" if made.target.layer >= Layer.PROJECT else ""
        return f"added to {self._short(made.target.path)}{later}"

    def layers(self) -> tuple[Layer, ...]:
        """Whose files new hooks can go into, the usual one first."""
        files = [file for file in self.host.files if file.role == "settings" and "*" not in file.path]
        order = (Layer.PROJECT, Layer.USER, Layer.LOCAL)
        return tuple(layer for layer in order if any(file.layer is layer for file in files))

    def events(self) -> tuple[str, ...]:
        """The names of events, as the dialect of new hooks spells them."""
        return tuple(dict.fromkeys(row.native for row in self.host.names))

    def _switched(self, row: Row | None) -> Target:
        if row is not None and isinstance(row.what, Hook):
            return target_of(row.what, dialects.get(row.what.source.dialect))
        return existing(self.host, self.engine.folders, None)

    def _is_on(self, target: Target) -> bool:
        said = target.read(self._text(target)).settings.get(target.layer)
        return said is None or (said.enabled and not said.disable_all)

    def _text(self, target: Target) -> str:
        return self.engine.configuration.texts.get(target.path, "")

    def _short(self, path: str) -> str:
        return short(path, self.engine.folders.home)
