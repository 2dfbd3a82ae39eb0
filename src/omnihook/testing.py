"""For authors of hooks: make events, fire them at one hook, and say what should come of it."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from omnihook.engine import Engine
from omnihook.errors import UsageError, suggestion
from omnihook.events import Event, PostToolUse, PreToolUse, SessionStart, Stop, UserPromptSubmit
from omnihook.hooks import Hook
from omnihook.jsontypes import Json
from omnihook.outcomes import Outcome, Report, Status
from omnihook.registering import HookObject, from_function
from omnihook.verdicts import Decision, Verdict

SESSION = "test-session"
Given: TypeAlias = Hook | HookObject | Callable[..., object]


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


def fire(hook: Given, event: Event) -> Report:
    """Fire an event at one hook and nothing else: a Hook, a hook object, or a plain function.

    Inside a running loop the hook gets another; where it needs that one, await `fire_async`.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(fire_async(hook, event))
    with _engine(hook, event) as engine:
        return engine.fire_sync(event)


async def fire_async(hook: Given, event: Event) -> Report:
    """The same inside a running loop."""
    engine = _engine(hook, event)
    report = await engine.fire(event)
    await engine.drain()
    return report


def verdict_of(hook: Given, event: Event) -> Verdict:
    """What a hook says about an event, also in shadow; raises AssertionError when it broke or did not run."""
    report = fire(hook, event)
    outcomes = _outcomes(report)
    assert outcomes, _unheard(report)
    for outcome in outcomes:
        assert outcome.failure is None, f"hook {outcome.hook.name} broke: {outcome.failure.message}"
        assert outcome.status is not Status.LATE, f"hook {outcome.hook.name} runs in the background and decides nothing"
    shadows = [outcome.said for outcome in outcomes if outcome.status is Status.SHADOW and outcome.said is not None]
    return shadows[0] if shadows else report.verdict


def assert_decision(hook: Given, event: Event, decision: str | None) -> Verdict:
    """Say what a hook should decide: "deny", "ask" ... or None for no opinion; it must have been asked."""
    words = {member.name.lower(): member for member in Decision}
    wanted = words.get(str(decision).lower())
    if wanted is None:
        raise UsageError(f"unknown decision {decision!r}{suggestion(str(decision), words)}; known: {', '.join(words)}")
    verdict = verdict_of(hook, event)
    assert verdict.decision is wanted, f"expected {wanted.word}, got {verdict.decision.word}: {verdict.reason}"
    return verdict


def assert_ignored(hook: Given, event: Event) -> None:
    """Say that an event does not concern a hook: another event, tool, path or rule."""
    for report in _reports(fire(hook, event)):
        for outcome in report.outcomes:
            raise AssertionError(f"hook {outcome.hook.name} ran for {report.event.name}")


def _engine(given: Given, event: Event) -> Engine:
    engine = Engine(files=False)
    if isinstance(given, Hook) or not callable(given):
        engine.register(given)
    else:
        engine.register(from_function(given, (event.name,)))
    return engine


def _reports(report: Report) -> tuple[Report, ...]:
    return (report, *report.derived)


def _outcomes(report: Report) -> list[Outcome]:
    return [outcome for item in _reports(report) for outcome in item.outcomes]


def _unheard(report: Report) -> str:
    """Why the hook did not run."""
    skipped = (*report.skipped, *report.plan.explain())
    why = "; ".join(f"{item.why} ({item.detail})" if item.detail else item.why for item in skipped)
    name = skipped[0].hook.name if skipped else "the hook"
    return (
        f"{name} did not run for {report.event.name}: {why or 'nothing asked it'}; if that is right, use assert_ignored"
    )
