"""Command hooks: from a hook and an event on the wire to a child process, and from its end to a reply to read."""

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import lru_cache

from omnihook.dialect import Failure, Leave, Policy, Raw
from omnihook.hooks import Argv, Call, Cause, Command, Hook, Layer
from omnihook.jsontypes import dumps
from omnihook.runners import environment, process
from omnihook.runners.children import FOREVER
from omnihook.runners.exposing import refusal
from omnihook.runners.process import Child, Exit, Payload, Status
from omnihook.runners.quoting import quote_references, script_at
from omnihook.slotted import dataclass

ISOLATED = "omnihook.isolated"
_REFERENCE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came of a command: something for the dialect to read, or a failure; and what people should know."""

    answer: Raw | Failure
    exit_code: int | None = None
    signal: int | None = None
    duration: float = 0.0
    stdout: str = ""
    stderr: str = ""
    notes: tuple[str, ...] = ()
    shortened: bool = False  # some variable held only part of its value
    rest: "Callable[[], Coroutine[object, object, Ran]] | None" = None  # it runs on; this follows it to its end


async def run(
    hook: Hook,
    *,
    policy: Policy,
    payload: Payload,
    env: dict[str, str],
    cwd: str,
    deadline: float,
    timeout: float | None,
    project: str = "",
    may_leave: bool = False,
) -> Ran:
    """Run a command, argv or call hook to its end, or until it says that it goes on in the background."""
    # The event's own deadline may come first: a tenth of a second tells them apart.
    limit = None if timeout is None or deadline < time.monotonic() + timeout - 0.1 else timeout
    prepared = _prepared(hook, policy, env)
    if isinstance(prepared, Failure):
        return Ran(answer=prepared)
    fitted, spill = prepared
    leaving = _Leaving(policy) if may_leave and policy.leaves is not None and spill is None else None
    try:
        child = Child(
            argv=argv_of(hook, policy, fitted.env),
            env=fitted.env,
            cwd=environment.passable(cwd or "/"),
            # A hook that asks for a directory runs there or not at all, the others where the session is, if they can.
            fallbacks=() if hook.cwd is not None else (project or "/", env.get("HOME") or "/", "/"),
            payload=payload,
            deadline=deadline,
            cap=policy.output_cap,
            truncate=policy.truncate,
            detach=hook.detach,
            leaves=None if leaving is None else leaving.asked,
        )
        ended = await process.run(child)
    finally:
        if spill is not None:
            shutil.rmtree(spill, ignore_errors=True)
    if leaving is not None and ended.rest is not None:
        rest = leaving.rest(ended.rest, timeout)
        return Ran(answer=Raw(exit_code=None, stdout="", stderr=""), duration=ended.duration, rest=rest)
    ran = _ran(ended, limit, shortened=bool(fitted.shortened), cap=policy.output_cap)
    return _answered(ran) if isinstance(hook.action, Call) else ran


def _prepared(hook: Hook, policy: Policy, env: dict[str, str]) -> tuple[environment.Fitted, str | None] | Failure:
    """The environment as the system takes it, and the folder of the values it does not; or why not to start."""
    known = (policy.variables, env, policy.project_variable)
    unsafe = next((why for text in _scripts(hook) if (why := refusal(text, *known))), None)
    if unsafe is not None:
        return Failure(cause=Cause.START, message=f"it was not started: {unsafe}")
    fitted = environment.fit(env)
    try:
        return fitted, _spill(fitted) if fitted.whole else None
    except OSError as error:
        why = f"it could not be started: there is no place for a large value ({error.strerror or error})"
        return Failure(cause=Cause.START, message=why)


class _Leaving:
    """One command that may go on in the background, and what it said when it did."""

    __slots__ = ("_policy", "_said")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._said = Leave()

    def asked(self, line: bytes) -> bool:
        """Whether a first line says so."""
        found = self._policy.leaves(line.decode("utf-8", "replace")) if self._policy.leaves is not None else None
        self._said = found or self._said
        return found is not None

    def rest(
        self, follow: Callable[[float], Coroutine[object, object, Exit]], timeout: float | None
    ) -> Callable[[], Coroutine[object, object, Ran]]:
        """Follows it to its end; what it wrote after that line is its reply."""
        limit = self._said.timeout if self._said.timeout is not None else timeout

        async def finished() -> Ran:
            ended = await follow(time.monotonic() + (FOREVER if limit is None else limit))
            reply = replace(ended, stdout=ended.stdout.partition(b"\n")[2])
            return _ran(reply, limit, shortened=False, cap=self._policy.output_cap)

        return finished


def _scripts(hook: Hook) -> tuple[str, ...]:
    """The shell text of a hook, if it has some."""
    match hook.action:
        case Command(command=text):
            return (text,)
        case Argv(argv=words):
            script = script_at(words)
            return () if script is None else (words[script],)
        case _:
            return ()


def argv_of(hook: Hook, policy: Policy, env: Mapping[str, str]) -> tuple[str, ...]:
    """What is executed for a hook."""
    match hook.action:
        case Command(command=text, interpreter=shell):
            prepared = quote_references(text, policy.variables, policy.single_quotes)
            path = env.get("PATH", "")
            return (shell_named(shell, path) if shell else interpreter(policy.interpreter, path), "-c", prepared)
        case Argv(argv=words):
            script = script_at(words)  # a value must not be spliced into what a shell reads as code
            filled = [_filled(word, policy.variables, env) for word in words]
            if script is not None:
                filled[script] = quote_references(words[script], policy.variables, True)
            return tuple(filled)
        case Call(target=target, options=options) as call:
            # Without -P the session's folder would come before the standard library.
            here = ("--here",) if hook.source.layer >= Layer.PROJECT and call.builtin is None else ()
            told = (f"--options={dumps(options)}",) if options else ()
            return (sys.executable, "-P", "-m", ISOLATED, *here, *told, target)
        case other:
            raise AssertionError(f"not a command: {other}")


@lru_cache(maxsize=32)
def interpreter(name: str, path: str) -> str:
    """A dialect's own shell: as it is named, found on the hook's own path, or the one every system has."""
    if name.startswith("/") and os.access(name, os.X_OK):
        return name
    return shutil.which(name.rsplit("/", 1)[-1], path=path or os.defpath) or "/bin/sh"


@lru_cache(maxsize=32)
def shell_named(name: str, path: str) -> str:
    """The shell a hook asks for; one that is not there is not replaced by another, which would read the text anew."""
    if "/" in name:
        return name
    words = {"powershell": "pwsh"}
    return shutil.which(words.get(name, name), path=path or os.defpath) or name


def _filled(word: str, names: frozenset[str], env: Mapping[str, str]) -> str:
    """`${NAME}` of documented variables in one argument; there is no shell, so the value stays one argument."""
    if "${" not in word:
        return word
    return _REFERENCE.sub(lambda found: env.get(found[1], "") if found[1] in names else found[0], word)


def _answered(ran: Ran) -> Ran:
    """A function always leaves a reply; where there is none, the process ended before the function did."""
    if ran.exit_code != 0 or ran.stdout.strip():
        return ran
    return replace(ran, answer=Failure(cause=Cause.EXIT, message="it ended its process without an answer"))


def _ran(ended: Exit, timeout: float | None, *, shortened: bool, cap: int) -> Ran:
    stdout = ended.stdout.decode("utf-8", "surrogateescape")
    stderr = ended.stderr.decode("utf-8", "surrogateescape")
    notes = [ended.notice] if ended.notice else []
    if ended.leftovers:
        notes.append(f"{ended.leftovers} of its processes are still running")
    return Ran(
        answer=_failure(ended, timeout, cap) or Raw(exit_code=ended.code, stdout=stdout, stderr=stderr),
        exit_code=ended.code,
        signal=ended.signal,
        duration=ended.duration,
        stdout=stdout,
        stderr=stderr,
        notes=tuple(notes),
        shortened=shortened,
    )


def _failure(ended: Exit, timeout: float | None, cap: int) -> Failure | None:
    if ended.status is Status.EXITED and ended.code is not None:
        return None
    match ended.status:
        case Status.TIMEOUT:
            late = "was not done at the deadline of the event" if timeout is None else f"took longer than {timeout:g} s"
            return Failure(cause=Cause.TIMEOUT, message=f"it {late} and was ended")
        case Status.OVERFLOW:
            return Failure(cause=Cause.OVERFLOW, message=f"it wrote more than {cap} bytes and was ended")
        case Status.NOT_STARTED:
            return Failure(cause=Cause.START, message=f"it could not be started: {ended.error}")
    if ended.signal is not None:
        return Failure(cause=Cause.SIGNAL, message=f"it was killed by signal {ended.signal}")
    return Failure(cause=Cause.EXIT, message=ended.error or "nobody can say how it ended")


def _spill(fitted: environment.Fitted) -> str:
    """Write whole values to private files and name them in `<NAME>_FILE`."""
    folder = tempfile.mkdtemp(prefix="omnihook-")
    try:
        for name, value in fitted.whole.items():
            path = os.path.join(folder, name)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(value.encode("utf-8", "surrogateescape"))
            fitted.env[f"{name}_FILE"] = path
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder
