"""Journal: takes records, and writes them in batches behind the caller's back or, when it matters, at once.

Nothing it does changes a decision, or delays one for long.
"""

import atexit
import os
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from omnihook.journal import files
from omnihook.journal.committing import RETRY, STUCK, Committer, say, tend
from omnihook.journal.ids import Ids
from omnihook.journal.preparing import Entry, Preparer, encode
from omnihook.jsontypes import Json

DAYS, SIZE = 30.0, 64 << 20
PAUSE = 0.03  # seconds between a record and its batch
PATIENCE = 1.0  # seconds a short-lived process waits for other writers before it ends
BACKLOG, HELP = 4000, 256  # records behind the writer at which the caller helps out, and with how many
Maker = Callable[[], Sequence[Entry]]


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
        self._preparer = Preparer(lambda: files.key(folder))
        self._forgotten: weakref.finalize[[], Journal] | None = None
        self._fresh()
        _journals.add(self)

    def _fresh(self) -> None:
        """The state of a process that has taken nothing."""
        self._queue: deque[Maker] = deque()
        self._committer = Committer(self.folder, ids=self.ids, preparer=self._preparer, notify=self._notify)
        self._thread: threading.Thread | None = None
        self._lock, self._tending = threading.RLock(), threading.RLock()
        self._wake, self._stop = threading.Event(), threading.Event()
        if self._forgotten is not None:
            self._forgotten.detach()
        # Whoever drops a journal without closing it leaves no database open; at exit all are closed properly.
        self._forgotten = weakref.finalize(self, self._committer.let_go)
        self._forgotten.atexit = False

    @property
    def lost(self) -> int:
        """How many records could not be written and are gone."""
        return self._committer.lost

    def append(self, *records: Mapping[str, object], urgent: bool = False) -> None:
        """Take records, which have their ids; urgent ones are committed before this returns, if they can be."""
        entries = [self._preparer.entry(record) for record in records]
        self.take(lambda: entries, urgent=urgent)

    def take(self, make: Maker, *, urgent: bool = False) -> None:
        """As `append`, for records that are made when they are written: in batches that takes half the time."""
        self._queue.append(make)
        if urgent:  # with all that came before it: the journal is in the order in which events were taken
            self.flush()
            return
        if not self._resident:
            return
        if len(self._queue) > BACKLOG:
            self._write(HELP)
        elif not self._wake.is_set():
            self._start()
            self._wake.set()

    def late(self, record: str, body: Mapping[str, Json]) -> None:
        """Take what a background hook of an earlier record said."""
        made = self._preparer.redactor.redact(body)
        self._committer.late.append((record, time.time(), encode(made)))
        if self._resident:
            self._start()
            self._wake.set()

    def config(self, digest: str, body: Mapping[str, Json]) -> None:
        """Note the configuration that records are about to name; it is kept once, and redacted when it is written."""
        self._committer.config(digest, body)

    def encoded(self, value: Json) -> str:
        """JSON of what is JSON, and of anything else as near as it comes."""
        try:
            return encode(value)
        except (TypeError, ValueError, RecursionError, RuntimeError):  # or changed while it was read
            return encode(self._preparer.redactor.redact({"": value})[""])

    def flush(self) -> bool:
        """Write everything taken so far; whether that could be done."""
        return self._write(sys.maxsize)

    def _write(self, most: int) -> bool:
        with self._lock:
            makers = [self._queue.popleft() for _ in range(min(most, len(self._queue)))]
            return self._committer.write([entry for make in makers for entry in make()])

    def close(self) -> None:
        """Write everything and let go; what cannot be written by now is lost."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)
        self._thread = None
        with self._lock:
            self.flush()
            self._committer.close(STUCK if self._resident else PATIENCE)
            self._tend(last=True)
            self._committer.let_go()
        self._stop, self._wake = threading.Event(), threading.Event()

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="omnihook-journal", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(timeout=RETRY if self._committer.waiting else None)
            if self._stop.wait(PAUSE):
                return
            self._wake.clear()
            self.flush()
            self._tend()

    def _tend(self, *, last: bool = False) -> None:
        due = self._committer.written > max(64 << 10, self._size // 16)
        rarely = last and not self._resident and os.urandom(1)[0] < 8
        if due or rarely:
            self._committer.written = 0
            with self._tending:
                tend(self.folder, days=self._days, size=self._size)

    def before_fork(self) -> None:
        """Close the database, for a child can neither use nor close what it inherits of one; nobody opens it now."""
        self._lock.acquire()
        self._tending.acquire()
        self._committer.let_go()

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
