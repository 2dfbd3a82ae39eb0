"""A hook written for X on an event that came from Y, for every X and Y: real files, real processes, both codecs."""

import asyncio
import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from omnihook import Engine
from omnihook.dialect import Dialect, Failure, Raw, effects_of, native_name
from omnihook.events import (
    Event,
    Notification,
    PostToolUse,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStop,
    ToolEvent,
    UserPromptSubmit,
)
from omnihook.hooks import Command, Hook, Layer, Source
from omnihook.outcomes import Report, Status
from omnihook.tools import native_input, native_tool
from omnihook.verdicts import Decision, Verdict
from strategies import every_dialect

PAIRS = [(x, y) for x in every_dialect for y in every_dialect]
TOOLS = {
    "Bash": {"command": "git status"},
    "Write": {"file_path": "src/a.py", "content": "x = 1\n"},
    "Read": {"file_path": "src/a.py"},
    "Edit": {"file_path": "src/a.py", "old_string": "1", "new_string": "2"},
}
COMMON = {"session_id": "s-1", "permission_mode": "default", "transcript_path": "/t.jsonl"}
EVENTS: list[Event] = [
    PreToolUse(tool_name="Bash", tool_input=TOOLS["Bash"], tool_use_id="c1"),
    PostToolUse(tool_name="Write", tool_input=TOOLS["Write"], tool_use_id="c1", tool_response="ok"),
    UserPromptSubmit(prompt="tidy up"),
    SessionStart(source="startup"),
    SessionEnd(reason="clear"),
    Stop(tokens_used=5),
    SubagentStop(subagent="a1", subagent_type="reviewer", success=True),
    Notification(notification_type="idle_prompt", message="hello"),
]
pairs = pytest.mark.parametrize(("x", "y"), PAIRS, ids=[f"{x.name}-in-{y.name}" for x, y in PAIRS])


@dataclass(frozen=True)
class Bench:
    """A project with one hook of dialect X, and events as dialect Y sends them."""

    x: Dialect
    y: Dialect
    folder: Path

    def arrives(self, event: Event) -> Event:
        """The event after it came over Y's wire."""
        sent = self.y.encode_event(replace(event, agent=self.y.name, cwd=str(self.folder), **COMMON))  # type: ignore[arg-type]
        name = native_name(self.y, replace(event, agent=self.y.name))
        return replace(self.y.decode_event(dict(sent.body), name), cwd=str(self.folder), session_id="s-1")

    def fire(self, event: Event, script: str) -> Report:
        """Fire an event at one hook of X that runs a script; what it saw lies in `stdin` and `env`."""
        path = self.folder / "hook.sh"
        path.write_text(f"#!/bin/sh\ncat > {self.folder}/stdin\nenv -0 > {self.folder}/env\n{script}\n")
        path.chmod(0o755)
        hook = Hook(
            name="h",
            events=(event.name,),
            native_events=(native_name(self.x, replace(event, agent="")),),
            action=Command(command=str(path)),
            source=Source(dialect=self.x.name, layer=Layer.USER),
        )
        written = self.x.write_config([hook])
        config = self.folder / ("config.toml" if "[[hook]]" in written.text else "config.json")
        config.write_text(written.text)
        environ = {"HOME": str(self.folder), "PATH": os.environ["PATH"]}
        engine = Engine(str(self.folder), config=[(self.x.name, str(config))], environ=environ, derive=False)
        assert engine.diagnostics == ()
        return asyncio.run(engine.fire(event))

    def says(self, event: Event, verdict: Verdict) -> str | None:
        """A script that says a verdict in X's words, or None where X has no words for it."""
        mine = replace(event, agent=self.x.name, native={}, native_name="")
        reply = self.x.encode_reply(mine, verdict)
        read = self.x.decode_reply(
            Hook(name="h", events=(), action=Command(command="x"), source=Source(dialect=self.x.name)),
            mine,
            Raw(exit_code=reply.exit_code, stdout=reply.stdout, stderr=reply.stderr),
        )
        if reply.lost or not isinstance(read, Verdict) or not _same(read, verdict):
            return None
        out, err = shlex.quote(reply.stdout), shlex.quote(reply.stderr)
        return f"printf %s {out}; printf %s {err} >&2; exit {reply.exit_code}"

    def answer(self, report: Report) -> Verdict:
        """What Y understands of the report, over its own wire."""
        reply = self.y.encode_reply(report.event, report.verdict)
        hook = Hook(name="h", events=(), action=Command(command="x"), source=Source(dialect=self.y.name))
        read = self.y.decode_reply(
            hook, report.event, Raw(exit_code=reply.exit_code, stdout=reply.stdout, stderr=reply.stderr)
        )
        assert isinstance(read, Verdict), read
        return read


