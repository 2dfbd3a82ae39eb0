"""Faults: kills, full and read-only disks, damaged files, another's lock. Decisions and what was committed stay."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from journal.kit import finished, python, record, rows, small_disk, sound
from omnihook import Engine
from omnihook.errors import JournalError
from omnihook.events import PreToolUse
from omnihook.folders import Folders, find
from omnihook.journal import Journal
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Wanted
from omnihook.recording import Recorder, recorder
from omnihook.verdicts import Decision, Verdict

ENV = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
KILLED = """
import sys, time
from omnihook.journal import Journal
from journal.kit import record
journal = Journal(sys.argv[1], size=1 << 20)
number = 0
while True:
    urgent = number % 20 == 0
    made = record(journal, number, text="x" * 300, round=sys.argv[2])
    journal.append(made, urgent=urgent)
    if urgent:
        print(made["id"], number, flush=True)
    number += 1
"""


@pytest.mark.parametrize("rounds", [5, pytest.param(500, marks=pytest.mark.slow)])
def test_what_was_committed_survives_a_kill(tmp_path: Path, rounds: int) -> None:
    rng = random.Random(rounds)
    for number in range(rounds):
        child = python(KILLED, str(tmp_path), str(number), env=ENV)
        assert child.stdout is not None
        acknowledged = [child.stdout.readline() for _ in range(rng.randrange(1, 12))]
        time.sleep(rng.random() * 0.05)
        child.send_signal(signal.SIGKILL)
        rest, _ = child.communicate()
        acknowledged += [line + "\n" for line in rest.split("\n")[:-1]]
        kept = {str(row[0]) for row in rows(tmp_path, "SELECT id FROM records")}
        missing = [line for line in acknowledged if line.endswith("\n") and line.split()[0] not in kept]
        oldest = min(kept)
        assert not [line for line in missing if line.split()[0] > oldest], missing  # older ones were pruned
        sound(tmp_path)


def test_a_kill_loses_a_tenth_of_a_second_at_most(tmp_path: Path) -> None:
    code = """
import sys, time
from omnihook.journal import Journal
from journal.kit import record
journal = Journal(sys.argv[1])
while True:
    made = record(journal)
    journal.append(made)
    print(made["at"], flush=True)
    time.sleep(0.002)
