"""`fire_sync` from every place a host may call it: inside hooks, from many threads, while the engine is closed."""

import asyncio
import os
import threading
import time
from collections.abc import Callable

import pytest

from omnihook import Decision, Engine, Hook, UsageError, Verdict
from omnihook.events import Event, FileModified, PostToolUse, PreToolUse
from omnihook.hooks import Command
from omnihook.outcomes import Report

BASH = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"})
INNER = PostToolUse(session_id="s", tool_name="Bash")
LOOP = "omnihook"  # what the threads of loops are called


@pytest.fixture
def engine() -> Engine:
    return Engine(files=False)


def command(text: str, *events: str, **values: object) -> Hook:
    return Hook(name=text[:20], events=events or ("PreToolUse",), action=Command(command=text), **values)  # type: ignore[arg-type]


def elsewhere(work: Callable[[], object], within: float = 10) -> object:
    """What some work gives that must end in time, even if it hangs."""
    answers: list[object] = []

    def go() -> None:
        try:
            answers.append(work())
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            answers.append(error)

    thread = threading.Thread(target=go, daemon=True)
    thread.start()
    thread.join(within)
    assert not thread.is_alive(), "it hangs"
    return answers[0]


@pytest.fixture
def others() -> frozenset[threading.Thread]:
    """Threads that were there before the test."""
    return frozenset(threading.enumerate())


def loops(others: frozenset[threading.Thread]) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == LOOP and thread not in others]


def plain(engine: Engine) -> Callable[[Event], object]:
    return lambda event: engine.fire_sync(INNER).verdict


def waiting(engine: Engine) -> Callable[[Event], object]:
    async def hook(event: Event) -> Verdict:
        return engine.fire_sync(INNER).verdict

    return hook


def in_a_thread(engine: Engine) -> Callable[[Event], object]:
    """Blocks the loop until another thread has fired."""

    def hook(event: Event) -> object:
        answer = elsewhere(lambda: engine.fire_sync(INNER))
        assert isinstance(answer, Report)
        return answer.verdict

    return hook


@pytest.mark.parametrize("made", [plain, waiting, in_a_thread])
@pytest.mark.parametrize("timeout", [None, 8.0])
def test_a_hook_may_fire_the_engine_that_runs_it(
    engine: Engine, made: Callable[[Engine], Callable[[Event], object]], timeout: float | None
) -> None:
    options = {} if timeout is None else {"timeout": timeout}
    engine.register(command("true", "PreToolUse"))
    engine.register(command("echo inner >&2; exit 2", "PostToolUse"))
    engine.on("PreToolUse", **options)(made(engine))  # type: ignore[arg-type]
    with engine:
        report = elsewhere(lambda: engine.fire_sync(BASH))
    assert isinstance(report, Report)
    assert (report.verdict.decision, report.verdict.reason) == (Decision.BLOCK, "inner")


def test_hooks_may_fire_within_each_other_several_deep(engine: Engine, others: frozenset[threading.Thread]) -> None:
    engine.register(command("true"))

    @engine.on("PreToolUse")
    def deeper(event: PreToolUse) -> Verdict:
        depth = int(str(event.tool_input["depth"]))
        if depth == 0:
            return Verdict.deny("the bottom")
        inner = PreToolUse(session_id="s", tool_name="Bash", tool_input={"depth": depth - 1})
        return engine.fire_sync(inner).verdict

    with engine:
        report = elsewhere(
            lambda: engine.fire_sync(PreToolUse(session_id="s", tool_name="Bash", tool_input={"depth": 4}))
        )
    assert isinstance(report, Report)
    assert report.verdict.reason == "the bottom"
    assert loops(others) == []


def test_closing_lets_a_fire_of_another_thread_end(engine: Engine) -> None:
    engine.register(command("sleep 0.5; exit 2"))
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(engine.fire_sync(BASH)), daemon=True)
    thread.start()
    time.sleep(0.2)
    engine.close(wait=5)
    thread.join(5)
    assert [answer.refused for answer in answers if isinstance(answer, Report)] == [True]


