"""Records for journals, and what stands in the database afterwards."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from omnihook.journal import Journal
from omnihook.journal.chaining import Chain
from omnihook.journal.reading import Reader


def record(journal: Journal, number: int = 0, **more: object) -> dict[str, object]:
    at = time.time()
    return {
        "id": journal.ids.new(at),
        "at": at,
        "event": "PreToolUse",
        "decision": None,
        "agent": "omnihook",
        "session": "s",
        "runs": [],
        "number": number,
        **more,
    }


ROWS = "SELECT seq, id, parent, at, event, decision, agent, session, body FROM records ORDER BY seq"


def rows(folder: Path, query: str = ROWS) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "journal.db")) as connection:
        return connection.execute(query).fetchall()


def sound(folder: Path) -> None:
    """The database is whole, no number is missing, no id stands twice, and every record is as it was written."""
    with closing(sqlite3.connect(folder / "journal.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        count, first, last, ids = connection.execute(
            "SELECT count(*), min(seq), max(seq), count(DISTINCT id) FROM records"
        ).fetchone()
    assert count == 0 or (last - first + 1, ids) == (count, count)
    with Reader(str(folder)) as reader:
        assert reader.verified() == Chain(records=count)


def python(code: str, *args: str, env: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=None if env is None else dict(env),
    )


def finished(child: "subprocess.Popen[str]") -> str:
    out, err = child.communicate()
    assert child.returncode == 0, err
    return out


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """A file system of its own; being allowed to mount is a condition of these tests."""
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
