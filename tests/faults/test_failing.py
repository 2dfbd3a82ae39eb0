"""F1-F15, R9: hooks that break, through the engine: what each cause is called, and what it means for whom.

How children are started, watched and ended is tested in tests/runners/test_process*.py.
"""

import asyncio
import os
import time
from dataclasses import replace

import pytest

from faults.kit import BASH, Machine, argv, fire, shell, within
from omnihook import Decision
from omnihook.events import PostToolUse, Stop, UserPromptSubmit
from omnihook.hooks import Cause, Hook, Layer, OnError, Source
from omnihook.outcomes import Report, Status
from omnihook.runners import one
from omnihook.runners.family import read_process

CAUSES: dict[Cause, dict[str, object]] = {
    Cause.START: {"command": "exec /no/such/program"},
    Cause.TIMEOUT: {"command": "sleep 30", "timeout": 0.15},
    Cause.SIGNAL: {"command": "kill -SEGV $$"},
    Cause.EXIT: {"command": "exit 3"},
    Cause.OUTPUT: {"command": "echo '{\"decision\":'"},
    Cause.OVERFLOW: {"command": "yes"},
    Cause.INPUT: {"command": "true"},
    Cause.CANCELLED: {"command": "true"},
}
STATUS = {Cause.TIMEOUT: Status.TIMEOUT, Cause.OVERFLOW: Status.OVERFLOW, Cause.CANCELLED: Status.CANCELLED}


def _fired(box: Machine, hook: Hook, cause: Cause, event: object = BASH, **options: object) -> Report:
    engine = box.engine(files=False, **options)
    engine.register(hook)
    given = replace(event, metadata={"x": "y" * 5000}) if cause is Cause.INPUT else event  # type: ignore[type-var]
    cancelled = (lambda: True) if cause is Cause.CANCELLED else None
    return asyncio.run(engine.fire(given, cancelled=cancelled))  # type: ignore[arg-type]


def _hook(cause: Cause, *events: str, **values: object) -> Hook:
    made = dict(CAUSES[cause])
    return shell(str(made.pop("command")), *events, **made, **values)


@pytest.fixture(autouse=True)
def small_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one, "MAX_INPUT", 4000)


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.value)
def test_each_cause_means_what_on_error_says_and_deny_for_guards(box: Machine, cause: Cause) -> None:
    """R9: cause x on_error x guard x managed, with the reason telling "broke" from "said no"."""
    managed = Source(layer=Layer.MANAGED)
    rows: list[tuple[dict[str, object], Decision]] = [
        ({}, Decision.NONE),
        ({"on_error": {cause: OnError.ALLOW}}, Decision.NONE),
        ({"on_error": {cause: OnError.ASK}}, Decision.ASK),
        ({"on_error": {cause: OnError.DENY}}, Decision.DENY),
        ({"on_error": {other: OnError.DENY for other in Cause if other is not cause}}, Decision.NONE),
        ({"guard": True}, Decision.DENY),
        ({"guard": True, "on_error": {cause: OnError.ALLOW}}, Decision.DENY),
        ({"source": managed}, Decision.DENY),
        ({"source": managed, "on_error": {cause: OnError.ASK}}, Decision.DENY),
        ({"guard": True, "shadow": True}, Decision.NONE),
    ]
    for values, wanted in rows:
        report = _fired(box, _hook(cause, **values), cause)
        outcome = report.outcomes[0]
        assert outcome.failure is not None
        assert outcome.failure.cause is cause
        assert report.verdict.decision is wanted, values
        assert outcome.status is (Status.SHADOW if values.get("shadow") else STATUS.get(cause, Status.BROKEN))
        assert any("broke" in notice for notice in report.notices)
        if wanted is not Decision.NONE:
            assert (report.verdict.reason or "").startswith("hook h broke: ")


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.value)
def test_nobody_to_ask_means_deny(box: Machine, cause: Cause) -> None:
    """R9: `on_error = "ask"` in a pipe."""
    report = _fired(box, _hook(cause, on_error={cause: OnError.ASK}), cause, can_ask=False)
    assert report.verdict.decision is Decision.DENY


