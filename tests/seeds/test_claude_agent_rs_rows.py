"""claude-agent-rs's merging rules and execution order, row by row, for commands and for Python hooks alike."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from omnihook.engine import Engine
from omnihook.events import Event, PreToolUse
from omnihook.hooks import Command, Context, Hook, Matcher, Source
from omnihook.outcomes import Status
from omnihook.verdicts import Decision, Verdict

if TYPE_CHECKING:
    from conftest import World

BASH: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
# What two hooks say in turn, and what must come of it.
RULES: dict[str, tuple[dict[str, object], dict[str, object], Callable[[Verdict], bool]]] = {
    "continue_execution": (
        {"continue_execution": True},
        {"continue_execution": False, "stop_reason": "no"},
        lambda said: said.refused and said.reason == "no",
    ),
    "stop_reason": (
        {"stop_reason": "first"},
        {"continue_execution": False, "stop_reason": "second"},
        lambda said: said.reason == "second",
    ),
    "suppress_logging": (
        {"suppress_logging": True},
        {"suppress_logging": False},
        lambda said: said.suppress_logging,
    ),
    "system_message": (
        {"system_message": "first"},
        {"system_message": "second"},
        lambda said: said.system_message == "second",
    ),
    "updated_input": (
        {"updated_input": {"command": "first"}},
        {"updated_input": {"command": "second"}},
        lambda said: said.updated_input == {"command": "second"},
    ),
    "additional_context": (
        {"additional_context": "first"},
        {"additional_context": "second"},
        lambda said: said.additional_context == "first\nsecond",
    ),
}


def settings(world: "World", table: object) -> Engine:
    target = world.home / ".claude/settings.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps({"hooks": table}))
    return Engine(str(world.project), only="claude-agent-rs", environ=world.environ)


@pytest.mark.parametrize("field", RULES)
def test_each_merging_rule(world: "World", field: str) -> None:
    first, second, holds = RULES[field]
    (world.project / "a.json").write_text(json.dumps(first))
    (world.project / "b.json").write_text(json.dumps(second))
    # Asked again about what the other made of the input, neither has anything more to say.
    said = """grep -q '"command":"ls"' && cat {}.json || true"""
    engine = settings(world, {"preToolUse": {name: said.format(name) for name in ("a", "b")}})
    report = world.fire("claude-agent-rs", "PreToolUse", BASH, engine=engine)
    assert [outcome.hook.name for outcome in report.outcomes if outcome.pass_ == 1] == ["a", "b"]
    assert holds(report.verdict), report.verdict


@dataclass
class Says:
    """A hook object that answers with one verdict."""

    name: str
    said: Verdict | None
    priority: int = 0
    events: tuple[str, ...] = ("PreToolUse",)
    matcher: str | None = None
    timeout: float | None = None

    async def execute(self, event: Event, context: Context) -> Verdict | None:
        return self.said


def fired(*hooks: Says, **changes: object) -> "tuple[Verdict, list[str]]":
    engine = Engine(files=False)
    for hook in hooks:
        engine.register(hook)
    call = PreToolUse(tool_name="Bash", tool_input={"command": "ls"}, **changes)  # type: ignore[arg-type]
    report = asyncio.run(engine.fire(call))
    return report.verdict, [outcome.hook.name for outcome in report.outcomes]


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        pytest.param(Verdict.allow(), Verdict.block("no"), Verdict.block("no"), id="continue_execution"),
        pytest.param(
            Verdict(continue_=False, stop_reason="one"),
            Verdict(continue_=False, stop_reason="two"),
            Verdict(continue_=False, stop_reason="two"),
            id="stop_reason",
        ),
        pytest.param(Verdict.allow().quietly(), Verdict.allow(), Verdict.allow().quietly(), id="suppress_logging"),
        pytest.param(
            Verdict.allow().with_message("one"),
            Verdict.allow().with_message("two"),
            Verdict.allow().with_message("two"),
            id="system_message",
        ),
        pytest.param(
            Verdict.context("one"), Verdict.context("two"), Verdict.context("one\ntwo"), id="additional_context"
        ),
    ],
)
def test_hook_objects_are_merged_by_the_same_rules(first: Verdict, second: Verdict, wanted: Verdict) -> None:
    said, _ = fired(Says("b", second, priority=1), Says("a", first, priority=2))
    assert said == wanted


def test_the_latest_rewrite_of_hook_objects_stands() -> None:
    early = Says("early", Verdict.rewrite(command="one"), priority=2)
    late = Says("late", Verdict.rewrite(command="two"), priority=1)
    said, _ = fired(early, late)
    assert said.updated_input == {"command": "two"}


def test_higher_priority_runs_first_whatever_the_order_of_registration() -> None:
    hooks = [Says("low", None, priority=-5), Says("high", None, priority=100), Says("middle", None)]
    assert fired(*hooks)[1] == ["high", "middle", "low"]


def test_the_tool_matcher_is_asked_where_there_is_one() -> None:
    hooks = [Says("any", None), Says("write", None, matcher="Write|Edit"), Says("bash", None, matcher="Bash|Write")]
    assert fired(*hooks)[1] == ["any", "bash"]


def test_a_hook_that_takes_too_long_is_given_up() -> None:
    class Slow(Says):
        async def execute(self, event: Event, context: Context) -> Verdict | None:
            await asyncio.sleep(30)
            return None

    engine = Engine(files=False)
    engine.register(Slow("slow", None, timeout=0.1))
    (outcome,) = asyncio.run(engine.fire(PreToolUse(tool_name="Bash"))).outcomes
    assert outcome.status is Status.TIMEOUT
    assert outcome.duration < 2


def test_sixty_seconds_are_the_default_time_out_of_a_command(world: "World") -> None:
    engine = settings(world, {"preToolUse": {"a": "true", "b": {"command": "true", "timeout_secs": 30}}})
    plan = engine.plan(PreToolUse(tool_name="Bash"))
    assert [step.timeout for step in plan.steps] == [60.0, 30.0]


def test_any_block_stops_and_what_was_said_before_is_kept(world: "World") -> None:
    (world.project / "note.json").write_text(json.dumps({"additional_context": "noted"}))
    engine = settings(world, {"preToolUse": {"a": "cat note.json", "b": "exit 1", "c": "touch ran"}})
    report = world.fire("claude-agent-rs", "PreToolUse", BASH, engine=engine)
    assert (report.verdict.decision, report.verdict.additional_context) == (Decision.BLOCK, "noted")
    assert not (world.project / "ran").exists()


def test_a_command_hook_has_the_document_s_fields(world: "World") -> None:
    """name, command, events, tool_pattern, timeout_secs, extra_env."""
    engine = Engine(str(world.project), only="claude-agent-rs", environ=world.environ)
    engine.register(
        Hook(
            name="check",
            action=Command(command='echo "$MODE" > seen; exit 1'),
            events=("PreToolUse", "PostToolUse"),
            matcher=Matcher(text="Bash|Write", pattern="Bash|Write"),
            timeout=30.0,
            env={"MODE": "strict"},
            source=Source(dialect="claude-agent-rs"),
        )
    )
    assert world.fire("claude-agent-rs", "PreToolUse", BASH, engine=engine).refused
    assert (world.project / "seen").read_text() == "strict\n"
    read: dict[str, object] = {"tool_name": "Read", "tool_input": {}}
    assert world.fire("claude-agent-rs", "PreToolUse", read, engine=engine).outcomes == ()
