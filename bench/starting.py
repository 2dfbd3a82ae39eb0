"""Processes that are started for one event: the guard as an agent's command, and the verb that fires an event.

The baseline imports what any command line of this kind needs, and does nothing.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

from bench.measuring import Job, Row, in_turns

ROUNDS = 25
BARE = (sys.executable, "-c", "import click, json")
PAYLOAD = {
    "hook_event_name": "PreToolUse",
    "session_id": "bench",
    "tool_name": "Bash",
    "tool_input": {"command": "git status --short"},
}
VERBS = {
    "start-up, builtin security-guard": ("builtin", "security-guard", "--as", "claude-code"),
    "start-up, fire without hooks": ("fire", "PreToolUse", "--as", "claude-code"),
    "start-up, list": ("list",),
}


def rows() -> list[Row]:
    """A row for each verb."""
    with tempfile.TemporaryDirectory(prefix="omnihook-bench-") as home:
        jobs = {case: _job((sys.executable, "-m", "omnihook", *words), home) for case, words in VERBS.items()}
        took = asyncio.run(in_turns({"bare": _job(BARE, home), **jobs}, rounds=ROUNDS, warm=2))
    bare = took["bare"].least
    return [
        Row(case=case, measured=took[case].least, baseline="Python importing click", against=bare) for case in VERBS
    ]


def _job(argv: tuple[str, ...], home: str) -> Job:
    env = {**os.environ, "HOME": home}
    data = json.dumps(PAYLOAD).encode()

    def run() -> None:
        subprocess.run(argv, input=data, env=env, cwd=home, stdout=subprocess.DEVNULL, check=True)

    return run
