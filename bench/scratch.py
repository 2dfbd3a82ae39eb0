"""A scratch home and project with hooks in their files, and an engine that trusts them."""

import json
import os
import time
from pathlib import Path

from bench import bare
from omnihook import Engine, Event
from omnihook.dialects import get
from omnihook.events import NATIVE
from omnihook.jsontypes import Json
from omnihook.trust import TrustStore

CLAUDE = "claude-code"
DIALECTS = (NATIVE, CLAUDE)
ARGV = ("/bin/sh", "-c", "true")


def engine(folder: Path, dialect: str, commands: int) -> Engine:
    """An engine with so many approved project hooks that each run `/bin/sh -c true` before a tool."""
    project, home = folder / "project", folder / "home"
    project.mkdir(parents=True)
    home.mkdir()
    (project / ".git").mkdir()
    if dialect == NATIVE:
        _write(project / ".omnihook/hooks.toml", _native(commands))
    else:
        _write(project / ".claude/settings.json", _claude(commands))
    only = None if dialect == NATIVE else dialect
    made = Engine(str(project), only=only, environ={**os.environ, "HOME": str(home)})
    TrustStore(made.folders.state).approve(made.hooks, made.folders.project, when=time.time())
    ready = made.plan(event(made, dialect)).steps
    assert len(ready) == commands, f"{len(ready)} of {commands} hooks would run: {made.diagnostics}"
    return made


def event(made: Engine, dialect: str) -> Event:
    """A tool call as the dialect's agent reports it."""
    payload: dict[str, Json] = {
        "hook_event_name": "PreToolUse",
        "session_id": "bench",
        "cwd": made.folders.project,
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": {"command": "ls -la", "description": "List files"},
        "tool_use_id": "toolu_01",
    }
    return get(dialect).decode_event(payload, None)


def task(made: Engine, dialect: str) -> bare.Task:
    """The same child without an engine."""
    wire = get(dialect).encode_event(event(made, dialect))
    env = {**made.environ, **wire.env}
    return bare.Task(argv=ARGV, env=env, cwd=made.folders.project, stdin=wire.stdin or b"")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o600)


def _native(commands: int) -> str:
    # Equal hooks would run once, so each has a word of its own.
    entries = [f'[[hook]]\non = "PreToolUse"\nmatch = "Bash"\nrun = "true {n}"\n' for n in range(commands)]
    return "\n".join(entries)


def _claude(commands: int) -> str:
    # The agent's own shell is bash; `args` starts the same sh as everybody else here.
    hooks = [{"type": "command", "command": "/bin/sh", "args": ["-c", f"true {n}"]} for n in range(commands)]
    return json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}})
