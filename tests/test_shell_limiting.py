"""A walk ends, whatever it meets: by the clock where steps are counted, by a signal inside a single expression."""

import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from omnihook.shell import limiting
from omnihook.shell.evaluating import Evaluator
from omnihook.shell.limiting import Clock, limited, signals_allowed
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.state import Surroundings
from omnihook.shell.values import Command, Text

RUNAWAY = re.compile(r"(?:a|a)*b")
FOR_EVER = "a" * 80


class Watching:
    """An observer that does nothing, or spins a while at each command."""

    def __init__(self, spin: float = 0.0) -> None:
        self.spin = spin
        self.seen: list[str] = []

    def command(self, command: Command) -> list[Text]:
        self.seen.append(" ".join(command.words))
        until = time.thread_time() + self.spin
        while time.thread_time() < until:
            pass
        return []

    def script(self, text: Text, via: str, command: Command) -> None: ...

    def bomb(self, name: str) -> None: ...

    def broken(self, text: str) -> None: ...


def test_a_walk_ends_when_its_processor_time_is_over() -> None:
    watching = Watching(spin=limiting.SECONDS / 2 + 0.05)
    with pytest.raises(ShellTextError, match="too long"):
        Evaluator(watching, Surroundings("/", "/root", "/")).run("one; two; three; four")
    assert watching.seen == ["one", "two"]


def test_a_clock_counts_from_when_it_is_made() -> None:
    Clock(60.0).check()
    assert not Clock(60.0).over
    with pytest.raises(ShellTextError):
        Clock(-1.0).check()


def test_an_expression_that_would_run_for_ever_is_ended() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(ShellTextError, match="too long"), signals_allowed(), limited(0.1):
        RUNAWAY.match(FOR_EVER)
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_code_that_swallows_the_first_signal_is_ended_by_the_next() -> None:
    with pytest.raises(ShellTextError), signals_allowed(), limited(0.05):
        try:
            RUNAWAY.match(FOR_EVER)
        except ShellTextError:
            RUNAWAY.match(FOR_EVER)


def test_a_timer_that_ran_before_runs_on() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGPROF, lambda number, _: heard.append(number))
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.2)
        with signals_allowed(), limited(30.0):
            pass
        until = time.monotonic() + 10
        while not heard and time.monotonic() < until:
            pass
        assert heard == [signal.SIGPROF]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_no_signal_is_touched_in_a_host_or_in_another_thread() -> None:
    seen: list[object] = []

    def look() -> None:
        with limited(0.001):
            seen.append((signal.getsignal(signal.SIGPROF), signal.getitimer(signal.ITIMER_PROF)))

    ours = (signal.getsignal(signal.SIGPROF), (0.0, 0.0))
    look()
    with signals_allowed():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == [ours, ours]


def test_the_command_line_ends_a_runaway_handler_and_asks() -> None:
    code = (
        "import re, sys\n"
        "from omnihook.builtin.guard.commands import HANDLERS\n"
        "from omnihook.cli.guard import run\n"
        f"HANDLERS['spin'] = lambda command: [re.match({RUNAWAY.pattern!r}, {FOR_EVER!r})]\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "spin x"], capture_output=True, text=True, timeout=18, check=False
    )
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (1, "ask", "")
    assert "takes too long" in done.stdout


def test_a_timer_that_outlives_its_walk_stops_without_harm() -> None:
    before = signal.signal(signal.SIGPROF, limiting._late)
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
        until = time.monotonic() + 10
        while signal.getitimer(signal.ITIMER_PROF) != (0.0, 0.0) and time.monotonic() < until:
            pass
        assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_the_end_of_a_walk_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = signal.setitimer

    def slow(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
        until = time.thread_time() + (0.2 if seconds == 0 else 0.0)
        while time.thread_time() < until:
            pass
        return stop(which, seconds, interval)

    monkeypatch.setattr(limiting.signal, "setitimer", slow)
    with signals_allowed(), limited(0.05):
        pass
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert limiting._Process.walks == []


def test_a_walk_whose_end_was_broken_off_harms_nobody() -> None:
    before = signal.getsignal(signal.SIGPROF)

    def walk() -> None:
        limited(0.05).__enter__()  # and nobody comes to end it

    try:
        with signals_allowed():
            walk()
        until = time.monotonic() + 10
        while signal.getitimer(signal.ITIMER_PROF) != (0.0, 0.0) and time.monotonic() < until:
            pass
    finally:
        signal.signal(signal.SIGPROF, before)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert limiting._Process.walks == []
