"""The native configuration: `[[hook]]` tables in TOML, read into hooks and written back."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from omnihook.dialect import ConfigText, Diagnostic, Reading, Settings
from omnihook.errors import suggestion
from omnihook.families import patterns, toml_builtins, toml_top, words
from omnihook.families.nested import MAX_SECONDS, BadEntry, Readers, flag, string_map, strings, text, told
from omnihook.hooks import (
    Action,
    Argv,
    BlockOn,
    Call,
    Cause,
    Command,
    Hook,
    Http,
    Layer,
    Matcher,
    McpTool,
    OnError,
    Prompt,
    Source,
)
from omnihook.jsontypes import Json, JsonObject, kind

ACTIONS = ("run", "argv", "call", "http", "prompt", "agent", "mcp", "builtin")
_ACTIONS = frozenset(ACTIONS)
WHEN = ("name", "on", "match", "if", "paths", "tools")
DETAILS = ("headers", "allowed_env", "model", "base_url", "shell", "env", "clean_env", "cwd", "options", "pins")
HOW = ("timeout", "async", "rewake", "priority", "once", "on_error", "block_on", "guard", "observe", "pure", "mode")
ABOUT = ("description", "enabled", "may_allow", "detach", "status", "case")
KEYS = frozenset((*WHEN, *ACTIONS, *DETAILS, *HOW, *ABOUT))
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*")


@dataclass(slots=True)
class _File:
    config: ConfigText
    events: Mapping[str, str]
    hooks: list[Hook] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def report(self, bad: BadEntry, *pointer: str | int, severity: str = "error") -> None:
        place = pointer if bad.key is None else (*pointer, bad.key)
        found = Diagnostic(
            message=bad.message, path=self.config.path, fix=bad.fix, code=bad.code, severity=severity, pointer=place
        )
        self.diagnostics.append(found)


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


def duration(value: Json) -> float:
    """`"2m"`, `"500ms"` or a number of seconds."""
    if isinstance(value, str):
        found = _TIME.fullmatch(value)
        if found is None:
            raise BadEntry(f"timeout {value!r} is not a time", fix='write "500ms", "30s" or "2m"', code="timeout")
        seconds = float(found[1]) * _UNITS[found[2]]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(value)
    else:
        raise BadEntry(f"timeout must be a time, not {kind(value)}", fix='write "30s"', code="timeout")
    if not 0 < seconds <= MAX_SECONDS:
        fix = 'write "500ms", "30s" or "2m"'
        raise BadEntry(f"timeout must be between 0 and a day, not {value}", fix=fix, code="timeout")
    return seconds


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
        model=_optional(table, "name") or (model if isinstance(model, str) and trusted else None),
        base_url=_optional(table, "base_url"),
        api_key=_optional(table, "api_key"),
        provider=_optional(table, "provider"),
        servers=servers if isinstance(servers, dict) and trusted else {},
    )


def _optional(table: JsonObject, key: str) -> str | None:
    value = table.get(key)
    return value if isinstance(value, str) else None


def _read_entry(file: _File, index: int, value: Json) -> None:
    try:
        if not isinstance(value, dict):
            raise BadEntry(f"a hook must be a table, not {kind(value)}", fix="write [[hook]]")
        for key in sorted(value.keys() - KEYS):
            bad = BadEntry(
                f"unknown key {key!r}{words.asked(key, KEYS, words.KEYS, after=len(file.diagnostics))}",
                fix="remove or correct it",
                code="unknown-key",
            )
            file.report(bad, "hook", index, key)
        for wrong in toml_builtins.wrong_options(value):
            file.report(wrong, "hook", index, "options")
        file.hooks.append(_hook(file, index, toml_builtins.filled(value), dict(value)))
    except BadEntry as bad:
        file.report(bad, "hook", index)


def _hook(file: _File, index: int, value: JsonObject, entry: Json) -> Hook:
    config = file.config
    events = _events(file, index, value)
    # A guard with a mistake still guards, and more often than it was meant to.
    excuse = (lambda bad: file.report(bad, "hook", index)) if value.get("guard") is True else None
    said = told(value, _READERS, excuse=excuse)
    if config.layer >= Layer.PLUGIN:
        said.pop("may_allow", None)
    return Hook(
        name=text(value, "name") or f"{events[0]}:{_number(file, events[0])}",
        events=events,
        native_events=events,
        action=_within_rights(file, index, value),
        cwd=_cwd(config, text(value, "cwd")),
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


def _matcher(value: JsonObject, key: str) -> Matcher:
    try:
        return patterns.native_matcher(text(value, key))
    except BadEntry as bad:
        bad.key = key
        raise


def _timeout(value: JsonObject, key: str) -> float:
    try:
        return duration(value[key])
    except BadEntry as bad:
        bad.key = key
        raise


def _shadow(value: JsonObject, key: str) -> bool:
    mode = text(value, key) or "enforce"
    if mode not in ("enforce", "shadow"):
        raise BadEntry(f"mode must be 'enforce' or 'shadow', not {mode!r}", fix='write mode = "enforce"', key=key)
    return mode == "shadow"


def _priority(value: JsonObject, key: str) -> int:
    given = value[key]
    if isinstance(given, bool) or not isinstance(given, int):
        raise BadEntry(f"priority must be a whole number, not {given!r}", fix="write 10, say", key=key)
    return given


def read_action(value: JsonObject) -> Action:
    """The one action an entry names."""
    named = tuple(value.keys() & _ACTIONS)
    if len(named) != 1:
        named = tuple(key for key in ACTIONS if key in value)
        found = "no action" if not named else f"{len(named)} actions ({', '.join(named)})"
        raise BadEntry(f"the hook has {found}", fix=f"give exactly one of {', '.join(ACTIONS)}")
    match named[0]:
        case "run":
            return Command(command=text(value, "run", required=True) or "", interpreter=text(value, "shell"))
        case "argv":
            words = strings(value, "argv")
            if not words or not words[0]:
                raise BadEntry("'argv' is empty", fix='write argv = ["program", "argument"]', key="argv")
            return Argv(argv=words)
        case "call":
            return _call(text(value, "call", required=True) or "")
        case "builtin":
            return toml_builtins.action(value)
        case "http":
            return Http(
                url=text(value, "http", required=True) or "",
                headers=string_map(value, "headers"),
                allowed_env=strings(value, "allowed_env"),
            )
        case "mcp":
            return _mcp(value)
        case key:
            return Prompt(
                prompt=text(value, key, required=True) or "",
                model=text(value, "model"),
                base_url=text(value, "base_url"),
                tools=key == "agent",
            )


def _call(target: str) -> Call:
    module, colon, function = target.partition(":")
    if not colon or not module or not function.isidentifier():
        raise BadEntry(f"call {target!r} is not a function", fix='write call = "package.module:function"', key="call")
    return Call(target=target)


def _mcp(value: JsonObject) -> McpTool:
    table = value.get("mcp")
    if not isinstance(table, dict):
        raise BadEntry("'mcp' must be a table", fix='write mcp = { server = "...", tool = "..." }', key="mcp")
    given = table.get("input")
    return McpTool(
        server=text(table, "server", required=True) or "",
        tool=text(table, "tool", required=True) or "",
        input=given if isinstance(given, dict) else {},
    )


def _on_error(value: JsonObject, key: str) -> Mapping[Cause, OnError]:
    return read_on_error(value[key])


def read_on_error(value: Json) -> Mapping[Cause, OnError]:
    """`"deny"` for every cause, or a table of causes."""
    if value is None:
        return {}
    if isinstance(value, str):
        return dict.fromkeys(Cause, _on_error_word(value))
    if not isinstance(value, dict):
        fix = 'write on_error = "deny"'
        raise BadEntry(f"on_error must be a word or a table, not {kind(value)}", fix=fix, key="on_error")
    causes = {cause.value: cause for cause in Cause}
    for name in value:
        if name not in causes:
            fix = f"write some of {', '.join(causes)}"
            raise BadEntry(f"unknown cause {name!r}{suggestion(name, causes)}", fix=fix, key="on_error")
    return {causes[name]: _on_error_word(word) for name, word in value.items()}


def _on_error_word(value: Json) -> OnError:
    known = {word.name.lower(): word for word in OnError}
    if not isinstance(value, str) or value not in known:
        listed = ", ".join(known)
        raise BadEntry(f"on_error must be one of {listed}, not {value!r}", fix=f"write one of {listed}", key="on_error")
    return known[value]


def _block_on(value: JsonObject, key: str) -> BlockOn:
    given = value[key]
    found = next((item for item in BlockOn if item.value == str(given) and item is not BlockOn.DIALECT), None)
    if found is None:
        raise BadEntry(
            f"block_on must be '2', 'nonzero' or 'never', not {given!r}", fix='write block_on = "nonzero"', key=key
        )
    return found


_READERS: Readers = {
    "match": ("matcher", _matcher),
    "if": ("rule", text),
    "tools": ("tools", strings),
    "paths": ("paths", strings),
    "timeout": ("timeout", _timeout),
    "async": ("background", flag),
    "rewake": ("rewake", flag),
    "priority": ("priority", _priority),
    "once": ("once", flag),
    "env": ("env", string_map),
    "clean_env": ("clean_env", flag),
    "on_error": ("on_error", _on_error),
    "block_on": ("block_on", _block_on),
    "guard": ("guard", flag),
    "observe": ("observe", flag),
    "pure": ("pure", flag),
    "mode": ("shadow", _shadow),
    "description": ("description", text),
    "enabled": ("enabled", flag),
    "pins": ("pins", strings),
    "may_allow": ("may_allow", flag),
    "detach": ("detach", flag),
    "status": ("status_message", text),
}
