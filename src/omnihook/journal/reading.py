"""Reading the journal: records by what they are about, one by its id, those that come in, and figures per hook."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from omnihook.errors import JournalError
from omnihook.journal import files
from omnihook.journal.chaining import START, Chain, Link, follow
from omnihook.journal.ids import ALPHABET
from omnihook.journal.store import busy, damaged
from omnihook.journal.wanting import Record, Wanted, conditions, ran
from omnihook.jsontypes import list_at

_ANCHOR = "SELECT value FROM facts WHERE name = 'anchor'"
_ANEW = "move it away, and the next event that is fired begins a new one"
_COLUMNS = ("parent", "at", "event", "decision", "agent", "session")  # what records are found by
_SIMILAR = 3  # ids named when a prefix means several


class Reader:
    """The journal of a folder, read only. Without a journal there are no records.

    Among several records, one that cannot be read is left out; `notify` is told of the first.
    """

    def __init__(self, folder: str, notify: Callable[[str], None] | None = None) -> None:
        self._path, self._notify = os.path.join(folder, files.DATABASE), notify
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the journal."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def records(self, wanted: Wanted) -> list[Record]:
        """The records wanted, oldest first."""
        where, values = conditions(wanted)
        found: list[Record] = []
        for seq, body in self._rows(f"SELECT seq, body FROM records WHERE {where} ORDER BY id DESC", values):
            record = self._readable(seq, body)
            if record is None or (wanted.hook is not None and not ran(record, wanted.hook)):
                continue
            found.append(record)
            if wanted.limit is not None and len(found) >= wanted.limit:
                break
        return found[::-1]

    def after(self, seq: int) -> list[Record]:
        """The records written after one, in the order they were written."""
        return self._several("SELECT seq, body FROM records WHERE seq > ? ORDER BY seq", seq)

    def last(self) -> int:
        """The number of the newest record; 0 when there is none."""
        for (seq,) in self._rows("SELECT max(seq) FROM records"):
            return int(seq or 0)
        return 0

    def find(self, prefix: str) -> Record:
        """The record whose id is or begins with a prefix; raises when there is none or more than one."""
        text = prefix.strip().lower()
        if not text or not set(text) <= set(ALPHABET):
            raise JournalError(f"{prefix!r} is not the id of a record; 'omnihook log' lists them")
        query = "SELECT seq, body, id FROM records WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        found = list(self._rows(query, (text, text + "~", _SIMILAR + 1)))
        if not found:
            raise JournalError(f"no record has an id beginning with {prefix!r}; 'omnihook log' lists them")
        if len(found) > 1 and found[0][2] != text:
            named = ", ".join(row[2] for row in found[:_SIMILAR]) + (", ..." if len(found) > _SIMILAR else "")
            raise JournalError(f"{prefix!r} begins the ids of several records: {named}; give more of it")
        return self._loaded(found[0][0], found[0][1])

    def children(self, id: str) -> list[Record]:
        """The records of events that followed from one."""
        # A child is written with its parent, so it has nearly the same number.
        return self._several("SELECT seq, body FROM records WHERE id > ? AND parent = ? ORDER BY id LIMIT 100", id, id)

    def late(self, id: str) -> list[Record]:
        """What background hooks of a record said later."""
        return self._several("SELECT seq, body FROM late WHERE record = ? ORDER BY seq", id)

    def with_late(self, records: Iterable[Record]) -> list[Record]:
        """Records, those with background hooks with what these said later under `late`."""
        return [
            {**record, "late": [*self.late(str(record.get("id")))]} if _awaits(record) else record for record in records
        ]

    def config(self, digest: str) -> Record | None:
        """A configuration by its digest."""
        for (body,) in self._rows("SELECT body FROM configs WHERE digest = ?", (digest,)):
            return self._loaded(None, body)
        return None

    def lost(self) -> int:
        """How many records could not be written, as far as writers could say later."""
        for (value,) in self._rows("SELECT value FROM facts WHERE name = 'lost'"):
            return int(value)
        return 0

    def verified(self) -> Chain:
        """Whether the database is sound and every record is there as it was written."""
        with self._snapshot():
            for (said,) in self._rows("PRAGMA quick_check(1)"):
                if said != "ok":
                    return Chain(records=0, trouble=f"the database {self._path} is damaged: {said}")
            anchor = next((bytes(value) for (value,) in self._rows(_ANCHOR)), START)
            last = next(
                (int(seq) for (seq,) in self._rows("SELECT seq FROM sqlite_sequence WHERE name = 'records'")), 0
            )
            rows = self._rows(f"SELECT seq, id, body, hash, {', '.join(_COLUMNS)} FROM records ORDER BY seq")
            return follow((_link(*row) for row in rows), anchor, last)

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Let nothing change between several questions."""
        list(self._rows("BEGIN"))
        try:
            yield
        finally:
            if self._connection is not None and self._connection.in_transaction:
                self._connection.rollback()

    def replaced(self) -> bool:
        """Whether another file stands in the journal's place since it was opened, or none did."""
        return self._connection is None or files.identity(self._path) != self._identity

    def reopen(self) -> None:
        """Look for the journal again."""
        self.close()

    def _several(self, query: str, *values: str | float) -> list[Record]:
        found = [self._readable(*row) for row in self._rows(query, values)]
        return [record for record in found if record is not None]

    def _readable(self, seq: object, body: object) -> Record | None:
        """A record among others; None for one that cannot be read."""
        try:
            return self._loaded(seq, body)
        except JournalError as error:
            if self._notify is not None:
                self._notify(f"{error}; such records are left out")
                self._notify = None
            return None

    def _loaded(self, seq: object, body: object) -> Record:
        try:
            made = json.loads(str(body))
            if isinstance(made, dict):
                return made if seq is None else {**made, "seq": int(str(seq))}
        except (ValueError, RecursionError):
            pass
        told = f"the journal {self._path} holds a record that cannot be read (number {seq})"
        raise JournalError(f"{told}; 'omnihook log --verify' looks at all of them")

    def _rows(self, query: str, values: Sequence[str | float | None] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            connection = self._opened()
            if connection is not None:
                yield from connection.execute(query, values)
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                hint = "try again when nobody writes it" if busy(error) else _ANEW
                raise JournalError(f"the journal {self._path} cannot be read: {error}; {hint}") from error
        except sqlite3.Error as error:
            hint = "the next event that is fired begins a new one" if damaged(error) else _ANEW
            raise JournalError(f"the journal {self._path} cannot be read: {error}; {hint}") from error

    def _opened(self) -> sqlite3.Connection | None:
        if self._connection is None:
            self._identity = files.identity(self._path)
            if self._identity is None and not os.path.islink(self._path):
                self._check_reach()
                return None
            if not os.path.isfile(self._path):  # a pipe would make us wait
                raise JournalError(f"the journal {self._path} is not a regular file; {_ANEW}")
            address = "file:" + self._path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
            self._connection = _connected(address)
        return self._connection

    def _check_reach(self) -> None:
        """Without a journal there is nothing; but one that cannot be reached may be there."""
        folder = os.path.dirname(self._path)
        try:
            os.stat(self._path)
        except FileNotFoundError:
            return
        except NotADirectoryError:
            told = f"the state folder {folder} cannot be used: it or what it stands in is a file"
            raise JournalError(f"{told}; move that away, or name another with OMNIHOOK_STATE_DIR") from None
        except OSError as error:
            raise JournalError(f"the journal {self._path} cannot be read: {error.strerror}") from error


def _link(seq: int, id: str, body: str, hash: bytes | None, *columns: object) -> Link:
    return Link(seq=seq, id=id, body=body, hash=hash, columns=dict(zip(_COLUMNS, columns, strict=True)))


def _connected(address: str) -> sqlite3.Connection:
    """A read-only connection; in a folder that cannot be written, the file as it is."""
    try:
        return _proven(sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=2.0, isolation_level=None))
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
    return sqlite3.connect(f"{address}?immutable=1", uri=True, isolation_level=None)


def _proven(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A connection that can be read from; one that cannot is closed."""
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:  # also Ctrl-C: nobody else has it yet, and so nobody would close it
        connection.close()
        raise
    return connection


def _awaits(record: Record) -> bool:
    return any(isinstance(run, dict) and run.get("status") == "late" for run in list_at(record, "runs"))
