"""Processes whose Nth system call of a kind fails, as the kernel would have it: strace makes it so.

One template process has imported everything and tried once without a failure; each trial is a fork of it that waits,
stopped, for strace to attach.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
TEMPLATE = """
import os, signal, sys
{code}
trial(sys.argv[1])  # whatever is imported later on is imported now
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
        try:
            code = trial(line.rstrip("\\n"))
        except BaseException:
            import traceback
            traceback.print_exc()
            code = 99
        os._exit(code)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1] >> 8, flush=True)
"""


@dataclass(frozen=True)
class Trials:
    """The template process; `code` defined `trial(argument)`, whose result is the exit code."""

    process: "subprocess.Popen[str]"

    def run(self, argument: str, call: str, error: str, number: int) -> int:
        """Fork, let the Nth of a call fail with an error, and give back the exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(argument + "\n")
        self.process.stdin.flush()
        child = int(self.process.stdout.readline())
        _stopped(child)
        with _tracing(child, f"inject={call}:error={error}:when={number}", call):
            os.kill(child, signal.SIGCONT)
            return int(self.process.stdout.readline())


@contextmanager
def trials(code: str, warm_up: Path) -> Iterator[Trials]:
    process = subprocess.Popen(
        [sys.executable, "-c", TEMPLATE.format(code=code), str(warm_up)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )
    with process:
        yield Trials(process)
        assert process.stdin is not None
        process.stdin.close()


@contextmanager
def _tracing(pid: int, inject: str, call: str) -> Iterator[None]:
    words = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject, "-p", str(pid)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as tracer:
        assert tracer.stderr is not None
        said = tracer.stderr.readline()
        assert "attached" in said, said
        try:
            yield
        finally:
            tracer.communicate()


def _stopped(pid: int) -> None:
    while True:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state == "T":
            return
        time.sleep(0.001)
