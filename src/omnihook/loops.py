"""Running coroutines for callers that have no loop to give: in place when nothing waits, else on loops in threads."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import TypeVar, cast

from omnihook.errors import UsageError
from omnihook.runners.function import place

R = TypeVar("R")
Drain = Callable[[float], Coroutine[object, object, None]]

# Seconds a loop gets to begin a job. One that does not is held up by a plain function on it, which may be waiting
# for that very job: the next loop takes it.
PATIENCE = 0.1
CLOSED = "the engine was closed while it fired an event; the event has no verdict"


def driven(job: Coroutine[object, object, R]) -> R:
    """Run a coroutine that never waits, without a loop."""
    outer = getattr(place, "bare", False)
    place.bare = True
    try:
        job.send(None)
    except StopIteration as done:
        return cast("R", done.value)
    finally:
        place.bare = outer
    job.close()
    raise AssertionError("a plan of plain functions waited for something")


class Loops:
    """The loops of an engine, each in a thread of its own: one, and more only while hooks hold others up."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: list[_LoopThread] = []

    def run(self, job: Coroutine[object, object, R]) -> R:
        """Run a coroutine on the first loop that is free to begin it, and wait for it here."""
        turn: Future[R] = Future()
        begun = threading.Event()
        number = 0
        while True:
            thread = self._thread(number)
            if not thread.is_current() and thread.begin(job, turn, begun):
                if begun.wait(PATIENCE) or not turn.cancel():
                    return thread.answer(turn)
                turn, begun = Future(), threading.Event()
            number += 1

    def close(self, drain: Drain, wait: float) -> None:
        """End all loops, after waiting so many seconds for what runs on them."""
        with self._lock:
            if any(thread.is_current() for thread in self._threads):
                raise UsageError("a hook cannot close the engine that runs it")
            threads, self._threads = self._threads, []
        until = time.monotonic() + wait
        for thread in reversed(threads):
            thread.close(drain, until)

    def _thread(self, number: int) -> "_LoopThread":
        with self._lock:
            # After a fork the threads are those of the parent.
            self._threads = [thread for thread in self._threads if thread.alive]
            while len(self._threads) <= number:
                self._threads.append(_LoopThread())
            return self._threads[number]


class _LoopThread:
    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._closing = False
        self._jobs: dict[asyncio.Task[None], Future[object]] = {}
        self._thread = threading.Thread(target=self._live, name="omnihook", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def is_current(self) -> bool:
        """Whether this is the thread that asks."""
        return threading.current_thread() is self._thread

    def begin(self, job: Coroutine[object, object, R], turn: "Future[R]", begun: threading.Event) -> bool:
        """Let the loop begin a job unless its turn is cancelled first; False when the loop is being closed."""

        def start() -> None:
            if turn.set_running_or_notify_cancel():
                task = self._loop.create_task(_followed(job, turn))
                self._jobs[task] = cast("Future[object]", turn)
                task.add_done_callback(self._jobs.pop)
                begun.set()

        with self._lock:
            if not self._closing:
                self._loop.call_soon_threadsafe(start)
            return not self._closing

    def answer(self, turn: "Future[R]") -> R:
        """Wait for a job; who stops waiting (Ctrl-C, say) ends it."""
        try:
            return turn.result()
        except BaseException:  # what ends the waiting here, Ctrl-C too, may not leave the job running there
            if not turn.done():
                self._loop.call_soon_threadsafe(self._end, turn)
            raise

    def close(self, drain: Drain, until: float) -> None:
        """Wait until a moment for jobs and background hooks, end those that are left, then the loop."""
        with self._lock:
            self._closing = True
        try:
            ending = asyncio.run_coroutine_threadsafe(self._ended(drain, until), self._loop)
            ending.result(timeout=max(0.0, until - time.monotonic()) + 5)
        except TimeoutError:  # a plain function holds the loop up: nothing can end that
            for turn in list(self._jobs.values()):
                _refuse(turn)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=1)

    async def _ended(self, drain: Drain, until: float) -> None:
        if self._jobs:
            await asyncio.wait(list(self._jobs), timeout=max(0.0, until - time.monotonic()))
        left = list(self._jobs)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)
        await drain(max(0.0, until - time.monotonic()))

    def _end(self, turn: "Future[R]") -> None:
        for task, held in self._jobs.items():
            if held is turn:
                task.cancel()

    def _live(self) -> None:
        while not self._loop.is_closed():
            try:
                self._loop.run_forever()
            except (KeyboardInterrupt, SystemExit):  # from a hook's own task: its job hears of it, the loop goes on
                continue
            self._loop.close()


async def _followed(job: Coroutine[object, object, R], turn: "Future[R]") -> None:
    try:
        answer = await job
    except asyncio.CancelledError:
        _refuse(turn)
    except BaseException as error:  # noqa: BLE001 - it belongs to the thread that waits
        turn.set_exception(error)
    else:
        turn.set_result(answer)


def _refuse(turn: "Future[R]") -> None:
    if not turn.done():
        turn.set_exception(UsageError(CLOSED))
