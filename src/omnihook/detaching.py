"""Background hooks of a process that ends before they do: each is handed to a process of its own.

That process also adds what the hook said to the record of its event, once it has been told which one that is.
"""

import asyncio
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import IO

from omnihook.background import late_text
from omnihook.configuring import Choice, verifier
from omnihook.dialect import Settings, lookup
from omnihook.engine import Engine
from omnihook.events import Event
from omnihook.folders import Folders
from omnihook.journal import Journal
from omnihook.journal.telling import run_json
from omnihook.outcomes import Outcome
from omnihook.plans import Step
from omnihook.runners.scenes import Scene
from omnihook.running import run_one
from omnihook.sessions import FileSessions, key_of
from omnihook.trust import TrustStore

Job = tuple[Step, Event, Folders, Choice, Mapping[str, Settings]]


class Detaching:
    """Hands over the background hooks of one short-lived process; `close` lets them go."""

    def __init__(self) -> None:
        self.engine: Engine | None = None  # whose hooks they are
        self._unknown: list[tuple[Event, IO[bytes]]] = []  # hooks that wait for the id of their record

    def __call__(self, step: Step, event: Event) -> None:
        """Start a hook that nobody waits for; it survives this process and is ended at its time-out."""
        engine = self.engine
        assert engine is not None
        job: Job = (step, event, engine.folders, engine.choice, dict(engine.configuration.settings))
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "omnihook.detaching"],  # -P: not from the session's folder
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        child.returncode = 0  # it outlives us on purpose
        assert child.stdin is not None
        self._unknown.append((event, child.stdin))
        with suppress(BrokenPipeError):
            pickle.dump(job, child.stdin)
            child.stdin.flush()

    def recorded(self, event: Event, id: str) -> None:
        """Tell the hooks of an event the id of its record."""
        for held, pipe in self._unknown:
            if held is event:
                with suppress(BrokenPipeError):
                    pipe.write(id.encode())
                    pipe.flush()

    def close(self) -> None:
        """Let go of every hook that was started."""
        while self._unknown:
            with suppress(BrokenPipeError):
                self._unknown.pop()[1].close()


def main() -> None:
    """Run the hook on stdin; its context waits in the session's mailbox, its outcome goes to the journal."""
    job: Job = pickle.load(sys.stdin.buffer)  # our own pipe, written a moment ago
    outcome = asyncio.run(finish(job))
    id = sys.stdin.buffer.read().decode()
    if id:
        journal = Journal(job[2].state, resident=False, notify=lambda text: None)
        journal.late(id, run_json(outcome))
        journal.close()


async def finish(job: Job) -> Outcome:
    """Run one hook to its end and leave what it said where the next event finds it."""
    step, event, folders, choice, settings = job
    name = step.hook.source.dialect
    scene = Scene(
        dialects={name: lookup(name)},
        environ=os.environ,
        project=folders.project,
        state=folders.state,
        verifier=partial(verifier, choice, folders, TrustStore(folders.state)),
        settings=settings,
    )
    outcome = await run_one(step, event, scene)
    text = late_text(step.hook, outcome)
    if text:
        sessions = FileSessions(os.path.join(folders.state, "sessions"))
        with sessions.changing(key_of(event)) as state:
            state.mailbox.append(text)
    return outcome


if __name__ == "__main__":
    main()
