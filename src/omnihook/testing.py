"""For authors of hooks: make events, fire them at one hook, and say what should come of it."""

import asyncio
from collections.abc import Callable

from omnihook.engine import Engine
from omnihook.events import Event, PostToolUse, PreToolUse, SessionStart, Stop, UserPromptSubmit
from omnihook.hooks import Hook
from omnihook.jsontypes import Json
from omnihook.outcomes import Report
from omnihook.registering import HookObject, from_function, from_object
from omnihook.verdicts import Decision, Verdict

SESSION = "test-session"


def pre_tool(tool: str, /, *, cwd: str = "", **arguments: Json) -> PreToolUse:
    """A tool is about to run: `pre_tool("Bash", command="ls")`."""
    return PreToolUse(session_id=SESSION, cwd=cwd, tool_name=tool, tool_input=arguments, tool_use_id="call-1")


def post_tool(tool: str, response: Json = None, /, *, cwd: str = "", **arguments: Json) -> PostToolUse:
    """A tool has run and answered."""
    return PostToolUse(
        session_id=SESSION, cwd=cwd, tool_name=tool, tool_input=arguments, tool_use_id="call-1", tool_response=response
    )


def prompt(text: str, *, cwd: str = "") -> UserPromptSubmit:
    """The user said something."""
    return UserPromptSubmit(session_id=SESSION, cwd=cwd, prompt=text)


def session_start(source: str = "startup", *, cwd: str = "") -> SessionStart:
    """A session begins."""
    return SessionStart(session_id=SESSION, cwd=cwd, source=source)


def stop(*, cwd: str = "") -> Stop:
    """The agent wants to hand over."""
    return Stop(session_id=SESSION, cwd=cwd)


def fire(hook: "Hook | HookObject | Callable[..., object]", event: Event) -> Report:
    """Fire an event at one hook and nothing else: a Hook, a hook object, or a plain function."""
    return asyncio.run(fire_async(hook, event))


async def fire_async(hook: "Hook | HookObject | Callable[..., object]", event: Event) -> Report:
    """The same inside a running loop."""
    engine = Engine(files=False)
    engine.register(_hook(hook, event))
    report = await engine.fire(event)
    await engine.drain()
    return report


def verdict_of(hook: "Hook | HookObject | Callable[..., object]", event: Event) -> Verdict:
    """What a hook says about an event; raises AssertionError when it broke."""
    report = fire(hook, event)
    for outcome in report.outcomes:
        assert outcome.failure is None, f"hook {outcome.hook.name} broke: {outcome.failure.message}"
    return report.verdict


def assert_decision(hook: "Hook | HookObject | Callable[..., object]", event: Event, decision: str | None) -> Verdict:
    """Say what a hook should decide: "deny", "ask" ... or None for no opinion."""
    verdict = verdict_of(hook, event)
    wanted = Decision.NONE if decision is None else Decision[decision.upper()]
    assert verdict.decision is wanted, f"expected {wanted.word}, got {verdict.decision.word}: {verdict.reason}"
    return verdict


def _hook(given: "Hook | HookObject | Callable[..., object]", event: Event) -> Hook:
    if isinstance(given, Hook):
        return given
    if callable(given):
        return from_function(given, (event.name,))
    return from_object(given)
