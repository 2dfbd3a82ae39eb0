"""The nested configuration shape: event -> list of {matcher, hooks: [...]}, read entry by entry.

A bad entry is set aside with a diagnostic and the rest is kept.
"""

from collections.abc import Callable, Mapping
from dataclasses import field

from omnihook.dialect import ConfigText, Diagnostic
from omnihook.families import words
from omnihook.families.entries import BadEntry, Pointer, command_or_prompt, seconds
from omnihook.hooks import EVERYTHING, Hook, Matcher, Source
from omnihook.jsontypes import Json, JsonObject, kind
from omnihook.slotted import dataclass

_HOOK = 'write {"type": "command", "command": "..."}'
_GROUPS = f'write [{{"hooks": [{_HOOK.removeprefix("write ")}]}}]'
_EVENTS = 'write {"PreToolUse": [...]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedShape:
    """What differs between the dialects that use the shape."""

    dialect: str
    events: Mapping[str, tuple[str, ...]]  # native name -> canonical events
    matcher: Callable[[str, str], Matcher]  # (text, native event) -> matcher; may raise BadEntry
    hook: Callable[["Entry"], Hook]  # one entry -> hook; may raise BadEntry
    flat: bool = False  # an entry of the event's list may itself be a hook


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One hook entry with all that is known around it."""

    name: str
    native_event: str
    events: tuple[str, ...]
    matcher: Matcher
    value: JsonObject
    source: Source


def plain_hook(entry: Entry, *, unit: float) -> Hook:
    """The hook of an entry that knows only commands, prompts and a time-out; `unit` is that of the file, in seconds."""
    return Hook(
        name=entry.name,
        events=entry.events,
        native_events=(entry.native_event,),
        action=command_or_prompt(entry.value),
        matcher=entry.matcher,
        timeout=seconds(entry.value, "timeout", unit),
        source=entry.source,
        entry=dict(entry.value),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """An event of a table: its file, its name there and here, and the component that the table belongs to."""

    config: ConfigText
    name: str
    events: tuple[str, ...]
    owner: str | None


@dataclass(slots=True)
class Collector:
    """Hooks and diagnostics as they are found, with numbers that restart per event."""

    shape: NestedShape
    hooks: list[Hook] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def read(self, config: ConfigText, table: Json, pointer: Pointer, *, owner: str | None = None) -> None:
        """Read one `hooks` table of a file."""
        if table is None:
            return
        if not isinstance(table, dict):
            self.report(config, pointer, BadEntry(f"hooks must be an object, not {kind(table)}", fix=_EVENTS))
            return
        for name, groups in table.items():
            self._event(config, name, groups, (*pointer, name), owner)

    def report(self, config: ConfigText, pointer: Pointer, bad: BadEntry, *, severity: str = "error") -> None:
        """Note what is wrong with an entry."""
        self.diagnostics.append(bad.placed(config, pointer, severity=severity))

    def _event(self, config: ConfigText, name: str, groups: Json, pointer: Pointer, owner: str | None) -> None:
        events = self.shape.events.get(name)
        if events is None:
            known = words.asked(name, self.shape.events, words.EVENTS, after=len(self.diagnostics))
            bad = BadEntry(f"unknown event {name!r}{known}", fix="correct the event's name", code="unknown-event")
            self.report(config, pointer, bad, severity="error" if known else "warning")
            events = (name,)  # an event of tomorrow: it runs when an agent sends it under this name
        if not isinstance(groups, list):
            self.report(config, pointer, BadEntry(f"{name} must be a list, not {kind(groups)}", fix=_GROUPS))
            return
        event = _Event(config=config, name=name, events=events, owner=owner)
        for index, group in enumerate(groups):
            self._group(event, group, (*pointer, index))

    def _group(self, event: _Event, group: Json, pointer: Pointer) -> None:
        if not isinstance(group, dict):
            bad = BadEntry(f"an entry of {event.name} must be an object, not {kind(group)}", fix=_GROUPS)
            self.report(event.config, pointer, bad)
            return
        entries = group.get("hooks")
        if entries is None and self.shape.flat and "type" in group:
            self._entry(event, group, group, pointer)
        elif not isinstance(entries, list):
            bad = BadEntry(f"an entry of {event.name} needs a list under 'hooks'", fix=_GROUPS)
            self.report(event.config, pointer, bad)
        else:
            for index, value in enumerate(entries):
                self._entry(event, group, value, (*pointer, "hooks", index))

    def _entry(self, event: _Event, group: JsonObject, value: Json, pointer: Pointer) -> None:
        number = self.numbers.get(event.name, 0) + 1
        try:
            matcher = self._matcher(group, event.name)
        except BadEntry as bad:
            bad.key = "matcher"
            self.report(event.config, pointer if group is value else pointer[:-2], bad)
            return
        try:
            if not isinstance(value, dict):
                raise BadEntry(f"a hook must be an object, not {kind(value)}", fix=_HOOK)
            entry = Entry(
                name=f"{event.name}:{number}",
                native_event=event.name,
                events=event.events,
                matcher=matcher,
                value=value,
                source=self._source(event, pointer),
            )
            self.hooks.append(self.shape.hook(entry))
            self.numbers[event.name] = number  # only what is listed is counted
        except BadEntry as bad:
            self.report(event.config, pointer, bad)

    def _source(self, event: _Event, pointer: Pointer) -> Source:
        config = event.config
        return Source(
            dialect=self.shape.dialect,
            layer=config.layer,
            path=config.path,
            pointer=pointer,
            root=config.root,
            owner=event.owner,
        )

    def _matcher(self, group: JsonObject, name: str) -> Matcher:
        text = group.get("matcher")
        if text is None:
            return EVERYTHING
        if not isinstance(text, str):
            raise BadEntry(f"matcher must be a string, not {kind(text)}", fix='write it like "Edit|Write"')
        return self.shape.matcher(text, name)
