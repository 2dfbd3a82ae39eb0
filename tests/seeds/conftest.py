"""What the documents' own examples need: a real jq, stand-ins that record their calls, a home and a project."""

import asyncio
import io
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import pytest

from omnihook import dialects
from omnihook.cli import main
from omnihook.engine import Engine
from omnihook.outcomes import Outcome, Report

SEPARATOR, END = "\x1f", "\x1e"
STAND_IN = """#!/bin/sh
{ printf '%s\\037' "$@"; printf '\\036'; } >> "$0.calls"
if [ -f "$0.exit" ]; then exit "$(cat "$0.exit")"; fi
"""

Calls = Callable[[str], list[list[str]]]


@pytest.fixture(scope="session")
def jq() -> str:
    """The path of the real jq, installed when it is missing."""
    found = shutil.which("jq")
    if found is None:
        subprocess.run(["apt-get", "update", "-qq"], check=False, capture_output=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "jq"], check=True, capture_output=True)
        found = shutil.which("jq")
    assert found is not None, "jq is not there and could not be installed"
    return found


def make_stand_ins(folder: Path, *names: str) -> tuple[Path, Calls]:
    """Programs that note their arguments; `calls(name)` gives them, and a file `NAME.exit` sets the exit code."""
    made = folder / "stand-ins"
    made.mkdir(exist_ok=True)
    for name in names:
        program = made / name
        program.write_text(STAND_IN)
        program.chmod(0o755)

    def calls(name: str) -> list[list[str]]:
        noted = made / f"{name}.calls"
        text = noted.read_text() if noted.exists() else ""
        return [call.split(SEPARATOR)[:-1] for call in text.split(END)[:-1]]

    return made, calls


@pytest.fixture
def stand_ins() -> Callable[..., tuple[Path, Calls]]:
    """`stand_ins(tmp_path, "curl", ...)` gives the folder for PATH and the function that reads the calls."""
    return make_stand_ins


@dataclass
class World:
    """A home, a project and a PATH for one test."""

    root: Path
    late: list[Outcome] = field(default_factory=list)
    waited: float = 0.0  # how long the last event's answer took

    def __post_init__(self) -> None:
        for folder in (self.home, self.project, self.programs):
            folder.mkdir()

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def programs(self) -> Path:
        return self.root / "programs"

    @property
    def environ(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.programs), str(self.root / "stand-ins"), os.environ["PATH"]])
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8"}

    def script(self, path: Path, text: str) -> Path:
        """Write an executable script."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def write(self, path: str, content: object) -> None:
        """Write JSON, or text as it is, below the home."""
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content))

    def engine(self, dialect: str) -> Engine:
        """An engine that reads this dialect's own files."""
        return Engine(str(self.project), only=dialect, environ=self.environ)

    def fire(self, dialect: str, event: str, payload: dict[str, object], *, engine: Engine | None = None) -> Report:
        """Fire a payload of the dialect, and wait for its background hooks."""
        used = engine if engine is not None else self.engine(dialect)
        used.observe_late(lambda _event, outcome: self.late.append(outcome))
        full = {"session_id": "s1", "cwd": str(self.project), **payload}
        made = dialects.get(dialect).decode_event(full, event)

        async def once() -> Report:
            begun = time.monotonic()
            report = await used.fire(made)
            self.waited = time.monotonic() - begun
            await used.drain(10)
            return report

        return asyncio.run(once())

    def omnihook(self, *args: str, environ: Mapping[str, str] | None = None) -> tuple[int, str]:
        """The exit code of the command line in this home and project, and everything it said."""
        said = io.StringIO()
        own = mock.patch.dict(os.environ, {**self.environ, **(environ or {})}, clear=True)
        with own, pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
            patch.chdir(self.project)
            code = main(list(args))
        return code, said.getvalue()


@pytest.fixture
def world(tmp_path: Path, jq: str) -> World:
    """A fresh home and project."""
    return World(tmp_path)