def test_closing_ends_a_fire_that_takes_too_long_and_says_so(engine: Engine) -> None:
    engine.register(command("sleep 30"))
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(elsewhere(lambda: engine.fire_sync(BASH))), daemon=True)
    thread.start()
    time.sleep(0.2)
    begun = time.monotonic()
    engine.close(wait=0.2)
    assert time.monotonic() - begun < 4
    thread.join(5)
    assert [type(answer) for answer in answers] == [UsageError]
    assert "closed" in str(answers[0])


def test_an_engine_fires_again_after_it_was_closed(engine: Engine, others: frozenset[threading.Thread]) -> None:
    engine.register(command("exit 2"))
    for _ in range(2):
        assert engine.fire_sync(BASH).refused
        engine.close()
    assert loops(others) == []


def test_a_hook_cannot_close_the_engine_that_runs_it(engine: Engine) -> None:
    engine.register(command("true"))
    engine.on("PreToolUse", guard=True)(lambda event: engine.close())
    with engine:
        report = elsewhere(lambda: engine.fire_sync(BASH))
    assert isinstance(report, Report)
    assert "UsageError" in (report.verdict.reason or "")


def test_many_first_callers_leave_no_loop_behind(engine: Engine, others: frozenset[threading.Thread]) -> None:
    engine.register(command("exit 2"))
    line = threading.Barrier(16)
    refused: list[bool] = []

    def go() -> None:
        line.wait()
        refused.append(engine.fire_sync(BASH).refused)

    threads = [threading.Thread(target=go) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.close()
    assert refused == [True] * 16
    assert loops(others) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_a_hook_raises_does_not_end_the_loop(engine: Engine, error: type[BaseException]) -> None:
    def hook(event: Event) -> None:
        raise error

    engine.register(command("true"))
    made = engine.on("PreToolUse", name="raises")(hook)
    with engine:
        elsewhere(lambda: engine.fire_sync(BASH))
        assert made is hook
        engine.unregister("raises")
        report = elsewhere(lambda: engine.fire_sync(BASH))
    assert isinstance(report, Report)


def test_a_forked_child_makes_a_loop_of_its_own(engine: Engine) -> None:
    engine.register(command("exit 2"))
    assert engine.fire_sync(BASH).refused
    child = os.fork()
    if child == 0:
        os._exit(7 if elsewhere(lambda: engine.fire_sync(BASH).refused) is True else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    engine.close()


def test_a_command_that_only_a_rewrite_concerns_runs_from_a_plan_of_plain_functions(engine: Engine) -> None:
    engine.on("PreToolUse")(lambda event: Verdict.rewrite(command="git push"))
    engine.register(command("exit 2", rule="Bash(git push)"))
    with engine:
        assert engine.fire_sync(BASH).refused


@pytest.mark.parametrize("background", [False, True])
def test_a_command_for_what_follows_runs_from_a_plan_of_plain_functions(engine: Engine, background: bool) -> None:
    seen: list[str] = []

    @engine.on("PostToolUse")
    def look(event: PostToolUse) -> None:
        seen.append(event.name)

    @engine.on("FileModified")
    def changed(event: FileModified) -> None:
        seen.append(event.name)

    engine.register(command("true", "FileModified", background=background))
    event = PostToolUse(session_id="s", tool_name="Write", tool_input={"file_path": "a"})
    with engine:
        report = engine.fire_sync(event)
    assert len(report.derived[0].outcomes) == 2
    assert seen == ["PostToolUse", "FileModified"]


def test_fire_sync_inside_a_running_loop_and_in_a_hook_of_it(engine: Engine) -> None:
    engine.register(command("true"))
    engine.register(command("exit 2", "PostToolUse"))
    engine.on("PreToolUse")(plain(engine))

    async def session() -> Report:
        return await engine.fire(BASH)

    with engine:
        report = elsewhere(lambda: asyncio.run(session()))
    assert isinstance(report, Report)
    assert report.refused
