"""F34, F41, F47, F48: clocks that jump, resources that run out, hooks that pile up or call themselves."""

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from faults.kit import BASH, OMNIHOOK, Machine, fire, shell, toml, within
from omnihook.events import Stop
from omnihook.hooks import Cause
from omnihook.outcomes import Status
from omnihook.runners import environment


def _python(script: str, box: Machine, *before: str, **options: object) -> str:
    ran = subprocess.run(
        [*before, sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=box.environ(),
        timeout=50,
        cwd="/",
        **options,  # type: ignore[call-overload]
    )
    assert ran.returncode == 0, ran.stderr
    return str(ran.stdout)


ENGINE = """
import asyncio, os, resource, sys, time
from omnihook import Engine as E; Engine = E
from omnihook.events import PreToolUse
from omnihook.folders import Folders
from omnihook.hooks import Command, Hook
import omnihook.firing, omnihook.runners.command, omnihook.runners.process, omnihook.dialects.native
FOLDERS = Folders(home="/", config="/x", state="/x", project="/")
SLACK = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/"}
EVENT = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"}, cwd="/")
def made(count, command, **values):
    engine = Engine(files=False, folders=FOLDERS, environ=ENVIRON)
    for number in range(count):
        engine.register(Hook(name=f"h{number}", events=("PreToolUse",), action=Command(command=command), **values))
    return engine
def tell(report):
    causes = sorted({str(o.failure.cause.value) for o in report.outcomes if o.failure})
    print(report.refused, len(report.outcomes), causes, flush=True)
"""


def test_few_descriptors_are_a_clear_error_and_a_guard_fails_closed(box: Machine) -> None:
    """F41: RLIMIT_NOFILE reached; afterwards everything works again in the same process."""
    script = (
        ENGINE
        + """
async def main():
    await made(1, "true").fire(EVENT)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 2, hard))
    guarded = await made(8, "true", guard=True).fire(EVENT)
    plain = await made(8, "true").fire(EVENT)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    tell(guarded); tell(plain)
    print([o.failure.message for o in guarded.outcomes if o.failure][0])
    before = len(os.listdir("/proc/self/fd"))
    tell(await made(8, "true", guard=True).fire(EVENT))
    print(len(os.listdir("/proc/self/fd")) - before)
asyncio.run(main())
"""
    )
    lines = _python(script, box).splitlines()
    assert lines[0] == "True 8 ['start']"
    assert lines[1] == "False 8 ['start']"
    assert "no file descriptors left" in lines[2]
    assert lines[3:] == ["False 8 []", "0"]


def test_sixty_four_descriptors_are_enough_for_a_hundred_hooks_or_it_fails_closed(box: Machine) -> None:
    """F41: prlimit --nofile=64 with 100 guards side by side: every one answers or is an error; nothing is allowed."""
    script = (
        ENGINE
        + """
async def main():
    report = await made(100, "exit 2", guard=True).fire(EVENT)
    print(report.refused, len(report.outcomes), all(o.verdict.refused for o in report.outcomes))
    tell(await made(3, "true", guard=True).fire(EVENT))
asyncio.run(main())
"""
    )
    lines = _python(script, box, "prlimit", "--nofile=64").splitlines()
    assert lines == ["True 100 True", "False 3 []"]


def test_no_more_processes_is_a_clear_error_and_a_guard_fails_closed(box: Machine) -> None:
    """F41: RLIMIT_NPROC reached, as a user who is not root; it recovers when processes end."""
    script = (
        ENGINE
        + """
async def main():
    await made(1, "true").fire(EVENT)
    os.setgroups([]); os.setgid(60123); os.setuid(60123)
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    resource.setrlimit(resource.RLIMIT_NPROC, (1, hard))
    guarded, plain = await made(2, "true", guard=True).fire(EVENT), await made(2, "true").fire(EVENT)
    resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
    tell(guarded); tell(plain)
    print([o.failure.message for o in guarded.outcomes if o.failure][0])
    tell(await made(2, "true", guard=True).fire(EVENT))
asyncio.run(main())
"""
    )
    lines = _python(script, box).splitlines()
    assert lines[0] == "True 2 ['start']"
    assert lines[1] == "False 2 ['start']"
    assert "no more processes are allowed" in lines[2]
    assert lines[3] == "False 2 []"


def test_too_little_memory_for_a_hook_is_the_hooks_trouble(box: Machine) -> None:
    """F41: a hook that runs out of memory is broken; the engine is not."""
    engine = box.engine(files=False)
    greedy = f"ulimit -v 60000; {sys.executable} -c 'x = bytes(10**9)'"
    engine.register(shell(greedy, guard=True))
    report = fire(engine)
    assert report.refused
    assert report.outcomes[0].status is Status.BROKEN


def test_a_fork_bomb_is_capped_and_the_engine_answers(box: Machine) -> None:
    """F11: bounded by the limit of its user; the guard is refused in time, and nothing of it is left."""
    script = (
        ENGINE
        + """
async def main():
    await made(1, "true").fire(EVENT)
    os.setgroups([]); os.setgid(60124); os.setuid(60124)
    resource.setrlimit(resource.RLIMIT_NPROC, (40, 40))
    begun = time.monotonic()
    tell(await made(1, "bomb() { bomb | bomb & }; bomb; sleep 30", guard=True, timeout=1.0).fire(EVENT))
    print(time.monotonic() - begun < 8 * SLACK)
    time.sleep(0.3)
    left = [p for p in os.listdir("/proc") if p.isdecimal() and int(p) != os.getpid() and owner(p) == 60124]
    print(len(left))
def owner(pid):
    try:
        dead = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] == "Z"
        return None if dead else os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None
asyncio.run(main())
"""
    )
    told, in_time, left = _python(script, box).splitlines()
    assert told in ("True 1 ['timeout']", "True 1 []")  # ended at its time, or by the shell that could not fork
    assert (in_time, left) == ("True", "0")


def test_a_wall_clock_that_jumps_ends_no_hook_early_and_none_late(box: Machine) -> None:
    """F34: every time limit is on the monotonic clock."""
    script = (
        ENGINE
        + """
import threading
real, offset = time.time, 0.0
time.time = lambda: real() + offset
def jump():
    global offset
    for step in (86_400.0, -86_400.0, -400_000.0, 1e9) * 4:
        offset = step
        time.sleep(0.1)
threading.Thread(target=jump, daemon=True).start()
async def main():
    begun = time.monotonic()
    tell(await made(1, "sleep 0.5; exit 2", timeout=5.0).fire(EVENT))
    report = await made(1, "sleep 60", timeout=0.5).fire(EVENT)
    tell(report)
    took = report.outcomes[0].duration
    print(0.4 < took < 3 * SLACK, 0 <= report.duration < 5 * SLACK, time.monotonic() - begun < 8 * SLACK)
asyncio.run(main())
"""
    )
    assert _python(script, box).splitlines() == ["True 1 []", "False 1 ['timeout']", "True True True"]


def test_a_time_namespace_a_year_ahead_changes_nothing(box: Machine) -> None:
    """F34: the monotonic clock itself may start anywhere (suspend, another machine)."""
    probe = subprocess.run(["unshare", "--time", "--monotonic", "31536000", "true"], capture_output=True)
    before = (
        () if probe.returncode else ("unshare", "--time", "--boottime", "31536000", "--monotonic", "31536000", "--fork")
    )
    script = (
        ENGINE
        + """
async def main():
    report = await made(1, "sleep 60", timeout=0.5).fire(EVENT)
    tell(report)
    tell(await made(1, "exit 2", timeout=5.0).fire(EVENT))
    print(0.4 < report.outcomes[0].duration < 4 * SLACK)
asyncio.run(main())
"""
    )
    assert _python(script, box, *before).splitlines() == ["False 1 ['timeout']", "True 1 []", "True"]


def _running(mark: str) -> list[int]:
    """Processes whose command line or environment holds a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_a_hundred_background_hooks_are_ended_with_the_engine(box: Machine) -> None:
    """F47: a bounded wait, then none is left in /proc."""
    mark = f"mark{os.getpid()}x{time.monotonic_ns()}"
    engine = box.engine(files=False)
    for number in range(100):
        engine.register(shell(f": {mark}; sleep 60 & sleep 60", name=f"h{number}", background=True, timeout=60.0))
    report = engine.fire_sync(BASH)
    assert {outcome.status for outcome in report.outcomes} == {Status.LATE}
    begun = time.monotonic()
    engine.close(wait=0.5)
    took = time.monotonic() - begun
    assert took < within(6), took
    assert _running(mark) == []


def test_background_hooks_that_are_done_in_time_are_waited_for(box: Machine) -> None:
    """F47: the wait ends with the last of them, and what they said waits for the next event."""
    engine = box.engine(files=False)
    reply = json.dumps({"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "late words"}})
    engine.register(shell(f"sleep 0.2; echo '{reply}'", "Stop", background=True))
    engine.fire_sync(Stop(session_id="s"))
    begun = time.monotonic()
    engine.close(5)
    assert time.monotonic() - begun < within(4)
    assert engine.fire_sync(BASH).verdict.additional_context == "late words"
    engine.close()


def test_omnihook_inside_its_own_hooks_is_refused_at_depth_three(box: Machine) -> None:
    """F48: a hook that fires the event it hangs on ends by itself, and the guard inside fails closed."""
    again = " ".join([*OMNIHOOK, "fire", "PreToolUse", "--json"])
    command = f"echo x >> {box.top}/depth; {again} >> {box.top}/inner 2>&1; exit 2"
    box.user(f'[[hook]]\non = "PreToolUse"\nrun = {toml(command)}\nguard = true\n')
    ended = box.run("fire", "PreToolUse", "--json", stdin={"session_id": "s"})
    assert ended.json["decision"] == "block"
    assert (box.top / "depth").read_text().count("x") == environment.MAX_DEPTH
    inner = (box.top / "inner").read_text()
    assert "3 levels deep" in inner
    assert '"decision": "deny"' in inner


@pytest.mark.parametrize("depth", ["3", "99", "-1", "x", "", "1e9", "٣", "3 "])
def test_a_depth_that_cannot_be_read_counts_as_too_deep(box: Machine, depth: str) -> None:
    """F48: the counter comes from outside, so nothing in it may open the door."""
    engine = box.engine(files=False, environ={**box.environ(), environment.DEPTH: depth})
    engine.register(shell("true", guard=True))
    report = fire(engine)
    assert report.outcomes[0].failure is not None
    assert report.outcomes[0].failure.cause is Cause.START
    assert report.refused


def test_a_failing_temporary_folder_is_the_hooks_trouble(box: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """F19, F41: no place for the whole value of a large variable: an error of that hook, never an exception."""
    monkeypatch.setattr("tempfile.tempdir", str(box.top / "nowhere"))
    for guard in (False, True):
        engine = box.engine(files=False)
        engine.register(shell("true", dialect="codemie", guard=guard))
        report = fire(engine, replace(BASH, tool_input={"command": "x" * 300_000}))
        assert report.outcomes[0].failure is not None
        assert report.outcomes[0].failure.cause is Cause.START
        assert report.refused is guard


def test_one_slow_hook_does_not_hold_up_the_answer_of_another_engine(box: Machine) -> None:
    """F39, F4: events fired side by side do not wait for each other."""

    async def both() -> tuple[float, float]:
        slow, quick = box.engine(files=False), box.engine(files=False)
        slow.register(shell("sleep 2"))
        quick.register(shell("true"))
        begun = time.monotonic()
        first = asyncio.ensure_future(slow.fire(BASH))
        await quick.fire(BASH)
        took = time.monotonic() - begun
        await first
        return took, time.monotonic() - begun

    took, whole = asyncio.run(both())
    assert took < 1.8 < whole
