"""A fresh place for each test, and the formatters of npm, installed once for this machine."""

import fcntl
import io
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from builtin.kit import Place, Said
from omnihook.cli import main

PACKAGES = ("prettier@3.6.2", "eslint@9.39.1", "@biomejs/biome@2.3.4")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def command(
    place: Place, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Said]]:
    """`omnihook builtin ...` in this process; `test_command` also runs it as one of its own."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}

    def run(*words: str, stdin: object = "", env: Mapping[str, str] | None = None) -> Said:
        data = (stdin if isinstance(stdin, str) else json.dumps(stdin)).encode("utf-8", "surrogateescape")
        wanted = {**place.env, **(env or {})}
        with monkeypatch.context() as patch:
            for name in list(os.environ):
                patch.delenv(name)
            for name, value in wanted.items():
                patch.setenv(name, value)
            patch.chdir(place.project)
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
            code = main(["builtin", *words])
        captured = capfd.readouterr()
        return Said(code, captured.out, captured.err)

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The folder with prettier, eslint and biome; kept between sessions, because it is large and never changes."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "omnihook-tests" / "formatters"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = "\n".join(PACKAGES)
        stamp = cache / "installed"
        if not stamp.exists() or stamp.read_text() != wanted:
            (cache / "package.json").write_text('{"private": true}')
            command = ["npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix", str(cache), *PACKAGES]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode != 0:
                pytest.fail(f"npm could not install the formatters these tests need:\n{done.stderr[-2000:]}")
            stamp.write_text(wanted)
    return cache / "node_modules"
