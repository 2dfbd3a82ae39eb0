"""Keeping disabled hooks aside: out of a file that has no key to switch them off, and back to their place."""

import os
from collections.abc import Sequence
from dataclasses import replace

from omnihook import files
from omnihook.dialect import Dialect
from omnihook.editing import json_text, texts
from omnihook.editing.json_text import Piece
from omnihook.editing.keeping import Kept, Ledger, Memory, followed, mark_of, origin, undone
from omnihook.editing.reading import Target, digest, edit, find, prove, same
from omnihook.errors import ConfigError
from omnihook.folders import Folders
from omnihook.hooks import Hook, Layer, summary
from omnihook.jsontypes import Json, JsonObject, at, loads, loads_object
from omnihook.positions import uncommented

Pointer = tuple[str | int, ...]


def disable(hook: Hook, target: Target, folders: Folders, *, label: str) -> str:
    """Take a hook out of its file and keep it; gives the id it is kept under."""
    if os.path.realpath(os.path.dirname(target.path)) == os.path.realpath(folders.state):
        raise ConfigError(f"{target.path} lies in omnihook's own folder; move it elsewhere")
    ledger, id = Ledger(folders.state), os.urandom(4).hex()

    def change(text: str) -> str:
        before, number = find(hook, target, text)
        found = before.hooks[number]
        made, piece = texts.cut(target.format, text, found.source.pointer)
        rest = [held for index, held in enumerate(before.hooks) if index != number]
        after = target.read(made)
        prove(target, before, after, same(rest, after.hooks))
        # First kept, then cut: whatever happens in between, the hook is in one of the two places.
        ledger.keep(_kept(id, found, target, text, piece, ledger.read().kept, label=label))
        return made

    with ledger.alone():
        try:
            before, after = edit(target, change, folders)
        except ConfigError:
            _undo(ledger, id, target)
            raise
        ledger.change(lambda memory: _settled(memory, id, before, after))
    return id


def _undo(ledger: Ledger, id: str, target: Target) -> None:
    """Keep a hook no longer whose file did not change; one that may be out of its file stays kept."""
    memory = ledger.read()
    kept = next((item for item in memory.kept if item.id == id), None)
    text = files.read_text(target.path, layer=Layer.FLAG, root=None)
    if kept is not None and isinstance(text, str) and returned(kept, target.format, text, memory) is None:
        ledger.forget(id)


def enable(kept: Kept, dialect: Dialect, folders: Folders) -> str:
    """Put a hook back into its file and keep it no longer; gives the file's path."""
    ledger, target = Ledger(folders.state), target_of_kept(kept, dialect)

    def change(text: str) -> str:
        before = target.read(text)
        made = returned(kept, target.format, text, ledger.read())
        if made is None:
            return text
        after = target.read(made)
        back = [index for index, hook in enumerate(after.hooks) if digest(hook, dialect) == kept.digest]
        rests = ([hook for index, hook in enumerate(after.hooks) if index != one] for one in back)
        prove(target, before, after, any(same(before.hooks, rest) for rest in rests))
        return made

    with ledger.alone():
        if all(item.id != kept.id for item in ledger.read().kept):
            raise ConfigError(f"{kept.label} is not kept aside any longer; see 'omnihook list'")
        before, after = edit(target, change, folders)
        ledger.restored(kept.id, before, after)
    return kept.path


def target_of_kept(kept: Kept, dialect: Dialect) -> Target:
    """The file a kept hook was taken out of."""
    return Target(dialect=dialect, path=kept.path, layer=Layer[kept.layer.upper()], role=kept.role, root=kept.root)


def returned(kept: Kept, format: str, text: str, memory: Memory) -> str | None:
    """A file's text with a kept hook in it again; None when it is there already. Raises ConfigError."""
    others = [item for item in memory.kept if item.path == kept.path and item.id != kept.id]
    *way, last = _standing((*kept.pointer, kept.number), others)
    pointer, number = tuple(way), int(last)
    if kept.pending and _still_there(format, text, kept, pointer, number):
        return None
    exact = None if others else origin(memory, kept.id, text)
    mark = next((m for m in memory.marks if (m.path, m.kind, m.digest) == (kept.path, "aside", kept.id)), None)
    return exact or undone(mark, text) or _put_back(format, text, kept, pointer, number)


