"""Files that are checked: a home, a project in it, and one configuration at a time."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from omnihook.checking import check
from omnihook.dialect import Diagnostic
from omnihook.folders import find

NATIVE = "omnihook"


@dataclass(frozen=True)
class Desk:
    """A project below a home, and what is found wrong with a configuration in it."""

    home: Path
    project: Path

    def write(self, name: str, text: str = "#!/bin/sh\n", *, mode: int = 0o755) -> Path:
        """A file of the project."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def native(self, text: str) -> tuple[Diagnostic, ...]:
        """What is wrong with native hooks of the user."""
        return self.look(NATIVE, self.home / ".config/omnihook/hooks.toml", text)

    def hook(self, entry: str) -> tuple[Diagnostic, ...]:
        """What is wrong with one native hook."""
        return self.native(f"[[hook]]\n{entry}\n")

    def claude(self, hooks: object) -> tuple[Diagnostic, ...]:
        """What is wrong with Claude Code's settings of the user."""
        return self.json("claude-code", {"hooks": hooks})

    def json(self, dialect: str, document: object) -> tuple[Diagnostic, ...]:
        """What is wrong with a document of a dialect."""
        text = document if isinstance(document, str) else json.dumps(document, indent=2)
        return self.look(dialect, self.home / f"{dialect}.json", text)

    def look(self, dialect: str, path: Path, text: str) -> tuple[Diagnostic, ...]:
        """What is wrong with a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        environ = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        folders = find(environ, cwd=str(self.project))
        return check(folders, environ, config=[(dialect, str(path))]).findings


def desk(root: Path) -> Desk:
    """A new one."""
    made = Desk(root / "home", root / "home/project")
    (made.project / ".git").mkdir(parents=True)
    return made


def errors(found: tuple[Diagnostic, ...]) -> list[str]:
    """What makes `check` fail."""
    return [item.message for item in found if item.severity == "error"]


def entry(command: str, matcher: str | None = None, **more: object) -> dict[str, object]:
    """A group of the nested shape with one command in it."""
    group: dict[str, object] = {"hooks": [{"type": "command", "command": command, **more}]}
    return group if matcher is None else {"matcher": matcher, **group}
