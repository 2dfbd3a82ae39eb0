"""Events that concern none of many hooks: the price of having hooks at all."""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from bench import samples
from bench.measuring import Row, settle
from omnihook import Engine, Event

TARGET, MORE_TARGET = 60e-6, 1.5
EVENTS = 10_000


def rows() -> list[Row]:
    """A thousand and ten thousand hooks."""
    with tempfile.TemporaryDirectory(prefix="omnihook-bench-") as folder:
        few, many = (_engine(Path(folder) / str(count), count) for count in (1_000, 10_000))
        return asyncio.run(_rows(few, many))


async def _rows(few: Engine, many: Engine) -> list[Row]:
    events = samples.events(EVENTS)
    assert len({event.tool_name for event in events}) == 50
    taken: dict[Engine, list[float]] = {few: [], many: []}
    for engine in (few, many):
        assert (await engine.fire(events[0])).plan.empty
    settle()
    for start in range(0, EVENTS, 500):
        for engine in (few, many):
            taken[engine] += [await _timed(engine, event) for event in events[start : start + 500]]
    small, large = (statistics.median(taken[engine]) for engine in (few, many))
    slow = statistics.quantiles(taken[few], n=100)[98]
    return [
        Row(case="no match among 1,000 hooks, median", measured=small, target=TARGET),
        Row(case="no match among 1,000 hooks, 99th percentile", measured=slow),
        Row(
            case="no match among 10,000 hooks, median",
            measured=large,
            baseline="1,000 hooks",
            against=small,
            target=MORE_TARGET,
        ),
    ]


async def _timed(engine: Engine, event: Event) -> float:
    begun = time.perf_counter()
    report = await engine.fire(event)
    took = time.perf_counter() - begun
    assert not report.outcomes
    return took


def _engine(home: Path, count: int) -> Engine:
    file = home / ".config/omnihook/hooks.toml"
    file.parent.mkdir(parents=True)
    file.write_text(samples.toml(count))
    file.chmod(0o600)
    project = home / "project"
    project.mkdir()
    return Engine(str(project), environ={"HOME": str(home), "PATH": "/usr/bin:/bin"})
