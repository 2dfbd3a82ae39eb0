"""A scratch machine for attacks and faults: home, project, managed folder, an engine in it, and the command line."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from omnihook import Engine
from omnihook.events import Event, PreToolUse
from omnihook.folders import Folders
from omnihook.hooks import Argv, Command, Hook, Source
from omnihook.outcomes import Report
from omnihook.sessions import FileSessions

KEPT = ("PATH", "LANG", "TMPDIR")
BASH = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"})


@dataclass(frozen=True)
class Machine:
    """Folders of one user on one machine."""

    top: Path

    @property
    def home(self) -> Path:
        return self.top / "home"

    @property
    def project(self) -> Path:
        return self.top / "project"

    @property
    def managed(self) -> Path:
        return self.top / "managed"

    @property
    def folders(self) -> Folders:
        return Folders(
            home=str(self.home),
            config=str(self.home / ".config"),
            state=str(self.home / ".local/state/omnihook"),
            project=str(self.project),
            managed=str(self.managed),
        )

    def write(self, name: str, text: object, *, mode: int = 0o644) -> Path:
        """A file below the home (`~/...`), the managed root (`/...`) or the project; not text: written as JSON."""
        base = self.home if name.startswith("~/") else self.managed if name.startswith("/") else self.project
        path = base / name.removeprefix("~/").removeprefix("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text if isinstance(text, bytes) else (text if isinstance(text, str) else json.dumps(text)).encode()
        path.write_bytes(data)
        path.chmod(mode)
        return path

    def user(self, text: str) -> Path:
        return self.write("~/.config/omnihook/hooks.toml", text)

    def engine(self, **options: object) -> Engine:
        environ = {name: os.environ[name] for name in KEPT if name in os.environ} | {"HOME": str(self.home)}
        return Engine(**{"folders": self.folders, "environ": environ, **options})  # type: ignore[arg-type]

    def fresh(self, **options: object) -> Engine:
        """An engine as a process that comes and goes makes it: what it remembers is in files."""
        sessions = FileSessions(os.path.join(self.folders.state, "sessions"))
        return self.engine(sessions=sessions, **options)

    def environ(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {**kept, "HOME": str(self.home), "PYTHONDONTWRITEBYTECODE": "1", **more}

    def start(self, *args: str, env: Mapping[str, str] | None = None, **more: object) -> "subprocess.Popen[bytes]":
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.project}
        environ = self.environ() if env is None else dict(env)
        return subprocess.Popen([*OMNIHOOK, *args], env=environ, **{**options, **more})  # type: ignore[call-overload, no-any-return]

    def run(self, *args: str, stdin: object = b"", **more: object) -> "Ended":
        data = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
        with self.start(*args, **more) as child:
            out, err = child.communicate(data, timeout=50)
        return Ended(child.returncode, out, err)


OMNIHOOK: Sequence[str] = (sys.executable, "-m", "omnihook")


@dataclass(frozen=True)
class Ended:
    """How a command line ended."""

    code: int
    out: bytes
    err: bytes

    @property
    def json(self) -> dict[str, object]:
        found = json.loads(self.out.decode("utf-8"))
        assert isinstance(found, dict)
        return found

    @property
    def runs(self) -> list[dict[str, object]]:
        found = self.json["runs"]
        assert isinstance(found, list)
        return found


def machine(tmp_path: Path) -> Machine:
    """A machine with empty folders."""
    made = Machine(tmp_path)
    for folder in (made.home, made.project, made.managed):
        folder.mkdir(mode=0o755, exist_ok=True)
    return made


def fire(engine: Engine, event: Event = BASH) -> Report:
    """Fire on a loop of its own; background hooks are ended with it."""

    async def fired() -> Report:
        report = await engine.fire(event)
        await engine.drain(0)
        return report

    return asyncio.run(fired())


def shell(text: str, *events: str, dialect: str = "omnihook", **values: object) -> Hook:
    """A hook that runs shell text."""
    name = str(values.pop("name", "h"))
    source = values.pop("source", Source(dialect=dialect))
    return Hook(name=name, events=events or ("PreToolUse",), action=Command(command=text), source=source, **values)  # type: ignore[arg-type]


def argv(*words: str, dialect: str = "omnihook", **values: object) -> Hook:
    """A hook that runs a program."""
    name = str(values.pop("name", "h"))
    return Hook(name=name, events=("PreToolUse",), action=Argv(argv=words), source=Source(dialect=dialect), **values)  # type: ignore[arg-type]


def only(report: Report) -> object:
    """The one outcome of a report."""
    assert len(report.outcomes) == 1, report.outcomes
    return report.outcomes[0]


def within(seconds: float) -> float:
    """A time limit as it is meant, stretched only as far as the machine is overloaded."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def toml(value: object) -> str:
    """A value as TOML writes it, with an escape for whatever is not plain ASCII."""
    if not isinstance(value, str):
        return json.dumps(value)
    plain = (char if " " <= char <= "~" and char not in '"\\' else f"\\U{ord(char):08x}" for char in value)
    return '"' + "".join(plain) + '"'
