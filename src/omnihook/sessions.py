"""State per (agent, session, subagent): what ran once, counters, and a mailbox for context that comes late.

In memory for a resident process, in locked files for processes that come and go.
"""

import fcntl
import hashlib
import json
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import field
from types import TracebackType
from typing import NamedTuple, Protocol

from omnihook.events import Event
from omnihook.folders import make
from omnihook.hooks import Hook
from omnihook.slotted import dataclass

MAX_STATE = 32 << 20  # bytes of one session's file
MAX_MAIL = 2 << 20  # characters of one session's mailbox


class Key(NamedTuple):
    """Whose state it is."""

    agent: str
    session: str
    subagent: str = ""


def key_of(event: Event) -> Key:
    """Whose state an event touches."""
    return Key(event.agent, event.session_id, event.subagent)


@dataclass(slots=True)
class State:
    """What is remembered of one session."""

    once: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    mailbox: list[str] = field(default_factory=list)


class Sessions(Protocol):
    """Where state is kept; `changing` is exclusive for its key."""

    def changing(self, key: Key) -> AbstractContextManager[State]:
        """The state of a session, kept again when the block ends."""
        ...

    def collect(self, key: Key) -> list[str]:
        """Take everything out of a session's mailbox."""
        ...


def claim_once(sessions: Sessions, hook: Hook, event: Event) -> bool:
    """Whether a hook that runs once may run in the event's session; from then on it has."""
    # A name alone may be used by anybody.
    key = "\n".join((hook.name, hook.source.dialect, hook.source.layer.label, hook.source.path or ""))
    with sessions.changing(key_of(event)) as state:
        first = key not in state.once
        state.once.add(key)
    return first


class MemorySessions:
    """State of a resident process."""

    def __init__(self, limit: int = 10_000) -> None:
        self._states: dict[Key, State] = {}
        self._limit = limit
        self._lock = threading.RLock()

    def changing(self, key: Key) -> AbstractContextManager[State]:
        """The state of a session; sessions not seen for long are forgotten."""
        return _Locked(self._lock, self._newest, key)

    def collect(self, key: Key) -> list[str]:
        """Take everything out of a session's mailbox."""
        held = self._states.get(key)
        if held is None or not held.mailbox:
            return []
        with self.changing(key) as state:
            mail, state.mailbox = state.mailbox, []
        return mail

    def _newest(self, key: Key) -> State:
        state = self._states.pop(key, None)
        if state is None:
            state = State()
        self._states[key] = state  # newest last
        while len(self._states) > self._limit:
            del self._states[next(iter(self._states))]
        return state


class _Locked:
    """A state while its lock is held; a generator would cost every event some microseconds more."""

    __slots__ = ("_find", "_key", "_lock")

    def __init__(self, lock: threading.RLock, find: Callable[[Key], State], key: Key) -> None:
        self._lock, self._find, self._key = lock, find, key

    def __enter__(self) -> State:
        self._lock.acquire()
        return self._find(self._key)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


class FileSessions:
    """State of processes that come and go: one locked file per session in a private folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @contextmanager
    def changing(self, key: Key) -> Iterator[State]:
        """The state of a session under an exclusive lock; without a place to write it is forgotten at once."""
        handle = self._locked(key)
        if handle is None:
            yield State()
            return
        try:
            state = _read(handle)
            before = _dump(state)
            yield state
            after = _dump(state)
            if after != before:
                _write(handle, after)
        finally:
            os.close(handle)

    def collect(self, key: Key) -> list[str]:
        """Take everything out of a session's mailbox."""
        with self.changing(key) as state:
            mail, state.mailbox = state.mailbox, []
        return mail

    def _locked(self, key: Key) -> int | None:
        """The file of a session, locked; None where there can be none."""
        name = hashlib.sha256(f"{key.agent}\0{key.session}\0{key.subagent}".encode("utf-8", "replace")).hexdigest()[:32]
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            make(self._folder)
            handle = os.open(os.path.join(self._folder, name), flags, 0o600)
        except OSError:
            return None
        with suppress(OSError):  # a file system may know no locks
            if stat.S_ISREG(os.fstat(handle).st_mode):
                fcntl.flock(handle, fcntl.LOCK_EX)
                return handle
        os.close(handle)
        return None


def _read(handle: int) -> State:
    try:
        data = os.pread(handle, MAX_STATE + 1, 0)
        found = json.loads(data) if data else {}
        state = State(set(found["once"]), dict(found["counts"]), dict(found["texts"]), list(found["mailbox"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return State()
    words = (*state.once, *state.counts, *state.texts, *state.texts.values(), *state.mailbox)
    sound = all(isinstance(word, str) for word in words) and all(type(count) is int for count in state.counts.values())
    return state if sound else State()


def _dump(state: State) -> bytes:
    parts = {
        "once": sorted(state.once),
        "counts": state.counts,
        "texts": state.texts,
        "mailbox": _newest(state.mailbox),
    }
    return json.dumps(parts).encode()


def _newest(mailbox: list[str]) -> list[str]:
    """What fits of a mailbox, the oldest dropped first, so that mail never costs the counters beside it."""
    kept: list[str] = []
    left = MAX_MAIL
    for text in reversed(mailbox):
        left -= len(text)
        if left < 0:
            break
        kept.append(text)
    return kept[::-1]


def _write(handle: int, data: bytes) -> None:
    try:
        os.pwrite(handle, data, 0)
        os.ftruncate(handle, len(data))
    except OSError:  # a full disk must not change a decision; the old state stays readable or is dropped
        with suppress(OSError):
            os.ftruncate(handle, 0)
