"""The keys at the top of a native file: which there are, who may set them, and what they must hold."""

from collections.abc import Iterator

from omnihook.families import words
from omnihook.families.entries import BadEntry
from omnihook.hooks import Layer
from omnihook.jsontypes import Json, JsonObject, kind

TOP = frozenset({"enabled", "read", "hook", "mcp_servers", "model", "allowed_urls", "forbid_open", "managed_only"})
# What a file inside the work tree must not decide: trust, endpoints, where we keep things, other layers' switches.
MANAGED_ONLY = frozenset({"forbid_open", "managed_only"})
USER_ONLY = frozenset({"model", "mcp_servers", "allowed_urls"})
_SWITCHES = frozenset({"enabled", "forbid_open", "managed_only"})
_ELSEWHERE = {"hooks": "hook", "dialects": "read", "mcpservers": "mcp_servers"}


def problems(document: JsonObject, layer: Layer) -> Iterator[BadEntry]:
    """What is wrong with the keys at the top of a file."""
    for count, (key, value) in enumerate(document.items()):
        if key not in TOP:
            near = words.asked(key, TOP, _ELSEWHERE, after=count)
            yield BadEntry(f"unknown key {key!r}{near}", fix="remove or correct it", key=key, code="unknown-key")
        elif (key in MANAGED_ONLY and layer is not Layer.MANAGED) or (key in USER_ONLY and layer >= Layer.PLUGIN):
            text = f"{key!r} has no effect in a {layer.label} file"
            yield BadEntry(text, fix="remove it", key=key, code="not-here")
        else:
            yield from _type(key, value)


def read_list(document: JsonObject) -> tuple[str, ...]:
    """The dialects that are read as well; one may stand alone."""
    given = document.get("read")
    listed = [given] if isinstance(given, str) else given
    return tuple(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else ()


def url_list(document: JsonObject) -> tuple[str, ...] | None:
    """The URLs that HTTP hooks may call; a list that cannot be read allows none, no list all."""
    given = document.get("allowed_urls")
    if given is None:
        return None
    listed = [given] if isinstance(given, str) else given
    return tuple(url for url in listed if isinstance(url, str)) if isinstance(listed, list) else ()


def _type(key: str, value: Json) -> Iterator[BadEntry]:
    if key in _SWITCHES and not isinstance(value, bool):
        text = f"{key!r} must be true or false, not {kind(value)}, so it switches nothing"
        yield BadEntry(text, fix=f"write {key} = true or {key} = false", key=key)
    elif key == "read" and not _texts(value):
        yield BadEntry("'read' must be a list of dialects", fix='write read = ["claude-code"]', key=key)
    elif key == "allowed_urls" and not _texts(value):
        fix = 'write allowed_urls = ["https://hooks.example/*"]'
        yield BadEntry("'allowed_urls' must be a list of URLs, so no URL is allowed", fix=fix, key=key)
    elif key == "model" and not isinstance(value, str | dict):
        fix = 'write model = "name", or a table [model]'
        yield BadEntry(f"'model' must be a string or a table, not {kind(value)}", fix=fix, key=key)
    elif key == "mcp_servers" and not isinstance(value, dict):
        fix = "write [mcp_servers.NAME]"
        yield BadEntry(f"'mcp_servers' must be tables, not {kind(value)}", fix=fix, key=key)


def _texts(value: Json) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(name, str) for name in value))
