"""The nested configuration shape: event -> list of {matcher, hooks: [...]}, read entry by entry.

A bad entry is set aside with a diagnostic and the rest is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from omnihook.dialect import ConfigText, Diagnostic
from omnihook.families import words
from omnihook.hooks import EVERYTHING, Action, Command, Hook, Matcher, Prompt, Source
from omnihook.jsontypes import Json, JsonObject, kind
from omnihook.slotted import dataclass

Pointer: TypeAlias = tuple[str | int, ...]
# By key: the field it fills by itself, and how its value is read.
Readers: TypeAlias = Mapping[str, tuple[str, Callable[[JsonObject, str], object]]]


class BadEntry(Exception):
    """An entry that cannot be used: what is wrong with it, and the fix."""

    def __init__(self, message: str, *, fix: str | None = None, key: str | None = None, code: str = "entry") -> None:
        super().__init__(message)
        self.message, self.fix, self.key, self.code = message, fix, key, code


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
    group: JsonObject
    source: Source


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
        place = pointer if bad.key is None else (*pointer, bad.key)
        self.diagnostics.append(
            Diagnostic(
                message=bad.message,
                path=config.path,
                fix=bad.fix,
                pointer=place,
                code=bad.code,
                severity=severity,
            )
        )

    def _event(self, config: ConfigText, name: str, groups: Json, pointer: Pointer, owner: str | None) -> None:
        events = self.shape.events.get(name)
        if events is None:
            known = words.asked(name, self.shape.events, words.EVENTS, after=len(self.diagnostics))
            self.report(
                config,
                pointer,
                BadEntry(f"unknown event {name!r}{known}", fix="correct the event's name", code="unknown-event"),
                severity="warning" if not known else "error",
            )
            events = (name,)  # an event of tomorrow: it runs when an agent sends it under this name
        if not isinstance(groups, list):
            self.report(config, pointer, BadEntry(f"{name} must be a list, not {kind(groups)}", fix=_GROUPS))
            return
        for index, group in enumerate(groups):
            self._group(config, name, events, group, (*pointer, index), owner)

    def _group(
        self, config: ConfigText, name: str, events: tuple[str, ...], group: Json, pointer: Pointer, owner: str | None
    ) -> None:
        if not isinstance(group, dict):
            bad = BadEntry(f"an entry of {name} must be an object, not {kind(group)}", fix=_GROUPS)
            self.report(config, pointer, bad)
            return
        entries = group.get("hooks")
        if entries is None and self.shape.flat and "type" in group:
            self._entry(config, name, events, group, group, pointer, owner)
            return
        if not isinstance(entries, list):
            self.report(config, pointer, BadEntry(f"an entry of {name} needs a list under 'hooks'", fix=_GROUPS))
            return
        for index, value in enumerate(entries):
            self._entry(config, name, events, group, value, (*pointer, "hooks", index), owner)

    def _entry(
        self,
        config: ConfigText,
        name: str,
        events: tuple[str, ...],
        group: JsonObject,
        value: Json,
        pointer: Pointer,
        owner: str | None,
    ) -> None:
        number = self.numbers.get(name, 0) + 1
        try:
            matcher = self._matcher(group, name)
        except BadEntry as bad:
            bad.key = "matcher"
            self.report(config, pointer if group is value else pointer[:-2], bad)
            return
        try:
            if not isinstance(value, dict):
                raise BadEntry(f"a hook must be an object, not {kind(value)}", fix=_HOOK)
            source = Source(
                dialect=self.shape.dialect,
                layer=config.layer,
                path=config.path,
                pointer=pointer,
                root=config.root,
                owner=owner,
            )
            entry = Entry(
                name=f"{name}:{number}",
                native_event=name,
                events=events,
                matcher=matcher,
                value=value,
                group=group,
                source=source,
            )
            self.hooks.append(self.shape.hook(entry))
            self.numbers[name] = number  # only what is listed is counted
        except BadEntry as bad:
            self.report(config, pointer, bad)

    def _matcher(self, group: JsonObject, name: str) -> Matcher:
        text = group.get("matcher")
        if text is None:
            return EVERYTHING
        if not isinstance(text, str):
            raise BadEntry(f"matcher must be a string, not {kind(text)}", fix='write it like "Edit|Write"')
        return self.shape.matcher(text, name)


def told(entry: JsonObject, readers: Readers, *, excuse: Callable[[BadEntry], object] | None = None) -> dict[str, Any]:
    """The fields that the keys of an entry fill; only keys that are there are read, for most hooks have few.

    With `excuse` a key that cannot be read is told to it and left out, instead of the whole entry.
    """
    made: dict[str, Any] = {}  # each of its field's type, as its reader says
    for key, value in entry.items():
        known = readers.get(key)
        if known is None or value is None:
            continue
        try:
            made[known[0]] = known[1](entry, key)
        except BadEntry as bad:
            if excuse is None:
                raise
            bad.key = bad.key or key
            excuse(bad)
    return made


def text(entry: JsonObject, key: str, *, required: bool = False) -> str | None:
    """A string of an entry; raises when it is something else, or missing though required."""
    value = entry.get(key)
    if value is None:
        if required:
            raise BadEntry(f"the hook has no {key!r}", fix=f"add {key!r}")
        return None
    if not isinstance(value, str):
        raise BadEntry(f"{key!r} must be a string, not {kind(value)}", fix="put it in quotes", key=key)
    if required and not value.strip():
        raise BadEntry(f"{key!r} is empty", fix="say what it should be, or remove the hook", key=key)
    return value


def flag(entry: JsonObject, key: str, *, default: bool = False) -> bool:
    """A boolean of an entry."""
    value = entry.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise BadEntry(f"{key!r} must be true or false, not {kind(value)}", fix="write true or false", key=key)
    return value


def seconds(entry: JsonObject, key: str, unit: float) -> float | None:
    """A positive time of an entry in seconds, given the file's unit."""
    value = entry.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadEntry(f"{key!r} must be a number, not {kind(value)}", fix=_written(30, unit), key=key)
    if value <= 0 or value != value or value * unit > MAX_SECONDS:
        text = f"{key!r} must be between 0 and a day, not {value}"
        raise BadEntry(text, fix=_written(30, unit), key=key, code="timeout")
    return value * unit


