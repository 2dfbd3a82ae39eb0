"""A scratch home, the manager on it, and what its screen says."""

import asyncio
import html
import json
import os
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot

from omnihook import dialects
from omnihook.engine import Engine
from omnihook.folders import find
from omnihook.manager.app import Manager
from omnihook.manager.desk import Desk

AUTOHAND = {
    "theme": "dark",
    "hooks": {
        "enabled": True,
        "hooks": [
            {"event": "pre-tool", "command": "echo one", "description": "Log tool usage"},
            {"event": "pre-tool", "command": "echo two", "enabled": False, "matcher": "^run_command$", "timeout": 1500},
            {"event": "stop", "command": "echo three", "async": True},
        ],
    },
}
CLAUDE = {
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo one", "timeout": 7}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "echo two"}]}],
    }
}
Steps = Callable[["Screen"], Awaitable[None]]


@dataclass(frozen=True)
class Screen:
    """A manager that is running."""

    app: Manager
    pilot: Pilot[None]

    @property
    def text(self) -> str:
        """What is on the screen, line by line, with every run of blanks as one."""
        lines: dict[float, str] = {}
        for y, words in re.findall(r'<text [^>]*y="([\d.]+)"[^>]*>(.*?)</text>', self.app.export_screenshot()):
            lines[float(y)] = lines.get(float(y), "") + html.unescape(words).replace("\xa0", " ") + " "
        return "\n".join(re.sub(r"\s+", " ", lines[y]).strip() for y in sorted(lines))

    async def press(self, *keys: str) -> None:
        """Press keys, one by one, and let the screen settle."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a text."""
        await self.press(*("space" if letter == " " else letter for letter in text))

    async def until(self, *wanted: str, seconds: float = 10) -> None:
        """Wait until all of some texts are on the screen."""
        deadline = time.monotonic() + seconds
        while not all(text in self.text for text in wanted):
            assert time.monotonic() < deadline, f"{wanted} not in:\n{self.text}"
            await self.pilot.pause(0.05)


@dataclass(frozen=True)
class Place:
    """The folders of one user."""

    top: Path

    @property
    def home(self) -> Path:
        return self.top / "home"

    @property
    def project(self) -> Path:
        return self.top / "project"

    def write(self, name: str, text: object, *, mode: int = 0o644) -> Path:
        """A file below the home (`~/...`) or the project; anything but text is written as JSON."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text, indent=2))
        path.chmod(mode)
        return path

    def engine(self, dialect: str | None = None, **environ: str) -> Engine:
        known = {**os.environ, "HOME": str(self.home), **environ}
        folders = find(known, cwd=str(self.project), project=str(self.project))
        return Engine(folders=folders, only=dialect, environ=known)

    def desk(self, dialect: str | None = None, **environ: str) -> Desk:
        return Desk(self.engine(dialect, **environ), dialects.get(dialect or "omnihook"))

    def drive(self, steps: Steps, dialect: str | None = None, **environ: str) -> None:
        """Open the manager on an 80x24 screen and go through some steps."""

        async def session() -> None:
            app = Manager(self.desk(dialect, **environ))
            async with app.run_test(size=(80, 24), notifications=True) as pilot:
                await pilot.pause()
                await steps(Screen(app, pilot))

        asyncio.run(session())
