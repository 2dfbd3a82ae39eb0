"""Function hooks that answer wrongly, raise strange things, or take too long: always a value, never an exception."""

import asyncio
import contextvars
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from omnihook import Decision, Engine, Verdict
from omnihook.events import Event, PreToolUse
from omnihook.hooks import Cause
from omnihook.outcomes import Report, Status

BASH = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"})
WRITE = PreToolUse(session_id="s", tool_name="Write", tool_input={"file_path": "a"})
Hooks = Callable[[Event], object]


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def wrong(**values: object) -> Verdict:
    return Verdict(**values)  # type: ignore[arg-type]


WRONG = {
    "decision": wrong(decision="deny"),
    "decision as a number": wrong(decision=5),
    "input as a list": wrong(updated_input=["x"]),
    "input as text": wrong(updated_input="x"),
    "input that is not JSON": wrong(updated_input={"command": object()}),
    "input with keys that are not text": wrong(updated_input={1: "x"}),
    "input that is not a number": wrong(updated_input={"x": float("nan")}),
    "output that is not JSON": wrong(updated_output={1, 2}),
    "continue": wrong(continue_="no"),
    "continue as a number": wrong(continue_=0),
    "reason": wrong(decision=Decision.ALLOW, reason=5),
    "context": wrong(additional_context=5),
    "message": wrong(system_message=b"x"),
    "flag": wrong(suppress_output="yes"),
    "extra": wrong(extra=None),
    "class": Verdict,
}
RAISED = {
    "exit": SystemExit(3),
    "cancelled": asyncio.CancelledError("x"),
    "stop": StopIteration("x"),
    "stop async": StopAsyncIteration("x"),
    "memory": MemoryError(),
    "time": TimeoutError("mine"),
    "group": ExceptionGroup("many", [ValueError("x")]),
    "without words": Unspeakable(),
}


def plain(error: BaseException) -> Hooks:
    def hook(event: Event) -> object:
        raise error

    return hook


def waiting(error: BaseException) -> Hooks:
    async def hook(event: Event) -> object:
        await asyncio.sleep(0)
        raise error

    return hook


def promised(error: BaseException) -> Hooks:
    """A plain function that gives something to wait for."""
    return lambda event: waiting(error)(event)


@pytest.fixture
def engine() -> Engine:
    return Engine(files=False)


def on(engine: Engine, hook: Hooks, **options: object) -> None:
    engine.on("PreToolUse", **options)(hook)  # type: ignore[arg-type]


def fired(engine: Engine, how: str, event: Event = BASH, **options: object) -> Report:
    if how == "async":
        return asyncio.run(engine.fire(event, **options))  # type: ignore[arg-type]
    with engine:
        return engine.fire_sync(event, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["async", "sync"])
@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize("case", WRONG)
def test_a_malformed_verdict_is_a_hook_that_broke(engine: Engine, case: str, guard: bool, how: str) -> None:
    on(engine, lambda event: WRONG[case], guard=guard)
    report = fired(engine, how)
    failure = report.outcomes[0].failure
    assert failure is not None
    assert failure.cause is Cause.OUTPUT
    assert report.verdict.decision is (Decision.DENY if guard else Decision.NONE)
    assert report.notices


@pytest.mark.parametrize("how", ["async", "sync"])
@pytest.mark.parametrize("timeout", [None, 5.0])
@pytest.mark.parametrize("make", [plain, waiting, promised])
@pytest.mark.parametrize("case", RAISED)
def test_whatever_a_hook_raises_is_its_failure(
    engine: Engine, case: str, make: Callable[[BaseException], Hooks], timeout: float | None, how: str
) -> None:
    on(engine, make(RAISED[case]), guard=True, **({} if timeout is None else {"timeout": timeout}))
    report = fired(engine, how)
    assert report.outcomes[0].failure is not None
    assert report.verdict.decision is Decision.DENY


def test_a_cancelled_fire_is_cancelled_and_its_hook_too(engine: Engine) -> None:
    ended: list[str] = []

    async def hook(event: Event) -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("hook")

    on(engine, hook)

    async def session() -> None:
        task = asyncio.create_task(engine.fire(BASH))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(session())
    assert ended == ["hook"]


