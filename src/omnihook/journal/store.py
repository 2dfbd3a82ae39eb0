"""Store: the journal's SQLite database; one connection, whole transactions, and the errors as they come."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import field
from itertools import chain

from omnihook.journal import files
from omnihook.journal.chaining import START, link
from omnihook.slotted import dataclass

VERSION = 2
BUSY = 0.25  # seconds to wait for another writer
_RARELY = 1800.0  # seconds between two notes that a configuration is in use
_LOG_LIMIT = 4 << 20  # bytes of the write-ahead log before it is worked off
_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, parent TEXT, at REAL NOT NULL,
    event TEXT NOT NULL, decision TEXT, agent TEXT, session TEXT, body TEXT NOT NULL, hash BLOB);
CREATE TABLE IF NOT EXISTS late (seq INTEGER PRIMARY KEY, record TEXT NOT NULL, at REAL NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS late_record ON late (record);
CREATE TABLE IF NOT EXISTS configs (digest TEXT PRIMARY KEY, used REAL NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""
_COUNT_LOST = "INSERT INTO facts VALUES ('lost', ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value"
_NOTE_ANCHOR = (
    "INSERT OR REPLACE INTO facts SELECT 'anchor', hash FROM records WHERE seq <= ? ORDER BY seq DESC LIMIT 1"
)
_NEWEST = "SELECT hash FROM records ORDER BY seq DESC LIMIT 1"
_ANCHOR = "SELECT value FROM facts WHERE name = 'anchor'"
_COLUMNS = "id, parent, at, event, decision, agent, session, body, hash"
_WIDTH = 9
_CHUNKS = (128, 8, 1)  # rows of one statement: every statement gives the interpreter to other threads once
_MARKS = f"({', '.join('?' * _WIDTH)})"
_INSERTS = {size: f"INSERT INTO records ({_COLUMNS}) VALUES {', '.join([_MARKS] * size)}" for size in _CHUNKS}
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

Value = str | float | None
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one transaction writes: records, what background hooks said later, configurations, and a count of losses."""

    rows: Sequence[Row] = ()
    late: Sequence[tuple[str, float, str]] = ()
    configs: Mapping[str, str | None] = field(default_factory=dict)  # by digest; None: it is known, and in use
    lost: int = 0


