"""Function hooks: plain or async functions of the host program, called in place or, with a limit, watched."""

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable
from concurrent import futures
from functools import partial
from importlib import import_module
from types import FunctionType

from omnihook.dialect import Failure
from omnihook.events import Event
from omnihook.hooks import Call, Cause, Context, Function, Hook, HookFunction
from omnihook.runners import threads
from omnihook.runners.answers import checked, raised
from omnihook.slotted import dataclass
from omnihook.verdicts import NO_OPINION, Verdict

place = threading.local()  # `bare` where hooks are called without a loop


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limit:
    """How many seconds a hook has, and what is said of one that takes longer."""

    seconds: float
    message: str

    @property
    def exceeded(self) -> Failure:
        return Failure(cause=Cause.TIMEOUT, message=self.message)


def inline(hook: Hook) -> bool:
    """Whether a hook is a function that runs on the caller's own thread."""
    return isinstance(hook.action, Function) and hook.timeout is None and not _waits(hook.action.function)


def call(action: Function, event: Event, context: Context) -> Verdict | Failure | Awaitable[object]:
    """Call the function; what it raises is a failure of the hook, not of the program.

    An async function gives something to wait for, with `wait`.
    """
    try:
        answer: object = action.function(event, context) if action.contextual else action.function(event)
    except KeyboardInterrupt as error:
        return _interrupted(error)
    except (Exception, SystemExit, GeneratorExit, asyncio.CancelledError) as error:  # noqa: BLE001 - the hook's failure
        return raised(error)
    if answer is None:
        return NO_OPINION
    return answer if isinstance(answer, Awaitable) else checked(answer)


async def wait(answer: Awaitable[object]) -> Verdict | Failure:
    """What an async function answers."""
    return await _awaited(answer, None)


async def limited(
    action: Function, event: Event, context: Context, timeout: float | None, deadline: float | None
) -> Verdict | Failure:
    """Call the function and give up after so many seconds, or at a moment of the monotonic clock.

    With a time-out a plain function runs in a thread; without one it runs here, and nothing can end it.
    """
    limit = _limit(timeout, deadline)
    if limit.seconds <= 0:
        return limit.exceeded
    if timeout is not None and not _waits(action.function):
        return await _awaited(_aside(action, event, context), limit)
    called = call(action, event, context)
    return called if isinstance(called, (Verdict, Failure)) else await _awaited(called, limit)


def own(action: Call) -> Function | Failure:
    """One of our own hooks as a function, looked up by name at run time: nothing at this height knows them."""
    try:
        made = import_module("omnihook.builtin").load(action.builtin, action.options)
    except Exception as error:  # noqa: BLE001 - a hook that cannot be made is a hook that broke
        return Failure(cause=Cause.START, message=str(error))
    return Function(function=made, contextual=True)


def _waits(function: HookFunction) -> bool:
    if type(function) is FunctionType and not function.__dict__:  # neither wrapped nor marked: its flags say it all
        return bool(function.__code__.co_flags & inspect.CO_COROUTINE)
    return inspect.iscoroutinefunction(function)


def _limit(timeout: float | None, deadline: float | None) -> _Limit:
    left = None if deadline is None else deadline - time.monotonic()
    if timeout is not None and (left is None or timeout <= left):
        return _Limit(seconds=timeout, message=f"it took longer than {timeout:g} s")
    assert left is not None
    return _Limit(seconds=left, message="it was not done at the deadline of the event")


async def _aside(action: Function, event: Event, context: Context) -> object:
    # A thread cannot be ended: after a time-out it runs on, and its answer is dropped.
    called = await asyncio.wrap_future(threads.start(partial(call, action, event, context)))
    return called if isinstance(called, (Verdict, Failure)) else await called


async def _awaited(answer: Awaitable[object], limit: _Limit | None) -> Verdict | Failure:
    if getattr(place, "bare", False):
        return _elsewhere(answer, limit)
    if limit is None:
        return await _settled(answer)
    task = asyncio.ensure_future(_settled(answer))
    try:
        # Not wait_for, which waits on for a function that will not be cancelled.
        await asyncio.wait((task,), timeout=limit.seconds)
        return task.result() if task.done() else limit.exceeded
    finally:
        task.cancel()


async def _settled(answer: Awaitable[object]) -> Verdict | Failure:
    try:
        given = await answer
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # we are cancelled; else the hook raised it by itself
        return raised(error)
    except KeyboardInterrupt as error:
        return _interrupted(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a hook raises is the hook's failure, a value here
        return raised(error)
    return given if isinstance(given, Failure) else checked(given)


def _elsewhere(answer: Awaitable[object], limit: _Limit | None) -> Verdict | Failure:
    """What a plain function promised, where no loop runs that could wait for it: waited for on a thread of its own."""
    following = threads.start(lambda: asyncio.run(_settled(answer)))
    try:
        return following.result(None if limit is None else limit.seconds)
    except futures.TimeoutError:
        assert limit is not None
        return limit.exceeded


def _interrupted(error: KeyboardInterrupt) -> Failure:
    """Ctrl-C reaches the main thread alone, and is the host's; elsewhere a hook raised it by itself."""
    if threading.current_thread() is threading.main_thread():
        raise error
    return raised(error)
