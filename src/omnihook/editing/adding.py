"""Adding a hook to a file of any dialect: in its shape and units, and only if it reads back as the same hook."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from omnihook.dialect import Dialect, Reading, events_named
from omnihook.editing import texts
from omnihook.editing.changing import remember
from omnihook.editing.keeping import Ledger, mark_of
from omnihook.editing.reading import Target, bare, digest, edit, prove
from omnihook.errors import ConfigError, UnknownEvent
from omnihook.folders import Folders
from omnihook.hooks import EVERYTHING, Action, Command, Hook, Layer, Matcher
from omnihook.jsontypes import Json, JsonObject, at, kind, pretty
from omnihook.slotted import dataclass

# Stands for the matcher while a dialect writes the hook: the person's own words take its place unchanged.
_PROBE = "\ue000matcher\ue001"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A hook somebody wants, in the words of the dialect whose file it goes into; times are seconds."""

    on: tuple[str, ...]
    run: Action
    match: str | None = None
    rule: str | None = None
    paths: tuple[str, ...] = ()
    timeout: float | None = None
    background: bool = False
    name: str | None = None
    description: str | None = None
    guard: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A hook as a dialect writes it: a document with nothing else in it, and what the hook should read as."""

    hook: Hook
    document: JsonObject
    paths: tuple[str, ...]  # the files a dialect would write it to


def draft(request: Request, dialect: Dialect) -> Draft:
    """Write a request as a dialect does; raises ConfigError for what the dialect cannot say."""
    hook = Hook(
        name=request.name or "new",
        events=tuple(dict.fromkeys(event for name in request.on for event in _events(dialect, name))),
        action=request.run,
        matcher=EVERYTHING if not request.match else Matcher(text=_PROBE, pattern=_PROBE),
        rule=request.rule,
        paths=request.paths,
        timeout=request.timeout,
        background=request.background,
        description=request.description,
        guard=request.guard,
    )
    written = dialect.write_config([hook])
    if written.lost:
        said = "; ".join(item.partition(": ")[2] for item in written.lost)
        raise ConfigError(f"{dialect.title} cannot say this: {said}")
    document = texts.parse(dialect.editing.format, written.text)
    filled = _filled(dict(document), dialect.editing.matcher, request.match or "")
    assert isinstance(filled, dict)
    return Draft(hook=hook, document=filled, paths=tuple(written.files))


def add(
    request: Request,
    made: Draft,
    target: Target,
    folders: Folders,
    *,
    approve: Callable[[tuple[Hook, ...]], None] = lambda hooks: None,
) -> tuple[Hook, ...]:
    """Add a hook to a file, made when missing; gives what was added as it reads.

    `approve` sees that before the file is written, and may raise.
    """
    added: tuple[Hook, ...] = ()

    def change(text: str) -> str:
        nonlocal added
        result, added = _tried(request, made, target, text)
        approve(added)
        return result

    new = not os.path.lexists(target.path)
    before, after = edit(target, change, folders)
    if new and target.format == "json":
        before = "{}\n"  # what to leave without the hook: agents do not take an empty file for JSON
    if new and target.layer >= Layer.PROJECT:
        with suppress(OSError):  # some file systems have no modes
            os.chmod(target.path, 0o644)  # a project's file is for everybody who works on it
    for hook in added if len(added) == 1 else ():
        remember(Ledger(folders.state), mark_of(target.path, "added", digest(hook, target.dialect), before, after))
    return added


def _tried(request: Request, made: Draft, target: Target, text: str) -> tuple[str, tuple[Hook, ...]]:
    """A text with the hook in it, and what was added as it reads; raises ConfigError unless that is what was wanted."""
    before = target.read(text)
    if request.name is not None and any(hook.name == request.name for hook in before.hooks):
        raise ConfigError(f"{target.path} has a hook named {request.name!r} already; choose another --name")
    result = _inserted(request, made, target, text)
    after = target.read(result)
    added = tuple(_new(before, after))
    prove(target, before, after, len(after.hooks) == len(before.hooks) + len(added) and bool(added))
    for hook in added:
        _compare(request, made.hook, hook, target.dialect)
    return result, added


def add_builtin(name: str, target: Target, folders: Folders) -> None:
    """Add a hook that comes with omnihook to a native file; all else about it is its default."""

    def change(text: str) -> str:
        before = target.read(text)
        made = _appended(target.format, text, target.dialect.editing.table({}), {"builtin": name})
        after = target.read(made)
        prove(target, before, after, len(_new(before, after)) == 1 and len(after.hooks) == len(before.hooks) + 1)
        return made

    before, after = edit(target, change, folders)
    hook = target.read(after).hooks[-1]
    remember(Ledger(folders.state), mark_of(target.path, "added", digest(hook, target.dialect), before, after))


def _events(dialect: Dialect, name: str) -> tuple[str, ...]:
    """The canonical events of a name, which may be the dialect's or canonical."""
    found = events_named(dialect, name)
    if not found and any(row.event == name for row in dialect.names):
        found = (name,)
    if not found:
        raise UnknownEvent(name, dialect.name, {row.native for row in dialect.names})
    return found


