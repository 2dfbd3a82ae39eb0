"""What a program may say about its hooks, and that no mistake of it is ignored."""

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from omnihook import Context, Decision, Engine, Hook, OmnihookError, UsageError, Verdict
from omnihook.events import Event, OtherEvent, PreToolUse, Stop
from omnihook.hooks import Command
from omnihook.options import READERS
from omnihook.outcomes import Report, Status
from omnihook.registering import Options

BASH = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"})


@pytest.fixture
def engine() -> Engine:
    return Engine(files=False)


def no(event: Event) -> Verdict:
    return Verdict.deny("no")


def on(engine: Engine, *events: object, **options: object) -> None:
    engine.on(*events, **options)(no)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"matcher": "Write"}, "did you mean 'match'?"),
        ({"guards": True}, "did you mean 'guard'?"),
        ({"async_": True}, "did you mean 'background'?"),
        ({"match": 5}, "match must be a text"),
        ({"match": ["Write"]}, "match must be a text"),
        ({"match": "["}, "not a regular expression"),
        ({"if_": "Bash("}, "cannot be read"),
        ({"timeout": "soon"}, "not a time"),
        ({"timeout": 0}, "between 0 and a day"),
        ({"timeout": -1}, "between 0 and a day"),
        ({"timeout": float("nan")}, "between 0 and a day"),
        ({"timeout": float("inf")}, "between 0 and a day"),
        ({"timeout": True}, "timeout must be"),
        ({"guard": None}, "guard must be True or False"),
        ({"priority": "high"}, "priority must be a whole number"),
        ({"priority": None}, "priority must be a whole number"),
        ({"priority": 1.5}, "priority must be a whole number"),
        ({"guard": "yes"}, "guard must be True or False"),
        ({"paths": 5}, "paths must be a list"),
        ({"tools": [5]}, "tools must be a list"),
        ({"on_error": "refuse"}, "on_error must be one of"),
        ({"on_error": {"exits": "deny"}}, "unknown cause 'exits'"),
        ({"name": ""}, "name must be a text"),
        ({"name": 5}, "name must be a text"),
    ],
    ids=str,
)
def test_a_mistake_in_an_option_is_refused(engine: Engine, options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        engine.on("PreToolUse", **options)  # type: ignore[arg-type]
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert engine.hooks == ()


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ((), "name at least one event"),
        (("PreToolUs",), "did you mean 'PreToolUse'?"),
        (("pretooluse",), "did you mean 'PreToolUse'?"),
        (("pre_tool_use",), "did you mean 'PreToolUse'?"),
        (("Stopp",), "did you mean 'Stop'?"),
        (("",), "unknown event ''"),
        ((5,), "5 is no event"),
        ((BASH,), "is no event"),
        ((no,), "function 'no' is no event"),
    ],
)
def test_a_mistake_in_an_event_is_refused(engine: Engine, events: tuple[object, ...], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        on(engine, *events)
    assert said in str(raised.value)


def test_the_bare_decorator_is_refused_and_says_how_to_write_it(engine: Engine) -> None:
    with pytest.raises(UsageError, match=re.escape('@engine.on("PreToolUse")')):
        engine.on(no)  # type: ignore[arg-type]


@pytest.mark.parametrize("events", [("PreToolUse", "Stop"), (PreToolUse, Stop), (["PreToolUse", Stop],)], ids=str)
def test_events_are_named_or_given_as_classes(engine: Engine, events: tuple[object, ...]) -> None:
    on(engine, *events)
    assert engine.hooks[0].events == ("PreToolUse", "Stop")
    assert engine.fire_sync(BASH).refused


@pytest.mark.parametrize("name", ["BeforeModelCall", "on_lunch", "tomorrow/event"])
def test_an_event_of_tomorrow_may_have_hooks(engine: Engine, name: str) -> None:
    seen: list[Event] = []
    engine.on(name)(seen.append)
    engine.fire_sync(OtherEvent(session_id="s", native_name=name))
    assert len(seen) == 1


def test_every_option_of_a_hook_may_be_said(engine: Engine) -> None:
    on(
        engine,
        "PreToolUse",
        name="n",
        match="Bash|Write",
        priority=3,
        timeout="2s",
        tools="Bash",
        paths=["src/**"],
        if_="Bash(ls)",
        guard=True,
        observe=True,
        once=True,
        pure=True,
        shadow=True,
        background=False,
        on_error={"timeout": "ask"},
        description="d",
    )
    hook = engine.hooks[0]
    assert (hook.name, hook.timeout, hook.tools, hook.paths, hook.rule) == (
        "n",
        2.0,
        ("Bash",),
        ("src/**",),
        "Bash(ls)",
    )
    assert hook.matcher.names == {"Bash", "Write"}
    assert all((hook.guard, hook.observe, hook.once, hook.pure, hook.shadow))


def test_what_is_none_is_not_said(engine: Engine) -> None:
    on(engine, "PreToolUse", name=None, match=None, timeout=None, if_=None, description=None)
    assert (engine.hooks[0].name, engine.hooks[0].timeout) == ("no", None)


def test_on_error_of_a_function(engine: Engine) -> None:
    engine.on("PreToolUse", on_error="deny")(lambda event: 1 / 0)
    assert engine.fire_sync(BASH).verdict.decision is Decision.DENY


def test_tools_of_a_function(engine: Engine) -> None:
    on(engine, "PreToolUse", tools=["Write"])
    assert not engine.fire_sync(BASH).refused


def nothing() -> None: ...


def three(event: Event, context: Context, more: object) -> None: ...


def keyword(event: Event, *, needed: object) -> None: ...


def yielding(event: Event) -> object:
    yield Verdict.deny("x")


async def yielding_async(event: Event) -> object:
    yield Verdict.deny("x")


@pytest.mark.parametrize("function", [nothing, three, keyword, yielding, yielding_async, 5, None])
def test_a_function_that_cannot_be_a_hook_is_refused(engine: Engine, function: object) -> None:
    with pytest.raises(UsageError):
        engine.on("PreToolUse")(function)  # type: ignore[type-var]
    assert engine.hooks == ()


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (lambda event: Verdict.context("1"), "1"),
        (lambda event, x=5: Verdict.context(str(x)), "5"),
        (lambda event, context: Verdict.context(context.session_id), "s"),
        (lambda event, context=None: Verdict.context(context.session_id), "s"),
        (lambda *given: Verdict.context(str(len(given))), "1"),
    ],
)
def test_a_function_gets_the_context_when_it_asks(engine: Engine, function: Callable[..., object], given: str) -> None:
    engine.on("PreToolUse")(function)
    assert engine.fire_sync(BASH).verdict.additional_context == given


