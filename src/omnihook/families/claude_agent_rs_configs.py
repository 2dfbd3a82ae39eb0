"""claude-agent-rs's configuration: every event as a named map, a list of commands, or a list of rules.

Settings files, plugin files and frontmatter all hold the same table; a bad entry is set aside with a diagnostic.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from omnihook.dialect import ConfigText, Diagnostic, Reading
from omnihook.families import patterns, words
from omnihook.families.entries import BadEntry, Pointer, json_document, seconds, string_map, text
from omnihook.hooks import EVERYTHING, Command, Hook, Layer, Matcher, Source
from omnihook.jsontypes import Json, JsonObject, kind, take
from omnihook.slotted import dataclass

_FILE = "correct what stands between the lines of dashes"
_HOOK = '{"command": "..."}'
_TABLE = f'write {{"PreToolUse": {{"name": {_HOOK}}}}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Where a table stands: its file, and the component it belongs to."""

    config: ConfigText
    owner: str | None = None
    prefix: str = ""  # of the names of hooks in lists
    plain: bool = False  # the file is the table, so other keys may stand in it


@dataclass(slots=True)
class Reader:
    """Hooks and diagnostics as they are found; `events` maps every spelling to the canonical name."""

    dialect: str
    events: Mapping[str, str]
    hooks: list[Hook] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    def read(self, files: Sequence[ConfigText]) -> Reading:
        """Read all files, lower layers first."""
        for config in files:
            if config.role == "frontmatter":
                self._frontmatter(config)
            else:
                self._json(config)
        return Reading(hooks=tuple(self.hooks), diagnostics=tuple(self.diagnostics))

    def _json(self, config: ConfigText) -> None:
        try:
            document = json_document(config)
        except BadEntry as bad:
            self._report(config, (), bad)
            return
        plugin = config.role == "plugin"
        prefix = f"{posixpath.basename(config.root or '')}:" if plugin else ""
        # A file that somebody named may be a plugin's flat one as well.
        if "hooks" not in document and (plugin or config.layer is Layer.FLAG):
            self._table(_Table(config=config, prefix=prefix, plain=True), document, ())
        else:
            self._table(_Table(config=config, prefix=prefix), document.get("hooks"), ("hooks",))

    def _frontmatter(self, config: ConfigText) -> None:
        from omnihook.families.frontmatter import parse  # YAML only where there is frontmatter

        document = parse(config.text)
        if isinstance(document, str):
            self._report(
                config, (), BadEntry(f"the frontmatter is not valid YAML: {document}", fix=_FILE, code="syntax")
            )
            return
        parts = config.path.split("/")
        skill = parts[-1] == "SKILL.md"
        fallback = parts[-2] if skill and len(parts) > 1 else parts[-1].removesuffix(".md")
        owner = f"{'skill' if skill else 'agent'}:{take(document, 'name', str) or fallback}"
        self._table(_Table(config=config, owner=owner, prefix=f"{owner}:"), document.get("hooks"), ("hooks",))

    def _table(self, where: _Table, table: "Json | JsonObject", pointer: Pointer) -> None:
        if table is None:
            return
        if not isinstance(table, Mapping):
            self._report(where.config, pointer, BadEntry(f"hooks must be an object, not {kind(table)}", fix=_TABLE))
            return
        for name, held in table.items():
            if where.plain and name not in self.events and not isinstance(held, list):
                continue  # a description, a version ...
            self._event(where, name, held, (*pointer, name))

    def _event(self, where: _Table, name: str, held: Json, pointer: Pointer) -> None:
        if name not in self.events:
            near = words.asked(name, self.events, words.EVENTS, after=len(self.diagnostics))
            bad = BadEntry(f"unknown event {name!r}{near}", fix="correct the event's name", code="unknown-event")
            self._report(where.config, pointer, bad, severity="error" if near else "warning")
        if isinstance(held, dict):
            for key, value in held.items():
                self._entry(where, name, value, (*pointer, key), named=key)
        elif isinstance(held, list):
            for index, value in enumerate(held):
                self._item(where, name, value, (*pointer, index))
        else:
            bad = BadEntry(f"{name} must be an object of named hooks or a list, not {kind(held)}", fix=_TABLE)
            self._report(where.config, pointer, bad)

    def _item(self, where: _Table, name: str, value: Json, pointer: Pointer) -> None:
        actions = value.get("hooks") if isinstance(value, dict) else None
        if actions is None:
            self._entry(where, name, value, pointer)
        elif not isinstance(actions, list):
            bad = BadEntry(f"hooks must be a list, not {kind(actions)}", fix=f"write [{_HOOK}]")
            self._report(where.config, (*pointer, "hooks"), bad)
        else:
            assert isinstance(value, dict)
            for index, action in enumerate(actions):
                self._entry(where, name, action, (*pointer, "hooks", index), rule=value)

    def _entry(
        self,
        where: _Table,
        event: str,
        value: Json,
        pointer: Pointer,
        *,
        named: str | None = None,
        rule: JsonObject | None = None,
    ) -> None:
        canonical = self.events.get(event, event)
        try:
            found = _Found.of(value, rule)
        except BadEntry as bad:
            self._report(where.config, pointer, bad)
            return
        hook = Hook(
            name=where.prefix + (self._numbered(where, canonical) if named is None else named),
            events=(canonical,),
            native_events=(event,),
            action=Command(command=found.command),
            matcher=found.matcher,
            timeout=found.timeout,
            priority=found.priority,
            env=found.env,
            # Only what settings files name can be replaced; a plugin's or a skill's hook is its own.
            slot=f"{canonical}/{named}" if named is not None and not where.prefix else None,
            source=self._source(where, pointer),
            entry=value if isinstance(value, str) else dict(value) if isinstance(value, dict) else None,
        )
        self.hooks.append(hook)

    def _numbered(self, where: _Table, event: str) -> str:
        """The name of the next hook of an event's list."""
        number = self._counts.get(where.prefix + event, 0)
        self._counts[where.prefix + event] = number + 1
        return f"{_kebab(event)}-{number}"

    def _source(self, where: _Table, pointer: Pointer) -> Source:
        config = where.config
        return Source(
            dialect=self.dialect,
            layer=config.layer,
            path=config.path,
            pointer=pointer,
            root=config.root,
            owner=where.owner,
        )

    def _report(self, config: ConfigText, pointer: Pointer, bad: BadEntry, *, severity: str = "error") -> None:
        self.diagnostics.append(bad.placed(config, pointer, severity=severity))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What one entry says, whichever form it has."""

    command: str
    matcher: Matcher = EVERYTHING
    timeout: float | None = None
    priority: int = 0
    env: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, value: Json, rule: JsonObject | None) -> "_Found":
        if isinstance(value, str):
            if not value.strip():
                raise BadEntry("the command is empty", fix="say what to run, or remove it")
            return cls(command=value, matcher=_matcher(rule or {}))
        if not isinstance(value, dict):
            raise BadEntry(f"a hook must be a command or an object, not {kind(value)}", fix=f"write {_HOOK}")
        sort = value.get("type", "command")
        if sort != "command":
            fix = 'write "type": "command"'
            raise BadEntry(f"unknown hook type {sort!r}; only 'command' is known", fix=fix, key="type")
        key = "timeout_secs" if value.get("timeout_secs") is not None else "timeout"
        return cls(
            command=text(value, "command", required=True) or "",
            matcher=_matcher(value if rule is None else rule),
            timeout=seconds(value, key, 1.0),
            priority=_priority(value.get("priority")),
            env=string_map(value, "extra_env"),
        )


def _matcher(holder: JsonObject) -> Matcher:
    pattern = text(holder, "matcher")
    return EVERYTHING if pattern is None else patterns.search(pattern, star=True)


def _priority(value: Json) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadEntry(f"'priority' must be a whole number, not {value!r}", fix="write 10, say", key="priority")
    return value


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
