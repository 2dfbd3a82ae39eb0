"""Writing: batches, commits before the reply, many processes, pruning, privacy of the files."""

import gc
import json
import os
import sqlite3
import stat
import threading
import time
from pathlib import Path

import pytest

from journal.kit import finished, python, record, rows, sound
from journal.secrets_corpus import samples
from omnihook.errors import JournalError
from omnihook.journal import Journal
from omnihook.journal.ids import ALPHABET, Ids, earliest
from omnihook.journal.reading import Reader

WRITER = """
import sys, time
from omnihook.journal import Journal
from journal.kit import record
folder, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
journal = Journal(folder, size=size)
for number in range(count):
    journal.append(record(journal, number, text="x" * 200), urgent=number % 1000 == 7)
journal.close()
assert journal.lost == 0, journal.lost
"""
ENV = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}


def test_records_are_written_behind_the_caller(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    journal.append(record(journal, 1))
    deadline = time.monotonic() + 5
    while not (tmp_path / "journal.db").exists() or not _count(tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    journal.close()
    assert [json.loads(str(row[-1]))["number"] for row in rows(tmp_path)] == [1]


def test_an_urgent_record_is_there_when_append_returns(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    for number in range(20):
        journal.append(record(journal, number, decision="deny"), urgent=True)
        assert _count(tmp_path) == number + 1
    journal.close()


def test_a_short_lived_process_writes_when_it_closes(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path), resident=False)
    journal.append(record(journal))
    assert not (tmp_path / "journal.db").exists()
    journal.close()
    assert _count(tmp_path) == 1
    journal.append(record(journal))  # and may go on
    journal.close()
    assert _count(tmp_path) == 2


def test_what_is_left_is_written_when_the_process_ends(tmp_path: Path) -> None:
    code = "import sys; from omnihook.journal import Journal; from journal.kit import record\n"
    code += "j = Journal(sys.argv[1])\nfor n in range(50): j.append(record(j, n))"
    finished(python(code, str(tmp_path), env=ENV))
    assert _count(tmp_path) == 50


def test_files_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    journal = Journal(str(folder))
    journal.append(record(journal, text="password=hunter22"), urgent=True)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    journal.close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}
    assert {"journal.db", "journal.db-wal", "journal.key", "journal.lock"} <= set(modes)


def test_no_secret_of_the_corpus_is_in_any_file(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    corpus = samples()
    for number, sample in enumerate(corpus):
        journal.append(
            record(journal, number, session=sample.secret if number % 50 == 0 else "s", stdout=sample.text),
            urgent=number % 100 == 0,
        )
    journal.late("0", {"stdout": corpus[0].text})
    journal.config("d", {"texts": {"a": corpus[1].text}, "hooks": [{"name": corpus[2].text}]})
    journal.flush()
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    journal.close()
    written += b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert len(rows(tmp_path)) == len(corpus)
    for sample in corpus:
        assert sample.secret.encode() not in written, sample


def test_records_with_anything_in_them_are_kept(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    deep: list[object] = []
    for _ in range(3000):
        deep = [deep]
    odd = ["\ud800", "\0", b"x", {1}, float("nan"), object(), deep, 10**400, "é" * 100_000]
    for number, value in enumerate(odd):
        journal.append(record(journal, number, value=value, session=value))
    journal.close()
    assert journal.lost == 0
    assert [json.loads(str(row[-1]))["number"] for row in rows(tmp_path)] == [*range(len(odd))]
    with Reader(str(tmp_path)) as reader:
        assert len(reader.after(0)) == len(odd)


@pytest.mark.parametrize("count", [1000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_eight_processes_write_without_a_gap(tmp_path: Path, count: int) -> None:
    children = [python(WRITER, str(tmp_path), str(count), str(1 << 30), env=ENV) for _ in range(8)]
    for child in children:
        finished(child)
    sound(tmp_path)
    assert rows(tmp_path, "SELECT count(*), min(seq), max(seq) FROM records") == [(8 * count, 1, 8 * count)]


def test_records_beyond_the_size_go_and_no_other(tmp_path: Path) -> None:
    """Three writers and a reader that follows them, while the journal is pruned to a megabyte all the time."""
    size = 1 << 20
    children = [python(WRITER, str(tmp_path), "2500", str(size), env=ENV) for _ in range(3)]
    seen: list[int] = []
    with Reader(str(tmp_path)) as reader:
        while any(child.poll() is None for child in children) or (seen and reader.after(seen[-1])):
            seen += [int(str(row["seq"])) for row in reader.after(seen[-1] if seen else 0)]
            time.sleep(0.01)
    for child in children:
        finished(child)
    sound(tmp_path)
    ((first, last),) = rows(tmp_path, "SELECT min(seq), max(seq) FROM records")
    assert last == 7500
    assert int(str(first)) > 1
    assert len(set(seen)) == len(seen)
    assert seen[-1] == last
    assert (tmp_path / "journal.db").stat().st_size < 4 * size
    assert (tmp_path / "journal.db-wal").stat().st_size < 16 * size if (tmp_path / "journal.db-wal").exists() else True


def test_old_records_go(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path), days=1, size=1 << 20)
    for number in range(600):
        old = number < 500
        journal.append(record(journal, number, at=time.time() - (86_400 * 2 if old else 0), text="x" * 500))
    journal.close()
    numbers = [json.loads(str(row[-1]))["number"] for row in rows(tmp_path)]
    assert numbers == [*range(500, 600)]
    sound(tmp_path)


def test_what_is_committed_at_once_stays_in_order_and_is_not_pruned_before_older_records(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path), size=1 << 20)
    refused = []
    for number in range(8000):
        made = record(journal, number, text="x" * 300)
        journal.append(made, urgent=number % 20 == 0)
        refused += [str(made["id"])] if number % 20 == 0 else []
    journal.close()
    kept = [str(row[0]) for row in rows(tmp_path, "SELECT id FROM records ORDER BY seq")]
    assert 0 < len(kept) < 8000
    assert kept == sorted(kept)
    assert [id for id in refused if id >= kept[0]] == [id for id in kept if id in set(refused)]


def test_a_configuration_is_kept_once(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    for number in range(3):
        journal.config("d1", {"hooks": [{"name": "a"}]})
        journal.append(record(journal, number, config="d1"))
    journal.close()
    again = Journal(str(tmp_path))
    again.config("d1", {"hooks": [{"name": "a"}]})
    again.append(record(again))
    again.close()
    assert rows(tmp_path, "SELECT digest, body FROM configs") == [("d1", '{"hooks":[{"name":"a"}]}')]


def test_threads_share_a_journal(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))

    def work(which: int) -> None:
        for number in range(300):
            journal.append(record(journal, number, thread=which), urgent=number % 50 == 0)

    threads = [threading.Thread(target=work, args=(which,)) for which in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal.close()
    sound(tmp_path)
    assert _count(tmp_path) == 1800


def test_a_forked_child_writes_its_own_records_only(tmp_path: Path) -> None:
    code = """
import os, sys
from omnihook.journal import Journal
from journal.kit import record
journal = Journal(sys.argv[1])
journal.append(record(journal, 1), urgent=True)
journal.append(record(journal, 2))
child = os.fork()
for number in range(20):
    journal.append(record(journal, (3 if child else 100) + number))
journal.close()
if child:
    os.waitpid(child, 0)
"""
    finished(python(code, str(tmp_path), env=ENV))
    sound(tmp_path)
    numbers = sorted(json.loads(str(row[-1]))["number"] for row in rows(tmp_path))
    assert numbers == [*range(1, 23), *range(100, 120)]


def test_the_same_id_from_two_processes_is_made_another(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    made = record(journal, 1)
    journal.append(made, urgent=True)
    journal.append({**made, "number": 2}, {**made, "id": "zz", "parent": made["id"], "number": 3}, urgent=True)
    journal.append({**made}, urgent=True)  # the very same record is there already
    journal.close()
    found = [json.loads(str(row[-1])) for row in rows(tmp_path)]
    assert [item["number"] for item in found] == [1, 2, 3]
    assert found[2]["parent"] == found[1]["id"] != found[0]["id"]
    assert journal.lost == 0


def test_ids_sort_by_time_and_are_short() -> None:
    ids = Ids()
    made = [ids.new(1000.0 + number // 10) for number in range(1000)]
    assert made == sorted(made)
    assert len(set(made)) == 1000
    assert {len(one) for one in made} == {13}
    assert set("".join(made)) <= set(ALPHABET)
    assert earliest(1050.0) <= ids.new(1100.0)
    assert made[0] < earliest(2000.0)


def _count(folder: Path) -> int:
    try:
        return int(str(rows(folder, "SELECT count(*) FROM records")[0][0]))
    except sqlite3.OperationalError:
        return 0


def databases(folder: Path) -> list[sqlite3.Connection]:
    """The open connections to the journal of a folder."""
    found = [item for item in gc.get_objects() if isinstance(item, sqlite3.Connection)]
    return [item for item in found if str(folder) in _file_of(item)]


def _file_of(connection: sqlite3.Connection) -> str:
    try:
        return str(connection.execute("PRAGMA database_list").fetchone()[2])
    except sqlite3.Error:
        return ""


def test_a_journal_that_is_dropped_closes_its_database(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path), resident=False)
    journal.append(record(journal), urgent=True)
    (held,) = databases(tmp_path)
    del journal
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        held.execute("SELECT 1")


def test_a_file_that_is_no_database_is_not_held_open(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(JournalError, match="cannot be read") as caught:
        Reader(str(tmp_path)).last()
    links = [os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd")]
    held = [os.readlink(link) for link in links if os.path.islink(link)]
    assert [path for path in held if path.startswith(str(tmp_path))] == []
    assert "journal.db" in str(caught.value)  # and with it lives whatever its traceback holds
