"""Background hooks of a process that ends before they do: each is handed to a process of its own."""

import asyncio
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping

from omnihook.dialect import Dialect
from omnihook.engine import lookup
from omnihook.events import Event
from omnihook.folders import find
from omnihook.hooks import Hook
from omnihook.outcomes import Outcome
from omnihook.plans import Step
from omnihook.runners.one import Scene
from omnihook.running import run_one
from omnihook.sessions import FileSessions, key_of


def detach(step: Step, event: Event) -> None:
    """Start a hook that nobody waits for; it survives this process and is ended at its time-out."""
    child = subprocess.Popen(
        [sys.executable, "-m", "omnihook.detaching"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert child.stdin is not None
    with child.stdin as pipe:
        pickle.dump((step, event), pipe)
    child.returncode = 0  # it outlives us on purpose


def main() -> None:
    """Run the hook on stdin; its context waits in the session's mailbox."""
    step, event = pickle.load(sys.stdin.buffer)  # our own pipe, written a moment ago
    asyncio.run(finish(step, event))


async def finish(step: Step, event: Event) -> Outcome:
    """Run one hook to its end and leave what it said where the next event finds it."""
    folders = find(os.environ, cwd=event.cwd or "/")
    scene = Scene(dialects=_Dialects(), environ=os.environ, project=folders.project)
    outcome = await run_one(step, event, scene)
    text = late_text(step.hook, outcome)
    if text:
        sessions = FileSessions(os.path.join(folders.state, "sessions"))
        with sessions.changing(key_of(event)) as state:
            state.mailbox.append(text)
    return outcome


def late_text(hook: Hook, outcome: Outcome) -> str | None:
    """What a background hook has to say to the agent: its context, or, if it may wake it, its objection."""
    said = outcome.verdict
    return said.reason if hook.rewake and said.refused else said.additional_context


class _Dialects(Mapping[str, Dialect]):
    """Every dialect, imported when asked for."""

    def __getitem__(self, name: str) -> Dialect:
        return lookup(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


if __name__ == "__main__":
    main()
