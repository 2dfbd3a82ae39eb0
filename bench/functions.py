"""Function hooks of the host program, fired one event after the other with a whole report each."""

import asyncio

from bench.measuring import Row, in_turns
from omnihook import Engine, Event
from omnihook.testing import pre_tool

ONE_TARGET, EACH_TARGET = 25e-6, 6e-6


def rows() -> list[Row]:
    """One hook, and each of a hundred."""
    event = pre_tool("Bash", cwd="/tmp", command="ls -la")
    return asyncio.run(_rows(event))


async def _rows(event: Event) -> list[Row]:
    one, hundred = _engine(1), _engine(100)
    assert len((await hundred.fire(event)).outcomes) == 100
    few = await in_turns({"one": lambda: one.fire(event)}, rounds=600, repeat=20)
    many = await in_turns({"hundred": lambda: hundred.fire(event)}, rounds=300, repeat=2)
    return [
        Row(case="1 function hook", measured=few["one"].least, target=ONE_TARGET),
        Row(case="100 function hooks, each", measured=many["hundred"].least / 100, target=EACH_TARGET),
    ]


def _engine(count: int) -> Engine:
    engine = Engine(files=False)
    for number in range(count):
        engine.on("PreToolUse", name=f"hook-{number}")(_silent)
    return engine


def _silent(event: Event) -> None:
    return None
