"""A home, a project that is a git repository, and built-in hooks run in them: called, as commands, and by an engine."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from omnihook import builtin, dialects
from omnihook.engine import Engine
from omnihook.events import Event, FileModified
from omnihook.hooks import Context
from omnihook.jsontypes import Json
from omnihook.outcomes import Outcome, Report
from omnihook.verdicts import Verdict

PROGRAMS = os.path.dirname(sys.executable)  # where `omnihook` itself and ruff are
# In two parts, so that nobody takes this file for one that holds a key.
PRIVATE_KEY = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEAx0m1\n"
STAND_IN = """#!/bin/sh
{ printf '%s\\037' "$@"; printf '\\036'; } >> "$0.calls"
exit EXIT
"""


@dataclass
class Place:
    """One user's machine; `env` is all that programs see of ours."""

    root: Path
    more: dict[str, str] = field(default_factory=dict)
    late: list[Outcome] = field(default_factory=list)

    def __post_init__(self) -> None:
        for folder in (self.home, self.project, self.stand_ins):
            folder.mkdir()
        (self.home / ".gitconfig").write_text(
            "[user]\nname = Tester\nemail = t@example.org\n[init]\ndefaultBranch=main\n"
        )

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def stand_ins(self) -> Path:
        return self.root / "stand-ins"

    @property
    def env(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.stand_ins), PROGRAMS, os.environ["PATH"]])
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", **self.more}

    @property
    def context(self) -> Context:
        return Context(cwd=str(self.project), env=self.env)

    def write(self, name: str, text: object = "", *, mode: int = 0o644) -> Path:
        """A file below the project, or below the home (`~/...`); anything but text is written as JSON."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        path.chmod(mode)
        return path

    def git(self, *words: str) -> str:
        """What git says in the project."""
        done = subprocess.run(
            ["git", *words], cwd=self.project, env=self.env, capture_output=True, text=True, check=True
        )
        return done.stdout

    def repository(self, **files: str) -> None:
        """Make the project a repository with these files committed."""
        self.git("init", "-q")
        for name, text in {"README.md": "readme\n", **files}.items():
            self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "First")

    def stand_in(self, name: str, exit_code: int = 0) -> None:
        """A program of that name that notes how it was called."""
        program = self.stand_ins / name
        program.write_text(STAND_IN.replace("EXIT", str(exit_code)))
        program.chmod(0o755)

    def calls(self, name: str) -> list[list[str]]:
        """How a stand-in was called."""
        noted = self.stand_ins / f"{name}.calls"
        text = noted.read_text() if noted.exists() else ""
        return [call.split("\x1f")[:-1] for call in text.split("\x1e")[:-1]]

    def run(self, name: str, event: Event, **options: Json) -> Verdict | None:
        """Call a built-in."""
        return builtin.load(name, options)(event, self.context)

    def event(self, name: str, **payload: object) -> Event:
        """An event of the native dialect."""
        return dialects.get("omnihook").decode_event(
            json.loads(json.dumps({"session_id": "s1", "cwd": str(self.project), **payload})), name
        )

    def changed(self, path: str, change: str = "modify") -> FileModified:
        """The event of a change to a file."""
        return FileModified(cwd=str(self.project), file_path=path, change_type=change)

    def engine(self, only: str | None = None) -> Engine:
        """An engine in the project, reading native files or those of one dialect."""
        return Engine(str(self.project), only=only, environ=self.env)

    def fire(self, event: str, payload: Mapping[str, object] | None = None, *, only: str | None = None) -> Report:
        """Fire an event in a dialect, native when none is named, and wait for background hooks."""
        used = self.engine(only)
        assert [str(item) for item in used.diagnostics if item.code != "option"] == []
        used.observe_late(lambda _event, outcome: self.late.append(outcome))
        full = {"session_id": "s1", "cwd": str(self.project), **(payload or {})}
        made = dialects.get(only or "omnihook").decode_event(json.loads(json.dumps(full)), event)

        async def once() -> Report:
            report = await used.fire(made)
            await used.drain(60)
            return report

        return asyncio.run(once())


def distrusted(place: Place) -> str:
    """A repository that git takes for another user's; gives back what is said of that."""
    place.repository()
    place.more["GIT_TEST_ASSUME_DIFFERENT_OWNER"] = "1"
    trust = f"git config --global --add safe.directory {place.project}"
    return f"git does not trust {place.project}, since it belongs to another user; only if the user does: {trust}"


def conflict(place: Place, path: str) -> None:
    """A repository in which taking changes back from the stash left a file in conflict, and nothing under way."""
    place.repository(**{path: "1\n"})
    place.write(path, "2\n")
    place.git("stash", "-q")
    place.write(path, "3\n")
    place.git("commit", "-qam", "three")
    subprocess.run(["git", "stash", "pop", "-q"], cwd=place.project, env=place.env, capture_output=True, check=False)
    assert place.git("status", "--porcelain") == f"UU {path}\n"


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found
