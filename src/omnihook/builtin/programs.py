"""Programs that built-in hooks run: found in the project or on the path, ended in time with all they started."""

import asyncio
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence

from omnihook.hooks import Context
from omnihook.runners import process
from omnihook.runners.process import Child, Payload, Status
from omnihook.slotted import dataclass

CAP = 16 << 20  # bytes of output that are kept
_OURS = frozenset({"OMNIHOOK_API_KEY"})  # what no program needs to know


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a program ended. `code` is None when it was ended, killed or never started; `why` says which.

    `data` is the output as it came, for those who look for names of files in it.
    """

    code: int | None
    output: str
    errors: str
    why: str = ""
    timed_out: bool = False
    data: bytes = b""

    @property
    def said(self) -> str:
        """All it wrote, errors last, as one text."""
        return "\n".join(part for part in (self.output.strip(), self.errors.strip()) if part)


def run(
    argv: Sequence[str],
    context: Context,
    *,
    cwd: str,
    timeout: float,
    stdin: bytes = b"",
    more: Mapping[str, str] | None = None,
) -> Finished:
    """Run a program to its end, or end it with everything it started after so many seconds."""
    env = {name: value for name, value in context.env.items() if name not in _OURS} | dict(more or {})
    with Payload(stdin) as payload:
        child = Child(
            argv=tuple(argv),
            env=env,
            cwd=cwd,
            payload=payload,
            deadline=time.monotonic() + timeout,
            cap=CAP,
            truncate=True,
        )
        ended = asyncio.run(process.run(child))
    return Finished(
        code=ended.code if ended.status is Status.EXITED else None,
        output=ended.stdout.decode("utf-8", "replace"),
        errors=ended.stderr.decode("utf-8", "replace"),
        why=_why(ended, timeout),
        timed_out=ended.status is Status.TIMEOUT,
        data=ended.stdout,
    )


def shell(line: str) -> tuple[str, ...]:
    """A command line that a person wrote in their own configuration."""
    return ("/bin/sh", "-c", line)


def found(name: str, context: Context) -> str | None:
    """A program on the path."""
    return shutil.which(name, path=context.env.get("PATH", os.defpath))


def upwards(start: str, top: str) -> Iterator[str]:
    """A folder and those above it, down to the top one; only the folder itself when it lies elsewhere."""
    folder = start
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if folder in (top, parent) or not folder.startswith(top.rstrip("/") + "/"):
            return
        folder = parent


def tail(text: str, lines: int, limit: int = 6000) -> str:
    """The end of a text, whole lines where they fit."""
    kept = "\n".join(text.rstrip().splitlines()[-lines:] if lines > 0 else ())
    return kept if len(kept) <= limit else "…" + kept[-limit:]


def _why(ended: process.Exit, timeout: float) -> str:
    if ended.status is Status.TIMEOUT:
        return f"it took longer than {timeout:g} s and was ended"
    if ended.status is Status.NOT_STARTED:
        return f"it could not be started: {ended.error}"
    if ended.code is None:
        return f"it was killed by signal {ended.signal}" if ended.signal else ended.error or "nobody knows how it ended"
    return f"it ended with exit code {ended.code}"
