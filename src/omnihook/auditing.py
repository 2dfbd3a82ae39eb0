"""Auditing: every hook that could run here, where it comes from, since when we know it, and what is new."""

import json
import os
from collections.abc import Iterable, Mapping

from omnihook.checking import check
from omnihook.dialect import Diagnostic
from omnihook.editing.asides import asides
from omnihook.errors import ConfigError
from omnihook.files import replace_text
from omnihook.folders import Folders, make
from omnihook.holding import needs_trust
from omnihook.hooks import Hook
from omnihook.loading import UNREAD
from omnihook.slotted import dataclass
from omnihook.trust import TrustStore, identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A hook as an auditor sees it; `first_seen` is in seconds since the epoch."""

    hook: Hook
    digest: str
    first_seen: float
    new: bool
    trust: str  # trusted, untrusted, modified, or not needed
    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Every hook that was found, and the files that could not be read, whose hooks nobody has seen."""

    entries: tuple[Entry, ...]
    unread: tuple[Diagnostic, ...] = ()


def audit(folders: Folders, environ: Mapping[str, str], *, now: float) -> Audit:
    """Look at every hook of every dialect's files, and remember having looked."""
    checked = check(folders, environ)
    found = (*checked.hooks, *_aside(folders, checked.files))
    store = TrustStore(folders.state)
    digests = [identity(hook, folders.project) for hook in found]
    path = os.path.join(folders.state, "audit.json")
    known = _known(path)
    fresh = {digest: now for digest in digests if digest not in known}
    entries = tuple(
        _entry(hook, digest, known.get(digest, now), digest in fresh, folders, store)
        for hook, digest in zip(found, digests, strict=True)
    )
    if fresh:
        _remember(path, {**known, **fresh})
    # What is wrong with a whole file points at nothing in it.
    unread = tuple(item for item in checked.findings if item.code in UNREAD and not item.pointer)
    return Audit(entries=entries, unread=unread)


def _entry(hook: Hook, digest: str, first_seen: float, new: bool, folders: Folders, store: TrustStore) -> Entry:
    standing = store.standing(hook, folders.project) if needs_trust(hook, folders) else None
    return Entry(
        hook=hook,
        digest=digest,
        first_seen=first_seen,
        new=new,
        trust="not needed" if standing is None else standing.state,
        open=False if standing is None else standing.pinning.open,
    )


def _aside(folders: Folders, paths: Iterable[str]) -> list[Hook]:
    """Disabled hooks that are not in their files: enabling one is all it takes to run it."""
    try:
        return [aside.hook for aside in asides(folders, frozenset(paths))]
    except ConfigError:  # `omnihook list` says what is wrong with what we remember
        return []


def _known(path: str) -> dict[str, float]:
    try:
        with open(path, encoding="utf-8") as file:
            return {str(key): float(value) for key, value in json.load(file).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _remember(path: str, known: Mapping[str, float]) -> None:
    """Keep what was seen; where nothing can be kept, everything is new the next time too."""
    try:
        make(os.path.dirname(path))
        replace_text(path, lambda old: json.dumps(known) + "\n")
    except (OSError, ConfigError):
        return