class Watcher:
    name = "watcher"
    events: object = ("PreToolUse",)

    def execute(self, event: Event, context: Context) -> Verdict:
        return Verdict.deny(context.session_id)


def watcher(**attributes: object) -> object:
    return type("Other", (Watcher,), attributes)()


def register(engine: Engine, made: object) -> str:
    return engine.register(made)  # type: ignore[arg-type]


@pytest.mark.parametrize("events", ["PreToolUse", PreToolUse, ["PreToolUse"], {"PreToolUse"}], ids=str)
def test_an_object_may_name_one_event_or_several(engine: Engine, events: object) -> None:
    register(engine, watcher(events=events))
    assert engine.hooks[0].events == ("PreToolUse",)


def test_an_object_may_do_without_the_context(engine: Engine) -> None:
    register(engine, watcher(execute=lambda self, event: Verdict.deny("one argument")))
    assert engine.fire_sync(BASH).verdict.reason == "one argument"


def test_an_object_that_is_a_guard_is_one(engine: Engine) -> None:
    register(engine, watcher(guard=True, execute=lambda self, event: 1 / 0))
    assert engine.fire_sync(BASH).verdict.decision is Decision.DENY


def test_options_of_an_object_count(engine: Engine) -> None:
    register(engine, watcher(matcher=re.compile("Wri.*"), once=True, timeout="3s", tools=("Write",), if_="Write"))
    hook = engine.hooks[0]
    assert (hook.matcher.pattern, hook.once, hook.timeout, hook.tools) == ("Wri.*", True, 3.0, ("Write",))
    assert not engine.fire_sync(BASH).refused


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (None, "no name, events, execute"),
        (5, "no name, events, execute"),
        (no, "@engine.on"),
        (Watcher, "register an instance: Watcher()"),
        (watcher(matcher="["), "not a regular expression"),
        (watcher(guard="yes"), "guard must be True or False"),
        (watcher(events=()), "at least one event"),
        (watcher(events=("PreToolUs",)), "did you mean 'PreToolUse'?"),
        (watcher(timeout=-1), "between 0 and a day"),
        (watcher(execute=lambda self: None), "takes the event"),
        (Hook(name="x", events="PreToolUse", action=Command(command="true")), "a tuple of names"),  # type: ignore[arg-type]
        (Hook(name="x", events=(), action=Command(command="true")), "has no events"),
        (Hook(name="x", events=("Stop",), action="true"), "Command(command="),  # type: ignore[arg-type]
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_a_hook_is_refused(engine: Engine, made: object, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        register(engine, made)
    assert said in str(raised.value)


@pytest.mark.parametrize("given", ["PreToolUse", None, {}, PreToolUse, 5], ids=str)
@pytest.mark.parametrize("sync", [False, True])
def test_only_events_are_fired(engine: Engine, given: object, sync: bool) -> None:
    with pytest.raises(UsageError, match="fire takes an event"):
        engine.fire_sync(given) if sync else asyncio.run(engine.fire(given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("session_id", 5),
        ("session_id", None),
        ("cwd", None),
        ("agent", None),
        ("metadata", None),
        ("tool_name", None),
        ("tool_input", None),
        ("tool_input", "ls"),
        ("tool_input", [1]),
    ],
)
@pytest.mark.parametrize("sync", [False, True])
def test_an_event_with_a_value_of_the_wrong_kind_is_refused(
    engine: Engine, field: str, value: object, sync: bool
) -> None:
    on(engine, "PreToolUse", match="Bash", if_="Bash(ls)")
    event = PreToolUse(**{"session_id": "s", "tool_name": "Bash", field: value})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"{field} of the PreToolUse event must be"):
        engine.fire_sync(event) if sync else asyncio.run(engine.fire(event))