def _same(read: Verdict, verdict: Verdict) -> bool:
    """Whether what is read is what was said, as far as it matters here."""
    stopped = not verdict.continue_ and (not read.continue_ or read.refused)
    refused = verdict.refused and (read.refused or not read.continue_)
    rewritten = verdict.updated_input is not None and read.updated_input is not None
    told = verdict.additional_context is not None and read.additional_context == verdict.additional_context
    asked = verdict.decision is Decision.ASK and read.decision is Decision.ASK
    return stopped or refused or rewritten or told or asked


@pytest.fixture
def bench(x: Dialect, y: Dialect, tmp_path: Path) -> Bench:
    return Bench(x, y, tmp_path)


def known(bench: Bench) -> Iterator[Event]:
    """The events that both have a name for."""
    mine, theirs = {row.event for row in bench.x.names}, {row.event for row in bench.y.names}
    return (event for event in EVENTS if event.name in mine and event.name in theirs)


@pairs
def test_the_hook_sees_its_own_dialects_words(bench: Bench) -> None:
    kinds = 0
    for event in known(bench):
        kinds += 1
        arrived = bench.arrives(event)
        report = bench.fire(arrived, "exit 0")
        assert [outcome.status for outcome in report.outcomes] == [Status.OK], event.name
        wire = bench.x.encode_event(report.event)
        if wire.stdin is not None:
            assert json.loads((bench.folder / "stdin").read_text()) == json.loads(wire.stdin)
        env = dict(item.split("=", 1) for item in (bench.folder / "env").read_text().split("\0") if "=" in item)
        own = bench.x.hook_env(report.outcomes[0].hook, report.event) if bench.x.hook_env is not None else {}
        expected = {**wire.env, **own}
        expected.pop(bench.x.policy.project_variable or "", None)
        assert {name: env.get(name) for name in expected} == expected
        assert bench.answer(report).decision <= Decision.ALLOW
    assert kinds >= 5


@pairs
@pytest.mark.parametrize("tool", TOOLS)
def test_tools_and_arguments_are_translated(bench: Bench, tool: str) -> None:
    arrived = bench.arrives(PreToolUse(tool_name=tool, tool_input=TOOLS[tool], tool_use_id="c1"))
    assert isinstance(arrived, ToolEvent)
    assert (arrived.tool_name, dict(arrived.tool_input)) == (tool, TOOLS[tool])
    bench.fire(arrived, "exit 0")
    seen = (bench.folder / "stdin").read_text() + (bench.folder / "env").read_text()
    assert native_tool(bench.x.vocabulary, tool) in seen
    for key, value in native_input(bench.x.vocabulary, tool, TOOLS[tool]).items():
        assert key in seen
        assert json.dumps(value)[1:-1] in seen or str(value) in seen


