"""Children started with as little care as possible: what any safe way of starting them is compared with."""

import asyncio
import os
import selectors
import subprocess
from collections.abc import Sequence
from typing import IO

_PIPE = subprocess.PIPE


def start(argv: Sequence[str]) -> subprocess.Popen[bytes]:
    """A child with three pipes; its stdin is closed at once, for a child that ends first would break a write."""
    process = subprocess.Popen(argv, stdin=_PIPE, stdout=_PIPE, stderr=_PIPE)
    assert process.stdin is not None
    process.stdin.close()
    return process


async def one(argv: Sequence[str]) -> None:
    """One child read by the running loop, its exit told by a pidfd."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    process = start(argv)
    pidfd = os.pidfd_open(process.pid)
    waiting = {process.stdout.fileno(), process.stderr.fileno(), pidfd}  # type: ignore[union-attr]  # both are pipes

    def over(fd: int) -> None:
        loop.remove_reader(fd)
        waiting.discard(fd)
        if not waiting:
            done.set_result(None)

    def readable(pipe: IO[bytes]) -> None:
        if not os.read(pipe.fileno(), 65536):
            over(pipe.fileno())

    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        loop.add_reader(pipe.fileno(), readable, pipe)
    loop.add_reader(pidfd, over, pidfd)
    await done
    os.close(pidfd)
    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()
    assert process.wait() == 0


def many(argv: Sequence[str], count: int) -> None:
    """Some children at once, read with one selector, without any loop."""
    processes = [start(argv) for _ in range(count)]
    with selectors.DefaultSelector() as selector:
        for process in processes:
            for pipe in (process.stdout, process.stderr):
                assert pipe is not None
                selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                if not os.read(key.fd, 65536):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]  # a pipe
    for process in processes:
        assert process.wait() == 0