@pytest.mark.parametrize(
    "event", [Stop(session_id="s"), PostToolUse(session_id="s", tool_name="Bash")], ids=lambda e: e.name
)
@pytest.mark.parametrize("cause", [Cause.START, Cause.EXIT, Cause.SIGNAL, Cause.OUTPUT], ids=lambda cause: cause.value)
def test_a_broken_hook_never_keeps_an_agent_going(box: Machine, event: object, cause: Cause) -> None:
    """R9: where there is nothing to prevent, a failure is a notice, also a guard's."""
    report = _fired(box, _hook(cause, event.name, guard=True), cause, event)  # type: ignore[attr-defined]
    assert report.outcomes[0].failure is not None
    assert report.verdict.decision is Decision.NONE
    assert report.notices


def test_a_broken_guard_refuses_a_prompt_too(box: Machine) -> None:
    """R9: every event that can be prevented."""
    hook = _hook(Cause.EXIT, "UserPromptSubmit", guard=True)
    assert _fired(box, hook, Cause.EXIT, UserPromptSubmit(session_id="s", prompt="x")).refused


MISLEADING = {
    "no interpreter's operand": ("sh /no/such/script.sh", Cause.START),
    "no python file": ("python3 /no/such/script.py", Cause.START),
    "not found": ("no-such-command-at-all", Cause.START),
    "not executable": ("/etc/passwd", Cause.START),
    "a traceback with exit 2": ("python3 -c 1/0; exit 2", Cause.EXIT),
    "exit 255": ("exit 255", Cause.EXIT),
    "killed": ("kill -KILL $$", Cause.SIGNAL),
    "segfault": ("kill -SEGV $$", Cause.SIGNAL),
}


@pytest.mark.parametrize("case", MISLEADING)
@pytest.mark.parametrize("dialect", ["omnihook", "claude-code"])
def test_broken_never_looks_like_a_deliberate_no(box: Machine, case: str, dialect: str) -> None:
    """F14, F15, R9: 126, 127, a missing script and a traceback are broken, whatever the code."""
    command, cause = MISLEADING[case]
    for guard in (False, True):
        engine = box.engine(files=False)
        engine.register(shell(command, dialect=dialect, guard=guard))
        report = fire(engine)
        failure = report.outcomes[0].failure
        assert failure is not None
        assert failure.cause is cause
        assert report.refused is guard


def test_a_deliberate_no_says_so(box: Machine) -> None:
    """R9: exit 2 with words is an answer, and its reason is the hook's own."""
    engine = box.engine(files=False)
    engine.register(shell("echo 'not on Fridays' >&2; exit 2", guard=True))
    report = fire(engine)
    assert (report.verdict.decision, report.verdict.reason) == (Decision.BLOCK, "not on Fridays")
    assert report.outcomes[0].status is Status.BLOCKED
    assert report.notices == ()


BIG = "x" * 10_000_000
# row -> (what the hook does, how it ends, and how long it may take)
MISBEHAVING: dict[str, tuple[str, Cause | None, float]] = {
    "F1 ignores stdin": ("exit 2", None, 5),
    "F2 never reads and sleeps": ("sleep 60", Cause.TIMEOUT, 4),
    "F3 writes before it reads": ("head -c 300000 /dev/zero | tr '\\0' ' '; cat >/dev/null; exit 2", None, 5),
    "F4 reads slowly": ("while head -c 1 >/dev/null; do sleep 1; done", Cause.TIMEOUT, 4),
    "F5 never stops talking": ("yes", Cause.OVERFLOW, 4),
    "F6 never stops complaining": ("yes >&2", Cause.OVERFLOW, 4),
    "F7 leaves somebody holding stdout": ("sleep 5 & exit 2", None, 3),
    "F8 has children": ("for i in 1 2 3 4 5; do sh -c 'sleep 60 & sleep 60' & done; wait", Cause.TIMEOUT, 5),
    "F9 hides its children": ("setsid sh -c 'sleep 60' & sleep 60", Cause.TIMEOUT, 5),
    "F10 ignores TERM": ("trap '' TERM; while :; do sleep 1; done", Cause.TIMEOUT, 5),
    "F12 stops itself": ("kill -STOP $$", Cause.TIMEOUT, 5),
    "F15 dies": ("kill -SEGV $$", Cause.SIGNAL, 4),
}


