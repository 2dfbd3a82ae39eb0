"""A function named in a configuration file, called in a process of its own: event on stdin, reply on stdout."""

import atexit
import os
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import NoReturn, cast

from omnihook.dialects import native
from omnihook.errors import UsageError
from omnihook.events import Event
from omnihook.folders import Folders, find, here
from omnihook.hooks import Call, Context, Layer
from omnihook.jsontypes import EMPTY, JsonObject, dumps, loads_object
from omnihook.shipped import SHIPPED, Shipped
from omnihook.verdicts import Verdict

OPTIONS = "--options="


def main() -> int:
    """Call the target; whatever it prints, in Python or below it, goes to stderr: stdout holds the reply alone."""
    target, flags = sys.argv[-1], sys.argv[1:-1]
    reply_to = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if "--here" in flags:
        sys.path.insert(0, os.getcwd())
    told = next((flag.removeprefix(OPTIONS) for flag in flags if flag.startswith(OPTIONS)), "{}")
    payload = loads_object(sys.stdin.buffer.read())
    event = native.decode_event(payload, None)
    reply = encode(event, call(load(target, loads_object(told)), event)).encode("utf-8", "surrogateescape")
    while reply:
        reply = reply[os.write(reply_to, reply) :]
    return 0


def load(target: str, options: JsonObject = EMPTY) -> Callable[[Event], object]:
    """Import `package.module:function`, or take a built-in hook with its options."""
    own = Call(target=target).builtin
    if own is not None:
        return _built_in(own, options)
    module, _, name = target.partition(":")
    return cast("Callable[[Event], object]", getattr(import_module(module), name))


def surroundings(event: Event, about: Shipped) -> Context:
    """What a built-in hook may know besides the event: this process's environment, and the user's model."""
    env = dict(os.environ)
    if about.asks and not env.get("OMNIHOOK_MODEL"):
        env |= _model(find(env, cwd=event.cwd or here(env)))
    return Context(session_id=event.session_id, cwd=event.cwd or None, env=env)


def _built_in(name: str, options: JsonObject) -> Callable[[Event], object]:
    """A built-in hook; what it knows to be wrong is told in one line, since it is no bug of anybody's."""
    from omnihook import builtin
    from omnihook.builtin.troubles import Trouble

    def told(event: Event) -> object:
        try:
            return builtin.load(name, options)(event, surroundings(event, SHIPPED[name]))
        except (Trouble, UsageError) as error:
            raise SystemExit(str(error)) from None

    return told


def _model(folders: Folders) -> dict[str, str]:
    """The model that the user's own files name, in the variables that say the same."""
    from omnihook import loading

    found = loading.load(loading.Wanted(dialect=native.DIALECT), folders).reading.settings
    made: dict[str, str] = {}
    for layer in sorted(layer for layer in found if layer < Layer.PLUGIN):
        given = found[layer]
        name = f"{given.provider}:{given.model}" if given.provider and given.model else given.model
        values = {"OMNIHOOK_MODEL": name, "OMNIHOOK_BASE_URL": given.base_url, "OMNIHOOK_API_KEY": given.api_key}
        made |= {key: value for key, value in values.items() if value}
    return made


def call(function: Callable[[Event], object], event: Event) -> object:
    """What the function gives, waited for when it is async."""
    answer = function(event)
    if not isinstance(answer, Awaitable):
        return answer
    import asyncio  # most functions are plain, and it takes as long to import as all the rest

    return asyncio.run(_wait(answer))


def encode(event: Event, answer: object) -> str:
    """A verdict, a reply object or nothing, as the native reply: always an object, so that silence means broken."""
    if answer is None:
        return "{}"
    if isinstance(answer, Verdict):
        return native.encode_reply(event, answer).stdout or "{}"
    if isinstance(answer, Mapping):
        return dumps(dict(answer))
    raise TypeError(f"the hook returned {type(answer).__name__}; a hook returns a Verdict, a reply object or None")


async def _wait(answer: Awaitable[object]) -> object:
    return await answer


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
