"""A scratch home, and a twin of it for the command line."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from manager.kit import Place
from omnihook.cli import main

KEPT = ("PATH", "LANG", "PYTHONPATH", "TMPDIR")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path / "here")
    made.home.mkdir(parents=True)
    made.project.mkdir()
    for name in list(os.environ):
        if name not in KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.chdir(made.project)
    return made


@pytest.fixture
def twin(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Place]:
    """Does on a copy of the folders what was asked of the command line, and gives the copy."""

    def run(*commands: list[str]) -> Place:
        copy = Place(tmp_path / "twin")
        shutil.copytree(place.top, copy.top)
        with monkeypatch.context() as there:
            there.setenv("HOME", str(copy.home))
            there.chdir(copy.project)
            for command in commands:
                assert main(command) == 0
        return copy

    return run
