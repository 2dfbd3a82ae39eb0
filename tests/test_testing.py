"""The helpers for authors of hooks: a test that says nothing must not pass."""

import asyncio

import pytest

from omnihook import Hook, UsageError, Verdict
from omnihook.events import Event
from omnihook.hooks import Command
from omnihook.testing import (
    assert_decision,
    assert_ignored,
    fire,
    fire_async,
    post_tool,
    pre_tool,
    prompt,
    session_start,
    stop,
    verdict_of,
)

LS = pre_tool("Bash", command="ls")
WROTE = post_tool("Write", {"ok": True}, file_path="a.py", content="")


def no(event: Event) -> Verdict:
    return Verdict.deny("no")


def silent(event: Event) -> None: ...


def command(text: str, *events: str, **values: object) -> Hook:
    return Hook(name="h", events=events or ("PreToolUse",), action=Command(command=text), **values)  # type: ignore[arg-type]


class Stops:
    name, events = "stops", ("Stop",)

    def execute(self, event: Event) -> Verdict:
        return Verdict.deny("x")


class Writes(Stops):
    events, matcher = ("PreToolUse",), "Write"


def test_what_a_hook_decides() -> None:
    assert assert_decision(no, LS, "deny").reason == "no"
    assert_decision(silent, LS, None)
    assert_decision(silent, LS, "none")
    assert_decision(command("echo no >&2; exit 2"), LS, "block")
    assert_decision(command("echo no >&2; exit 2", shadow=True), LS, "block")
    assert verdict_of(command('echo \'{"additionalContext": "c"}\'', "FileModified"), WROTE).additional_context == "c"


@pytest.mark.parametrize("wanted", [None, "allow", "block"])
def test_another_decision_fails(wanted: str | None) -> None:
    with pytest.raises(AssertionError, match=r"expected .*, got deny: no"):
        assert_decision(no, LS, wanted)


@pytest.mark.parametrize(
    ("hook", "event", "said"),
    [
        (Stops(), LS, "stops did not run for PreToolUse"),
        (Writes(), LS, "Write"),
        (command("exit 2", rule="Bash(git push)"), LS, "did not run"),
        (command("exit 2", background=True), LS, "runs in the background"),
        (command("exit 2", "FileModified"), LS, "did not run"),
        (command("exit 2", enabled=False), LS, "did not run"),
    ],
)
def test_a_hook_that_never_ran_decided_nothing(hook: object, event: Event, said: str) -> None:
    with pytest.raises(AssertionError) as raised:
        assert_decision(hook, event, None)  # type: ignore[arg-type]
    assert said in str(raised.value)
    assert "assert_ignored" in str(raised.value) or "background" in str(raised.value)


def test_a_hook_that_an_event_does_not_concern() -> None:
    assert_ignored(Writes(), LS)
    assert_ignored(Stops(), LS)
    with pytest.raises(AssertionError, match="h ran for PreToolUse"):
        assert_ignored(command("true"), LS)
    with pytest.raises(AssertionError, match="ran for FileModified"):
        assert_ignored(command("true", "FileModified"), WROTE)


@pytest.mark.parametrize(
    ("hook", "event"),
    [
        (lambda event: 1 / 0, LS),
        (command("exit 1"), LS),
        (command("exit 1", "FileModified"), WROTE),
        (command("exit 1", shadow=True), LS),
    ],
)
def test_a_hook_that_broke_decided_nothing(hook: object, event: Event) -> None:
    with pytest.raises(AssertionError, match="broke"):
        assert_decision(hook, event, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["denied", "blok", "", 5])
def test_a_decision_nobody_knows_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="unknown decision"):
        assert_decision(no, LS, word)


def test_the_helpers_work_inside_a_running_loop() -> None:
    async def waits(event: Event) -> Verdict:
        await asyncio.sleep(0)
        return Verdict.ask("?")

    async def session() -> None:
        assert_decision(no, LS, "deny")
        assert_decision(waits, LS, "ask")
        assert_decision(command("exit 2"), LS, "block")
        assert (await fire_async(waits, LS)).verdict.reason == "?"

    asyncio.run(session())


def test_the_events() -> None:
    events = (LS, WROTE, prompt("x"), session_start(), stop())
    assert [event.name for event in events] == ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"]
    assert all(len(fire(silent, event).outcomes) == 1 for event in events)
