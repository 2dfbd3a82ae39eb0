"""The hooks of an engine as they are now: those of its program, and those of files, read again when one changed."""

from collections.abc import Callable
from dataclasses import replace

from omnihook.configuring import Choice, Configuration, configure
from omnihook.dialect import Dialect
from omnihook.events import Event
from omnihook.folders import Folders
from omnihook.hooks import Hook
from omnihook.quarantine import Quarantine
from omnihook.registering import HookObject, checked, from_object
from omnihook.reloading import CHANGED, Reloading
from omnihook.sessions import Sessions
from omnihook.trust import TrustStore, identity


class Current:
    """What an engine runs; `tell` is given what its user should know of changes."""

    def __init__(
        self,
        choice: Choice,
        folders: Folders,
        sessions: Sessions,
        *,
        lookup: Callable[[str], Dialect],
        tell: Callable[[str], object],
    ) -> None:
        self.choice, self.folders = choice, folders
        self.trust = TrustStore(folders.state)
        self.quarantine = Quarantine(folders.state)
        self.read: Configuration | None = None  # as it was last read; None before that, or once a hook came or went
        self._lookup, self._tell = lookup, tell
        self._program: list[Hook] = []
        self._reloading = Reloading(
            sessions=sessions, lookup=lookup, project=folders.project, choice=choice, approved=self._approved
        )

    @property
    def configuration(self) -> Configuration:
        """The hooks as they are now; read again when a file changed."""
        found = self.read
        if found is None:
            found = self.read = self._configured()
        elif not found.fresh():
            before = found
            found = self.read = self._configured()
            if found.digest != before.digest:
                self._tell(CHANGED)
        return found

    def of(self, event: Event) -> Configuration:
        """The hooks for an event: those of now, with the guards that its session must not lose."""
        found, told = self._reloading.configuration_for(event, self.configuration)
        for text in told:
            self._tell(text)
        return found

    def add(self, hook: Hook | HookObject) -> str:
        """Add a hook of the program; gives the name it has here."""
        made = checked(hook) if isinstance(hook, Hook) else from_object(hook)
        taken = {held.name for held in self._program}
        unique, number = made.name, 2
        while unique in taken:
            unique, number = f"{made.name}#{number}", number + 1
        self._program.append(replace(made, name=unique))
        self.read = None
        return unique

    def remove(self, name: str) -> bool:
        """Remove a hook of the program; whether there was one."""
        kept = [hook for hook in self._program if hook.name != name]
        removed = len(kept) != len(self._program)
        self._program = kept
        self.read = None if removed else self.read
        return removed

    def _configured(self) -> Configuration:
        return configure(
            self.choice, self.folders, self._lookup, program=self._program, trust=self.trust, quarantine=self.quarantine
        )

    def _approved(self, hook: Hook) -> bool:
        """Whether a project's hook may run as far as its user's approval goes; its files are looked at later."""
        if self.choice.trust_project:
            return True
        mark = identity(hook, self.folders.project)
        return any(approval.identity == mark for approval in self.trust.approved(self.folders.project))
