"""Hooks kept aside as hooks that are disabled: what they say, and a word for each that means no other."""

from collections.abc import Container
from dataclasses import replace

from omnihook import dialects, files
from omnihook.editing.keeping import Kept, Ledger, Memory
from omnihook.editing.reading import digest
from omnihook.editing.setting_aside import returned, target_of_kept
from omnihook.errors import ConfigError
from omnihook.folders import Folders
from omnihook.hooks import Command, Hook, Layer, Source
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """A hook that was taken out of its file; `name` is what `omnihook enable` takes for it."""

    name: str
    event: str
    hook: Hook
    kept: Kept


def asides(folders: Folders, paths: Container[str]) -> tuple[Aside, ...]:
    """The hooks kept aside that belong to some files; raises ConfigError when what is remembered cannot be read."""
    memory = Ledger(folders.state).read()
    here = [kept for kept in memory.kept if kept.path in paths]
    found = ((kept, _hook(kept, memory)) for kept in here)
    return tuple(
        Aside(name=_name(kept, here), event=_event(kept), hook=hook, kept=kept)
        for kept, hook in found
        if hook is not None
    )


def _name(kept: Kept, others: list[Kept]) -> str:
    """Its own name; its id where another one was called so too."""
    alike = [item for item in others if kept.name in (item.name, item.label)]
    return kept.name if len(alike) == 1 else kept.id


def _event(kept: Kept) -> str:
    return kept.label.rpartition(":")[0] or kept.label


def _hook(kept: Kept, memory: Memory) -> Hook | None:
    """The hook as its file would say it; None when it is in the file after all."""
    dialect = dialects.get(kept.dialect)
    target = target_of_kept(kept, dialect)
    text = files.read_text(kept.path, layer=Layer.FLAG, root=None)
    try:
        made = returned(kept, target.format, text if isinstance(text, str) else "", memory)
        if made is None:
            return None
        reading = target.read(made)
    except (ConfigError, KeyError, ValueError):  # its file has changed too much, or is broken
        return _remembered(kept)
    found = next((hook for hook in reading.hooks if digest(hook, dialect) == kept.digest), None)
    if found is None:
        return _remembered(kept)
    return replace(found, name=kept.name, enabled=False, source=replace(found.source, pointer=(), line=None))


def _remembered(kept: Kept) -> Hook:
    return Hook(
        name=kept.name,
        events=(_event(kept),),
        native_events=(_event(kept),),
        action=Command(command=kept.about),
        guard=kept.guard,
        enabled=False,
        source=Source(dialect=kept.dialect, layer=Layer[kept.layer.upper()], path=kept.path, root=kept.root),
    )
