"""`omnihook hooks` itself: in a real terminal, and without one."""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time
from pathlib import Path

import pytest

from manager.kit import AUTOHAND, Place
from omnihook.cli import main


def test_without_a_terminal_it_says_one_line(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["hooks"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("omnihook: the manager needs a terminal") and err.count("\n") == 1


def test_an_unknown_dialect_is_said_first(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["hooks", "--as", "nobody"]) == 1
    assert "unknown dialect 'nobody'" in capfd.readouterr().err
    assert main(["hooks", "--read", "nobody"]) == 1


def test_in_a_terminal_keys_change_the_file(place: Place) -> None:
    path = place.write("~/.autohand/config.json", AUTOHAND)
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-m", "omnihook", "hooks", "--as", "autohand"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    try:
        _read_until(terminal, b"echo one")
        os.write(terminal, b" ")
        _wait(lambda: _enabled(path) == [False, False, None])
        os.write(terminal, b"q")
        _drain(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        os.close(terminal)


@pytest.mark.parametrize(
    ("term", "lines", "columns", "said"),
    [
        ("dumb", 24, 80, b"a terminal that can move its cursor"),
        ("xterm", 12, 40, b"of 64 by 20 characters; this one has 40 by 12"),
        ("xterm", 19, 200, b"this one has 200 by 19"),
    ],
)
def test_a_terminal_that_cannot_show_it_gets_one_sentence(
    place: Place, term: str, lines: int, columns: int, said: bytes
) -> None:
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.environ["TERM"] = term
        os.execv(sys.executable, [sys.executable, "-m", "omnihook", "hooks"])
    try:
        seen = _drain(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    finally:
        os.close(terminal)
    assert said in seen and seen.count(b"\n") == 1


def _enabled(path: Path) -> list[object]:
    return [hook.get("enabled") for hook in json.loads(path.read_text())["hooks"]["hooks"]]


def _read_until(terminal: int, wanted: bytes) -> None:
    seen, deadline = b"", time.monotonic() + 15
    while wanted not in seen:
        assert time.monotonic() < deadline, seen[-2000:]
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)


def _wait(holds: object) -> None:
    assert callable(holds)
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _drain(terminal: int) -> bytes:
    seen = b""
    try:
        while piece := os.read(terminal, 65536):
            seen += piece
    except OSError:  # the other side is closed
        pass
    return seen
