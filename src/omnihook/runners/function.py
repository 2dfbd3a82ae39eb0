"""Function hooks: plain or async functions of the host program, called in place or, with a time-out, watched."""

import asyncio
import inspect
from collections.abc import Awaitable

from omnihook.dialect import Failure
from omnihook.events import Event
from omnihook.hooks import Cause, Context, Function, Hook
from omnihook.verdicts import NO_OPINION, Verdict


def inline(hook: Hook) -> bool:
    """Whether a hook is a function that runs on the caller's own thread."""
    return (
        isinstance(hook.action, Function)
        and hook.timeout is None
        and not inspect.iscoroutinefunction(hook.action.function)
    )


async def run(hook: Hook, action: Function, event: Event, context: Context, timeout: float | None) -> Verdict | Failure:
    """Call the function; what it raises is a failure of the hook, not of the program."""
    try:
        if timeout is None:
            answer: object = action.function(event, context) if action.contextual else action.function(event)
            if answer is None:
                return NO_OPINION
            if isinstance(answer, Verdict):
                return answer
            answer = await answer if inspect.isawaitable(answer) else answer
        else:
            answer = await asyncio.wait_for(_watched(action, event, context), timeout)
    except TimeoutError:
        return Failure(cause=Cause.TIMEOUT, message=f"it took longer than {timeout:g} s" if timeout else "it timed out")
    except Exception as error:  # noqa: BLE001 - whatever a hook raises is the hook's failure, a value here
        return Failure(cause=Cause.EXIT, message=f"{type(error).__name__}: {error}")
    return _checked(answer)


async def _watched(action: Function, event: Event, context: Context) -> object:
    arguments = (event, context) if action.contextual else (event,)
    if inspect.iscoroutinefunction(action.function):
        answer: object = await action.function(*arguments)
        return answer
    # A thread cannot be ended: after a time-out it runs on, and its answer is dropped.
    answer = await asyncio.to_thread(action.function, *arguments)
    return await answer if isinstance(answer, Awaitable) else answer


def _checked(answer: object) -> Verdict | Failure:
    if answer is None:
        return NO_OPINION
    if isinstance(answer, Verdict):
        return answer
    message = f"it returned {type(answer).__name__}; a hook returns a Verdict or None"
    return Failure(cause=Cause.OUTPUT, message=message)
