"""What our care costs: `run` against bare Popen with pipes, on the same loop, alternating in one process."""

import asyncio
import gc
import os
import selectors
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

from omnihook.runners.process import Child, Payload, Status, run

ARGV = ("/bin/sh", "-c", "true")
STDIN = b'{"hook_event_name": "PreToolUse", "tool_name": "Bash"}'
ENV = dict(os.environ)  # the caller has one ready for each event
ONE_LIMIT, EIGHT_LIMIT = 1.25, 1.15


def _popen() -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(ARGV, stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin is not None
    process.stdin.close()  # nothing is written: a child that exits first would break the bare one
    return process


async def bare_one() -> None:
    """One Popen whose output is read by the running loop, and then waited for."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    process = _popen()
    open_pipes = {process.stdout, process.stderr}

    def readable(pipe) -> None:
        if not os.read(pipe.fileno(), 65536):
            loop.remove_reader(pipe.fileno())
            pipe.close()
            open_pipes.discard(pipe)
            if not open_pipes:
                done.set_result(None)

    for pipe in tuple(open_pipes):
        loop.add_reader(pipe.fileno(), readable, pipe)
    await done
    assert process.wait() == 0


async def our_one() -> None:
    """One `run` with everything it does."""
    with Payload(STDIN) as payload:
        await _ours(payload)


async def _ours(payload: Payload) -> None:
    child = Child(argv=ARGV, env=ENV, cwd="/", payload=payload, deadline=time.monotonic() + 60)
    result = await run(child)
    assert (result.status, result.code) == (Status.EXITED, 0), result


async def bare_eight() -> None:
    """Eight Popen read with one selector, without any loop."""
    processes = [_popen() for _ in range(8)]
    with selectors.DefaultSelector() as selector:
        for process in processes:
            for pipe in (process.stdout, process.stderr):
                assert pipe is not None
                selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                if not os.read(key.fd, 65536):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
    for process in processes:
        assert process.wait() == 0


async def our_eight() -> None:
    """Eight `run` at once, sharing one payload."""
    with Payload(STDIN) as payload:
        await asyncio.gather(*(_ours(payload) for _ in range(8)))


Step = Callable[[], Awaitable[None]]


async def compare(bare: Step, ours: Step, *, rounds: int) -> tuple[float, float]:
    """Median seconds of both, measured in turns so that both meet the same machine."""
    times: dict[Step, list[float]] = {bare: [], ours: []}
    for number in range(rounds + 10):
        for step in (bare, ours) if number % 2 else (ours, bare):
            begun = time.perf_counter()
            await step()
            if number >= 10:
                times[step].append(time.perf_counter() - begun)
    return statistics.median(times[bare]), statistics.median(times[ours])


def measure(*, rounds: int = 200) -> dict[str, tuple[float, float, float]]:
    """For one and for eight children: seconds bare, seconds ours, and the limit of their ratio."""
    gc.collect()
    one = asyncio.run(compare(bare_one, our_one, rounds=rounds))
    eight = asyncio.run(compare(bare_eight, our_eight, rounds=rounds))
    return {"one": (*one, ONE_LIMIT), "eight": (*eight, EIGHT_LIMIT)}


def main() -> int:
    """Print the ratios; 1 when one is over its limit."""
    over = 0
    for name, (bare, ours, limit) in measure().items():
        over |= ours / bare > limit
        print(
            f"{name:5}  bare {bare * 1e6:7.0f} us  ours {ours * 1e6:7.0f} us  ratio {ours / bare:.2f} (limit {limit})"
        )
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
