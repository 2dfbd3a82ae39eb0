"""One hook that runs elsewhere: in a process, on a server, in a model; from the event's wire form to an answer."""

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from omnihook.dialect import Dialect, Failure, Raw, Settings, Wire, effects_of
from omnihook.events import Event
from omnihook.hooks import Argv, Call, Cause, Command, Hook, Http, McpTool, Prompt
from omnihook.jsontypes import dumps
from omnihook.plans import Step
from omnihook.runners.children import FOREVER
from omnihook.runners.configured import NotConfigured, model_name, not_called, server_entry
from omnihook.runners.scenes import Dispatch, Done, Scene, directory, session_file
from omnihook.verdicts import NO_OPINION, Decision, Verdict

if TYPE_CHECKING:
    from omnihook.runners.command import Ran

MAX_INPUT = 128 << 20  # bytes of an event on the wire


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
    wire = dispatch.wire(dialect, event)
    env = base(scene.environ, layer=hook.source.layer, project=scene.project, clean=hook.clean_env)
    env |= wire.env
    env |= _told(hook, event, dialect, scene)
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


def _told(hook: Hook, event: Event, dialect: Dialect, scene: Scene) -> dict[str, str]:
    """The variables that depend on the hook and on where it runs, and those of its own entry."""
    policy = dialect.policy
    env: dict[str, str] = {}
    if policy.project_variable is not None and scene.project:
        env[policy.project_variable] = scene.project
    if policy.plugin_variable is not None and hook.source.root is not None:
        env[policy.plugin_variable] = hook.source.root
    if dialect.hook_env is not None:
        env |= dialect.hook_env(hook, event)
    env |= hook.env
    if policy.env_file is not None and event.name in policy.env_file_events:
        env[policy.env_file] = session_file(scene.state, event)
    if scene.pass_ > 1:
        env["OMNIHOOK_PASS"] = str(scene.pass_)
    return env


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
    match hook.action:
        case Http() as action:
            return await _posted(action, hook, wire, scene, deadline)
        case Prompt() as action:
            return await _asked(action, hook, event, wire, scene, deadline)
        case McpTool() as action:
            return await _called(action, hook, event, wire, scene, deadline)
        case other:
            raise AssertionError(f"not a remote action: {other}")


async def _posted(action: Http, hook: Hook, wire: Wire, scene: Scene, deadline: float) -> Raw | Failure:
    await _load("omnihook.runners.http")
    from omnihook.runners import http

    settings = _settings(hook, scene)
    return await http.post(
        action,
        body=dumps(wire.body).encode("utf-8", "surrogateescape"),
        deadline=deadline,
        env=_outside(hook, scene),
        allowed_urls=settings.allowed_urls,
        allowed_env=settings.allowed_env,
    )


async def _asked(action: Prompt, hook: Hook, event: Event, wire: Wire, scene: Scene, deadline: float) -> Raw | Failure:
    settings = _settings(hook, scene)
    try:
        model_name(action, settings.model, scene.environ)
    except NotConfigured as problem:
        return Failure(cause=Cause.START, message=str(problem))
    await _load("omnihook.runners.prompt")
    from omnihook.runners import prompt

    return await prompt.ask(
        action,
        text=prompt.fill(action.prompt, wire.values, dumps(wire.body)),
        deadline=deadline,
        model=settings.model,
        base_url=settings.base_url,
        api_key=settings.api_key,
        provider=settings.provider,
        env=scene.environ,
        cwd=event.cwd or scene.project,
    )


async def _called(
    action: McpTool, hook: Hook, event: Event, wire: Wire, scene: Scene, deadline: float
) -> Raw | Failure:
    servers = _settings(hook, scene).servers
    try:
        server_entry(servers, action)
    except NotConfigured as problem:
        return not_called(action, problem)
    await _load("omnihook.runners.mcp")
    from omnihook.runners import mcp

    return await mcp.call(
        action,
        servers=servers,
        body=wire.body,
        deadline=deadline,
        env=scene.environ,
        cwd=event.cwd or scene.project,
    )


def _settings(hook: Hook, scene: Scene) -> Settings:
    return scene.settings.get(hook.source.dialect, Settings())


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
