"""One hook that runs elsewhere: in a process, on a server, in a model; from the event's wire form to an answer."""

import asyncio
import hashlib
import os
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import field, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from omnihook.dialect import Dialect, Failure, Raw, Settings, Wire, effects_of
from omnihook.events import Event
from omnihook.folders import make
from omnihook.hooks import Argv, Call, Cause, Command, Hook, Http, McpTool, Prompt
from omnihook.jsontypes import dumps
from omnihook.outcomes import Outcome
from omnihook.plans import Step
from omnihook.runners.children import FOREVER
from omnihook.runners.payload import Payload
from omnihook.slotted import dataclass
from omnihook.verdicts import NO_OPINION, Decision, Verdict

if TYPE_CHECKING:
    from omnihook.runners.command import Ran

MAX_INPUT = 128 << 20  # bytes of an event on the wire


Verify = Callable[[Hook, str], str | None]  # why not to start, or None


def _unverified(hook: Hook, cwd: str) -> None:
    """Nothing speaks against a start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What running needs to know besides the plan."""

    dialects: Mapping[str, Dialect]
    environ: Mapping[str, str]
    project: str = ""
    state: str = ""  # our own folder, for files that belong to a session
    deadline: float | None = None  # on the monotonic clock, for everything together
    # Makes, for the hooks of one event, what is asked right before a start with the directory it would run in.
    verifier: Callable[[], Verify] = lambda: _unverified
    settings: Mapping[str, Settings] = field(default_factory=dict)  # by dialect
    max_concurrent: int = 32
    pass_: int = 1
    cancelled: Callable[[], bool] = lambda: False
    # Takes over a hook that goes on in the background; without it none may.
    adopt: Callable[[Hook, Event, Coroutine[object, object, Outcome]], None] | None = None


class Dispatch:
    """One event's run: every dialect's wire form of it is made once and shared."""

    __slots__ = ("_made", "_verify", "scene")

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._verify: Verify | None = None
        self._made: dict[tuple[str, int], tuple[Event, Wire, Payload]] = {}

    def __enter__(self) -> "Dispatch":
        return self

    def __exit__(self, *_: object) -> None:
        for _event, _wire, payload in self._made.values():
            payload.close()

    def verify(self, hook: Hook, cwd: str) -> str | None:
        """Why a hook must not be started in a directory, or None."""
        if self._verify is None:
            self._verify = self.scene.verifier()
        return self._verify(hook, cwd)

    def wire(self, dialect: Dialect, event: Event) -> Wire:
        """An event as hooks of a dialect receive it."""
        return self._entry(dialect, event)[1]

    def payload(self, dialect: Dialect, event: Event) -> Payload:
        """The bytes that commands of a dialect read."""
        return self._entry(dialect, event)[2]

    def _entry(self, dialect: Dialect, event: Event) -> tuple[Event, Wire, Payload]:
        key = (dialect.name, id(event))
        found = self._made.get(key)
        if found is None:
            wire = dialect.encode_event(event)
            found = self._made[key] = (event, wire, Payload(wire.stdin or b""))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a runner brought back, in the words the outcome needs."""

    answer: Verdict | Failure
    exit_code: int | None = None
    signal: int | None = None
    duration: float = 0.0
    stdout: str = ""
    stderr: str = ""
    notes: tuple[str, ...] = ()
    blind: bool = False  # the hook saw only part of the event
    # The hook goes on in the background; this follows it to its end.
    rest: "Callable[[], Coroutine[object, object, Done]] | None" = None


def session_file(state: str, event: Event) -> str:
    """A private file that belongs to the event's session; the null device where we may not keep one."""
    name = hashlib.sha256(f"{event.agent}\0{event.session_id}".encode("utf-8", "replace")).hexdigest()[:32]
    path = os.path.join(state, "env", f"{name}.sh")
    try:
        make(os.path.dirname(path))
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError:
        return os.devnull
    return path


def directory(hook: Hook, event: Event, scene: Scene) -> str:
    """Where a hook runs: its own directory, which may be relative to the project, else where the session is."""
    if hook.cwd is not None:
        return os.path.join(scene.project or event.cwd, hook.cwd)
    return event.cwd or scene.project


async def elsewhere(step: Step, event: Event, dispatch: Dispatch) -> Done:
    """Run a hook that is not a function of the program."""
    scene, hook = dispatch.scene, step.hook
    dialect = scene.dialects[hook.source.dialect]
    now = time.monotonic()
    deadline = now + (FOREVER if step.timeout is None else step.timeout)
    if scene.deadline is not None:
        deadline = min(deadline, scene.deadline)
    try:
        wire = dispatch.wire(dialect, event)
    except (TypeError, ValueError, RecursionError) as error:  # a host may put anything into an event
        return Done(answer=Failure(cause=Cause.INPUT, message=f"the event cannot be written as JSON: {error}"))
    if wire.stdin is not None and len(wire.stdin) > MAX_INPUT:
        text = f"the event has {len(wire.stdin)} bytes, more than the {MAX_INPUT} a hook is given"
        return Done(answer=Failure(cause=Cause.INPUT, message=text))
    if isinstance(hook.action, Command | Argv | Call):
        return await _command(step, event, dispatch, dialect, deadline)
    raw = await _remote(hook, event, wire, scene, deadline)
    answer = raw if isinstance(raw, Failure) else dialect.decode_reply(hook, event, raw)
    said = "" if isinstance(raw, Failure) else raw.stdout
    return Done(answer=_tightened(hook, answer), stdout=said, duration=time.monotonic() - now)


