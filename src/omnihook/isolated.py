"""A function named in a configuration file, called in a process of its own: event on stdin, reply on stdout."""

import asyncio
import atexit
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NoReturn, cast

from omnihook.dialects import native
from omnihook.events import Event
from omnihook.jsontypes import dumps, loads_object
from omnihook.verdicts import Verdict


def main() -> int:
    """Call the target; whatever it prints, in Python or below it, goes to stderr: stdout holds the reply alone."""
    target = sys.argv[-1]
    reply_to = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if "--here" in sys.argv[1:-1]:
        sys.path.insert(0, os.getcwd())
    payload = loads_object(sys.stdin.buffer.read())
    event = native.decode_event(payload, None)
    reply = encode(event, call(load(target), event)).encode("utf-8", "surrogateescape")
    while reply:
        reply = reply[os.write(reply_to, reply) :]
    return 0


def load(target: str) -> Callable[[Event], object]:
    """Import `package.module:function`, or take a built-in hook."""
    module, _, name = target.partition(":")
    if module == "builtin":
        return cast("Callable[[Event], object]", import_module("omnihook.builtin").load(name))
    return cast("Callable[[Event], object]", getattr(import_module(module), name))


def call(function: Callable[[Event], object], event: Event) -> object:
    """What the function gives, waited for when it is async."""
    answer = function(event)
    return asyncio.run(_wait(answer)) if inspect.isawaitable(answer) else answer


def encode(event: Event, answer: object) -> str:
    """A verdict, a reply object or nothing, as the native reply: always an object, so that silence means broken."""
    if answer is None:
        return "{}"
    if isinstance(answer, Verdict):
        return native.encode_reply(event, answer).stdout or "{}"
    if isinstance(answer, Mapping):
        return dumps(dict(answer))
    raise TypeError(f"the hook returned {type(answer).__name__}; a hook returns a Verdict, a reply object or None")


async def _wait(answer: object) -> object:
    return await answer  # type: ignore[misc]  # checked by the caller


def _leave(code: int) -> NoReturn:
    """End now: threads that the hook left running have no say in when the answer counts."""
    atexit._run_exitfuncs()
    sys.stderr.flush()
    os._exit(code)


def run() -> NoReturn:
    """Call the target and end the process; what it raises is told on stderr, as Python tells it."""
    try:
        code = main()
    except SystemExit as asked:
        code = 0 if asked.code is None else asked.code if isinstance(asked.code, int) else 1
        if isinstance(asked.code, str):
            sys.stderr.write(f"{asked.code}\n")
    except Exception:  # noqa: BLE001 - whatever a hook raises is its failure, told by the exit code
        traceback.print_exc()
        code = 1
    _leave(code)


if __name__ == "__main__":
    run()
