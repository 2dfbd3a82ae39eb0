"""F44: Python hooks that misbehave, in a process of their own (`call =`) and inline (`@engine.on`)."""

import asyncio
import time
from dataclasses import replace

import pytest

from faults.kit import BASH, Machine, fire, toml, within
from omnihook import Decision, Engine, Verdict
from omnihook.events import Event
from omnihook.hooks import Cause
from omnihook.outcomes import Status

HOOKS = """
import os, sys, threading, time, subprocess
from omnihook import Verdict

def deny(event): return Verdict.deny("no")
def silent(event): return None
def raises(event): raise RuntimeError("boom")
def exits(event): sys.exit(0)
def exits_two(event): sys.exit(2)
def vanishes(event): os._exit(0)
def dies(event): os.kill(os.getpid(), 9)
def returns_a_word(event): return "deny"
def leaks(event):
    threading.Thread(target=time.sleep, args=(60,)).start()
    return Verdict.deny("no")
def leaks_and_raises(event):
    threading.Thread(target=time.sleep, args=(60,)).start()
    raise RuntimeError("boom")
def prints(event):
    print('{"decision":"allow"}')
    os.write(1, b'{"decision":"approve"}')
    subprocess.run(["echo", "from a child"])
    return Verdict.deny("no")
def holds_the_lock(event):
    while True: pass
def swallows_term(event):
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)
def recurses(event): return recurses(event)
async def waits(event): return Verdict.deny("no")
"""
BROKEN, DENIED = "broken", "denied"
CASES = {
    "deny": (DENIED, None),
    "waits": (DENIED, None),
    "silent": ("silent", None),
    "leaks": (DENIED, None),
    "prints": (DENIED, None),
    "exits_two": (DENIED, None),
    "raises": (BROKEN, Cause.EXIT),
    "leaks_and_raises": (BROKEN, Cause.EXIT),
    "recurses": (BROKEN, Cause.EXIT),
    "exits": (BROKEN, Cause.EXIT),
    "vanishes": (BROKEN, Cause.EXIT),
    "returns_a_word": (BROKEN, Cause.EXIT),
    "dies": (BROKEN, Cause.SIGNAL),
    "missing_function": (BROKEN, Cause.EXIT),
    "holds_the_lock": (BROKEN, Cause.TIMEOUT),
    "swallows_term": (BROKEN, Cause.TIMEOUT),
}


def called(box: Machine, target: str, *, timeout: str = "15s", guard: bool = True) -> Engine:
    box.write("~/lib/myhooks.py", HOOKS)
    box.user(f'[[hook]]\non = "PreToolUse"\ncall = {toml(target)}\ntimeout = "{timeout}"\nguard = {toml(guard)}\n')
    return box.engine(environ={**box.environ(), "PYTHONPATH": str(box.home / "lib")})


@pytest.mark.parametrize("function", CASES)
def test_a_function_in_its_own_process_cannot_harm_the_engine(box: Machine, function: str) -> None:
    """F44: whatever it does is an outcome with its cause, and a guard that broke denies."""
    wanted, cause = CASES[function]
    engine = called(box, f"myhooks:{function}", timeout="700ms" if cause is Cause.TIMEOUT else "15s")
    begun = time.monotonic()
    report = fire(engine)
    outcome = report.outcomes[0]
    assert (outcome.failure.cause if outcome.failure else None) is cause
    assert report.refused is (wanted != "silent")
    assert ("broke" in (report.verdict.reason or "")) is (wanted == BROKEN)
    assert time.monotonic() - begun < within(10)
    if function == "prints":
        assert "from a child" in outcome.stderr


@pytest.mark.parametrize("target", ["nosuchmodule:f", "myhooks.nosuch:f"])
def test_a_module_that_is_not_there_is_broken_not_silent(box: Machine, target: str) -> None:
    """F44: importing something missing."""
    report = fire(called(box, target))
    assert report.outcomes[0].status is Status.BROKEN
    assert "No module named" in report.outcomes[0].stderr
    assert report.refused


def test_a_users_function_never_imports_from_the_session_folder(box: Machine) -> None:
    """R1, R12: a file in the project cannot stand in for a module, neither ours nor the library's."""
    for name in ("json", "omnihook", "traceback", "sitecustomize", "usercustomize", "myhooks"):
        box.write(f"{name}.py", f"open({str(box.top / 'pwned')!r}, 'a').write({name!r})\nraise SystemExit(0)\n")
    engine = called(box, "myhooks:deny")
    report = fire(engine, replace(BASH, cwd=str(box.project)))
    assert (report.verdict.decision, report.verdict.reason) == (Decision.DENY, "no")
    assert not (box.top / "pwned").exists()


def test_a_trusted_projects_function_is_found_in_the_project(box: Machine) -> None:
    box.write("checks.py", HOOKS)
    box.write(".omnihook/hooks.toml", '[[hook]]\non = "PreToolUse"\ncall = "checks:deny"\n')
    report = fire(box.engine(trust_project=True), replace(BASH, cwd=str(box.home)))
    assert report.verdict.reason == "no"


def raising(event: Event) -> Verdict:
    raise RuntimeError("boom\x1b[31m")


def raising_late(event: Event) -> object:
    async def later() -> Verdict:
        await asyncio.sleep(0)
        raise ValueError("late")

    return later()


def slow(event: Event) -> Verdict:
    time.sleep(3)
    return Verdict.approve()


async def slow_async(event: Event) -> Verdict:
    await asyncio.sleep(60)
    return Verdict.approve()


def wrong(event: Event) -> object:
    return {"decision": "approve"}


def recursing(event: Event) -> object:
    return recursing(event)


INLINE = {
    "raising": (raising, None, Cause.EXIT),
    "raising late": (raising_late, None, Cause.EXIT),
    "recursing": (recursing, None, Cause.EXIT),
    "returning an object": (wrong, None, Cause.OUTPUT),
    "raising in a thread": (raising, 5.0, Cause.EXIT),
    "too slow in a thread": (slow, 0.2, Cause.TIMEOUT),
    "too slow on the loop": (slow_async, 0.2, Cause.TIMEOUT),
}


@pytest.mark.parametrize("case", INLINE)
@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize("sync", [False, True])
def test_an_inline_function_that_breaks_is_a_value(box: Machine, case: str, guard: bool, sync: bool) -> None:
    """F44: by the caller's choice in the same process, with a watchdog when a time-out is given."""
    function, timeout, cause = INLINE[case]
    engine = box.engine(files=False)
    options = {"guard": guard} if timeout is None else {"guard": guard, "timeout": timeout}
    engine.on("PreToolUse", **options)(function)  # type: ignore[arg-type]
    begun = time.monotonic()
    report = _fired(engine) if sync else asyncio.run(engine.fire(BASH))
    assert report.outcomes[0].failure is not None
    assert report.outcomes[0].failure.cause is cause
    assert report.verdict.decision is (Decision.DENY if guard else Decision.NONE)
    assert any("broke" in notice for notice in report.notices)
    assert time.monotonic() - begun < within(2.5)


def _fired(engine: Engine) -> object:
    with engine:
        return engine.fire_sync(BASH)


def test_ctrl_c_is_the_programs_own(box: Machine) -> None:
    """F44: an interrupt that arrives while an inline function runs goes where the host expects it."""
    engine = box.engine(files=False)

    @engine.on("PreToolUse")
    def leaves(event: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.fire_sync(BASH)