async def _command(step: Step, event: Event, dispatch: Dispatch, dialect: Dialect, deadline: float) -> Done:
    # By name from the modules themselves: from a package it is a search each time.
    from omnihook.runners.command import run
    from omnihook.runners.environment import MAX_DEPTH, base, depth

    scene, hook = dispatch.scene, step.hook
    if depth(scene.environ) >= MAX_DEPTH:
        text = f"hooks called hooks {MAX_DEPTH} levels deep; this one was not started"
        return Done(answer=Failure(cause=Cause.START, message=text))
    env = base(scene.environ, layer=hook.source.layer, project=scene.project, clean=hook.clean_env)
    wire = dispatch.wire(dialect, event)
    env |= wire.env
    if dialect.policy.project_variable is not None and scene.project:
        env[dialect.policy.project_variable] = scene.project
    if dialect.hook_env is not None:
        env |= dialect.hook_env(hook, event)
    env |= hook.env
    if dialect.policy.env_file is not None and event.name in dialect.policy.env_file_events:
        env[dialect.policy.env_file] = session_file(scene.state, event)
    if scene.pass_ > 1:
        env["OMNIHOOK_PASS"] = str(scene.pass_)
    ran = await run(
        hook,
        policy=dialect.policy,
        payload=dispatch.payload(dialect, event),
        env=env,
        cwd=directory(hook, event, scene),
        deadline=deadline,
        timeout=step.timeout,
        project=scene.project,
        may_leave=scene.adopt is not None and not hook.guard,
    )
    if ran.rest is not None:
        return Done(answer=NO_OPINION, duration=ran.duration, rest=partial(_later, ran.rest, step, event, dialect))
    return _done(ran, step, event, dialect, wire)


async def _later(
    follow: Callable[[], Coroutine[object, object, "Ran"]], step: Step, event: Event, dialect: Dialect
) -> Done:
    return _done(await follow(), step, event, dialect, None)


def _done(ran: "Ran", step: Step, event: Event, dialect: Dialect, wire: Wire | None) -> Done:
    hook = step.hook
    answer = ran.answer if isinstance(ran.answer, Failure) else dialect.decode_reply(hook, event, ran.answer)
    blind = ran.shortened and wire is not None and wire.stdin is None
    return Done(
        answer=_unseen(answer, dialect, event) if blind else answer,
        exit_code=ran.exit_code,
        signal=ran.signal,
        duration=ran.duration,
        stdout=ran.stdout,
        stderr=ran.stderr,
        notes=ran.notes,
        blind=blind,
    )


def _unseen(answer: Verdict | Failure, dialect: Dialect, event: Event) -> Verdict | Failure:
    """A hook that could see only part of the event and did not object, or broke over it, has not cleared it."""
    said = (answer.said or NO_OPINION) if isinstance(answer, Failure) else answer
    if said.decision >= Decision.ASK or not effects_of(dialect, event).refuse:
        return answer
    text = "the hook could see only a shortened value of a very large event"
    asked = replace(said, decision=Decision.ASK, reason=text)
    return replace(answer, said=asked) if isinstance(answer, Failure) else asked


async def _remote(hook: Hook, event: Event, wire: Wire, scene: Scene, deadline: float) -> Raw | Failure:
    settings = scene.settings.get(hook.source.dialect, Settings())
    match hook.action:
        case Http() as action:
            await _load("omnihook.runners.http")
            from omnihook.runners import http

            return await http.post(
                action,
                body=dumps(wire.body).encode("utf-8", "surrogateescape"),
                deadline=deadline,
                env=_outside(hook, scene),
                allowed_urls=settings.allowed_urls,
                allowed_env=settings.allowed_env,
            )
        case Prompt() as action:
            await _load("omnihook.runners.prompt")
            from omnihook.runners import prompt

            return await prompt.ask(
                action,
                text=prompt.fill(action.prompt, wire.values, dumps(wire.body)),
                deadline=deadline,
                model=action.model or settings.model,
                base_url=action.base_url or settings.base_url,
                api_key=action.api_key or settings.api_key,
                provider=settings.provider,
                env=scene.environ,
                cwd=event.cwd or scene.project,
            )
        case McpTool() as action:
            await _load("omnihook.runners.mcp")
            from omnihook.runners import mcp

            return await mcp.call(
                action,
                servers=settings.servers,
                body=wire.body,
                deadline=deadline,
                env=scene.environ,
                cwd=event.cwd or scene.project,
            )
        case other:
            raise AssertionError(f"not a remote action: {other}")


async def _load(module: str) -> None:
    """Import a runner whose libraries take long beside the loop, which goes on watching others meanwhile."""
    if module not in sys.modules:
        await asyncio.to_thread(import_module, module)


def _outside(hook: Hook, scene: Scene) -> Mapping[str, str]:
    """The variables that headers may name; what looks like a secret does not go out for a project's hook."""
    from omnihook.runners.environment import base

    return base(scene.environ, layer=hook.source.layer, project=scene.project, clean=hook.clean_env)


def _tightened(hook: Hook, answer: Verdict | Failure) -> Verdict | Failure:
    """A model reads what an attacker may have written, so its word skips no prompt unless its user said it may."""
    if isinstance(answer, Failure) or not isinstance(hook.action, Prompt):
        return answer
    if answer.decision not in (Decision.ALLOW, Decision.APPROVE):
        return answer
    return replace(answer, decision=Decision.APPROVE if hook.may_allow else Decision.ALLOW)
