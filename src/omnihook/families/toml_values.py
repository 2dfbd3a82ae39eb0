"""The values of a native entry: each key's own form, and the one action an entry names."""

import re
from collections.abc import Mapping

from omnihook.errors import suggestion
from omnihook.families import patterns, toml_builtins
from omnihook.families.entries import MAX_SECONDS, BadEntry, Readers, flag, string_map, strings, text
from omnihook.hooks import (
    Action,
    Argv,
    BlockOn,
    Call,
    Cause,
    Command,
    Http,
    Matcher,
    McpTool,
    OnError,
    Prompt,
)
from omnihook.jsontypes import Json, JsonObject, kind

ACTIONS = ("run", "argv", "call", "http", "prompt", "agent", "mcp", "builtin")
_ACTIONS = frozenset(ACTIONS)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*")


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


def typed_duration(text: str) -> float:
    """A time as people type it: `2m`, or a bare number of seconds."""
    return duration(float(text) if re.fullmatch(r"\d+(\.\d*)?|\.\d+", text) else text)


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
        fix = toml_builtins.misplaced(value, key) or 'write mode = "enforce"'
        raise BadEntry(f"mode must be 'enforce' or 'shadow', not {mode!r}", fix=fix, key=key)
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
            return _argv(strings(value, "argv"))
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


def _argv(words: tuple[str, ...]) -> Argv:
    if not words or not words[0]:
        raise BadEntry("'argv' is empty", fix='write argv = ["program", "argument"]', key="argv")
    return Argv(argv=words)


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


READERS: Readers = {
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