class Store:
    """An open database."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        with files.locked(folder, exclusive=False) if os.path.isdir(folder) else nullcontext():
            self.path = files.prepare(folder)
            self.identity = files.identity(self.path)
            self._connection = sqlite3.connect(
                self.path, timeout=BUSY, isolation_level=None, check_same_thread=False, cached_statements=16
            )
            try:
                self._set_up()
            except BaseException:  # also Ctrl-C: whoever made us gets nothing to close
                self._connection.close()
                raise

    def _set_up(self) -> None:
        run = self._connection.execute
        if run("PRAGMA user_version").fetchone()[0] < VERSION:
            run("PRAGMA auto_vacuum = INCREMENTAL")
            _retried(lambda: run("PRAGMA journal_mode = WAL").fetchone())
            with self._writing():
                for statement in _SCHEMA.strip().split(";\n"):
                    run(statement)
                if run("SELECT 1 FROM pragma_table_info('records') WHERE name = 'hash'").fetchone() is None:
                    run("ALTER TABLE records ADD COLUMN hash BLOB")  # made before there was a chain
                run(f"PRAGMA user_version = {VERSION}")
        run("PRAGMA synchronous = NORMAL")
        run("PRAGMA wal_autocheckpoint = 0")  # working off the log costs a sync: never within a decision
        run(f"PRAGMA journal_size_limit = {_LOG_LIMIT}")

    @property
    def current(self) -> bool:
        """Whether the database is still the one at its path."""
        return self.identity is not None and files.identity(self.path) == self.identity

    def write(self, batch: Batch) -> None:
        """Write everything or nothing."""
        with self._writing():
            self._insert(batch.rows)
            for late in batch.late:
                self._connection.execute("INSERT INTO late (record, at, body) VALUES (?, ?, ?)", late)
            for digest, body in batch.configs.items():
                self._note_config(digest, body)
            if batch.lost:
                self._connection.execute(_COUNT_LOST, (batch.lost,))

    def has(self, row: Row) -> bool:
        """Whether exactly this row is there."""
        found = self._connection.execute("SELECT body FROM records WHERE id = ?", (row[0],)).fetchone()
        return found is not None and found[0] == row[-1]

    def _insert(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        at, before = 0, self._newest()
        chained: list[tuple[Value | bytes, ...]] = []
        for row in rows:
            before = link(before, str(row[0]), str(row[-1]))
            chained.append((*row, before))
        for size in _CHUNKS:
            while len(chained) - at >= size:
                values = [*chain.from_iterable(chained[at : at + size])]
                self._connection.execute(_INSERTS[size], values)
                at += size

    def _newest(self) -> bytes:
        """The hash that the next record stands behind."""
        found = self._connection.execute(_NEWEST).fetchone() or self._connection.execute(_ANCHOR).fetchone()
        return START if found is None or found[0] is None else bytes(found[0])

    def knows(self, digest: str) -> bool:
        """Whether a configuration is kept."""
        return self._connection.execute("SELECT 1 FROM configs WHERE digest = ?", (digest,)).fetchone() is not None

    def _note_config(self, digest: str, body: str | None) -> None:
        now = time.time()
        if body is None:
            values = (now, digest, now - _RARELY)
            self._connection.execute("UPDATE configs SET used = ? WHERE digest = ? AND used < ?", values)
        else:
            self._connection.execute("INSERT OR REPLACE INTO configs VALUES (?, ?, ?)", (digest, now, body))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:  # also Ctrl-C: a transaction that stays open locks everybody else out
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def prune(self, *, before: float, size: int) -> int:
        """Delete the oldest records beyond an age or a size, a few at a time; gives how many."""
        gone = self._drop_old(before)
        for _ in range(16):
            if self.used <= size:
                break
            gone += self._drop_oldest()
        if gone:
            self._drop_orphans()
            self._connection.execute("PRAGMA incremental_vacuum(512)").fetchall()
        return gone

    @property
    def used(self) -> int:
        """Bytes of the database in use."""
        one = self._connection.execute
        pages = one("PRAGMA page_count").fetchone()[0] - one("PRAGMA freelist_count").fetchone()[0]
        return int(pages * one("PRAGMA page_size").fetchone()[0])

    def _drop_old(self, before: float) -> int:
        gone = 0
        while True:
            oldest = self._connection.execute("SELECT seq, at FROM records ORDER BY seq LIMIT 200").fetchall()
            last = max((seq for seq, at in oldest if isinstance(at, float) and at < before), default=None)
            if last is None:
                return gone
            gone += self._drop_to(last)

    def _drop_oldest(self) -> int:
        first, last = self._connection.execute("SELECT min(seq), max(seq) FROM records").fetchone()
        if first is None or first == last:
            return 0
        return self._drop_to(min(last - 1, first + max(20, (last - first) // 16)))

    def _drop_to(self, seq: int) -> int:
        with self._writing():
            self._connection.execute(_NOTE_ANCHOR, (seq,))
            return self._connection.execute("DELETE FROM records WHERE seq <= ?", (seq,)).rowcount

    def _drop_orphans(self) -> None:
        """Late answers and configurations that no record names any more; a day's grace for those in the making."""
        with self._writing():
            oldest = self._connection.execute("SELECT min(CAST(at AS REAL)), min(id) FROM records").fetchone()
            edge = time.time() if oldest[0] is None else oldest[0]
            self._connection.execute("DELETE FROM configs WHERE used < ?", (edge - 86_400,))
            self._connection.execute("DELETE FROM late WHERE record < ?", (oldest[1] or "",))

    def work_off(self) -> None:
        """Move the write-ahead log into the database once it has grown; never waits for others."""
        try:
            grown = os.stat(self.path + "-wal").st_size >= _LOG_LIMIT
        except OSError:
            return
        if grown:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """Let go of the database; not while it is being replaced."""
        try:
            with files.locked(self.folder, exclusive=False):
                self._connection.close()
        except OSError:
            self._connection.close()


def damaged(error: sqlite3.Error) -> bool:
    """Whether an error says that the database itself is broken."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def busy(error: sqlite3.Error) -> bool:
    """Whether an error only says that another process is writing."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _retried(action: Callable[[], object]) -> None:
    for attempt in range(40):
        try:
            action()
            return
        except sqlite3.OperationalError as error:
            if not busy(error) or attempt == 39:
                raise
            time.sleep(0.01)
