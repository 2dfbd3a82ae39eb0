"""Enabling, disabling and removing hooks, and the switch of a whole file."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from omnihook.dialect import Dialect, Reading
from omnihook.editing import setting_aside, texts
from omnihook.editing.keeping import Ledger, Mark, mark_of, undone
from omnihook.editing.reading import Target, digest, edit, find, prove, same, target_of
from omnihook.errors import ConfigError
from omnihook.folders import Folders
from omnihook.hooks import Hook, Layer
from omnihook.jsontypes import at
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What came of an edit: the file, and whether anything in it had to change."""

    path: str
    changed: bool
    kept: str | None = None  # the id of a hook that is kept aside


def disable(hook: Hook, dialect: Dialect, folders: Folders, *, label: str) -> Change:
    """Switch a hook off: by its key, or by keeping it aside where its file knows no such key."""
    target = _editable(target_of(hook, dialect))
    if dialect.editing.enabled is None:
        return Change(path=target.path, changed=True, kept=setting_aside.disable(hook, target, folders, label=label))
    return _toggle(hook, target, folders, enabled=False)


def enable(hook: Hook, dialect: Dialect, folders: Folders) -> Change:
    """Switch a hook on that is in its file."""
    target = _editable(target_of(hook, dialect))
    if dialect.editing.enabled is None:
        return Change(path=target.path, changed=False)
    return _toggle(hook, target, folders, enabled=True)


def remove(hook: Hook, dialect: Dialect, folders: Folders) -> Change:
    """Take a hook out of its file, with the lists and objects that held nothing else."""
    target = _editable(target_of(hook, dialect))
    ledger = Ledger(folders.state)
    mark = _marked(ledger, target.path, "added", digest(hook, dialect))

    def change(text: str) -> str:
        before, number = find(hook, target, text)
        made = undone(mark, text)
        if made is None:
            made = _pruned(target, text, before.hooks[number].source.pointer)
        rest = [held for index, held in enumerate(before.hooks) if index != number]
        after = target.read(made)
        prove(target, before, after, same(rest, after.hooks))
        return made

    edit(target, change, folders)
    _unmark(ledger, mark)
    return Change(path=target.path, changed=True)


def switch(target: Target, folders: Folders, *, on: bool) -> Change:
    """Turn a file's own switch."""
    refuse_without_switch(target.dialect)
    _editable(target)
    pointer, off = target.dialect.editing.switch or (), target.dialect.editing.off

    def turn(text: str, before: Reading) -> _Turn | None:
        is_off = at(texts.parse(target.format, text), pointer) is off
        return _Turn(pointer=pointer, value=off is not on, wanted=before.hooks) if is_off is on else None

    return _turned(target, folders, kind="switch", name="", turn=turn, back=on)


def refuse_without_switch(dialect: Dialect) -> None:
    """Raise ConfigError for a dialect whose files have no switch."""
    if dialect.editing.switch is None:
        told = f"{dialect.title} has no switch for all its hooks; use 'omnihook disable HOOK' for each of them"
        raise ConfigError(told)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A key to set, and the hooks as they should read afterwards."""

    pointer: tuple[str | int, ...]
    value: bool
    wanted: Sequence[Hook]
    number: int | None = None  # the hook whose own entry changes


def _toggle(hook: Hook, target: Target, folders: Folders, *, enabled: bool) -> Change:
    key = target.dialect.editing.enabled
    assert key is not None

    def turn(text: str, before: Reading) -> _Turn | None:
        _, number = find(hook, target, text)
        found = before.hooks[number]
        if found.enabled is enabled:
            return None
        wanted = [*before.hooks[:number], replace(found, enabled=enabled), *before.hooks[number + 1 :]]
        return _Turn(pointer=(*found.source.pointer, key), value=enabled, wanted=wanted, number=number)

    name = digest(hook, target.dialect)
    return _turned(target, folders, kind="enabled", name=name, turn=turn, back=enabled)


def _turned(
    target: Target,
    folders: Folders,
    *,
    kind: str,
    name: str,
    turn: Callable[[str, Reading], _Turn | None],
    back: bool,
) -> Change:
    """Set a key; one that was not there before is remembered, so that turning it back takes it away again."""
    ledger, added = Ledger(folders.state), False
    mark = _marked(ledger, target.path, kind, name) if back else None

    def change(text: str) -> str:
        nonlocal added
        before = target.read(text)
        made = turn(text, before)
        if made is None:
            return text
        added = not texts.has(target.format, text, made.pointer)
        after = _with(made, text, target.format, mark)
        reading = target.read(after)
        prove(target, before, reading, same(_unwritten(made.wanted, made), _unwritten(reading.hooks, made)))
        return after

    before, after = edit(target, change, folders)
    if before != after and back:
        _unmark(ledger, mark)
    elif before != after and added:
        remember(ledger, mark_of(target.path, kind, name, before, after))
    return Change(path=target.path, changed=before != after)


def _with(turn: _Turn, text: str, format: str, mark: Mark | None) -> str:
    if mark is None:
        return texts.write(format, text, turn.pointer, turn.value)
    exact = undone(mark, text)
    return texts.drop(format, text, turn.pointer) if exact is None else exact


def _unwritten(hooks: Sequence[Hook], turn: _Turn) -> list[Hook]:
    """Hooks without the entry that was changed, for comparison."""
    return [replace(hook, entry=None) if index == turn.number else hook for index, hook in enumerate(hooks)]


def _pruned(target: Target, text: str, pointer: tuple[str | int, ...]) -> str:
    """The text without an entry, and without what held only that entry, up to what holds all hooks."""
    made = texts.drop(target.format, text, pointer)
    document = texts.parse(target.format, made)
    top = len(target.dialect.editing.table(document))
    held = pointer[:-1]
    while len(held) > top:
        inside = at(document, held)
        if inside not in ([], {}):
            break
        # A group says only when its list of hooks runs; an empty one says nothing.
        held = held[:-1] if held[-1] == "hooks" and len(held) > top + 1 else held
        made = texts.drop(target.format, made, held)
        document = texts.parse(target.format, made)
        held = held[:-1]
    return made


def _editable(target: Target) -> Target:
    if target.layer is Layer.MANAGED and os.geteuid() != 0:
        raise ConfigError(f"{target.path} is managed; only root may change it")
    return target


def _marked(ledger: Ledger, path: str, kind: str, name: str) -> Mark | None:
    try:
        return ledger.marked(path, kind, name)
    except ConfigError:  # without our memory the edit is still right, only not byte for byte what was before
        return None


def remember(ledger: Ledger, mark: Mark) -> None:
    """Remember an edit where we may: undoing works without, only not byte for byte."""
    with suppress(ConfigError):
        ledger.mark(mark)


def _unmark(ledger: Ledger, mark: Mark | None) -> None:
    if mark is not None:
        with suppress(ConfigError):
            ledger.unmark(mark.path, mark.kind, mark.digest)
