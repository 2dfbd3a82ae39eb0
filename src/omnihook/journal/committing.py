"""Committing: what was taken becomes transactions, and what goes wrong with the database is made the best of.

What cannot be written waits in memory, is counted once it is lost, and is said once.
"""

import contextlib
import os
import sqlite3
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from omnihook.journal import files
from omnihook.journal.ids import Ids
from omnihook.journal.preparing import Entry, Preparer
from omnihook.journal.store import Batch, Row, Store, busy, damaged
from omnihook.jsontypes import Json
from omnihook.slotted import dataclass

RETRY = 1.0  # seconds after a failure before the next attempt
HELD, HELD_SIZE = 2000, 16 << 20  # records and characters that wait while nothing can be written
HOUR = 3600.0
CONFIGS = 8  # configurations remembered
STUCK = 5.0  # seconds of another's writing after which it counts as a failure


@dataclass(slots=True)
class Config:
    """A configuration that records name, when it was last noted, and its text once it was redacted."""

    body: Mapping[str, Json]
    noted: float
    text: str = ""


def say(text: str) -> None:
    """A notice for people."""
    sys.stderr.write(f"omnihook: {text}\n")


class Committer:
    """What waits to be written to the journal of a folder; whoever calls holds its lock."""

    def __init__(self, folder: str, *, ids: Ids, preparer: Preparer, notify: Callable[[str], None]) -> None:
        self._folder, self._ids, self._preparer, self._notify = folder, ids, preparer, notify
        self.lost = 0  # records that will never be written
        self.written = 0  # characters since the last pruning
        self.late: list[tuple[str, float, str]] = []
        self._told_lost = 0
        self._held: deque[Row] = deque()
        self._configs: dict[str, Config] = {}  # by digest, oldest first
        self._due: set[str] = set()  # digests that the next transaction must note
        self._store: Store | None = None
        self._noticed = False
        self._retry_at = self._failing_since = 0.0

    @property
    def waiting(self) -> bool:
        """Whether something is left for another attempt."""
        return bool(self._held or self.late or self._due)

    def config(self, digest: str, body: Mapping[str, Json]) -> None:
        """Note the configuration that records are about to name; it is kept once, and redacted when it is written."""
        found = self._configs.get(digest)
        now = time.monotonic()
        if found is not None and now - found.noted < HOUR:
            return
        self._configs[digest] = Config(body, now) if found is None else found
        self._configs[digest].noted = now
        self._due.add(digest)
        if len(self._configs) > CONFIGS:
            oldest = next(iter(self._configs))
            if oldest not in self._due:
                del self._configs[oldest]

    def write(self, entries: Sequence[Entry]) -> bool:
        """Write records and whatever waits; whether that could be done."""
        rows = self._preparer.rows(entries)
        self.written += sum([len(str(row[-1])) for row in rows])
        self._held.extend(rows)
        if not self.waiting:
            return True
        if time.monotonic() < self._retry_at:
            self._trim()
            return False
        return self._attempt() or (self._store is None and self._retry_at == 0.0 and self._attempt())

    def close(self, patience: float) -> None:
        """A last attempt, or several while others write, for so many seconds; what is not written then is lost."""
        self._retry_at = 0.0
        deadline = time.monotonic() + patience
        while not self.write(()):
            if self._retry_at > 0.0 or time.monotonic() > deadline:
                self.lost += len(self._held)
                self._held.clear()
                return

    def _attempt(self) -> bool:
        try:
            store = self._opened()
            batch = self._batch(store)
            store.write(batch)
        except sqlite3.IntegrityError:
            self._reissue()
            return False
        except sqlite3.Error as error:
            self._failed(error)
            return False
        except OSError as error:
            self._fail(str(error))
            return False
        self._held.clear()
        del self.late[: len(batch.late)]
        self._due.difference_update(batch.configs)
        self._told_lost += batch.lost
        self._failing_since = self._retry_at = 0.0
        return True

    def _batch(self, store: Store) -> Batch:
        due: dict[str, str | None] = {}
        for digest in tuple(self._due):
            found = self._configs[digest]
            if not found.text and not store.knows(digest):
                found.text = self._preparer.config(found.body)
            due[digest] = found.text or None
        told = self.lost - self._told_lost
        return Batch(rows=tuple(self._held), late=tuple(self.late), configs=due, lost=told)

    def _opened(self) -> Store:
        if self._store is not None and not self._store.current:
            self.let_go()
            self._due.update(self._configs)  # what stands in its place knows none of them
        if self._store is None:
            self._store = Store(self._folder)
        return self._store

    def _failed(self, error: sqlite3.Error) -> None:
        """Make the best of an error; with no store and no time to wait, `write` tries once more."""
        if damaged(error):
            self._set_aside(error)
        elif busy(error):
            self._failing_since = self._failing_since or time.monotonic()
            if time.monotonic() - self._failing_since > STUCK:
                self._fail("another process keeps it locked")
        elif isinstance(error, sqlite3.OperationalError):
            self._fail(str(error))
        else:  # a record the database will never take must not stop the others
            self.lost += len(self._held)
            self._held.clear()
            self._fail(str(error))

    def _set_aside(self, error: sqlite3.Error) -> None:
        path = os.path.join(self._folder, files.DATABASE)
        found = self._store.identity if self._store is not None else files.identity(path)
        self.let_go()
        try:
            aside = files.set_aside(self._folder, found) if found is not None else None
        except OSError as trouble:
            self._fail(f"{error}; {trouble}")
            return
        self._due.update(self._configs)
        self._retry_at = 0.0
        if aside is not None:
            self._notify(f"the journal was damaged and a new one is begun; the old one is kept as {aside}")

    def _fail(self, reason: str) -> None:
        self.let_go()
        self._trim()
        self._retry_at = time.monotonic() + RETRY
        if not self._noticed:
            self._noticed = True
            self._notify(f"the journal cannot be written ({reason}); decisions are not affected")

    def let_go(self) -> None:
        """Close the database; the next attempt opens it again."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _trim(self) -> None:
        """Drop the oldest of what waits beyond what may wait."""
        size = sum(len(str(row[-1])) for row in self._held)
        while self._held and (len(self._held) > HELD or size > HELD_SIZE):
            size -= len(str(self._held.popleft()[-1]))
            self.lost += 1

    def _reissue(self) -> None:
        """An id is taken: either the row is there already, or another process made the same one."""
        self._ids.remark()
        made: deque[Row] = deque()
        renamed: dict[str, str] = {}
        for row in self._held:
            if self._store is not None and self._store.has(row):
                continue
            old, new = str(row[0]), self._ids.new(time.time())
            renamed[old] = new
            parent = renamed.get(str(row[1]), row[1])
            body = str(row[-1]).replace(f'"id":"{old}"', f'"id":"{new}"', 1)
            made.append((new, parent, *row[2:-1], body.replace(f'"parent":"{row[1]}"', f'"parent":"{parent}"', 1)))
        self._held = made
        self.let_go()
        self._retry_at = 0.0


def tend(folder: str, *, days: float, size: int) -> None:
    """Prune and work off the log, on a connection of its own so that nobody who writes waits for it."""
    try:
        with contextlib.closing(Store(folder)) as store:
            store.prune(before=time.time() - days * 86_400, size=size)
            store.work_off()
    except (OSError, sqlite3.Error):
        return  # another time; who writes next finds out what is wrong
