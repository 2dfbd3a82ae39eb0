"""Short ways to run a child in a test, and to look at what it left behind."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import TypeVar

from omnihook.runners.process import Child, Exit, Payload, run

T = TypeVar("T")


async def run_sh(command: str, stdin: bytes = b"", *, timeout: float = 10.0, **limits: object) -> Exit:
    """Run shell text as a hook would be."""
    return await run_argv("/bin/sh", "-c", command, stdin=stdin, timeout=timeout, **limits)


async def run_argv(*argv: str, stdin: bytes = b"", timeout: float = 10.0, **limits: object) -> Exit:
    """Run a program without a shell."""
    with Payload(stdin) as payload:
        fields = {"env": dict(os.environ), "cwd": "/", **limits}
        return await run(
            Child(argv=argv, payload=payload, deadline=time.monotonic() + timeout, **fields)  # type: ignore[arg-type]
        )


def finish(coroutine: Coroutine[None, None, T]) -> T:
    """Run on a loop of its own, and fail when a callback failed on the way."""
    troubles: list[dict[str, object]] = []

    async def watched() -> T:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))
        return await coroutine

    answer = asyncio.run(watched())
    assert troubles == []
    return answer


def sh(command: str, stdin: bytes = b"", *, timeout: float = 10.0, **limits: object) -> Exit:
    """Run shell text on a loop of its own."""
    return finish(run_sh(command, stdin, timeout=timeout, **limits))


def argv(*words: str, stdin: bytes = b"", timeout: float = 10.0, **limits: object) -> Exit:
    """Run a program on a loop of its own."""
    return finish(run_argv(*words, stdin=stdin, timeout=timeout, **limits))


def script(path: Path, text: str, *, mode: int = 0o755) -> str:
    """A file with this text, executable unless told otherwise."""
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def alive(mark: str) -> list[int]:
    """Processes, zombies excepted, that have this text among their arguments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            state = (folder / "stat").read_bytes().rpartition(b") ")[2][:1]
        except OSError:
            continue
        if mark.encode() in words and state not in b"ZX" and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def zombies() -> list[str]:
    """Children of this process that nobody has waited for."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(") ")[2].split()[:2]
        except OSError:
            continue
        if state == "Z" and int(parent) == os.getpid():
            found.append(folder.name)
    return found


def open_fds() -> int:
    """How many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))


def wait_until(true: Callable[[], object], *, within: float) -> None:
    """Wait for a condition, and fail when it does not come."""
    end = time.monotonic() + within
    while not true():
        assert time.monotonic() < end, "the condition did not come true in time"
        time.sleep(0.005)


def python(code: str, *args: str, wrapper: tuple[str, ...] = ()) -> str:
    """What this code prints in an interpreter of its own, where it can change limits and signals."""
    done = subprocess.run(
        [*wrapper, sys.executable, "-W", "error", "-c", dedent(code), *args],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=15,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.strip()


@contextmanager
def no_leaks() -> Iterator[None]:
    """Fail when descriptors or zombies are left."""
    before, dead = open_fds(), zombies()  # other tests of this process may have left some, which may go meanwhile
    yield
    assert open_fds() <= before
    assert set(zombies()) <= set(dead)
