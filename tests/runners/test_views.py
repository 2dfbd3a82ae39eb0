"""Function hooks look at events and cannot change them: neither for the host nor for the hooks after them."""

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from omnihook import Decision, Engine, Verdict
from omnihook.events import PostToolUse, PreToolUse, Stop
from omnihook.jsontypes import EMPTY
from omnihook.runners.views import view

INPUT = {"command": "ls", "edits": [{"old": "a"}], "env": {"A": "1"}}
BASH = PreToolUse(session_id="s", tool_name="Bash", tool_input=INPUT, metadata={}, native={"a": {"b": []}})

CHANGES: dict[str, Callable[[PreToolUse], object]] = {
    "set": lambda event: event.tool_input.__setitem__("command", "rm -rf /"),  # type: ignore[attr-defined]
    "delete": lambda event: event.tool_input.__delitem__("command"),  # type: ignore[attr-defined]
    "update": lambda event: event.tool_input.update(command="rm -rf /"),  # type: ignore[attr-defined]
    "pop": lambda event: event.tool_input.pop("command"),  # type: ignore[attr-defined]
    "popitem": lambda event: event.tool_input.popitem(),  # type: ignore[attr-defined]
    "clear": lambda event: event.tool_input.clear(),  # type: ignore[attr-defined]
    "setdefault": lambda event: event.tool_input.setdefault("x", 1),  # type: ignore[attr-defined]
    "or": lambda event: event.tool_input.__ior__({"x": 1}),  # type: ignore[attr-defined]
    "inner set": lambda event: event.tool_input["env"].update(A="2"),  # type: ignore[union-attr]
    "inner append": lambda event: event.tool_input["edits"].append(1),  # type: ignore[union-attr]
    "inner sort": lambda event: event.tool_input["edits"].sort(),  # type: ignore[union-attr]
    "inner item": lambda event: event.tool_input["edits"].__setitem__(0, 1),  # type: ignore[union-attr]
    "inner add": lambda event: event.tool_input["edits"].__iadd__([1]),  # type: ignore[union-attr]
    "deep": lambda event: event.tool_input["edits"][0].update(old="b"),  # type: ignore[index, union-attr]
    "metadata": lambda event: event.metadata.update(x=1),  # type: ignore[attr-defined]
    "native": lambda event: event.native["a"]["b"].append(1),  # type: ignore[index, call-overload]
    "field": lambda event: setattr(event, "tool_name", "Read"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_hook_that_changes_the_event_in_place_is_broken_and_changes_nothing(case: str) -> None:
    engine, seen = Engine(files=False), []
    given = copy.deepcopy(INPUT)
    engine.on("PreToolUse", priority=5, guard=True)(CHANGES[case])
    engine.on("PreToolUse")(seen.append)
    report = engine.fire_sync(replace(BASH, tool_input=given, metadata={}))
    assert report.outcomes[0].failure is not None
    assert report.verdict.decision is Decision.DENY
    assert given == INPUT
    assert seen[0].tool_input == INPUT
    assert seen[0].metadata == {}
    if case != "field":
        assert "Verdict.rewrite" in report.outcomes[0].failure.message


def test_what_a_stage_handed_on_cannot_be_changed_either() -> None:
    engine = Engine(files=False)
    engine.on("PreToolUse", priority=9)(lambda event: Verdict.rewrite(edits=[{"old": "c"}]))
    engine.on("PreToolUse", priority=5)(lambda event: event.tool_input["edits"].append("x"))
    report = engine.fire_sync(BASH)
    assert report.outcomes[1].failure is not None
    assert report.verdict.updated_input == {**INPUT, "edits": [{"old": "c"}]}


def test_what_a_hook_sees_is_as_good_as_a_dict() -> None:
    seen = view(BASH)
    assert seen == BASH
    assert isinstance(seen.tool_input, dict)
    assert json.dumps(seen.tool_input) == json.dumps(INPUT)
    assert json.dumps(seen.native, indent=1) == json.dumps(BASH.native, indent=1)
    assert repr(seen.tool_input) == repr(INPUT)
    assert seen.tool_input | {"x": 1} == {**INPUT, "x": 1}  # type: ignore[operator]
    assert seen.tool_input["edits"] + [1] == [{"old": "a"}, 1]  # type: ignore[operator, list-item]


@pytest.mark.parametrize("made", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_whole_copy_of_what_a_hook_sees_may_be_changed(made: Callable[[object], dict[str, list[object]]]) -> None:
    copied = made(view(BASH).tool_input)
    copied["edits"].append("x")
    copied["new"] = []
    assert BASH.tool_input == INPUT


@pytest.mark.parametrize("made", [dict, copy.copy, lambda value: value.copy()])
def test_a_copy_of_what_a_hook_sees_may_be_changed(made: Callable[[object], dict[str, object]]) -> None:
    copied = made(view(BASH).tool_input)
    copied["command"] = "pwd"
    assert type(copied) is dict
    assert BASH.tool_input == INPUT


def test_a_rewrite_made_from_parts_of_the_event_is_the_hosts_to_change() -> None:
    engine = Engine(files=False)
    engine.on("PreToolUse")(lambda event: Verdict(updated_input={**event.tool_input, "command": "pwd"}))
    changed = engine.fire_sync(replace(BASH, tool_input=copy.deepcopy(INPUT))).verdict.updated_input
    assert changed == {**INPUT, "command": "pwd"}
    changed["edits"].append("x")  # type: ignore[index, union-attr]
    changed["env"]["B"] = "2"  # type: ignore[index, call-overload]


def test_an_output_made_from_parts_of_the_event_is_the_hosts_to_change() -> None:
    engine = Engine(files=False)
    engine.on("PostToolUse")(lambda event: Verdict(updated_output={"kept": event.tool_response["lines"]}))
    event = PostToolUse(session_id="s", tool_name="Bash", tool_response={"lines": ["a"]})
    changed = engine.fire_sync(event).verdict.updated_output
    assert changed == {"kept": ["a"]}
    changed["kept"].append("x")  # type: ignore[index, call-overload]


def test_the_shared_empty_object_stays_empty() -> None:
    for change in (lambda: EMPTY.update(x=1), lambda: EMPTY.setdefault("x", 1), lambda: EMPTY.__ior__({"x": 1})):  # type: ignore[attr-defined]
        with pytest.raises(TypeError):
            change()
    assert PreToolUse().tool_input == {}


def test_an_event_that_holds_nothing_is_its_own_view() -> None:
    event = Stop(session_id="s")
    assert view(event) is event


def test_events_of_a_hosts_own_class_keep_what_they_hold() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Mine(PostToolUse):
        more: str = ""

    event = Mine(session_id="s", tool_input={"a": []}, more="x")
    seen = view(event)
    assert (type(seen), seen.more, seen.tool_input) == (Mine, "x", {"a": []})
    with pytest.raises(TypeError):
        seen.tool_input["b"] = 1  # type: ignore[index]


@pytest.mark.parametrize("timestamp", [None, 1.0])
def test_an_event_that_brings_its_time_cannot_be_changed_either(timestamp: float | None) -> None:
    engine = Engine(files=False)
    engine.on("PreToolUse")(lambda event: event.tool_input.update(command="rm"))
    report = engine.fire_sync(replace(BASH, timestamp=timestamp))
    assert report.outcomes[0].failure is not None
    assert report.event.tool_input == INPUT


def test_what_a_rewrite_made_cannot_be_changed_by_those_asked_again() -> None:
    engine = Engine(files=False)
    engine.on("PreToolUse")(lambda event: Verdict.rewrite(edits=[1]))
    engine.on("PreToolUse")(
        lambda event: event.tool_input["edits"].append(2) if event.tool_input["edits"] == [1] else None
    )
    report = engine.fire_sync(BASH)
    assert [outcome.failure is None for outcome in report.outcomes] == [True, True, False]
    assert report.verdict.updated_input == {**INPUT, "edits": [1]}
