"""Function hooks: plain or async functions of the host program, called in place or, with a time-out, watched."""

import asyncio
import inspect
import threading
from collections.abc import Awaitable
from importlib import import_module
from types import FunctionType

from omnihook.dialect import Failure
from omnihook.events import Event
from omnihook.hooks import Call, Cause, Context, Function, Hook, HookFunction
from omnihook.verdicts import NO_OPINION, Verdict

place = threading.local()  # `bare` where hooks are called without a loop


def inline(hook: Hook) -> bool:
    """Whether a hook is a function that runs on the caller's own thread."""
    return isinstance(hook.action, Function) and hook.timeout is None and not _waits(hook.action.function)


def call(action: Function, event: Event, context: Context) -> Verdict | Failure | Awaitable[object]:
    """Call the function; what it raises is a failure of the hook, not of the program.

    An async function gives something to wait for, with `wait`.
    """
    try:
        answer: object = action.function(event, context) if action.contextual else action.function(event)
    except Exception as error:  # noqa: BLE001 - whatever a hook raises is the hook's failure, a value here
        return _raised(error, None)
    if answer is None:
        return NO_OPINION
    return answer if isinstance(answer, Awaitable) else _checked(answer)


async def wait(answer: Awaitable[object], timeout: float | None = None) -> Verdict | Failure:
    """What an async function answers, or a failure after so many seconds."""
    try:
        if timeout is not None:
            return _checked(await asyncio.wait_for(answer, timeout))
        return _checked(_waited(answer) if getattr(place, "bare", False) else await answer)
    except Exception as error:  # noqa: BLE001 - as above
        return _raised(error, timeout)


async def watch(action: Function, event: Event, context: Context, timeout: float) -> Verdict | Failure:
    """Call the function and give up after so many seconds; a plain one runs in a thread."""
    return await wait(_watched(action, event, context), timeout)


def own(action: Call) -> Function | Failure:
    """One of our own hooks as a function, looked up by name at run time: nothing at this height knows them."""
    try:
        made = import_module("omnihook.builtin").load(action.target.partition(":")[2], action.options)
    except Exception as error:  # noqa: BLE001 - a hook that cannot be made is a hook that broke
        return Failure(cause=Cause.START, message=str(error))
    return Function(function=made, contextual=True)


def _waits(function: HookFunction) -> bool:
    if type(function) is FunctionType and not function.__dict__:  # neither wrapped nor marked: its flags say it all
        return bool(function.__code__.co_flags & inspect.CO_COROUTINE)
    return inspect.iscoroutinefunction(function)


async def _watched(action: Function, event: Event, context: Context) -> object:
    arguments = (event, context) if action.contextual else (event,)
    if inspect.iscoroutinefunction(action.function):
        answer: object = await action.function(*arguments)
        return answer
    # A thread cannot be ended: after a time-out it runs on, and its answer is dropped.
    answer = await asyncio.to_thread(action.function, *arguments)
    return await answer if isinstance(answer, Awaitable) else answer


def _waited(answer: Awaitable[object]) -> object:
    """What a plain function promised, where no loop runs that could wait for it: waited for on a thread of its own."""
    from concurrent.futures import ThreadPoolExecutor  # only where a plain function turns out to be async

    async def wait() -> object:
        return await answer

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, wait()).result()


def _raised(error: Exception, timeout: float | None) -> Failure:
    if isinstance(error, TimeoutError):
        text = "it timed out" if timeout is None else f"it took longer than {timeout:g} s"
        return Failure(cause=Cause.TIMEOUT, message=text)
    return Failure(cause=Cause.EXIT, message=f"{type(error).__name__}: {error}")


def _checked(answer: object) -> Verdict | Failure:
    if answer is None:
        return NO_OPINION
    if isinstance(answer, Verdict):
        return answer
    message = f"it returned {type(answer).__name__}; a hook returns a Verdict or None"
    return Failure(cause=Cause.OUTPUT, message=message)
