"""Command hooks of a trusted project: one and eight of them, against bare children and against the peer."""

import asyncio
import tempfile
from pathlib import Path

from bench import bare, peer, scratch
from bench.measuring import Job, Row, in_turns
from omnihook import Engine, Event

ROUNDS = {1: 300, 8: 100}
BARE_TARGET = {1: 1.25, 8: 1.15}
PEER_TARGET = {1: 0.85, 8: 0.55}
BARE_NAME = {1: "bare spawn on the loop", 8: "8 bare spawns, a selector"}


def rows() -> list[Row]:
    """The rows of one and of eight commands."""
    with tempfile.TemporaryDirectory(prefix="omnihook-bench-") as folder:
        return [*_rows(Path(folder), 1), *_rows(Path(folder), 8)]


def _rows(folder: Path, commands: int) -> list[Row]:
    jobs: dict[str, Job] = {}
    for dialect in scratch.DIALECTS:
        engine = scratch.engine(folder / f"{dialect}-{commands}", dialect, commands)
        jobs[dialect] = _ours(engine, scratch.event(engine, dialect), commands)
        jobs[f"bare {dialect}"] = _bare(scratch.task(engine, dialect), commands)
    theirs = peer.runner(commands, str(folder))
    if theirs is not None:
        jobs["peer"] = theirs
    took = asyncio.run(in_turns(jobs, rounds=ROUNDS[commands]))
    made = []
    for dialect in scratch.DIALECTS:
        case = f"{commands} command hook{'s' if commands > 1 else ''}, {dialect}"
        bare_row = Row(
            case=case,
            measured=took[dialect].median,
            baseline=BARE_NAME[commands],
            against=took[f"bare {dialect}"].median,
            target=BARE_TARGET[commands],
        )
        made.append(bare_row)
        if theirs is not None:
            peer_row = Row(
                case=case,
                measured=took[dialect].median,
                baseline="openhands-sdk",
                against=took["peer"].median,
                target=PEER_TARGET[commands],
            )
            made.append(peer_row)
    return made


def _bare(task: bare.Task, commands: int) -> Job:
    return (lambda: bare.one(task)) if commands == 1 else (lambda: bare.many(task, commands))


def _ours(engine: Engine, event: Event, commands: int) -> Job:
    async def fire() -> None:
        report = await engine.fire(event)
        assert [outcome.exit_code for outcome in report.outcomes] == [0] * commands, report

    return fire
