"""`omnihook log`, `tail`, `show` and `replay`, on events fired by `omnihook fire`."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cli.conftest import Place, Result

Run = Callable[..., Result]
HOOKS = """
[[hook]]
name = "no-push"
on = "PreToolUse"
match = "Bash"
if = "Bash(git push *)"
run = "echo no pushing today >&2; exit 2"
pure = true

[[hook]]
name = "looker"
on = "PreToolUse"
run = "echo token=abcdef123456; exit 0"

[[hook]]
name = "breaker"
on = "Stop"
run = "exit 7"
"""


@pytest.fixture
def fired(place: Place, omnihook: Run) -> list[dict[str, object]]:
    """Four events: a push, a listing, a written file (two records), and a stop at which a hook broke."""
    place.write("~/.config/omnihook/hooks.toml", HOOKS)
    shell = {"session_id": "first", "tool_name": "Bash"}
    omnihook("fire", "PreToolUse", stdin={**shell, "tool_input": {"command": "git push origin"}})
    omnihook("fire", "PreToolUse", stdin={**shell, "tool_input": {"command": "ls -l"}})
    wrote = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": "x"}, "tool_response": {"ok": True}}
    omnihook("fire", "PostToolUse", "--as", "claude-code", stdin={"session_id": "second", **wrote})
    omnihook("fire", "Stop", stdin={"session_id": "second"})
    found = json.loads(omnihook("log", "--json").out)
    assert isinstance(found, list)
    return found


def test_every_fire_is_in_the_log_newest_last(fired: list[dict[str, object]], omnihook: Run) -> None:
    names = [item["event"] for item in fired]
    assert names[:2] == ["PreToolUse", "PreToolUse"]
    assert names[-1] == "Stop"
    assert [item["decision"] for item in fired][:2] == ["block", None]
    lines = omnihook("log").out.splitlines()
    assert len(lines) == len(fired)
    assert lines[0].startswith(str(fired[0]["id"]))
    assert "block" in lines[0]
    assert "no pushing today" in lines[0]


def test_the_log_can_be_narrowed(fired: list[dict[str, object]], omnihook: Run) -> None:
    def count(*args: str) -> int:
        result = omnihook("log", "--json", *args)
        assert result.code == 0, result.err
        return len(json.loads(result.out))

    assert count("--event", "PreToolUse") == 2
    assert count("--hook", "no-push") == 1
    assert count("--decision", "block") == 1
    assert count("--agent", "claude-code") >= 1
    assert count("--session", "first") == 2
    assert count("--since", "1h") == len(fired)
    assert count("--since", "2000-01-01", "--until", "2001-01-01T10:00") == 0
    assert count("--limit", "1") == 1
    assert omnihook("log", "--since", "yesterday-ish").code == 1
    assert omnihook("log", "--decision", "perhaps").code == 2


def test_figures_per_hook(fired: list[dict[str, object]], omnihook: Run) -> None:
    rows = {row["hook"]: row for row in json.loads(omnihook("log", "--stats", "--json").out)["hooks"]}
    assert {name: (row["runs"], row["failures"], row["blocked"]) for name, row in rows.items()} == {
        "no-push": (1, 0, 1),
        "looker": (2, 0, 0),
        "breaker": (1, 1, 0),
    }
    assert 0 < rows["looker"]["p50_ms"] <= rows["looker"]["p95_ms"]
    out = omnihook("log", "--stats").out
    assert out.splitlines()[0].split() == ["hook", "runs", "failures", "blocked", "p50", "ms", "p95", "ms"]


def test_an_empty_journal_is_no_trouble(place: Place, omnihook: Run) -> None:
    assert (omnihook("log").out, omnihook("log", "--json").out) == ("no records\n", "[]\n")
    assert omnihook("log", "--stats").code == 0
    result = omnihook("show", "abc")
    assert (result.code, result.err) == (
        1,
        "omnihook: no record has an id beginning with 'abc'; 'omnihook log' lists them\n",
    )


def test_show_tells_the_whole_story(fired: list[dict[str, object]], omnihook: Run) -> None:
    out = omnihook("show", str(fired[0]["id"])).out
    for text in (
        "PreToolUse: block (no pushing today)",
        "stage 1: no-push | looker",
        "hook no-push: blocked",
        "hooks.toml:2",
        "stderr    no pushing today",
        "breaker: it is for Stop",
        "no-push: block -> block",
        "looker: no opinion -> block",
        "verdict: block",
    ):
        assert text in out, out
    assert "abcdef123456" not in out
    story = omnihook("show", str(fired[1]["id"]), "--json").json
    assert [item["why"] for item in story["not_run"] if item["hook"] == "no-push"] == [
        "its rule 'Bash(git push *)' does not hold"
    ]
    assert [step["hook"] for step in story["merge"]] == ["looker"]


def test_ids_may_be_shortened_while_they_mean_one_record(fired: list[dict[str, object]], omnihook: Run) -> None:
    whole = str(fired[1]["id"])
    assert omnihook("show", whole[:-2], "--json").json["id"] == whole
    several = omnihook("show", whole[:2])
    assert several.code == 1
    assert several.err.startswith(f"omnihook: {whole[:2]!r} begins the ids of several records: ")
    assert len(several.err.splitlines()) == 1
    for wrong in ("zzzzz", "!!"):
        result = omnihook("show", wrong)
        assert (result.code, len(result.err.splitlines()), result.out) == (1, 1, "")


def test_replay_tells_what_would_change(fired: list[dict[str, object]], place: Place, omnihook: Run) -> None:
    first = str(fired[0]["id"])
    same = omnihook("replay", first)
    assert (same.code, "block   == block" in same.out) == (0, True)
    place.write("~/.config/omnihook/hooks.toml", HOOKS.replace("exit 2", "exit 0"))
    changed = omnihook("replay", "--since", "1d")
    assert changed.code == 1
    assert f"{first}  PreToolUse Bash" in changed.out
    assert f"1 of {len(fired)} decisions would change" in changed.out
    report = omnihook("replay", first, "--json")
    (row,) = report.json["replayed"]
    assert (row["before"], row["after"], row["ran"], row["kept"]) == ("block", None, ["no-push"], ["looker"])
    assert report.json["changed"] == 1


def test_replay_can_try_another_configuration(fired: list[dict[str, object]], place: Place, omnihook: Run) -> None:
    path = place.write("stricter.toml", '[[hook]]\nname = "all"\non = "PreToolUse"\nrun = "exit 2"\npure = true\n')
    report = omnihook("replay", "--since", "1d", "--event", "PreToolUse", "--config", str(path), "--json").json
    assert [row["after"] for row in report["replayed"]] == ["block", "block"]
    assert report["changed"] == 1


def test_replay_needs_one_record_or_a_time(fired: list[dict[str, object]], omnihook: Run) -> None:
    assert omnihook("replay").code == 2
    assert omnihook("replay", str(fired[0]["id"]), "--since", "1d").code == 2
    assert omnihook("replay", "zzz").code == 1


def test_fire_answers_though_it_cannot_record(place: Place, omnihook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("~/.config/omnihook/hooks.toml", HOOKS)
    monkeypatch.setenv("OMNIHOOK_STATE_DIR", "/proc/nowhere")
    shell = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    result = omnihook("fire", "PreToolUse", "--json", stdin=shell)
    assert (result.code, result.json["decision"]) == (0, "block")
    assert result.err.count("the journal cannot be written") == 1
    assert omnihook("fire", "PreToolUse", "--exit-code", stdin=shell).code == 2


def test_what_hooks_say_cannot_move_the_cursor(place: Place, omnihook: Run) -> None:
    nasty = "\\033]52;c;ZXZpbA==\\007 \\r\\033[2J"
    text = f'[[hook]]\nname = "n"\non = "PreToolUse"\nrun = "printf \'{nasty}\' >&2; exit 2"\n'.replace("\\", "\\\\")
    place.write("~/.config/omnihook/hooks.toml", text)
    omnihook("fire", "PreToolUse", stdin={"tool_name": "Ba\x1b[31msh", "tool_input": {"command": "x\u202e"}})
    (found,) = json.loads(omnihook("log", "--json").out)
    for args in (("log",), ("show", found["id"]), ("log", "--stats"), ("replay", found["id"])):
        out = omnihook(*args).out
        assert out
        assert not {"\x1b", "\x07", "\r", "\u202e"} & set(out), args


def _tail(*args: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "omnihook", "tail", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def test_tail_follows_other_processes_until_interrupted(place: Place, omnihook: Run) -> None:
    place.write("~/.config/omnihook/hooks.toml", HOOKS)
    omnihook("fire", "Stop")
    omnihook("fire", "Notification")
    with _tail("-n", "1", "--json") as tail:
        assert tail.stdout is not None
        assert json.loads(tail.stdout.readline())["event"] == "Notification"
        for name in ("SessionStart", "SessionEnd"):
            omnihook("fire", name)
            assert json.loads(tail.stdout.readline())["event"] == name
        tail.send_signal(signal.SIGINT)
        assert tail.wait(10) == 130
        assert tail.communicate()[1].strip() == ""


def test_tail_begins_before_the_journal_does(place: Place, omnihook: Run) -> None:
    with _tail("--event", "SessionStart") as tail:
        time.sleep(1.0)
        omnihook("fire", "SessionEnd")
        omnihook("fire", "SessionStart")
        assert tail.stdout is not None
        assert "SessionStart" in tail.stdout.readline()
        tail.terminate()


def test_tail_ends_when_nobody_reads_it(place: Place, omnihook: Run) -> None:
    omnihook("fire", "Stop")
    with _tail() as tail:
        assert tail.stdout is not None
        tail.stdout.readline()
        tail.stdout.close()
        assert tail.wait(10) in (0, 1)
        assert tail.stderr is not None
        assert "Traceback" not in tail.stderr.read()


def test_the_journal_is_private(fired: list[dict[str, object]], place: Place) -> None:
    state = Path(place.home / ".local/state/omnihook")
    assert state.stat().st_mode & 0o077 == 0
    assert [path.name for path in state.glob("journal*") if path.stat().st_mode & 0o077] == []


def test_the_journal_is_verified(place: Place, omnihook: Run, fired: list[dict[str, object]]) -> None:
    whole = omnihook("log", "--verify")
    assert (whole.code, whole.out) == (0, f"{len(fired)} records, all as they were written\n")
    database = place.home / ".local/state/omnihook/journal.db"
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("DELETE FROM records WHERE seq = 2")
    changed = omnihook("log", "--verify", "--json")
    assert (changed.code, changed.json["whole"], changed.json["records"]) == (1, False, 1)
    assert f"1 record is missing before {fired[2]['id']}" in str(changed.json["trouble"])


@pytest.mark.parametrize(
    ("event", "said"),
    [("PreTooUse", "'PreTooUse', did you mean 'PreToolUse'?"), ("Qqq", "is called 'Qqq'"), ("Stop", "no records\n")],
)
def test_an_event_nobody_knows_is_told_of_when_nothing_is_found(omnihook: Run, event: str, said: str) -> None:
    found = omnihook("log", "--event", event)
    assert (found.code, found.out.startswith("no records"), found.out.count("\n")) == (0, True, 1)
    assert said in found.out