def _filled(value: Json, key: str, match: str) -> Json:
    """A document with the matcher in the place that was kept for it."""
    if isinstance(value, list):
        return [_filled(item, key, match) for item in value]
    if not isinstance(value, dict):
        return value
    held = value.get(key)
    own = {key: match} if isinstance(held, str) and _PROBE in held else {}
    return {**{name: _filled(item, key, match) for name, item in value.items()}, **own}


def _inserted(request: Request, made: Draft, target: Target, text: str) -> str:
    format, table = target.format, target.dialect.editing.table
    if not text.strip() and format == "json":
        return pretty(_unnamed(request, made, target)) + "\n"
    document = texts.parse(format, text)
    place, written = table(document), at(made.document, table(made.document))
    _refuse_null(document, made.document, place, target.path)
    if isinstance(written, list):
        for entry in written:
            text = _appended(format, text, place, _without_name(entry, request))
        return text
    assert isinstance(written, dict)
    for event, value in written.items():
        text = _into_event(request, target, text, (*place, _spelt(target.dialect, document, place, event)), value)
    return text


def _refuse_null(document: JsonObject, wanted: JsonObject, place: Sequence[str], path: str) -> None:
    """Agents read null where hooks belong as no hooks, so that nobody said yet why none can be added to it."""
    for length in range(1, len(place) + 1):
        way = place[:length]
        held = at(document, way[:-1])
        if isinstance(held, dict) and way[-1] in held and held[way[-1]] is None:
            told = f"{'.'.join(way)} must be {kind(at(wanted, way))}, not null"
            raise ConfigError(f"{path} is not changed: {told}; correct that first")


def _into_event(request: Request, target: Target, text: str, place: tuple[str, ...], value: Json) -> str:
    """Add to an event: to its list, or under a name to its object."""
    held = at(texts.parse("json", text), place)
    if isinstance(value, list):
        for group in value:
            text = _appended("json", text, place, group)
        return text
    assert isinstance(value, dict)
    for entry in value.values():
        if isinstance(held, list) or (held is None and request.name is None):
            text = _appended("json", text, place, entry)
            continue
        taken: JsonObject = held if isinstance(held, dict) else {}
        name = request.name or next(n for i in range(len(taken) + 1) if (n := f"hook-{i + 1}") not in taken)
        if name in taken:
            raise ConfigError(f"{target.path} has a hook named {name!r} already; choose another --name")
        text = texts.add("json", text, (*place, name), entry)
    return text


def _unnamed(request: Request, made: Draft, target: Target) -> Json:
    """The whole document for a new file; an event's object of names is a list where no name was given."""
    document = dict(made.document)
    table = document.get("hooks")
    if request.name is None and target.dialect.editing.table(document) == ("hooks",) and isinstance(table, dict):
        document["hooks"] = {
            event: list(held.values()) if isinstance(held, dict) else held for event, held in table.items()
        }
    return document


def _without_name(entry: Json, request: Request) -> Json:
    if request.name is not None or not isinstance(entry, dict):
        return entry
    return {key: value for key, value in entry.items() if key != "name"}


def _appended(format: str, text: str, place: Sequence[str | int], value: Json) -> str:
    held = at(texts.parse(format, text), place)
    return texts.add(format, text, (*place, len(held) if isinstance(held, list) else 0), value)


def _spelt(dialect: Dialect, document: JsonObject, place: Sequence[str], event: str) -> str:
    """An event's name as the file spells it already, where the dialect knows several spellings."""
    held = at(document, place)
    same = events_named(dialect, event)
    others = (name for name in held if events_named(dialect, name) == same) if isinstance(held, dict) else iter(())
    return event if isinstance(held, dict) and event in held else next(others, event)


def _new(before: Reading, after: Reading) -> list[Hook]:
    """The hooks that are in one reading and not in the other, both being in the same order."""
    old = [bare(hook) for hook in before.hooks]
    found = []
    for hook in after.hooks:
        if old and bare(hook) == old[0]:
            old.pop(0)
        else:
            found.append(hook)
    return found


def _compare(request: Request, wanted: Hook, found: Hook, dialect: Dialect) -> None:
    """Refuse a hook that reads back as something else."""
    matcher = found.matcher
    pairs: dict[str, tuple[object, object]] = {
        "--run": (wanted.action, found.action),
        "--match": (request.match or "", "" if matcher.everything and not request.match else matcher.text or "*"),
        "--if": (wanted.rule, found.rule),
        "--paths": (wanted.paths, found.paths),
        "--timeout": (_rounded(wanted.timeout), _rounded(found.timeout)),
        "--async": (wanted.background, found.background),
        "--description": (wanted.description, found.description),
        "--name": (request.name or found.name, found.name),
        "--on": (set(found.events) - set(wanted.events), set()),
    }
    if matcher.never is not None:
        raise ConfigError(f"--match {request.match!r} can never match: {matcher.never}")
    for option, (one, other) in pairs.items():
        if one != other:
            raise ConfigError(f"{dialect.title} has no place for {option}: {_shown(one)} would read as {_shown(other)}")


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)


def _shown(value: object) -> str:
    return value.command if isinstance(value, Command) else repr(value)
