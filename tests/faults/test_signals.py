"""F42, F43: being told to end while hooks run, and losing whoever reads our answer."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from faults.kit import OMNIHOOK, Machine, toml, within

HOOK = "echo started > {top}/started; (setsid sleep 61.{mark} &) ; trap '' TERM; sleep 61.{mark}"


def _sleepers(mark: int) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if words.startswith(b"sleep\0") and f"61.{mark}".encode() in words:
                found.append(entry.name)
    return found


def _guarded(box: Machine, mark: int, count: int = 3) -> None:
    command = HOOK.format(top=box.top, mark=mark)
    box.user(
        "".join(
            f'[[hook]]\nname = "g{n}"\non = "PreToolUse"\nrun = {toml(command)}\nguard = true\n' for n in range(count)
        )
    )


def _wait_for(path: Path) -> None:
    until = time.monotonic() + 10
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("form", ["--json", "--exit-code", "--no-ask"])
def test_a_signal_ends_the_hooks_and_then_us(box: Machine, number: signal.Signals, form: str) -> None:
    """F42: nothing is allowed by dying: no answer within three seconds, no process left; a guard's agent is refused."""
    mark = os.getpid() * 10 + number
    _guarded(box, mark)
    child = box.start("fire", "PreToolUse", form)
    assert child.stdin is not None
    child.stdin.write(b"{}")
    child.stdin.close()
    child.stdin = None
    _wait_for(box.top / "started")
    begun = time.monotonic()
    child.send_signal(number)
    out, err = child.communicate(timeout=50)
    assert child.returncode == (2 if form == "--exit-code" else 130)
    assert time.monotonic() - begun < within(3)
    assert out == b""
    assert b"Traceback" not in err
    assert _sleepers(mark) == []


def test_signals_that_come_again_do_not_leave_hooks_behind(box: Machine) -> None:
    """F42: an impatient user; the second signal hurries, it does not orphan."""
    mark = os.getpid() * 10 + 9
    _guarded(box, mark)
    child = box.start("fire", "PreToolUse")
    assert child.stdin is not None
    child.stdin.close()
    child.stdin = None
    _wait_for(box.top / "started")
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGHUP):
        child.send_signal(number)
        time.sleep(0.05)
    _, err = child.communicate(timeout=50)
    assert child.returncode in (130, -signal.SIGTERM, -signal.SIGHUP)
    assert b"Traceback" not in err
    time.sleep(0.2)
    assert _sleepers(mark) == []


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.08, 0.15, 0.25, 0.4])
def test_a_signal_at_any_moment_ends_quietly(box: Machine, delay: float) -> None:
    """F42: while Python starts, while files are read, while hooks run: never a traceback, never an approval."""
    mark = os.getpid() * 10 + 8
    _guarded(box, mark, count=1)
    child = box.start("fire", "PreToolUse", "--json")
    assert child.stdin is not None
    child.stdin.close()
    child.stdin = None
    time.sleep(delay)
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=50)
    assert child.returncode in (130, -signal.SIGTERM)
    assert out == b""
    assert b"Traceback" not in err
    assert _sleepers(mark) == []


QUIET = {
    "fire": ("fire", "PreToolUse", "--json"),
    "list": ("list",),
    "check": ("check",),
    "explain": ("explain", "Stop"),
}


@pytest.mark.parametrize("verb", [*QUIET, "help"])
def test_a_reader_that_leaves_early_gets_a_quiet_end(box: Machine, verb: str) -> None:
    """F43: closed before the first byte; an exit code, no traceback, no complaint of the interpreter."""
    box.user("".join(f'[[hook]]\non = "PreToolUse"\nrun = "true #{"x" * 300}{n}"\n' for n in range(60)))
    words = " ".join([*OMNIHOOK, *QUIET.get(verb, ("--help",))])
    ran = subprocess.run(
        ["bash", "-c", f"{words} </dev/null | true; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        env=box.environ(),
        cwd=box.project,
        timeout=50,
    )
    assert ran.stdout.strip() in ("0", "1"), ran
    assert ran.stderr == ""


def test_a_reader_that_leaves_early_sees_a_long_answer_cut(box: Machine) -> None:
    """F43: as `head -c1` does."""
    box.user('[[hook]]\non = "PreToolUse"\nrun = "head -c 500000 /dev/zero | tr \'\\\\0\' x >&2; exit 2"\n')
    words = " ".join([*OMNIHOOK, "fire", "PreToolUse", "--json"])
    ran = subprocess.run(
        ["bash", "-c", f"{words} </dev/null | head -c1; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        env=box.environ(),
        cwd=box.project,
        timeout=50,
    )
    assert ran.stdout.strip() == "{1", ran
    assert ran.stderr == ""


@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-", ">/dev/full"])
@pytest.mark.parametrize("verb", ["fire", "check"])
def test_streams_that_are_closed_or_full_are_no_bug_of_ours(box: Machine, verb: str, streams: str) -> None:
    """F43: whatever happens to our streams, the exit code says trouble at most, and there is no traceback."""
    box.user('[[hook]]\non = "PreToolUse"\nrun = "exit 2"\n')
    words = " ".join([*OMNIHOOK, *QUIET[verb]])
    stdin = "" if "<&-" in streams else "</dev/null"
    ran = subprocess.run(
        ["sh", "-c", f"{words} {stdin} {streams}"],
        capture_output=True,
        text=True,
        env=box.environ(),
        cwd=box.project,
        timeout=50,
    )
    assert ran.returncode in (0, 1), ran
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr
    assert "bug" not in ran.stderr
