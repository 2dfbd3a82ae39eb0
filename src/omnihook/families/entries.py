"""An entry of a configuration file: its values, each read strictly; what cannot be used is a `BadEntry` with a fix."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from omnihook.dialect import ConfigText, Diagnostic
from omnihook.hooks import Action, Command, Prompt
from omnihook.jsontypes import Json, JsonError, JsonObject, kind, loads_object

Pointer: TypeAlias = tuple[str | int, ...]
# By key: the field it fills by itself, and how its value is read.
Readers: TypeAlias = Mapping[str, tuple[str, Callable[[JsonObject, str], object]]]

MAX_SECONDS = 86_400.0


class BadEntry(Exception):
    """An entry that cannot be used: what is wrong with it, and the fix."""

    def __init__(self, message: str, *, fix: str | None = None, key: str | None = None, code: str = "entry") -> None:
        super().__init__(message)
        self.message, self.fix, self.key, self.code = message, fix, key, code

    def placed(self, config: ConfigText, pointer: Pointer, *, severity: str = "error") -> Diagnostic:
        """What is wrong, at its place in a file: the entry's, or that of the key it is about."""
        place = pointer if self.key is None else (*pointer, self.key)
        return Diagnostic(
            message=self.message, path=config.path, fix=self.fix, code=self.code, severity=severity, pointer=place
        )


def json_document(config: ConfigText) -> dict[str, Json]:
    """The object that a JSON file holds, an empty one for an empty file; raises BadEntry for any other text."""
    try:
        return loads_object(config.text) if config.text.strip() else {}
    except JsonError as error:
        raise BadEntry(f"not valid JSON: {error}", fix="correct the file", code="syntax") from None


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
