"""Autohand's `config.json`: one flat list of hooks under `hooks.hooks`, read entry by entry, and written again."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from omnihook.dialect import ConfigText, Diagnostic, Name, Reading, Settings, Written
from omnihook.errors import suggestion
from omnihook.families.entries import MAX_SECONDS, BadEntry, Pointer, flag, json_document, strings, text
from omnihook.families.patterns import problem
from omnihook.families.writing import Losses, dump_json, in_units
from omnihook.hooks import EVERYTHING, Argv, Command, Hook, Layer, Matcher, Source, summary
from omnihook.jsontypes import Json, JsonObject, kind
from omnihook.slotted import dataclass

UNIT = 0.001  # seconds in a millisecond
PATH = ".autohand/config.json"
_HOOK = '{"event": "pre-tool", "command": "..."}'
_SECTION = 'write {"enabled": true, "hooks": [...]}'
_TIME = "give a number: 5000 means 5 seconds"
_KNOWN = frozenset({"event", "command", "description", "enabled", "timeout", "async", "matcher", "filter"})


@dataclass(slots=True, kw_only=True)
class FlatReader:
    """Hooks, switches and diagnostics as they are found, with numbers that restart per event."""

    dialect: str
    events: Mapping[str, tuple[str, ...]]  # native name -> canonical events
    without_subject: frozenset[str]  # native names at which a matcher is ignored
    hooks: list[Hook] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    settings: dict[Layer, Settings] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def reading(self) -> Reading:
        """All that was found."""
        return Reading(hooks=tuple(self.hooks), diagnostics=tuple(self.diagnostics), settings=self.settings)

    def read(self, config: ConfigText) -> None:
        """Read one file."""
        try:
            section = json_document(config).get("hooks")
            if section is None:
                return
            if not isinstance(section, dict):
                raise BadEntry(f"hooks must be an object, not {kind(section)}", fix=_SECTION, key="hooks")
        except BadEntry as unusable:
            self._report(config, (), unusable)
            return
        self._switch(config, section)
        entries = section.get("hooks")
        if entries is not None and not isinstance(entries, list):
            bad = BadEntry(f"hooks.hooks must be a list, not {kind(entries)}", fix=f"write [{_HOOK}]")
            self._report(config, ("hooks", "hooks"), bad)
            return
        for key in section.keys() - {"enabled", "hooks"}:
            if isinstance(section[key], list):
                told = f"{key!r} is not read here; every hook stands in the list hooks.hooks and names its event"
                bad = BadEntry(told, fix=f"move it there: {_HOOK}", code="unknown-key")
                self._report(config, ("hooks", key), bad)
        for index, value in enumerate(entries or ()):
            self._entry(config, value, ("hooks", "hooks", index))

    def _report(self, config: ConfigText, pointer: Pointer, bad: BadEntry, *, severity: str = "error") -> None:
        self.diagnostics.append(bad.placed(config, pointer, severity=severity))

    def _switch(self, config: ConfigText, section: JsonObject) -> None:
        enabled = section.get("enabled")
        if enabled is not None and not isinstance(enabled, bool):
            told = f"enabled must be true or false, not {kind(enabled)}, so it switches nothing"
            self._report(config, ("hooks", "enabled"), BadEntry(told, fix="write true or false"))
        before = self.settings.get(config.layer, Settings())
        # Only a literal false switches off: HookManager.isEnabled at 0693b91d.
        self.settings[config.layer] = replace(before, enabled=before.enabled and enabled is not False)

    def _entry(self, config: ConfigText, value: Json, pointer: Pointer) -> None:
        source = Source(dialect=self.dialect, layer=config.layer, path=config.path, pointer=pointer)
        try:
            if not isinstance(value, dict):
                raise BadEntry(f"a hook must be an object, not {kind(value)}", fix=_HOOK)
            event = text(value, "event", required=True) or ""
            made = self.hook(value, event, source)
        except BadEntry as bad:
            self._report(config, pointer, bad)
            return
        number = self.numbers[event] = self.numbers.get(event, 0) + 1
        self.hooks.append(replace(made, name=f"{event}:{number}"))
        self._remark(config, pointer, made, event)

    def hook(self, value: JsonObject, event: str, source: Source) -> Hook:
        """The hook of one entry, not numbered yet; raises BadEntry."""
        chosen = value.get("filter")
        if chosen is not None and not isinstance(chosen, dict):
            fix = 'write {"tool": ["run_command"]}'
            raise BadEntry(f"'filter' must be an object, not {kind(chosen)}", fix=fix, key="filter")
        return Hook(
            name=event,
            events=self.events.get(event, (event,)),  # an event of tomorrow runs when it is sent under this name
            native_events=(event,),
            action=Command(command=text(value, "command", required=True) or ""),
            matcher=matcher(text(value, "matcher") or "", ignored=event in self.without_subject),
            tools=strings(chosen or {}, "tool"),
            paths=strings(chosen or {}, "path"),
            timeout=_milliseconds(value),
            background=flag(value, "async"),
            enabled=flag(value, "enabled", default=True),
            description=text(value, "description"),
            source=source,
            entry=dict(value),
        )

    def _remark(self, config: ConfigText, pointer: Pointer, hook: Hook, event: str) -> None:
        """What is odd about a hook that is kept."""
        if hook.matcher.never is not None:
            told = f"matcher {hook.matcher.text!r} can never match: {hook.matcher.never}"
            fix = "leave the matcher out to match everything"
            self._report(config, pointer, BadEntry(told, fix=fix, key="matcher", code="bad-regex"))
        elif hook.matcher.text and event in self.without_subject:
            told = f"the matcher is ignored: {event} has nothing to match"
            bad = BadEntry(told, fix="remove it", key="matcher", code="ignored")
            self._report(config, pointer, bad, severity="warning")
        if event not in self.events:
            near = suggestion(event, self.events, after=len(self.diagnostics))
            told, fix = f"unknown event {event!r}{near}", "correct the event's name"
            bad = BadEntry(told, fix=fix, key="event", code="unknown-event")
            self._report(config, pointer, bad, severity="error" if near else "warning")


def matcher(pattern: str, *, ignored: bool) -> Matcher:
    """A regular expression that may match anywhere; one that is none, `*` among them, never matches."""
    if not pattern:
        return EVERYTHING
    if ignored:
        return Matcher(text=pattern)
    wrong = problem(pattern)
    if wrong is not None:
        return Matcher(text=pattern, never=f"it is not a regular expression: {wrong}")
    return Matcher(text=pattern, pattern=pattern)


def write(hooks: Sequence[Hook], *, reader: FlatReader, names: Sequence[Name]) -> Written:
    """Hooks as a configuration file; `reader` is an empty one of the dialect, to compare with."""
    losses = Losses()
    entries: list[Json] = []
    for hook in hooks:
        if hook.source.dialect == reader.dialect and _unchanged(hook, reader):
            entries.append(hook.entry)
            continue
        value = _value(hook, losses, own=hook.source.dialect == reader.dialect)
        if value is not None:
            entries += [{"event": event, **value} for event in _events(hook, reader, names, losses)]
    document: Json = {"hooks": {"enabled": True, "hooks": entries}}
    return Written(files={PATH: dump_json(document)}, lost=losses.found)


def _unchanged(hook: Hook, reader: FlatReader) -> bool:
    """Whether a hook is still what its entry says, so that the entry can be given back as it was."""
    if not isinstance(hook.entry, dict) or len(hook.native_events) != 1:
        return False
    try:
        again = reader.hook(hook.entry, hook.native_events[0], hook.source)
    except BadEntry:
        return False
    return hook.entry.get("event") == hook.native_events[0] and replace(again, name=hook.name) == hook


def _events(hook: Hook, reader: FlatReader, names: Sequence[Name], losses: Losses) -> list[str]:
    if hook.source.dialect == reader.dialect and hook.native_events:
        return list(hook.native_events)
    native = {row.event: row.native for row in reversed(names) if row.send}
    for event in hook.events:
        if event not in native:
            losses.add(hook, f"event {event}")
    found = list(dict.fromkeys(native[event] for event in hook.events if event in native))
    for name in found:
        further = [event for event in reader.events[name] if event not in hook.events]
        if further:
            losses.add(hook, f"{name} also fires for {', '.join(further)}")
    return found


def _value(hook: Hook, losses: Losses, *, own: bool) -> dict[str, Json] | None:
    command = _command(hook)
    if command is None:
        losses.add(hook, f"action {summary(hook)}")
        return None
    losses.check_all(hook, frozenset({"tools", "paths", "background", "enabled", "description"}))
    chosen: dict[str, Json] = {}
    if hook.tools:
        chosen["tool"] = list(hook.tools)
    if hook.paths:
        chosen["path"] = list(hook.paths)
    parts: dict[str, Json] = {
        "command": command,
        "description": hook.description,
        "enabled": None if hook.enabled else False,
        "timeout": in_units(hook.timeout, UNIT),
        "async": True if hook.background else None,
        "matcher": _pattern(hook, losses),
        "filter": chosen or None,
    }
    kept = hook.entry if own and isinstance(hook.entry, dict) else {}
    unknown = {key: value for key, value in kept.items() if key not in _KNOWN}
    return {**{key: value for key, value in parts.items() if value not in (None, "")}, **unknown}


def _pattern(hook: Hook, losses: Losses) -> str | None:
    """A matcher as the regular expression this dialect searches for."""
    matcher = hook.matcher
    if matcher.everything:
        return None
    if matcher.names is not None:
        return f"^({'|'.join(sorted(matcher.names))})$"
    if matcher.pattern is None:
        losses.add(hook, f"matcher {matcher.text!r}, which never matches")
        return matcher.text or "$^"
    return f"^(?:{matcher.pattern})$" if matcher.whole else matcher.pattern


def _command(hook: Hook) -> str | None:
    match hook.action:
        case Command(command=command, interpreter=None):
            return command
        case Command(command=command, interpreter=shell):
            return shlex.join([str(shell), "-c", command])
        case Argv(argv=words):
            return shlex.join(words)
        case _:
            return None


def _milliseconds(value: JsonObject) -> float | None:
    given = value.get("timeout")
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise BadEntry(f"'timeout' must be a number, not {kind(given)}", fix=_TIME, key="timeout")
    if given <= 0:
        raise BadEntry(f"'timeout' must be more than 0, not {given}", fix=_TIME, key="timeout", code="timeout")
    # Autohand knows no upper bound: what is more than a day is a day.
    return min(given, MAX_SECONDS / UNIT) * UNIT
