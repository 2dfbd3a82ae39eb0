"""The chain: what is missing or changed shows; pruning does not break it, and a cut loses only the tail."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from journal.kit import record, rows, sound
from omnihook.journal import Journal
from omnihook.journal.chaining import Chain
from omnihook.journal.reading import Reader


def filled(folder: Path, count: int, **more: object) -> Path:
    journal = Journal(str(folder), resident=False)
    for number in range(count):
        journal.append(record(journal, number, **more))
    journal.close()
    return folder


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as connection:
        connection.execute(statement)


def verified(folder: Path) -> Chain:
    with Reader(str(folder)) as reader:
        return reader.verified()


def test_an_untouched_journal_is_whole(tmp_path: Path) -> None:
    assert verified(filled(tmp_path, 300)) == Chain(records=300)
    assert verified(tmp_path / "nowhere") == Chain(records=0)


@pytest.mark.parametrize(
    ("statement", "count", "trouble"),
    [
        ("UPDATE records SET body = replace(body, 'PreToolUse', 'Stop') WHERE seq = 4", 3, "not as it was written"),
        ("UPDATE records SET id = 'x' || id WHERE seq = 4", 3, "not as it was written"),
        ("UPDATE records SET decision = 'deny', event = 'Fake' WHERE seq = 4", 3, "another event and decision than"),
        ("UPDATE records SET at = at - 60 WHERE seq = 4", 3, "another at than"),
        ("UPDATE records SET at = 'x', agent = NULL WHERE seq = 4", 3, "another at and agent than"),
        ("UPDATE records SET session = 'other', parent = 'p' WHERE seq = 4", 3, "another parent and session than"),
        ("UPDATE records SET hash = x'00' WHERE seq = 4", 3, "not as it was written"),
        ("UPDATE records SET hash = NULL WHERE seq = 4", 3, "not in the chain"),
        ("DELETE FROM records WHERE seq IN (4, 5)", 3, "2 records are missing before"),
        ("DELETE FROM records WHERE seq < 4", 0, "not as it was written"),
        ("DELETE FROM records WHERE seq > 8", 8, "2 records are missing at the end"),
    ],
)
def test_what_somebody_did_to_it_shows(tmp_path: Path, statement: str, count: int, trouble: str) -> None:
    change(filled(tmp_path, 10), statement)
    found = verified(tmp_path)
    assert found.records == count
    assert trouble in str(found.trouble)


def test_a_row_put_in_between_shows(tmp_path: Path) -> None:
    filled(tmp_path, 10)
    copied = "id || 'x', parent, at, event, decision, agent, session, body, hash"
    change(tmp_path, f"INSERT INTO records SELECT 11, {copied} FROM records WHERE seq = 3")
    assert "not as it was written" in str(verified(tmp_path).trouble)


def test_pruning_and_several_writers_keep_the_chain(tmp_path: Path) -> None:
    journals = [Journal(str(tmp_path), size=1 << 18, resident=False) for _ in range(3)]
    for number in range(60):
        for journal in journals:
            for _ in range(20):
                journal.append(record(journal, number, text="z" * 300))
            journal.flush()
        if number % 10 == 9:
            journals[number // 10 % 3].close()
    for journal in journals:
        journal.close()
    ((first,),) = rows(tmp_path, "SELECT min(seq) FROM records")
    assert int(str(first)) > 1
    sound(tmp_path)


def test_everything_pruned_is_still_the_beginning_of_what_follows(tmp_path: Path) -> None:
    filled(tmp_path, 300, at=1.0, text="z" * 500)
    journal = Journal(str(tmp_path), days=1, size=1 << 16, resident=False)
    for number in range(300):
        journal.append(record(journal, number, text="z" * 500))
    journal.close()
    assert len(rows(tmp_path)) <= 300
    sound(tmp_path)


def test_a_journal_from_before_the_chain_goes_on(tmp_path: Path) -> None:
    filled(tmp_path, 5)
    change(tmp_path, "ALTER TABLE records DROP COLUMN hash")
    change(tmp_path, "PRAGMA user_version = 1")
    filled(tmp_path, 5)
    assert verified(tmp_path) == Chain(records=10)
    change(tmp_path, "UPDATE records SET body = '{}' WHERE seq = 7")
    assert verified(tmp_path).records == 6


def cut_anywhere(tmp_path: Path, step: int) -> None:
    """Cut the log at every so many bytes of its last two records: only these may be lost, and all else goes on."""
    origin = tmp_path / "origin"
    journal = Journal(str(origin))
    sizes = []
    for number in range(6):
        journal.append(record(journal, number, text="y" * 900), urgent=True)
        sizes.append((origin / "journal.db-wal").stat().st_size)
    kept = {name: (origin / name).read_bytes() for name in ("journal.db", "journal.db-wal")}
    journal.close()
    seen: set[int] = set()
    folder = tmp_path / "cut"
    for cut in range(sizes[3], sizes[5] + 1, step):
        folder.mkdir(mode=0o700)
        for name, content in kept.items():
            (folder / name).write_bytes(content[:cut] if name.endswith("-wal") else content)
        whole = sum(size <= cut for size in sizes)
        again = Journal(str(folder), resident=False, notify=lambda text: None)
        again.append(record(again, 999), urgent=True)
        again.close()
        assert [json.loads(str(row[-1]))["number"] for row in rows(folder)] == [*range(whole), 999], cut
        sound(folder)
        seen.add(whole)
        shutil.rmtree(folder)
    assert seen >= {4, 5}


def test_a_log_that_is_cut_loses_only_its_last_records(tmp_path: Path) -> None:
    cut_anywhere(tmp_path, 211)


@pytest.mark.slow
def test_a_log_that_is_cut_at_every_byte_loses_only_its_last_records(tmp_path: Path) -> None:
    memory = Path("/dev/shm", f"omnihook-{os.getpid()}")
    place = memory if os.access("/dev/shm", os.W_OK) else tmp_path / "cuts"
    place.mkdir()
    try:
        cut_anywhere(place, 1)
    finally:
        shutil.rmtree(place)


def test_columns_of_odd_records_agree_with_them(tmp_path: Path) -> None:
    odd = {"session": "\ud800x", "agent": "token=abcdef123456", "decision": "deny", "at": 1700000000.123456}
    assert verified(filled(tmp_path, 3, **odd)) == Chain(records=3)
