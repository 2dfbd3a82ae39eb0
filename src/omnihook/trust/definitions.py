"""What a hook is, as data that can be hashed, compared and shown: everything that decides what it does."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache

from omnihook.hooks import Hook, Source
from omnihook.jsontypes import Json, JsonObject
from omnihook.trust.projects import relative

HERE = "\0here\0"  # stands for the project's folder; a NUL in the text itself is doubled
# What is about the entry and not about what it does. Any other field counts, also one added later.
_LEFT_OUT = frozenset({"name", "description", "status_message", "enabled", "entry", "source"})
_UNORDERED = frozenset({"events", "native_events", "tools"})


def definition(hook: Hook, project: str) -> JsonObject:
    """Everything that decides what a hook does; paths below the project are relative to it."""
    here = os.path.realpath(project)
    made: dict[str, Json] = {"dialect": hook.source.dialect}
    for field in fields(hook):
        if field.name not in _LEFT_OUT:
            value = getattr(hook, field.name)
            made[field.name] = _plain(sorted(value) if field.name in _UNORDERED else value, here)
    made["owner"] = hook.source.owner
    made["root"] = _plain(hook.source.root, here)
    return made


def identity(hook: Hook, project: str) -> str:
    """The hash of a hook's definition: the same wherever it stands in its file, and in every work tree."""
    return digest(definition(hook, project))


def digest(value: "Json | JsonObject") -> str:
    """The SHA-256 of canonical JSON."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def config_path(source: Source, project: str) -> str:
    """The file a hook was read from, relative to the project where it lies inside."""
    if source.path is None:
        return ""
    here = os.path.realpath(project)
    inside = relative(os.path.normpath(source.path), here)
    if inside is None:
        folder, name = os.path.split(source.path)
        inside = relative(os.path.join(os.path.realpath(folder), name), here)
    return source.path if inside is None else inside


def shown(value: "Json | JsonObject") -> str:
    """A definition as lines for people, the project's folder spelled as such."""
    text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False)
    return text.replace(r"\u0000here\u0000", "<project>")


def _plain(value: object, here: str) -> Json:
    match value:
        case None | bool() | int() if not isinstance(value, Enum):
            return value
        case str() if not isinstance(value, Enum):
            return _portable(value, here)
        case float():
            return value
        case Enum():
            return value.name
        case Mapping():
            return {_key(key, here): _plain(item, here) for key, item in value.items()}
        case set() | frozenset():
            return [_portable(item, here) for item in sorted(map(str, value))]
        case list() | tuple():
            return [_plain(item, here) for item in value]
        case _ if is_dataclass(value):
            parts = {field.name: _plain(getattr(value, field.name), here) for field in fields(value)}
            return {"kind": type(value).__name__, **parts}
        case Callable():
            return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', repr(value))}"
        case _:
            raise TypeError(f"a hook's definition cannot hold {type(value).__name__}")


def _key(key: object, here: str) -> str:
    return key.name if isinstance(key, Enum) else _portable(str(key), here)


def _portable(text: str, here: str) -> str:
    """The text with the project's folder as `HERE`: equal results mean equal texts, up to that folder."""
    doubled = text.replace("\0", "\0\0") if "\0" in text else text
    if here == "/" or here not in doubled:
        return doubled
    return _folder(here).sub(HERE, doubled)


@lru_cache(maxsize=64)
def _folder(here: str) -> re.Pattern[str]:
    """The folder as a whole path: neither the tail of a longer one nor the start of another name."""
    return re.compile(rf"(?<![\w./~$-]){re.escape(here)}(?![\w.~-])")