def _kept(id: str, hook: Hook, target: Target, text: str, piece: Piece, others: Sequence[Kept], *, label: str) -> Kept:
    *way, last = hook.source.pointer
    pointer: Pointer = tuple(way)
    document = texts.parse(target.format, text)
    holder = at(document, pointer)
    place = list(holder).index(str(last)) if isinstance(holder, dict) else int(last)
    aside = [item for item in others if item.path == target.path and item.id != id]
    *counted, number = _counted((*pointer, place), aside)
    return Kept(
        id=id,
        dialect=target.dialect.name,
        path=target.path,
        layer=target.layer.label,
        role=target.role,
        root=target.root,
        label=label,
        name=hook.name,
        about=summary(hook),
        guard=hook.guard,
        pointer=tuple(counted),
        key=last if isinstance(last, str) else None,
        number=int(number),
        piece=piece,
        group=_group(document, pointer),
        digest=digest(hook, target.dialect),
        pending=True,
    )


def _counted(pointer: Pointer, kept: Sequence[Kept]) -> Pointer:
    """A place in a text as it would be if all that is kept aside were in its place too.

    Only such places stay right whichever hooks come and go, in lists where groups and single hooks stand mixed.
    """
    made: Pointer = ()
    for part in pointer:
        if isinstance(part, int):
            for taken in sorted(item.number for item in kept if item.pointer == made):
                part += taken <= part
        made = (*made, part)
    return made


def _standing(pointer: Pointer, kept: Sequence[Kept]) -> Pointer:
    """Where in a text a counted place is, without what is kept aside."""
    return tuple(
        part - sum(item.number < part for item in kept if item.pointer == pointer[:index])
        if isinstance(part, int)
        else part
        for index, part in enumerate(pointer)
    )


def _put_back(format: str, text: str, kept: Kept, pointer: Pointer, number: int) -> str:
    document = texts.parse(format, text)
    holder = _holder(document, kept, pointer)
    if holder is not None:
        if kept.key is not None and at(document, (*holder, kept.key)) is not None:
            raise ConfigError(f"{kept.path} has another hook named {kept.key!r} by now; rename one of them")
        return texts.put(format, text, holder, number, kept.piece)
    try:
        if format != "json":
            raise KeyError(pointer)
        if kept.group is not None:
            groups = at(document, pointer[:-2])
            end = len(groups) if isinstance(groups, list) else 0
            group: Json = {**_object(kept.group), "hooks": [_value(kept)]}
            return json_text.insert(text, (*pointer[:-2], end), group)
        return json_text.insert(text, (*pointer, 0 if kept.key is None else kept.key), _value(kept))
    except KeyError:
        raise ConfigError(f"{kept.path} has changed too much to put the hook back; it runs {kept.about!r}") from None


def _holder(document: JsonObject, kept: Kept, pointer: Pointer) -> Pointer | None:
    """What held the hook, wherever it is by now."""
    wanted = dict if kept.key is not None else list
    if isinstance(at(document, pointer), wanted) and _group(document, pointer) == kept.group:
        return pointer
    groups = at(document, pointer[:-2]) if kept.group is not None else None
    for index in range(len(groups)) if isinstance(groups, list) else ():
        other = (*pointer[:-2], index, "hooks")
        if isinstance(at(document, other), list) and _group(document, other) == kept.group:
            return other
    return None


def _group(document: JsonObject, pointer: Pointer) -> Json:
    """The object around a list of hooks, without the list."""
    if len(pointer) < 2 or pointer[-1] != "hooks" or not isinstance(pointer[-2], int):
        return None
    return {key: value for key, value in _object(at(document, pointer[:-1])).items() if key != "hooks"}


def _still_there(format: str, text: str, kept: Kept, pointer: Pointer, number: int) -> bool:
    try:
        _, piece = texts.cut(format, text, (*pointer, number if kept.key is None else kept.key))
    except KeyError:
        return False
    return piece.text == kept.piece.text


def _value(kept: Kept) -> Json:
    if kept.key is None:
        return loads(uncommented(kept.piece.text))
    return next(iter(loads_object("{" + uncommented(kept.piece.text) + "}").values()))


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _settled(memory: Memory, id: str, before: str, after: str) -> Memory:
    """The memory once a hook is out of its file."""
    (kept,) = (item for item in memory.kept if item.id == id)
    first = all(item.id == id for item in memory.kept if item.path == kept.path)
    mark = mark_of(kept.path, "aside", id, before, after)
    settled = tuple(replace(item, pending=False) if item is kept else item for item in memory.kept)
    made = replace(memory, kept=settled, marks=(*memory.marks, mark))
    return followed(made, kept.path, after, before if first else origin(memory, id, before))