async def sleeping(event: Event) -> None:
    await asyncio.sleep(5)


def blocking(event: Event) -> None:
    time.sleep(5)


async def stubborn(event: Event) -> None:
    for _ in range(20):
        try:
            await asyncio.sleep(0.2)
        except asyncio.CancelledError:
            continue


@pytest.mark.parametrize("how", ["async", "sync"])
@pytest.mark.parametrize(
    ("hook", "timeout"), [(sleeping, None), (sleeping, 60.0), (blocking, 60.0), (lambda event: sleeping(event), None)]
)
def test_the_deadline_of_an_event_limits_functions_too(
    engine: Engine, hook: Hooks, timeout: float | None, how: str
) -> None:
    on(engine, hook, guard=True, **({} if timeout is None else {"timeout": timeout}))
    begun = time.monotonic()
    report = fired(engine, how, deadline=time.monotonic() + 0.3)
    assert time.monotonic() - begun < 3
    assert report.outcomes[0].status is Status.TIMEOUT
    assert report.verdict.reason is not None
    assert report.verdict.reason.endswith("it was not done at the deadline of the event")


def test_no_function_is_started_after_the_deadline(engine: Engine) -> None:
    called: list[Event] = []
    on(engine, called.append)
    report = fired(engine, "async", deadline=time.monotonic() - 1)
    assert report.outcomes[0].status is Status.TIMEOUT
    assert called == []


def test_the_shorter_of_time_out_and_deadline_is_the_one_that_is_named(engine: Engine) -> None:
    on(engine, sleeping, timeout=0.2)
    report = fired(engine, "async", deadline=time.monotonic() + 60)
    assert report.outcomes[0].error == "it took longer than 0.2 s"


def test_a_function_that_will_not_be_cancelled_is_not_waited_for(engine: Engine) -> None:
    on(engine, stubborn, timeout=0.2)

    async def session() -> float:
        begun = time.monotonic()
        await engine.fire(BASH)
        return time.monotonic() - begun

    assert asyncio.run(session()) < 1.5


@pytest.mark.parametrize("how", ["async", "sync"])
def test_hooks_that_hang_take_no_thread_from_others(engine: Engine, how: str) -> None:
    engine.on("PreToolUse", match="Bash", timeout=0.05)(blocking)
    engine.on("PreToolUse", match="Write", timeout=5.0, guard=True)(lambda event: None)
    for _ in range(40):
        assert fired(engine, how).outcomes[0].status is Status.TIMEOUT
    begun = time.monotonic()
    assert not fired(engine, how, WRITE).refused
    assert time.monotonic() - begun < 2


def test_a_hook_that_hangs_does_not_keep_the_program_from_ending() -> None:
    program = """
import asyncio, time
from omnihook import Engine
from omnihook.events import PreToolUse
engine = Engine(files=False)
engine.on("PreToolUse", timeout=0.1)(lambda event: time.sleep(60))
asyncio.run(engine.fire(PreToolUse(session_id="s", tool_name="Bash")))
print(engine.fire_sync(PreToolUse(session_id="s", tool_name="Bash")).outcomes[0].status.value)
engine.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=15)
    assert (done.stdout, done.returncode) == ("timeout\n", 0), done.stderr


def test_a_function_in_a_thread_sees_the_context_variables_of_the_caller(engine: Engine) -> None:
    wanted = contextvars.ContextVar("wanted", default="none")
    on(engine, lambda event: Verdict.context(wanted.get()), timeout=5.0)

    async def session() -> str | None:
        wanted.set("caller")
        return (await engine.fire(BASH)).verdict.additional_context

    assert asyncio.run(session()) == "caller"


def test_threads_are_used_again(engine: Engine) -> None:
    seen: list[int] = []
    on(engine, lambda event: seen.append(threading.get_ident()), timeout=5.0)

    async def session() -> None:
        for _ in range(20):
            await engine.fire(BASH)

    asyncio.run(session())
    assert len(seen) == 20
    assert len(set(seen)) < 10
    assert threading.get_ident() not in seen