@pytest.mark.parametrize("row", MISBEHAVING)
def test_a_misbehaving_guard_is_ended_in_time_and_refuses(
    box: Machine, row: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F1-F12, F15: with 10 MB on its stdin, beside a hook that behaves and is not delayed in its own answer."""
    monkeypatch.setattr(one, "MAX_INPUT", 128 << 20)
    command, cause, limit = MISBEHAVING[row]
    engine = box.engine(files=False)
    engine.register(shell(command, name="bad", guard=True, timeout=0.7 if cause is Cause.TIMEOUT else 15.0))
    engine.register(shell("true", name="good"))
    begun = time.monotonic()
    report = fire(engine, replace(BASH, tool_input={"command": BIG}))
    assert time.monotonic() - begun < within(limit)
    bad, good = report.outcomes
    assert (bad.failure.cause if bad.failure else None) is cause
    assert report.refused
    assert good.failure is None


def test_scripts_that_cannot_be_executed(box: Machine) -> None:
    """F13, F14: a named pipe, a directory, no interpreter, not executable, missing: each its own sentence."""
    (box.project / "folder").mkdir()

    os.mkfifo(box.project / "pipe", 0o755)
    box.write("interpreterless", "#!/no/such/interpreter\n", mode=0o755)
    box.write("plain", "#!/bin/sh\n", mode=0o644)
    messages = {}
    for name in ("folder", "pipe", "interpreterless", "plain", "missing"):
        engine = box.engine(files=False)
        engine.register(argv(str(box.project / name), guard=True, timeout=2.0))
        begun = time.monotonic()
        report = fire(engine)
        assert time.monotonic() - begun < within(6)
        assert report.refused, name
        failure = report.outcomes[0].failure
        assert failure is not None
        assert failure.cause in (Cause.START, Cause.TIMEOUT), name
        messages[name] = failure.message
    assert len(set(messages.values())) == len(messages)


def test_what_a_dialect_says_about_failure_is_only_raised(box: Machine) -> None:
    """R9: claude-agent-rs denies by default; a guard does so in every dialect."""
    for dialect, plain in (("omnihook", False), ("claude-code", False), ("claude-agent-rs", True)):
        for guard in (False, True):
            engine = box.engine(files=False)
            engine.register(shell("kill -SEGV $$", dialect=dialect, guard=guard))
            assert fire(engine).refused is (plain or guard), dialect


def test_a_daemon_outlives_a_time_out_only_where_the_hook_says_so_and_is_recorded(box: Machine) -> None:
    """F9: `detach` leaves what made a session of its own, and the journal says that it runs."""
    pids = box.home / "pids"
    for detach in ("false", "true"):
        box.user(
            f'[[hook]]\nname = "starter"\non = "PreToolUse"\ntimeout = "400ms"\ndetach = {detach}\n'
            f"run = 'setsid sh -c \"echo \\$\\$ >> {pids}; exec sleep 30\" & sleep 30'\n"
        )
        fired = box.run("fire", "PreToolUse", "--json", stdin={"tool_name": "Bash", "tool_input": {"command": "ls"}})
        [run] = fired.runs
        assert run["status"] == "timeout"
        assert run["notes"] == (["1 of its processes are still running"] if detach == "true" else [])
    newest = box.run("log", "--limit", "1").out.split()[0].decode()
    shown = box.run("show", newest).out
    gone, stayed = map(int, pids.read_text().split())
    os.kill(stayed, 9)
    ended = read_process(gone)
    assert ended is None or not ended.alive
    assert b"still running" in shown