"""
    child = python(code, str(tmp_path), env=ENV)
    assert child.stdout is not None
    for _ in range(200):
        child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    out, _ = child.communicate()
    last = float(out.strip().split("\n")[-1] or 0) if out.strip() else time.time()
    ((kept,),) = rows(tmp_path, "SELECT max(at) FROM records")
    assert last - float(str(kept)) < 0.1 + 0.4  # the rest is for a busy machine
    sound(tmp_path)


def test_a_full_disk_changes_no_decision_and_the_journal_recovers(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        said: list[str] = []
        engine, journal = _engine(tmp_path, disk / "state", said)
        ballast = disk / "ballast"
        _fill(ballast)
        for number in range(30):
            assert _fire(engine, f"rm file-{number} {'x' * 3000}") is Decision.DENY
            assert _fire(engine, f"ls {number}") is Decision.ALLOW
        assert not journal.flush()
        assert len(said) == 1
        assert "cannot be written" in said[0]
        ballast.unlink()
        time.sleep(1.1)
        assert journal.flush()
        assert journal.journal.lost == 0
        assert _fire(engine, "rm after") is Decision.DENY
        journal.close()
        engine.close()
        sound(disk / "state")
        assert len(rows(disk / "state")) == 61


def test_what_does_not_fit_in_memory_either_is_counted(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "256k") as disk:
        _fill(disk / "ballast")
        journal = Journal(str(disk / "state"), notify=lambda text: None)
        for number in range(2500):
            journal.append(record(journal, number), urgent=number % 100 == 0)
        journal.flush()
        assert journal.lost == 500
        (disk / "ballast").unlink()
        journal.close()
    assert journal.lost == 500 + 2000  # 256 KiB hold no 2000 records


def test_lost_records_are_told_when_the_journal_works_again(tmp_path: Path) -> None:
    blocked = tmp_path / "state"
    blocked.write_text("not a folder")
    journal = Journal(str(blocked), notify=lambda text: None)
    for number in range(2100):
        journal.append(record(journal, number))
    journal.flush()
    assert journal.lost == 100
    blocked.unlink()
    time.sleep(1.1)
    assert journal.flush()
    journal.close()
    with Reader(str(blocked)) as reader:
        assert reader.lost() == 100
        assert [row["number"] for row in reader.records(Wanted())] == [*range(100, 2100)]


def test_a_read_only_home_changes_no_decision(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        said: list[str] = []
        engine, journal = _engine(tmp_path, disk / "state", said)
        assert _fire(engine, "rm x") is Decision.DENY
        assert _fire(engine, "ls") is Decision.ALLOW
        journal.close()
        engine.close()
        assert journal.journal.lost == 2
        assert len(said) == 1


def test_no_home_changes_no_decision(tmp_path: Path) -> None:
    folders = find({"OMNIHOOK_STATE_DIR": "/proc/nowhere/state"}, cwd=str(tmp_path))
    said: list[str] = []
    engine = Engine(str(tmp_path), files=False)
    engine.on("PreToolUse")(_judge)
    journal = recorder(folders, resident=True, notify=said.append).attach(engine)
    assert _fire(engine, "rm x") is Decision.DENY
    journal.close()
    assert (journal.journal.lost, len(said)) == (1, 1)


def test_a_journal_that_became_read_only_recovers(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        said: list[str] = []
        journal = Journal(str(disk / "state"), notify=said.append)
        journal.append(record(journal, 1), urgent=True)
        shutil.copytree(disk / "state", tmp_path / "copy")
        journal.close()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        journal.append(record(journal, 2), urgent=True)
        with Reader(str(disk / "state")) as reader:
            assert [row["number"] for row in reader.records(Wanted())] == [1]
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        time.sleep(1.1)
        journal.append(record(journal, 3), urgent=True)
        journal.close()
        assert [json.loads(str(row[-1]))["number"] for row in rows(disk / "state")] == [1, 2, 3]
        assert (len(said), journal.lost) == (1, 0)


def test_a_log_cut_anywhere_loses_only_its_tail(tmp_path: Path) -> None:
    original = _torn(tmp_path)
    size = (original / "journal.db-wal").stat().st_size
    rng = random.Random(1)
    cuts = sorted({0, 1, 31, 32, 33, size - 1, *rng.sample(range(size), 25)})
    for cut in cuts:
        folder = _copied(original, tmp_path / f"wal-{cut}")
        os.truncate(folder / "journal.db-wal", cut)
        _append_one(folder)
        found = [json.loads(str(row[-1]))["number"] for row in rows(folder)]
        assert found[-1] == 999
        assert found[:-1] == [*range(len(found) - 1)], cut
        sound(folder)


def test_a_database_cut_anywhere_is_used_or_set_aside(tmp_path: Path) -> None:
    original = _torn(tmp_path, checkpoint=True)
    size = (original / "journal.db").stat().st_size
    rng = random.Random(2)
    aside = 0
    for cut in sorted({0, 1, 99, 100, 512, 4095, 4096, 4097, size - 4096, size - 1, *rng.sample(range(size), 15)}):
        folder = _copied(original, tmp_path / f"db-{cut}")
        os.truncate(folder / "journal.db", cut)
        _append_one(folder)
        kept = list(folder.glob("journal.db.damaged-*"))
        aside += bool(kept)
        with Reader(str(folder)) as reader:
            assert reader.find(str(rows(folder, "SELECT id FROM records ORDER BY seq DESC")[0][0]))["number"] == 999
        if kept:
            assert min(path.stat().st_size for path in kept if path.suffix == "" or "-wal" not in path.name) <= cut
            sound(folder)
    assert aside > 5


@pytest.mark.parametrize("content", [b"", b"garbage " * 1000, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_file_that_is_no_journal_is_set_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "journal.db").write_bytes(content)
    said: list[str] = []
    journal = Journal(str(tmp_path), notify=said.append)
    journal.append(record(journal, 5), urgent=True)
    journal.close()
    assert [json.loads(str(row[-1]))["number"] for row in rows(tmp_path)] == [5]
    aside = [path for path in tmp_path.glob("journal.db.damaged-*") if not path.name.endswith(("-wal", "-shm"))]
    assert [path.read_bytes() for path in aside] == ([content] if content else [])
    assert len(said) == len(aside)


def test_damage_in_the_middle_of_use_is_survived_by_every_writer(tmp_path: Path) -> None:
    one, other = (Journal(str(tmp_path), notify=lambda text: None) for _ in range(2))
    one.append(record(one, 1), urgent=True)
    other.append(record(other, 2), urgent=True)
    one.close()
    _let_go(other)
    with open(tmp_path / "journal.db", "r+b") as file:
        file.write(b"\0" * 8192)
    for number in range(3, 6):
        one.append(record(one, number), urgent=True)
        other.append(record(other, number * 10), urgent=True)
    one.close()
    other.close()
    assert [json.loads(str(row[-1]))["number"] for row in rows(tmp_path)] == [3, 30, 4, 40, 5, 50]
    sound(tmp_path)


def test_a_journal_that_was_removed_begins_anew(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "state"))
    journal.append(record(journal, 1), urgent=True)
    shutil.rmtree(tmp_path / "state")
    journal.append(record(journal, 2), urgent=True)
    journal.close()
    assert [json.loads(str(row[-1]))["number"] for row in rows(tmp_path / "state")] == [2]


def test_a_link_in_the_journals_place_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "journal.db").symlink_to(target)
    said: list[str] = []
    journal = Journal(str(folder), notify=said.append)
    journal.append(record(journal), urgent=True)
    journal.close()
    assert target.read_text() == "precious"
    assert (journal.lost, len(said)) == (1, 1)


def test_anothers_lock_delays_a_refusal_a_little_and_loses_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    journal = Journal(str(tmp_path), notify=said.append)
    journal.append(record(journal, 1), urgent=True)
    with closing(sqlite3.connect(tmp_path / "journal.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        for number in range(2, 40):
            journal.append(record(journal, number), urgent=True)
        assert time.monotonic() - begun < 12
        begun = time.monotonic()
        journal.append(record(journal, 40), urgent=True)
        assert time.monotonic() - begun < 1
        other.execute("ROLLBACK")
    time.sleep(1.1)
    journal.close()
    assert [json.loads(str(row[-1]))["number"] for row in rows(tmp_path)] == [*range(1, 41)]
    assert journal.lost == 0


def test_reading_a_damaged_journal_says_so(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"garbage " * 1000)
    with Reader(str(tmp_path)) as reader, pytest.raises(JournalError, match="cannot be read"):
        reader.records(Wanted())


@pytest.mark.parametrize("limit", [1, 512, 4096, 5000, 20_000, 33_000, 60_000])
def test_the_nth_failing_call_changes_no_decision(tmp_path: Path, limit: int) -> None:
    """A limit on the size of files makes every write fail beyond it, as an error of the disk would."""
    code = """