@pairs
@pytest.mark.parametrize("decision", [Decision.DENY, Decision.BLOCK])
def test_a_refusal_reaches_the_agent(bench: Bench, decision: Decision) -> None:
    for event in known(bench):
        script = bench.says(event, Verdict(decision=decision, reason="not today"))
        if script is None or not effects_of(bench.x, event).refuse:
            continue
        report = bench.fire(bench.arrives(event), script)
        if effects_of(bench.y, event).refuse:
            answer = bench.answer(report)
            assert answer.refused or not answer.continue_, event.name
            assert "not today" in str(bench.y.encode_reply(report.event, report.verdict)), event.name
        else:
            assert report.verdict.decision is Decision.NONE
            assert report.lowered, event.name


@pairs
def test_a_question_is_asked_or_becomes_a_refusal(bench: Bench) -> None:
    event = EVENTS[0]
    script = bench.says(event, Verdict.ask("sure?"))
    if script is None:
        assert not effects_of(bench.x, event).ask
        return
    report = bench.fire(bench.arrives(event), script)
    host = effects_of(bench.y, event)
    ordinary = report.outcomes[0].verdict.ordinary
    if host.ask:
        assert report.verdict.decision is Decision.ASK
    elif ordinary:
        assert report.verdict.decision is Decision.NONE
    else:
        assert report.verdict.decision is Decision.DENY
        assert any(note.startswith("ask -> deny") for note in report.lowered)


@pairs
@pytest.mark.parametrize("tool", TOOLS)
def test_every_mapped_argument_can_be_rewritten_or_the_call_is_refused(bench: Bench, tool: str) -> None:
    event = PreToolUse(tool_name=tool, tool_input=TOOLS[tool], tool_use_id="c1")
    for argument in TOOLS[tool]:
        whole = {**TOOLS[tool], argument: "changed"}
        script = bench.says(event, Verdict(updated_input=whole, partial=False))
        if script is None:
            assert not effects_of(bench.x, event).rewrite
            return
        report = bench.fire(bench.arrives(event), script)
        if effects_of(bench.y, event).rewrite:
            assert report.verdict.updated_input == whole
            reply = bench.y.encode_reply(report.event, report.verdict)
            mapped = native_input(bench.y.vocabulary, tool, {argument: "changed"})
            said = reply.stdout.replace('\\"', '"').replace(
                ": ", ":"
            )  # one dialect sends the input as JSON in a string
            assert json.dumps(mapped)[1:-1].replace(": ", ":") in said
        else:
            assert report.verdict.decision is Decision.DENY
            assert any(note.startswith("rewrite -> deny") for note in report.lowered)


@pairs
def test_context_reaches_the_agent_or_waits(bench: Bench) -> None:
    for event in known(bench):
        script = bench.says(event, Verdict.context("branch main"))
        if script is None or not effects_of(bench.x, event).context:
            continue
        report = bench.fire(bench.arrives(event), script)
        if effects_of(bench.y, event).context:
            assert report.verdict.additional_context == "branch main", event.name
            assert "branch main" in bench.y.encode_reply(report.event, report.verdict).stdout, event.name
        else:
            assert any(note.startswith("context is kept") for note in report.lowered), event.name


@pairs
def test_a_stop_reaches_the_agent_or_becomes_a_refusal(bench: Bench) -> None:
    event = EVENTS[0]
    script = bench.says(event, Verdict(continue_=False, stop_reason="enough"))
    if script is None:
        return
    report = bench.fire(bench.arrives(event), script)
    answer = bench.answer(report)
    assert answer.refused or not answer.continue_
    assert "enough" in str(bench.y.encode_reply(report.event, report.verdict))


@pairs
def test_a_broken_hook_is_broken_everywhere(bench: Bench) -> None:
    report = bench.fire(bench.arrives(EVENTS[0]), "kill -9 $$")
    outcome = report.outcomes[0]
    assert outcome.status is Status.BROKEN
    assert isinstance(outcome.failure, Failure)
    refuses = bench.x.policy.on_error.name == "DENY"
    assert report.verdict.refused is refuses
    assert report.notices
