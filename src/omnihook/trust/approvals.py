"""What was approved, as values and as the JSON in which the store keeps them."""

from collections.abc import Mapping

from omnihook.hooks import Hook
from omnihook.jsontypes import Json, JsonError, JsonObject, loads_object, take
from omnihook.slotted import dataclass
from omnihook.trust.definitions import config_path
from omnihook.trust.named import Named, from_json

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Which entry of which file a hook is, whatever it does: what makes another definition a changed one."""

    dialect: str
    path: str
    name: str
    events: tuple[str, ...]

    def near(self, other: "Entry") -> int:
        """How much two entries look like the same one; 0 is not at all."""
        if (self.dialect, self.path) != (other.dialect, other.path):
            return 0
        return 2 * (self.name == other.name) + (self.events == other.events)


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One hook as it was when somebody approved it, in the work tree `where`.

    `marks` are the prints of the pinned files, `texts` the hashes under which copies of small ones are kept.
    """

    entry: Entry
    identity: str
    definition: JsonObject
    names: Named | None
    marks: Mapping[str, str]
    texts: Mapping[str, str]
    where: str
    when: float


Projects = dict[str, list[Approval]]


def entry_of(hook: Hook, project: str) -> Entry:
    """The entry a hook was read from."""
    source = hook.source
    events = tuple(sorted(hook.native_events or hook.events))
    return Entry(dialect=source.dialect, path=config_path(source, project), name=hook.name, events=events)


def to_json(projects: Projects) -> dict[str, Json]:
    """The whole store as an object."""
    kept: dict[str, Json] = {}
    for key, approvals in sorted(projects.items()):
        if approvals:
            kept[key] = [_approval_to_json(approval) for approval in approvals]
    return {"schema": SCHEMA, "projects": kept}


def parse(text: str) -> Projects:
    """What `to_json` made; raises `JsonError` for anything else, because half a store is no store."""
    document = loads_object(text)
    projects = document.get("projects")
    if document.get("schema") != SCHEMA or not isinstance(projects, dict):
        raise JsonError("it is not a store of this version")
    return {key: [_approval(item) for item in _list(approvals)] for key, approvals in projects.items()}


def _approval_to_json(approval: Approval) -> Json:
    entry = approval.entry
    return {
        "dialect": entry.dialect,
        "path": entry.path,
        "name": entry.name,
        "events": list(entry.events),
        "identity": approval.identity,
        "definition": dict(approval.definition),
        "names": None if approval.names is None else approval.names.to_json(),
        "marks": dict(approval.marks),
        "texts": dict(approval.texts),
        "where": approval.where,
        "when": approval.when,
    }


def _approval(value: Json) -> Approval:
    if not isinstance(value, dict):
        raise JsonError("an approval is not an object")
    names = take(value, "names", dict)
    when = value.get("when")
    return Approval(
        entry=Entry(
            dialect=_text(value, "dialect"),
            path=_text(value, "path"),
            name=_text(value, "name"),
            events=tuple(_string(item) for item in _list(value.get("events"))),
        ),
        identity=_text(value, "identity"),
        definition=_object(value, "definition"),
        names=None if names is None else from_json(names),
        marks={path: _string(mark) for path, mark in _object(value, "marks").items()},
        texts={path: _string(text) for path, text in _object(value, "texts").items()},
        where=_text(value, "where"),
        when=float(when) if isinstance(when, int | float) else 0.0,
    )


def _text(value: JsonObject, key: str) -> str:
    return _string(value.get(key))


def _string(value: Json) -> str:
    if not isinstance(value, str):
        raise JsonError("a text is missing")
    return value


def _object(value: JsonObject, key: str) -> dict[str, Json]:
    found = value.get(key)
    if not isinstance(found, dict):
        raise JsonError(f"{key!r} is missing")
    return found


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise JsonError("a list is missing")
    return value
