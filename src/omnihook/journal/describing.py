"""Describing hooks: as JSON without what is secret in them, and back, good for planning but not for running."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import cache

from omnihook.events import NATIVE
from omnihook.hooks import (
    Action,
    Argv,
    Call,
    Command,
    Function,
    Hook,
    Http,
    Layer,
    Matcher,
    McpTool,
    Prompt,
    Source,
    summary,
)
from omnihook.jsontypes import Json, JsonObject, object_at, take

_PLAIN = (
    *("events", "native_events", "tools", "paths", "rule", "timeout", "background", "priority", "once", "guard"),
    *("observe", "pure", "shadow", "enabled", "slot", "description"),
)


def hook_json(hook: Hook) -> dict[str, Json]:
    """A hook as a snapshot keeps it."""
    made: dict[str, Json] = {"name": hook.name, "action": _action_json(hook)}
    for name, default in _defaults().items():
        value = getattr(hook, name)
        if value != default:
            made[name] = [*value] if isinstance(value, tuple) else value
    if hook.matcher != Matcher():
        names = hook.matcher.names
        listed: Json = None if names is None else [*sorted(names)]
        made["matcher"] = {**asdict(hook.matcher), "names": listed}
    source = hook.source
    made["source"] = {
        "dialect": source.dialect,
        "layer": source.layer.name,
        "path": source.path,
        "pointer": [*source.pointer],
        "owner": source.owner,
    }
    return made


def hook_from(described: JsonObject) -> Hook:
    """The hook of a description. Its action says what ran and must not be run."""
    plain = {name: described[name] for name in _PLAIN if name in described}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}
    return Hook(
        name=take(described, "name", str) or "",
        action=_action_from(object_at(described, "action")),
        matcher=_matcher_from(object_at(described, "matcher")),
        source=_source_from(object_at(described, "source")),
        **{"events": (), **given},  # type: ignore[arg-type]  # written by hook_json from the same fields
    )


@cache
def _defaults() -> Mapping[str, object]:
    made = Hook(name="", events=(), action=Argv(argv=()))
    return {name: getattr(made, name) for name in _PLAIN}


def _action_json(hook: Hook) -> dict[str, Json]:
    """What a hook runs; headers and keys are left out."""
    action = hook.action
    made: dict[str, Json] = {"type": type(action).__name__, "summary": summary(hook)}
    match action:
        case Command(interpreter=interpreter):
            return {**made, "interpreter": interpreter} if interpreter else made
        case Argv(argv=words):
            return {**made, "argv": [*words]}
        case McpTool(server=server, tool=tool):
            return {**made, "server": server, "tool": tool}
        case Prompt(tools=True):
            return {**made, "tools": True}
        case _:
            return made


def _action_from(described: JsonObject) -> Action:
    text = take(described, "summary", str) or ""
    match described.get("type"):
        case "Command":
            return Command(command=text, interpreter=take(described, "interpreter", str))
        case "Argv":
            words = described.get("argv")
            return Argv(argv=tuple(str(word) for word in words) if isinstance(words, list) else (text,))
        case "Call":
            return Call(target=text)
        case "Http":
            return Http(url=text)
        case "Prompt":
            return Prompt(prompt=text, tools=described.get("tools") is True)
        case "McpTool":
            return McpTool(server=take(described, "server", str) or "", tool=take(described, "tool", str) or "")
        case _:
            return Function(function=_Gone(text))


class _Gone:
    """A function that is known only by its name."""

    def __init__(self, name: str) -> None:
        self.__qualname__ = name

    def __call__(self, *_: object) -> None:
        return None


def _matcher_from(described: JsonObject) -> Matcher:
    known = {f.name for f in fields(Matcher)}
    given = {name: value for name, value in described.items() if name in known}
    names = given.pop("names", None)
    made = frozenset(str(name) for name in names) if isinstance(names, list) else None
    return Matcher(names=made, **given)  # type: ignore[arg-type]  # written by hook_json from the same fields


def _source_from(described: JsonObject) -> Source:
    pointer = described.get("pointer")
    layer = take(described, "layer", str) or ""
    return Source(
        dialect=take(described, "dialect", str) or NATIVE,
        layer=Layer[layer] if layer in Layer.__members__ else Layer.PROGRAM,
        path=take(described, "path", str),
        pointer=tuple(p for p in pointer if isinstance(p, str | int)) if isinstance(pointer, list) else (),
        owner=take(described, "owner", str),
    )
