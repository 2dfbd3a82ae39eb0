"""Children started with as little care as possible: what any safe way of starting them is compared with.

They get what a hook gets (program, environment, directory, stdin), and nothing else is done for them: no process
group, no time-out, no cap on what they write, no verdict.
"""

import asyncio
import os
import selectors
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

_PIPE = subprocess.PIPE


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to start."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    stdin: bytes


def start(task: Task) -> tuple[subprocess.Popen[bytes], tuple[IO[bytes], IO[bytes]]]:
    """A child with three pipes, of which the first is written and closed."""
    child = subprocess.Popen(task.argv, stdin=_PIPE, stdout=_PIPE, stderr=_PIPE, env=task.env, cwd=task.cwd)
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    with suppress(BrokenPipeError):  # it may be over already
        child.stdin.write(task.stdin)
        child.stdin.close()
    return child, (child.stdout, child.stderr)


async def one(task: Task) -> None:
    """One child read by the running loop, its exit told by a pidfd."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    child, pipes = start(task)
    pidfd = os.pidfd_open(child.pid)
    waiting = {pidfd, *(pipe.fileno() for pipe in pipes)}

    def over(fd: int) -> None:
        loop.remove_reader(fd)
        waiting.discard(fd)
        if not waiting:
            done.set_result(None)

    def readable(pipe: IO[bytes]) -> None:
        if not os.read(pipe.fileno(), 65536):
            over(pipe.fileno())

    for pipe in pipes:
        loop.add_reader(pipe.fileno(), readable, pipe)
    loop.add_reader(pidfd, over, pidfd)
    await done
    os.close(pidfd)
    for pipe in pipes:
        pipe.close()
    assert child.wait() == 0


def many(task: Task, count: int) -> None:
    """Some children at once, read with one selector, without any loop."""
    children = [start(task) for _ in range(count)]
    with selectors.DefaultSelector() as selector:
        for _, pipes in children:
            for pipe in pipes:
                selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                if not os.read(key.fd, 65536):
                    selector.unregister(key.fileobj)
    for child, pipes in children:
        for pipe in pipes:
            pipe.close()
        assert child.wait() == 0
