"""Every configuration file that is found, each read by one dialect, and all that is wrong with it."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from omnihook import dialects, loading
from omnihook.checking.cases import cases
from omnihook.checking.documents import documents, read_lists
from omnihook.checking.findings import finding
from omnihook.checking.matchers import matchers
from omnihook.checking.options import options
from omnihook.checking.reach import reach
from omnihook.checking.scripts import scripts
from omnihook.checking.values import values
from omnihook.dialect import Diagnostic, Dialect, Reading
from omnihook.folders import Folders
from omnihook.hooks import Hook
from omnihook.loading import Loaded, Wanted
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Every file that was looked at, and everything found."""

    files: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    hooks: tuple[Hook, ...]
    readers: Mapping[str, str] = field(default_factory=dict)  # file -> the dialect that read it


def check(
    folders: Folders,
    environ: Mapping[str, str],
    *,
    only: str | None = None,
    config: Sequence[tuple[str, str]] = (),
) -> Checked:
    """Look at every configuration file found; each file is read by one dialect."""
    loaded = list(_load(folders, only, config))
    findings: list[Diagnostic] = []
    for one in loaded:
        texts = {text.path: text.text for text in one.texts}
        looked = [*_whole(one), *_examine(one, folders, environ)]
        findings += _said_once(one.reading.diagnostics, (loading.located(item, texts) for item in looked))
    readers = {text.path: one.dialect for one in loaded for text in one.texts}
    hooks = tuple(hook for one in loaded for hook in one.reading.hooks)
    return Checked(files=tuple(readers), findings=tuple(findings), hooks=hooks, readers=readers)


def examine(
    hooks: Iterable[Hook], dialect: Dialect, folders: Folders, environ: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """What is wrong with some hooks of a dialect beyond their syntax, wherever they are going to be."""
    return tuple(_examine(Loaded(dialect=dialect.name, reading=Reading(hooks=tuple(hooks))), folders, environ))


def _load(folders: Folders, only: str | None, config: Sequence[tuple[str, str]]) -> Iterable[Loaded]:
    if config:
        for name, path in config:
            yield loading.load(Wanted(dialect=dialects.get(name), files=[path]), folders)
        return
    # Several dialects claim one file; whoever comes first in this order reads it.
    order = [only] if only is not None else sorted(dialects.names(), key=lambda name: name not in dialects.FIRST)
    seen: set[str] = set()
    for name in order:
        found = loading.load(Wanted(dialect=dialects.get(name), skip=frozenset(seen)), folders)
        seen.update(os.path.realpath(text.path) for text in found.texts)
        yield found


def _whole(one: Loaded) -> Iterator[Diagnostic]:
    dialect = dialects.get(one.dialect)
    for config in one.texts:
        yield from documents(config, dialect, one.reading)
        yield from read_lists(config, one.reading)


def _examine(one: Loaded, folders: Folders, environ: Mapping[str, str]) -> Iterator[Diagnostic]:
    dialect = dialects.get(one.dialect)
    names: dict[tuple[str, str | None], Hook] = {}
    for hook in one.reading.hooks:
        yield from matchers(hook, dialect)
        yield from values(hook, dialect, folders, environ)
        yield from reach(hook, dialect, one.reading.settings)
        yield from scripts(hook, folders, environ)
        yield from cases(hook)
        yield from options(hook)
        first = names.setdefault((hook.name, hook.source.path), hook)
        if first is not hook:
            yield finding(hook, f"two hooks are named {hook.name!r}", "rename one of them", "duplicate", "name")


# How reading a file already said that a matcher is no good, or that nobody looks at it.
_OF_MATCHERS = frozenset({"bad-regex", "ignored"})


def _said_once(read: Sequence[Diagnostic], looked: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Both kinds of findings, without those about a matcher that the other kind says as well or better."""
    by_reading = {_place(item) for item in read if item.code in _OF_MATCHERS}
    found = [item for item in looked if item.code != "matcher" or _place(item) not in by_reading]
    by_looking = {_place(item) for item in found if item.code == "matcher"}
    yield from (item for item in read if item.code != "matcher" or _place(item) not in by_looking)
    yield from found


def _place(item: Diagnostic) -> tuple[str | None, tuple[str | int, ...]]:
    return item.path, item.pointer
