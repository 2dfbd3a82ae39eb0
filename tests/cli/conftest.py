"""A scratch home and project, and the command line as a function."""

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from omnihook.cli import main

KEPT = ("PATH", "LANG", "PYTHONPATH", "TMPDIR")


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True)
class Place:
    home: Path
    project: Path

    def write(self, name: str, text: object, *, mode: int = 0o644) -> Path:
        """A file below the home (`~/...`) or the project; anything but text is written as JSON."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text, indent=2))
        path.chmod(mode)
        return path


def in_terminal(*args: str, typed: bytes = b"") -> tuple[int, str]:
    """The command line at a real terminal, where somebody types; its exit code and all that was on the screen."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "omnihook", *args]
    child = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    os.write(master, typed)
    seen = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(master)
    return child.wait(10), seen.decode()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path / "home", tmp_path / "project")
    made.home.mkdir(mode=0o755)
    made.project.mkdir(mode=0o755)
    for name in list(os.environ):
        if name not in KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.chdir(made.project)
    return made


@pytest.fixture
def omnihook(place: Place, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    def run(*args: str, stdin: object = "") -> Result:
        text = stdin if isinstance(stdin, str) else json.dumps(stdin)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape"))))
        code = main(list(args))
        captured = capfd.readouterr()
        return Result(code, captured.out, captured.err)

    return run