def strings(entry: JsonObject, key: str) -> tuple[str, ...]:
    """A list of strings of an entry; missing is empty."""
    value = entry.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadEntry(f"{key!r} must be a list of strings", fix='write ["..."], also for a single one', key=key)
    return tuple(str(item) for item in value)


def string_map(entry: JsonObject, key: str) -> Mapping[str, str]:
    """An object of strings of an entry; missing is empty."""
    value = entry.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise BadEntry(f"{key!r} must be an object of strings", fix="put names and values in quotes", key=key)
    return {name: str(item) for name, item in value.items()}


def command_action(entry: JsonObject) -> Action:
    """The action of a `command` entry."""
    return Command(command=text(entry, "command", required=True) or "")


def command_or_prompt(entry: JsonObject) -> Action:
    """The action of an entry whose type is `command` or `prompt`, where there are no others."""
    match entry.get("type"):
        case "command":
            return command_action(entry)
        case "prompt":
            return Prompt(prompt=text(entry, "prompt", required=True) or "")
        case other:
            raise unknown_type(other, ("command", "prompt"))


def unknown_type(found: Json, known: Sequence[str]) -> BadEntry:
    """What to say of an entry whose type is missing or nobody's."""
    told = "the hook has no 'type'" if found is None else f"unknown hook type {found!r}"
    return BadEntry(f"{told}; known: {', '.join(known)}", fix='write "type": "command"', key="type")


def _written(time: float, unit: float) -> str:
    """How a time in seconds is written in a file of some unit."""
    return f"give a number: {time / unit:g} means {time:g} seconds"


MAX_SECONDS = 86_400.0
_HOOK = 'write {"type": "command", "command": "..."}'
_GROUPS = f'write [{{"hooks": [{_HOOK.removeprefix("write ")}]}}]'
_EVENTS = 'write {"PreToolUse": [...]}'
