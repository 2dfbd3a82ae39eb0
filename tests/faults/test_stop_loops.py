"""F49, R10: hooks that never let an agent stop, in the engine and through the gate."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from faults.kit import Machine, fire, shell
from omnihook import Engine, Verdict, gate
from omnihook.events import Event, PreToolUse, SessionStart, Stop, SubagentStop, UserPromptSubmit
from omnihook.hooks import Hook
from omnihook.outcomes import Report
from omnihook.sessions import FileSessions

STOP = Stop(session_id="s")
TOOL = PreToolUse(session_id="s", tool_name="Bash")


def _counting(box: Machine, event: str = "Stop", dialect: str = "omnihook") -> Hook:
    """A hook that blocks each time with other words, and notes the flag it was sent."""
    text = f'cat >> {box.top}/sent; echo >> {box.top}/n; echo "again $(wc -l < {box.top}/n)" >&2; exit 2'
    return shell(text, event, dialect=dialect)


def _resident(box: Machine, hook: Hook) -> Callable[[Event], Report]:
    engine = box.engine(files=False)
    engine.register(hook)
    return lambda event: fire(engine, event)


def _coming_and_going(box: Machine, hook: Hook) -> Callable[[Event], Report]:
    def fired(event: Event) -> Report:
        engine = box.engine(files=False, sessions=FileSessions(str(box.home / "sessions")))
        engine.register(hook)
        return fire(engine, event)

    return fired


WAYS = pytest.mark.parametrize("way", [_resident, _coming_and_going])


def _blocks(
    fired: Callable[[Event], Report], event: Event = STOP, *, between: Event | None = TOOL, most: int = 30
) -> int:
    """How often in a row the event is blocked before the agent may stop."""
    for count in range(most):
        report = fired(event)
        if not report.refused:
            assert any("the agent may stop" in notice for notice in report.notices)
            return count
        if between is not None:
            fired(between)
    return most


@WAYS
@pytest.mark.parametrize(("dialect", "limit"), [("omnihook", 5), ("claude-code", 8)])
def test_an_endless_stop_hook_is_let_go_at_its_limit(
    box: Machine, way: Callable[..., object], dialect: str, limit: int
) -> None:
    """R10: counted per session, forced with a notice, and the count begins anew afterwards."""
    fired = way(box, _counting(box, dialect=dialect))
    assert _blocks(fired) == limit  # type: ignore[arg-type]
    assert _blocks(fired) == limit  # type: ignore[arg-type]


@WAYS
def test_saying_the_same_again_without_work_in_between_ends_at_once(box: Machine, way: Callable[..., object]) -> None:
    """R10: twice the same text and no tool call."""
    fired = way(box, shell("echo same >&2; exit 2", "Stop"))
    assert _blocks(fired, between=None) == 1  # type: ignore[arg-type]
    assert _blocks(fired, between=TOOL) == 5  # type: ignore[arg-type]


@WAYS
def test_the_flag_a_hook_is_sent_is_true_only_while_it_blocks(box: Machine, way: Callable[..., object]) -> None:
    """R10: whatever the host claims."""
    fired = way(box, _counting(box))
    fired(replace(STOP, stop_hook_active=True))  # type: ignore[operator]
    fired(replace(STOP, stop_hook_active=False))  # type: ignore[operator]
    fired(UserPromptSubmit(session_id="s", prompt="go on"))  # type: ignore[operator]
    fired(STOP)  # type: ignore[operator]
    sent = (box.top / "sent").read_text().splitlines()
    assert ['"stop_hook_active":true' in line for line in sent] == [False, True, False]


@WAYS
def test_a_new_prompt_and_another_session_begin_anew(box: Machine, way: Callable[..., object]) -> None:
    """R10: the count is a session's own, and the user's next word clears it."""
    fired = way(box, _counting(box))
    for _ in range(4):
        assert fired(STOP).refused  # type: ignore[operator]
    assert fired(replace(STOP, session_id="other")).refused  # type: ignore[operator]
    assert fired(replace(STOP, subagent="a")).refused  # type: ignore[operator]
    fired(UserPromptSubmit(session_id="s", prompt="x"))  # type: ignore[operator]
    assert _blocks(fired) == 5  # type: ignore[arg-type]


def test_subagents_are_let_go_as_well(box: Machine) -> None:
    """R10: SubagentStop is counted the same way."""
    fired = _resident(box, _counting(box, "SubagentStop"))
    assert _blocks(fired, SubagentStop(session_id="s", subagent="a"), between=replace(TOOL, subagent="a")) == 5


def test_a_broken_stop_guard_does_not_hold_the_agent(box: Machine) -> None:
    """R9, R10: failing closed is for what can be prevented."""
    fired = _resident(box, shell("exit 7", "Stop", guard=True))
    assert not fired(STOP).refused


@pytest.mark.parametrize("event", [STOP, SessionStart(session_id="s", source="startup")], ids=lambda event: event.name)
@pytest.mark.parametrize("words", ["same", "other"])
def test_the_gate_always_opens_or_gives_up(event: Event, words: str) -> None:
    """F49: a host that feeds every block back to its agent ends after a few rounds, also for SessionStart."""
    engine = Engine(files=False)
    numbers = itertools.count()
    engine.on(event.name)(lambda _: Verdict.block("no" if words == "same" else f"no {next(numbers)}"))
    fed: list[str] = []
    passage = asyncio.run(gate(engine, event, fed.append))
    assert passage.gave_up
    assert len(fed) <= 5
    assert passage.refused is (event.name == "SessionStart")


def test_the_gate_ends_with_an_agent_that_works_in_between() -> None:
    """F49: tool calls between the blocks do not make the loop endless."""
    engine = Engine(files=False)
    engine.on("Stop")(lambda _: Verdict.block("again"))
    fed: list[str] = []

    async def feed(text: str) -> None:
        fed.append(text)
        await engine.fire(TOOL)

    passage = asyncio.run(gate(engine, STOP, feed))
    assert passage.gave_up
    assert len(fed) == 5
