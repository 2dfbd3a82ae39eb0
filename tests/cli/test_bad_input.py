"""What people get wrong when they manage hooks and read the journal: one clear line, exit 1, and nothing changed."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cli.conftest import Place, Result

Run = Callable[..., Result]
USER, CLAUDE = "~/.config/omnihook/hooks.toml", "~/.claude/settings.json"
HOOK = '[[hook]]\nname = "a"\non = "Stop"\nrun = "true"\n'
EDITS = (["disable", "a"], ["enable", "a"], ["remove", "a"], ["add", "--user", "--on", "Stop", "--run", "x"])
EDITS = (*EDITS, ["on", "--user"], ["test", "a"])


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100_000_000)


ODD: dict[str, tuple[Callable[[Path], object], str]] = {
    "broken": (lambda path: path.write_text("[[hook"), "correct"),
    "pipe": (os.mkfifo, "put a regular file in its place"),
    "directory": (Path.mkdir, "put a regular file in its place"),
    "huge": (_sparse, "make it smaller"),
    "loop": (lambda path: path.symlink_to(path), "link"),
    "dangling": (lambda path: path.symlink_to("/nowhere/at/all"), "link"),
}


def looks(path: Path) -> tuple[int, ...]:
    found = path.lstat()
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


def once(found: Result, *words: str) -> None:
    """One line that says all of it, and exit 1."""
    assert (found.code, found.out, found.err.count("\n")) == (1, "", 1), found
    for word in words:
        assert word in found.err


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("args", EDITS, ids=lambda args: str(args[0]))
def test_a_file_that_cannot_be_used_is_named_with_what_to_do(
    place: Place, omnihook: Run, kind: str, args: list[str]
) -> None:
    make, step = ODD[kind]
    path = place.home / USER[2:]
    path.parent.mkdir(parents=True)
    make(path)
    before = looks(path)
    once(omnihook(*args), str(path), step)
    assert looks(path) == before
    assert [item.name for item in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", ODD)
def test_an_audit_does_not_pass_over_files_it_cannot_read(place: Place, omnihook: Run, kind: str) -> None:
    path = place.home / USER[2:]
    path.parent.mkdir(parents=True)
    ODD[kind][0](path)
    found = omnihook("audit")
    assert (found.code, found.err.count("\n")) == (1, 1)
    assert str(path) in found.err
    assert omnihook("audit", "--json").out == "[]\n"


@pytest.mark.parametrize("text", ['{"hooks": 5}', '{"hooks": {"Stop": 5}}'])
def test_an_entry_of_the_wrong_kind_is_named(place: Place, omnihook: Run, text: str) -> None:
    path = place.write(CLAUDE, text)
    once(omnihook("disable", "Stop:1", "--as", "claude-code"), f"{path}:1:", "must be")
    once(omnihook("add", "--as", "claude-code", "--user", "--on", "Stop", "--run", "x"), str(path), "must be")
    assert path.read_text() == text


def test_an_unknown_event_is_told_with_those_that_are_known(place: Place, omnihook: Run) -> None:
    once(omnihook("add", "--on", "Nope", "--run", "x"), "unknown event 'Nope'", "SessionStart", "PreToolUse")


@pytest.mark.parametrize("args", [["show", "zz"], ["replay", "zz"], ["show", "!"], ["show", ""]])
def test_an_unknown_id_is_told_with_where_ids_are(place: Place, omnihook: Run, args: list[str]) -> None:
    once(omnihook(*args), repr(args[1]), "omnihook log")


@pytest.mark.parametrize("verb", ["log", "tail", "replay"])
@pytest.mark.parametrize("when", ["nonsense", "2026-99-99", "-1d", "", "1e9"])
def test_a_time_that_is_none_is_told_with_how_to_write_one(place: Place, omnihook: Run, verb: str, when: str) -> None:
    once(omnihook(verb, f"--since={when}"), repr(when), "7d")


def journal_of(place: Place) -> Path:
    return place.home / ".local/state/omnihook/journal.db"


READS = (["log"], ["log", "--stats"], ["log", "--verify"], ["show", "3"], ["replay", "--since", "1d"], ["tail"])


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_bytes(b"no database" * 500),
        Path.mkdir,
        os.mkfifo,
        lambda path: path.symlink_to(path),
        lambda path: sqlite3.connect(path).execute("CREATE TABLE records (seq INTEGER, foo TEXT)").connection.close(),
    ],
    ids=["garbage", "directory", "pipe", "loop", "another"],
)
@pytest.mark.parametrize("args", READS, ids=" ".join)
def test_a_journal_that_cannot_be_read_is_named(
    place: Place, omnihook: Run, make: Callable[[Path], object], args: list[str]
) -> None:
    path = journal_of(place)
    path.parent.mkdir(parents=True)
    make(path)
    once(omnihook(*args), str(path), "new one")


@pytest.mark.parametrize("body", ["{broken", "[1]", "5", ""])
def test_a_record_that_cannot_be_read_is_no_bug(place: Place, omnihook: Run, body: str) -> None:
    place.write(USER, HOOK)
    omnihook("fire", "Stop", stdin={})
    with closing(sqlite3.connect(journal_of(place), isolation_level=None)) as connection:
        connection.execute("UPDATE records SET body = ?", (body,))
    once(omnihook("show", "3"), str(journal_of(place)), "log --verify")


def test_records_that_cannot_be_read_are_left_out_and_told_once(place: Place, omnihook: Run) -> None:
    place.write(USER, HOOK)
    for _ in range(4):
        omnihook("fire", "Stop", stdin={})
    with closing(sqlite3.connect(journal_of(place), isolation_level=None)) as connection:
        connection.execute("UPDATE records SET body = '[]', at = 'x' WHERE seq = 3")
        connection.execute("UPDATE records SET body = ? WHERE seq = 2", ("[" * 100_000,))
    for args in (["log"], ["log", "--stats"], ["replay", "--since", "1d"]):
        found = omnihook(*args)
        assert (found.code, found.err.count("\n"), "left out" in found.err) == (0, 1, True), found
    assert len(omnihook("log").out.splitlines()) == 2
    with subprocess.Popen(
        [sys.executable, "-m", "omnihook", "tail"],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as tail:
        assert tail.stdout is not None
        assert tail.stderr is not None
        lines = [tail.stdout.readline() for _ in range(2)]
        tail.terminate()
        assert all("Stop" in line for line in lines)
        assert tail.stderr.read().count("left out") == 1


@pytest.mark.parametrize("args", READS, ids=" ".join)
def test_a_file_in_the_place_of_the_state_folder_is_named(place: Place, omnihook: Run, args: list[str]) -> None:
    folder = journal_of(place).parent
    folder.parent.mkdir(parents=True)
    folder.write_text("")
    once(omnihook(*args), str(folder), "OMNIHOOK_STATE_DIR")


def test_two_questions_to_the_journal_at_once_are_wrong_usage(place: Place, omnihook: Run) -> None:
    found = omnihook("log", "--stats", "--verify")
    assert (found.code, found.out) == (2, "")
    assert "one at a time" in found.err


def test_a_record_with_odd_fields_is_shown_as_far_as_it_goes(place: Place, omnihook: Run) -> None:
    place.write(USER, HOOK)
    omnihook("fire", "Stop", stdin={})
    body = {"id": 5, "runs": 7, "at": "x", "verdict": 3, "payload": 1, "late": 2, "plan": 9, "skipped": "no"}
    with closing(sqlite3.connect(journal_of(place), isolation_level=None)) as connection:
        connection.execute("UPDATE records SET body = ?", (json.dumps(body),))
    for args in (*READS[:2], ["show", "3"], ["show", "3", "--json"], READS[4]):
        assert omnihook(*args).code in (0, 1), args


def test_a_broken_memory_says_what_is_in_it(place: Place, omnihook: Run) -> None:
    entry = {"type": "command", "command": "x"}
    place.write(CLAUDE, {"hooks": {"Stop": [{"hooks": [entry]}]}})
    omnihook("disable", "Stop:1", "--as", "claude-code")
    edits = place.home / ".local/state/omnihook/edits.json"
    edits.write_text('{"kept": [{"id": 5}]}')
    found = omnihook("enable", "Stop:1", "--as", "claude-code")
    once(found, str(edits), "hooks you disabled")
    assert edits.read_text() == '{"kept": [{"id": 5}]}'


def test_a_state_folder_that_is_a_file_is_named(place: Place, omnihook: Run) -> None:
    path = place.write(CLAUDE, {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}})
    before = path.read_text()
    state = place.home / ".local/state/omnihook"
    state.parent.mkdir(parents=True)
    state.write_text("a file")
    once(omnihook("disable", "Stop:1", "--as", "claude-code"), str(state), "is not a folder")
    assert path.read_text() == before
