from hypothesis import given
from hypothesis import strategies as st

from omnihook import dialects
from omnihook.dialect import Dialect, Order
from omnihook.events import PreToolUse
from omnihook.hooks import Command, Function, Hook, Layer, Prompt, Source
from omnihook.matching import Index
from omnihook.planning import Planner, timeout_of
from omnihook.plans import Plan, Skipped

EVENT = PreToolUse(tool_name="Bash")
NATIVE = dialects.get("omnihook")


def sequential() -> Dialect:
    from dataclasses import replace

    return replace(NATIVE, name="one-by-one", policy=replace(NATIVE.policy, order=Order.SEQUENTIAL))


DIALECTS = {"omnihook": NATIVE, "one-by-one": sequential(), "claude-code": dialects.get("claude-code")}


def hook(name: str, *, dialect: str = "omnihook", command: str | None = None, **values: object) -> Hook:
    source = Source(dialect=dialect, layer=Layer.USER)
    return Hook(name=name, events=("PreToolUse",), action=Command(command=command or name), source=source, **values)  # type: ignore[arg-type]


def shape(plan: Plan) -> list[list[list[str]]]:
    return [[[step.hook.name for step in lane] for lane in stage] for stage in plan.stages]


def plan(hooks: list[Hook], **values: object) -> Plan:
    return Planner(Index(hooks, DIALECTS), DIALECTS, **values).plan(EVENT)  # type: ignore[arg-type]


def test_one_priority_is_one_stage_and_high_ones_come_first() -> None:
    hooks = [hook("low", priority=-1), hook("a"), hook("high", priority=5), hook("b")]
    assert shape(plan(hooks)) == [[["high"]], [["a"], ["b"]], [["low"]]]


def test_a_sequential_dialect_is_a_lane_beside_the_parallel_ones() -> None:
    hooks = [hook("p1"), hook("s1", dialect="one-by-one"), hook("p2"), hook("s2", dialect="one-by-one")]
    assert shape(plan(hooks)) == [[["p1"], ["s1", "s2"], ["p2"]]]


def test_a_files_own_wish_for_order_makes_a_lane() -> None:
    hooks = [hook("a"), hook("b")]
    assert shape(plan(hooks, sequential=frozenset({"omnihook"}))) == [[["a", "b"]]]


def test_equal_hooks_run_once_per_dispatch() -> None:
    made = plan([hook("a", command="x", dialect="claude-code"), hook("b", command="x", dialect="claude-code")])
    assert shape(made) == [[["a"]]]
    assert [(item.hook.name, item.why) for item in made.skipped] == [("b", "duplicate")]


def test_native_hooks_are_equal_when_their_names_are() -> None:
    assert shape(plan([hook("a", command="x"), hook("a", command="x"), hook("b", command="x")])) == [[["a"], ["b"]]]


def test_equal_hooks_of_two_dialects_both_run() -> None:
    assert shape(plan([hook("a", command="x"), hook("b", command="x", dialect="claude-code")])) == [[["a"], ["b"]]]


def test_a_function_registered_twice_runs_twice() -> None:
    both = [Hook(name=n, events=("PreToolUse",), action=Function(function=print)) for n in ("a", "b")]
    assert shape(plan(both)) == [[["a"], ["b"]]]


def test_background_hooks_are_apart() -> None:
    made = plan([hook("a", background=True), hook("b")])
    assert shape(made) == [[["b"]]]
    assert [step.hook.name for step in made.background] == ["a"]


def test_held_hooks_are_listed_with_the_reason() -> None:
    hooks = [hook("a"), hook("b")]
    made = plan(hooks, held={0: Skipped(hook=hooks[0], why="untrusted")})
    assert shape(made) == [[["b"]]]
    assert [(item.hook.name, item.why) for item in made.skipped] == [("a", "untrusted")]


def test_a_gate_holds_hooks_back() -> None:
    planner = Planner(Index([hook("a"), hook("b")], DIALECTS), DIALECTS)
    made = planner.plan(EVENT, lambda found, event: "quarantined" if found.name == "a" else None)
    assert shape(made) == [[["b"]]]
    assert [item.why for item in made.skipped] == ["quarantined"]


def test_time_outs_are_the_hooks_own_or_the_dialects() -> None:
    claude = "claude-code"
    assert timeout_of(hook("a", dialect=claude), "PreToolUse", DIALECTS) == 600.0
    assert timeout_of(hook("a", dialect=claude), "UserPromptSubmit", DIALECTS) == 30.0
    assert timeout_of(hook("a", dialect=claude, timeout=2.0), "UserPromptSubmit", DIALECTS) == 2.0
    agent = Hook(name="p", events=(), action=Prompt(prompt="?", tools=True), source=Source(dialect=claude))
    assert timeout_of(agent, "PreToolUse", DIALECTS) == 60.0
    assert timeout_of(Hook(name="f", events=(), action=Function(function=print)), "Stop", DIALECTS) is None


def test_explain_says_why_for_every_other_hook() -> None:
    hooks = [hook("a"), Hook(name="b", events=("Stop",), action=Command(command="b"))]
    made = plan(hooks)
    assert [(item.hook.name, item.detail) for item in made.explain()] == [("b", "it is for Stop")]


@given(st.lists(st.tuples(st.integers(-2, 2), st.sampled_from(sorted(DIALECTS))), max_size=8))
def test_every_hook_is_planned_exactly_once(kinds: list[tuple[int, str]]) -> None:
    hooks = [hook(f"h{i}", priority=priority, dialect=name) for i, (priority, name) in enumerate(kinds)]
    made = plan(hooks)
    assert sorted(step.hook.name for step in made.steps) == sorted(h.name for h in hooks)
    priorities = [step.hook.priority for step in made.steps]
    assert priorities == sorted(priorities, reverse=True)
