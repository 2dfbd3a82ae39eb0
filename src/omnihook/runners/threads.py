"""Daemon threads for functions that may hang: none waits for another's, and none keeps the program from ending."""

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar, cast

R = TypeVar("R")
KEPT = 4  # threads that wait for the next call instead of ending

_lock = threading.Lock()
_idle: "list[_Worker]" = []


def start(function: Callable[[], R]) -> "Future[R]":
    """Call a function on a thread that does nothing else meanwhile, with the caller's context variables."""
    answer: Future[R] = Future()
    answer.set_running_or_notify_cancel()  # it has begun: who stops waiting cannot take it back
    job = contextvars.copy_context().run
    _worker().jobs.put((cast("Callable[[], object]", lambda: job(function)), cast("Future[object]", answer)))
    return answer


class _Worker:
    def __init__(self) -> None:
        self.jobs: SimpleQueue[tuple[Callable[[], object], Future[object]]] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, name="hook", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        while True:
            function, answer = self.jobs.get()
            try:
                made = function()
            except BaseException as error:  # noqa: BLE001 - it belongs to the one who waits
                answer.set_exception(error)
            else:
                answer.set_result(made)
                del made
            del function, answer  # an idle thread keeps nobody's event alive
            with _lock:
                if len(_idle) >= KEPT:
                    return
                _idle.append(self)


def _worker() -> _Worker:
    with _lock:
        while _idle:
            found = _idle.pop()
            if found.thread.is_alive():  # not so in a forked child
                return found
    return _Worker()
