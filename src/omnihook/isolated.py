"""A function named in a configuration file, called in a process of its own: event on stdin, reply on stdout."""

import asyncio
import inspect
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from omnihook.dialects import native
from omnihook.events import Event
from omnihook.jsontypes import dumps, loads_object
from omnihook.verdicts import Verdict


def main() -> int:
    """Call the target; whatever it prints goes to stderr, so that stdout holds the reply alone."""
    reply_to, sys.stdout = sys.stdout, sys.stderr
    payload = loads_object(sys.stdin.buffer.read())
    event = native.decode_event(payload, None)
    answer = call(load(sys.argv[1]), event)
    reply_to.write(encode(event, answer))
    reply_to.flush()
    return 0


def load(target: str) -> Callable[[Event], object]:
    """Import `package.module:function`; the project's own folder comes first, as with `python -m`."""
    module, _, name = target.partition(":")
    if module == "builtin":
        return cast("Callable[[Event], object]", import_module("omnihook.builtin").load(name))
    return cast("Callable[[Event], object]", getattr(import_module(module), name))


def call(function: Callable[[Event], object], event: Event) -> object:
    """What the function gives, waited for when it is async."""
    answer = function(event)
    return asyncio.run(_wait(answer)) if inspect.isawaitable(answer) else answer


def encode(event: Event, answer: object) -> str:
    """A verdict, a reply object or nothing, as the native reply."""
    if answer is None:
        return ""
    if isinstance(answer, Verdict):
        return native.encode_reply(event, answer).stdout
    if isinstance(answer, Mapping):
        return dumps(dict(answer))
    raise TypeError(f"the hook returned {type(answer).__name__}; a hook returns a Verdict, a reply object or None")


async def _wait(answer: object) -> object:
    return await answer  # type: ignore[misc]  # checked by the caller


if __name__ == "__main__":
    sys.exit(main())
