"""Journal: takes records, and writes them in batches behind the caller's back or, when it matters, at once.

Nothing it does changes a decision or delays one for long: what cannot be written waits in memory, is counted once it
is lost, and is said once.
"""

import atexit
import contextlib
import os
import sqlite3
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from omnihook.journal import files
from omnihook.journal.ids import Ids
from omnihook.journal.preparing import Entry, Preparer, encode
from omnihook.journal.store import Batch, Row, Store, busy, damaged
from omnihook.jsontypes import Json

DAYS, SIZE = 30.0, 64 << 20
PAUSE = 0.03  # seconds between a record and its batch
RETRY = 1.0  # seconds after a failure before the next attempt
BACKLOG = 4000  # records behind the writer at which the caller helps out
HELD, HELD_SIZE = 2000, 16 << 20  # records and characters that wait while nothing can be written
HOUR = 3600.0
Maker = Callable[[], Sequence[Entry]]
STUCK = 5.0  # seconds of another's writing after which it counts as a failure


def say(text: str) -> None:
    """A notice for people."""
    sys.stderr.write(f"omnihook: {text}\n")


class Journal:
    """The records of one process in the journal of one folder.

    A `resident` process writes from a thread of its own; any other writes when told to, or when it closes.
    """

    def __init__(
        self,
        folder: str,
        *,
        resident: bool = True,
        days: float = DAYS,
        size: int = SIZE,
        notify: Callable[[str], None] = say,
    ) -> None:
        self.folder, self._resident, self._days, self._size, self._notify = folder, resident, days, size, notify
        self.ids = Ids()
        self.lost = 0  # records that will never be written
        self._told_lost = 0
        self._preparer = Preparer(lambda: files.key(folder))
        self._fresh()
        _journals.add(self)

    def _fresh(self) -> None:
        """The state of a process that has written nothing."""
        self._queue: deque[Maker] = deque()
        self._held: deque[Row] = deque()
        self._late: list[tuple[str, float, str]] = []
        self._configs: dict[str, str | None] = {}
        self._known: dict[str, float] = {}
        self._store: Store | None = None
        self._thread: threading.Thread | None = None
        self._lock, self._tending = threading.RLock(), threading.RLock()
        self._wake, self._stop = threading.Event(), threading.Event()
        self._noticed = False
        self._retry_at = self._failing_since = 0.0
        self._written = 0  # characters since the last pruning

    def append(self, *records: Mapping[str, object], urgent: bool = False) -> None:
        """Take records, which have their ids; urgent ones are committed before this returns, if they can be."""
        entries = [self._preparer.entry(record) for record in records]
        self.take(lambda: entries, urgent=urgent)

    def take(self, make: Maker, *, urgent: bool = False) -> None:
        """As `append`, for records that are made when they are written: in batches that takes half the time."""
        if urgent:
            with self._lock:
                self._write(make())
            return
        self._queue.append(make)
        if not self._resident:
            return
        if len(self._queue) > BACKLOG:
            self.flush()
        elif not self._wake.is_set():
            self._start()
            self._wake.set()

    def late(self, record: str, body: Mapping[str, Json]) -> None:
        """Take what a background hook of an earlier record said."""
        made = self._preparer.redactor.redact(body)
        self._late.append((record, time.time(), encode(made)))
        if self._resident:
            self._start()
            self._wake.set()

    def config(self, digest: str, body: Mapping[str, Json]) -> None:
        """Note the configuration that records are about to name; it is kept once."""
        now = time.monotonic()
        since = self._known.get(digest)
        if since is not None and now - since < HOUR:
            return
        if since is None:
            self._configs[digest] = self._preparer.config(body)
        else:
            self._configs.setdefault(digest, None)
        self._known[digest] = now

    def encoded(self, value: Json) -> str:
        """JSON of what is JSON, and of anything else as near as it comes."""
        try:
            return encode(value)
        except (TypeError, ValueError, RecursionError, RuntimeError):  # or changed while it was read
            return encode(self._preparer.redactor.redact({"": value})[""])

    def flush(self) -> bool:
        """Write everything taken so far; whether that could be done."""
        with self._lock:
            makers = [self._queue.popleft() for _ in range(len(self._queue))]
            return self._write([entry for make in makers for entry in make()])

    def close(self) -> None:
        """Write everything and let go; what cannot be written by now is lost."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)
        self._thread = None
        with self._lock:
            self._retry_at = 0.0
            if not self.flush():
                self.lost += len(self._held)
                self._held.clear()
            self._tend(closing=True)
            if self._store is not None:
                self._store.close()
                self._store = None
        self._stop, self._wake = threading.Event(), threading.Event()

    def _write(self, entries: Sequence[Entry]) -> bool:
        rows = self._preparer.rows(entries)
        self._written += sum(len(str(row[-1])) for row in rows)
        self._held.extend(rows)
        if not self._held and not self._late and not self._configs:
            return True
        if time.monotonic() < self._retry_at:
            self._trim()
            return False
        return self._attempt() or (self._store is None and self._retry_at == 0.0 and self._attempt())

    def _attempt(self) -> bool:
        batch = Batch(
            rows=tuple(self._held),
            late=tuple(self._late),
            configs=dict(self._configs),
            lost=self.lost - self._told_lost,
        )
        try:
            self._opened().write(batch)
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
        del self._late[: len(batch.late)]
        self._configs.clear()
        self._told_lost += batch.lost
        self._failing_since = self._retry_at = 0.0
        return True

    def _opened(self) -> Store:
        if self._store is not None and not self._store.current:
            self._store.close()
            self._store = None
        if self._store is None:
            self._store = Store(self.folder)
        return self._store

    def _failed(self, error: sqlite3.Error) -> None:
        """Make the best of an error; with no store and no time to wait, `_write` tries once more."""
        if damaged(error):
            self._set_aside(error)
        elif busy(error):
            self._failing_since = self._failing_since or time.monotonic()
            if time.monotonic() - self._failing_since > STUCK:
                self._fail("another process keeps it locked")
            else:
                self._retry_at = time.monotonic() + PAUSE
        elif isinstance(error, sqlite3.OperationalError):
            self._fail(str(error))
        else:  # a record the database will never take must not stop the others
            self.lost += len(self._held)
            self._held.clear()
            self._fail(str(error))

    def _set_aside(self, error: sqlite3.Error) -> None:
        path = os.path.join(self.folder, files.DATABASE)
        found = self._store.identity if self._store is not None else files.identity(path)
        self._let_go()
        try:
            aside = files.set_aside(self.folder, found) if found is not None else None
        except OSError as trouble:
            self._fail(f"{error}; {trouble}")
            return
        self._known.clear()
        self._retry_at = 0.0
        if aside is not None:
            self._notify(f"the journal was damaged and a new one is begun; the old one is kept as {aside}")

    def _fail(self, reason: str) -> None:
        self._let_go()
        self._trim()
        self._retry_at = time.monotonic() + RETRY
        if not self._noticed:
            self._noticed = True
            self._notify(f"the journal cannot be written ({reason}); decisions are not affected")

    def _let_go(self) -> None:
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
        self.ids.remark()
        made: deque[Row] = deque()
        renamed: dict[str, str] = {}
        for row in self._held:
            if self._store is not None and self._store.has(row):
                continue
            old, new = str(row[0]), self.ids.new(time.time())
            renamed[old] = new
            parent = renamed.get(str(row[1]), row[1])
            body = str(row[-1]).replace(f'"id":"{old}"', f'"id":"{new}"', 1)
            made.append((new, parent, *row[2:-1], body.replace(f'"parent":"{row[1]}"', f'"parent":"{parent}"', 1)))
        self._held = made
        self._let_go()
        self._retry_at = 0.0

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="omnihook-journal", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(timeout=RETRY if self._held or self._configs else None)
            if self._stop.wait(PAUSE):
                return
            self._wake.clear()
            self.flush()
            self._tend()

    def _tend(self, *, closing: bool = False) -> None:
        """Prune and work off the log, on a connection of its own so that nobody waits for it."""
        due = self._written > max(64 << 10, self._size // 16)
        rarely = closing and not self._resident and os.urandom(1)[0] < 8
        if self._store is None or not (due or rarely):
            return
        self._written = 0
        with self._tending:
            try:
                with contextlib.closing(Store(self.folder)) as store:
                    store.prune(before=time.time() - self._days * 86_400, size=self._size)
                    store.work_off()
            except (OSError, sqlite3.Error):
                return  # another time; who writes next finds out what is wrong

    def before_fork(self) -> None:
        """Close the database, for a child can neither use nor close what it inherits of one; nobody opens it now."""
        self._lock.acquire()
        self._tending.acquire()
        self._let_go()

    def after_fork(self, *, child: bool) -> None:
        """Go on; a child forgets what its parent will write."""
        if child:
            self.ids.remark()
            self._fresh()
        else:
            self._tending.release()
            self._lock.release()


_journals: weakref.WeakSet[Journal] = weakref.WeakSet()
_forking: list[Journal] = []


def _close_all() -> None:
    for journal in list(_journals):
        journal.close()


def _before_fork() -> None:
    _forking.extend(_journals)
    for journal in _forking:
        journal.before_fork()


def _after_fork(*, child: bool) -> None:
    while _forking:
        _forking.pop().after_fork(child=child)


atexit.register(_close_all)
os.register_at_fork(
    before=_before_fork,
    after_in_parent=lambda: _after_fork(child=False),
    after_in_child=lambda: _after_fork(child=True),
)