@pytest.mark.parametrize("deadline", [float("nan"), "soon", True], ids=str)
def test_a_deadline_is_a_moment(engine: Engine, deadline: object) -> None:
    with pytest.raises(UsageError, match="deadline must be a moment"):
        engine.fire_sync(BASH, deadline=deadline)  # type: ignore[arg-type]


def test_a_deadline_may_be_infinitely_far(engine: Engine) -> None:
    engine.on("PreToolUse", timeout=5)(no)
    with engine:
        assert engine.fire_sync(BASH, deadline=float("inf")).refused


def test_one_agent_may_be_read_by_its_bare_name(tmp_path: Path) -> None:
    engine = Engine(tmp_path, read="claude-code", environ={"HOME": str(tmp_path)})
    assert engine.choice.read == ("claude-code",)
    assert not engine.fire_sync(BASH).refused


@pytest.mark.parametrize(
    "options", [{"read": [5]}, {"config": ["x.toml"]}, {"config": [("omnihook",)]}, {"project": 5}], ids=str
)
def test_a_mistake_in_an_engine_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Engine(**options)  # type: ignore[arg-type]


def boom(*_: object) -> bool:
    raise ValueError("boom")


@pytest.mark.parametrize("sync", [False, True])
def test_a_host_that_cannot_say_whether_it_gave_up_has_not(engine: Engine, sync: bool) -> None:
    on(engine, "PreToolUse")
    on(engine, "PreToolUse", priority=5)
    report: Report = engine.fire_sync(BASH, cancelled=boom) if sync else asyncio.run(engine.fire(BASH, cancelled=boom))
    assert report.refused
    assert report.notices == ("cancelled= raised ValueError: boom; the hooks went on",)


def test_a_gate_that_raises_lets_guards_run_and_nothing_else() -> None:
    engine = Engine(files=False, gate=boom)  # type: ignore[arg-type]
    on(engine, "PreToolUse", name="other")
    assert not engine.fire_sync(BASH).refused
    on(engine, "PreToolUse", name="guard", guard=True)
    report = engine.fire_sync(BASH)
    assert report.refused
    assert [(item.hook.name, item.why) for item in report.skipped] == [("other", "its gate raised ValueError: boom")]
    assert report.notices == (
        "hook other did not run: its gate raised ValueError: boom",
        "hook guard ran although its gate raised ValueError: boom",
    )


def test_the_message_of_a_command_names_the_limit_that_it_really_met(engine: Engine) -> None:
    engine.register(Hook(name="c", events=("PreToolUse",), action=Command(command="sleep 5")))
    report = asyncio.run(engine.fire(BASH, deadline=time.monotonic() + 0.3))
    assert report.outcomes[0].status is Status.TIMEOUT
    assert "deadline" in str(report.outcomes[0].error)
    assert "60" not in str(report.outcomes[0].error)


def test_every_refusal_is_an_omnihook_error() -> None:
    assert issubclass(UsageError, OmnihookError)


def test_every_option_has_a_reader() -> None:
    assert set(Options.__annotations__) == set(READERS)


@pytest.mark.parametrize("sync", [False, True])
def test_an_event_that_is_not_json_breaks_only_the_hooks_that_need_it(engine: Engine, sync: bool) -> None:
    seen: list[Event] = []
    engine.on("PreToolUse")(seen.append)
    engine.register(Hook(name="c", events=("PreToolUse",), action=Command(command="true"), guard=True))
    event = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": object()})  # type: ignore[dict-item]
    with engine:
        report = engine.fire_sync(event) if sync else asyncio.run(engine.fire(event))
    assert len(seen) == 1
    assert report.verdict.decision is Decision.DENY
    assert "cannot be written as JSON" in (report.verdict.reason or "")
