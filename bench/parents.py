"""Command hooks fired from a small and from a large process: starting a child must not cost what the parent holds.

Run as a module it is one such process: it fires as often as each line of its stdin says and prints the seconds.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import scratch
from bench.measuring import Row
from omnihook.events import NATIVE

LARGE = 2 << 30
TARGET = 1.15
ROUNDS, BATCH = 30, 8
NOTHING, READY = 0, "ready"


def rows() -> list[Row]:
    """One row: a parent of two gigabytes against one that holds nothing."""
    with tempfile.TemporaryDirectory(prefix="omnihook-bench-") as folder:
        small, large = (_start(Path(folder) / str(size), size) for size in (NOTHING, LARGE))
        try:
            return [_row(small, large)]
        finally:
            for process in (small, large):
                process.communicate()


def _row(small: subprocess.Popen[str], large: subprocess.Popen[str]) -> Row:
    held = [_megabytes(process) for process in (small, large)]
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS):
        for process, times in zip((small, large), taken, strict=True):
            took = _ask(process)
            if number:
                times.append(took)
    return Row(
        case=f"1 command hook from a parent of {held[1]} MB",
        measured=statistics.median(taken[1]),
        baseline=f"parent of {held[0]} MB",
        against=statistics.median(taken[0]),
        target=TARGET,
    )


def _start(folder: Path, size: int) -> subprocess.Popen[str]:
    argv = (sys.executable, "-m", "bench.parents", str(folder), str(size))
    return subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]
    )


def _megabytes(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    word, size = process.stdout.readline().split()
    assert word == READY
    return int(size)


def _ask(process: subprocess.Popen[str]) -> float:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{BATCH}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


async def _serve(folder: Path, size: int) -> None:
    ballast = bytearray(os.urandom(4096)) * (size // 4096)
    engine = scratch.engine(folder, NATIVE, 1)
    event = scratch.event(engine, NATIVE)
    print(READY, _resident() >> 20, flush=True)
    for line in sys.stdin:
        begun = time.perf_counter()
        for _ in range(int(line)):
            await engine.fire(event)
        print((time.perf_counter() - begun) / int(line), flush=True)
    assert len(ballast) == size


def _resident() -> int:
    """Bytes in memory now; the highest value so far would count what our own parent held."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), int(sys.argv[2])))