import resource, signal, sys
from journal.test_faults import _engine, _fire
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
said = []
engine, journal = _engine(Path(sys.argv[1]), Path(sys.argv[1]) / "state", said)
for number in range(40):
    assert _fire(engine, f"rm {number} {'x' * 500}").name == "DENY"
    assert _fire(engine, f"ls {number}").name == "ALLOW"
journal.close()
print(journal.journal.lost, len(said))
"""
    lost, said = finished(python(code, str(tmp_path), str(limit), env=ENV)).split()
    assert (int(lost) > 0, said) == (True, "1")
    _append_one(tmp_path / "state")
    sound(tmp_path / "state")


def _judge(event: PreToolUse) -> Verdict:
    command = str(event.tool_input.get("command"))
    return Verdict.deny("no") if command.startswith("rm") else Verdict.allow()


def _engine(project: Path, state: Path, said: list[str]) -> tuple[Engine, Recorder]:
    folders = Folders(home=str(project), config=str(project), state=str(state), project=str(project))
    engine = Engine(folders=folders, files=False)
    engine.on("PreToolUse")(_judge)
    return engine, recorder(folders, resident=True, notify=said.append).attach(engine)


def _fire(engine: Engine, command: str) -> Decision:
    return engine.fire_sync(
        PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": command})
    ).verdict.decision


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            return


def _torn(tmp_path: Path, *, checkpoint: bool = False) -> Path:
    """A journal of 120 records in twelve transactions as a power cut leaves it: with its log, or worked off."""
    journal = Journal(str(tmp_path / "writer"), resident=False)
    for number in range(120):
        journal.append(record(journal, number, text="y" * 700))
        if number % 10 == 9:
            journal.flush()
    if checkpoint:
        journal.close()
    made = shutil.copytree(tmp_path / "writer", tmp_path / "original")
    journal.close()
    return made


def _copied(original: Path, folder: Path) -> Path:
    shutil.copytree(original, folder)
    (folder / "journal.db-shm").unlink(missing_ok=True)
    return folder


def _append_one(folder: Path) -> None:
    journal = Journal(str(folder), resident=False, notify=lambda text: None)
    journal.append(record(journal, 999), urgent=True)
    journal.close()
    assert journal.lost == 0


def _let_go(journal: Journal) -> None:
    """As a process that has not written for long: its connection is closed."""
    journal.close()
