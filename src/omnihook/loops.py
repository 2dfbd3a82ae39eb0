"""Running coroutines for callers that have no loop to give: in place when nothing waits, else in a thread."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import TypeVar, cast

from omnihook.runners.function import place

R = TypeVar("R")


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


class LoopThread:
    """A loop in a thread of its own, for callers that have none to give."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="omnihook", daemon=True)
        self._thread.start()

    def run(self, job: Coroutine[object, object, R]) -> R:
        """Run a coroutine there and wait for it here."""
        return asyncio.run_coroutine_threadsafe(job, self._loop).result()

    def close(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)
        if not self._thread.is_alive():
            self._loop.close()
