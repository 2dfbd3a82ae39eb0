"""The native configuration: `[[hook]]` tables in TOML, read into hooks, entry by entry."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from omnihook.dialect import ConfigText, Diagnostic, Reading, Settings
from omnihook.families import toml_builtins, toml_top, words
from omnihook.families.entries import BadEntry, Readers, strings, text, told
from omnihook.families.toml_values import ACTIONS, READERS, read_action
from omnihook.hooks import Action, Hook, Layer, Prompt, Source
from omnihook.jsontypes import Json, JsonObject, kind, take
from omnihook.slotted import dataclass

WHEN = ("name", "on", "match", "if", "paths", "tools")
DETAILS = ("headers", "allowed_env", "model", "base_url", "shell", "env", "clean_env", "cwd", "options", "pins")
HOW = ("timeout", "async", "rewake", "priority", "once", "on_error", "block_on", "guard", "observe", "pure", "mode")
ABOUT = ("description", "enabled", "may_allow", "detach", "status", "case")
_NAMED: Readers = {"name": ("name", text), "cwd": ("cwd", text)}
KEYS = frozenset((*WHEN, *ACTIONS, *DETAILS, *HOW, *ABOUT))


@dataclass(slots=True)
class _File:
    config: ConfigText
    events: Mapping[str, str]
    hooks: list[Hook] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def report(self, bad: BadEntry, *pointer: str | int, severity: str = "error") -> None:
        self.diagnostics.append(bad.placed(self.config, pointer, severity=severity))


def read(files: Sequence[ConfigText], events: Mapping[str, str]) -> Reading:
    """Read every layer's file; a bad entry is set aside and the rest kept."""
    hooks: list[Hook] = []
    diagnostics: list[Diagnostic] = []
    settings: dict[Layer, Settings] = {}
    for config in files:
        file = _File(config, events)
        found = _read_file(file)
        if found is not None:
            settings[config.layer] = found
        hooks += file.hooks
        diagnostics += file.diagnostics
    return Reading(hooks=tuple(hooks), diagnostics=tuple(diagnostics), settings=settings)


def _read_file(file: _File) -> Settings | None:
    try:
        document = tomllib.loads(file.config.text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+), column (\d+)", str(error))
        file.diagnostics.append(
            Diagnostic(
                message=f"not valid TOML: {error}",
                path=file.config.path,
                line=int(line[1]) if line else None,
                column=int(line[2]) if line else None,
                fix="correct the file",
                code="syntax",
            )
        )
        return None
    for bad in toml_top.problems(document, file.config.layer):
        file.report(bad)
    entries = document.get("hook", [])
    if not isinstance(entries, list):
        file.report(BadEntry("hook must be a list of tables", fix="write [[hook]]"), "hook")
        entries = []
    for index, value in enumerate(entries):
        _read_entry(file, index, value)
    return _settings(file, document)


def _settings(file: _File, document: JsonObject) -> Settings:
    layer = file.config.layer
    trusted = layer < Layer.PLUGIN
    model = document.get("model")
    table = model if isinstance(model, dict) and trusted else {}
    servers = document.get("mcp_servers")
    return Settings(
        enabled=document.get("enabled") is not False,
        read=toml_top.read_list(document),
        forbid_open=layer is Layer.MANAGED and document.get("forbid_open") is True,
        managed_only=layer is Layer.MANAGED and document.get("managed_only") is True,
        model=take(table, "name", str) or (model if isinstance(model, str) and trusted else None),
        base_url=take(table, "base_url", str),
        api_key=take(table, "api_key", str),
        provider=take(table, "provider", str),
        servers=servers if isinstance(servers, dict) and trusted else {},
        allowed_urls=toml_top.url_list(document) if trusted else None,
    )


def _read_entry(file: _File, index: int, value: Json) -> None:
    try:
        if not isinstance(value, dict):
            raise BadEntry(f"a hook must be a table, not {kind(value)}", fix="write [[hook]]")
        for key in sorted(value.keys() - KEYS):
            bad = BadEntry(
                f"unknown key {key!r}{words.asked(key, KEYS, words.KEYS, after=len(file.diagnostics))}",
                fix=toml_builtins.misplaced(value, key) or "remove or correct it",
                code="unknown-key",
            )
            file.report(bad, "hook", index, key)
        unnamed = toml_builtins.misspelt(value)
        if unnamed is not None:
            file.report(unnamed, "hook", index)
        for wrong in toml_builtins.wrong_options(value):
            file.report(wrong, "hook", index, "options")
        file.hooks.append(_hook(file, index, toml_builtins.filled(value), dict(value)))
    except BadEntry as bad:
        file.report(bad, "hook", index)


def _hook(file: _File, index: int, value: JsonObject, entry: Json) -> Hook:
    config = file.config
    events = _events(file, index, value)
    # A guard with a mistake still guards, and more often than it was meant to.
    is_guard = value.get("guard", False) is not False
    excuse = (lambda bad: file.report(bad, "hook", index)) if is_guard else None
    said = {**told(value, READERS, excuse=excuse), "guard": is_guard}
    named = told(value, _NAMED, excuse=excuse)
    if config.layer >= Layer.PLUGIN:
        said.pop("may_allow", None)
    return Hook(
        name=named.get("name") or f"{events[0]}:{_number(file, events[0])}",
        events=events,
        native_events=events,
        action=_within_rights(file, index, value),
        cwd=_cwd(config, named.get("cwd")),
        source=Source(layer=config.layer, path=config.path, pointer=("hook", index)),
        entry=entry,
        **said,
    )


def _within_rights(file: _File, index: int, value: JsonObject) -> Action:
    """The action, without what a file inside a work tree must not choose: where a model's key goes, who may approve."""
    action = read_action(value)
    if file.config.layer < Layer.PLUGIN:
        return action
    for key in ("base_url", "may_allow"):
        if key in value:
            bad = BadEntry(
                f"{key!r} has no effect in a {file.config.layer.label} file", fix="remove it", code="not-here"
            )
            file.report(bad, "hook", index, key, severity="warning")
    return replace(action, base_url=None) if isinstance(action, Prompt) else action


def _cwd(config: ConfigText, given: str | None) -> str | None:
    """A project's hooks run in the project's folder, wherever the session is; the others where the session is."""
    if config.layer < Layer.PROJECT or config.layer is Layer.FLAG:
        return given
    root = config.path.rsplit("/", 2)[0]
    return root if given is None else f"{root}/{given}" if not given.startswith("/") else given


def _number(file: _File, event: str) -> int:
    file.numbers[event] = file.numbers.get(event, 0) + 1
    return file.numbers[event]


def _events(file: _File, index: int, value: JsonObject) -> tuple[str, ...]:
    given = value.get("on")
    if given is None:
        raise BadEntry("the hook has no 'on'", fix='add on = "PreToolUse"')
    names: tuple[str, ...] = (given,) if isinstance(given, str) else strings(value, "on")
    if not names:
        raise BadEntry("'on' is empty", fix='write on = "PreToolUse"', key="on")
    for name in names:
        if name not in file.events:
            near = words.asked(name, file.events, words.EVENTS, after=len(file.diagnostics))
            # A word may be an event of tomorrow; what is no word is none of any day.
            severity = "warning" if not near and name.replace("-", "_").replace(".", "_").isidentifier() else "error"
            fix = "correct the name" if name.strip("* ") else 'name each event: on = ["PreToolUse", "PostToolUse"]'
            bad = BadEntry(f"unknown event {name!r}{near}", fix=fix, key="on", code="unknown-event")
            file.report(bad, "hook", index, severity=severity)
    return names
