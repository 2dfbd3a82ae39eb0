"""A command whose first line says that it goes on in the background, as Claude Code's hooks may."""

import asyncio
import json
import os
import time
from pathlib import Path

import pytest

from omnihook import Decision, Engine
from omnihook.dialects import get
from omnihook.events import Event
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Wanted
from omnihook.outcomes import Outcome, Status
from omnihook.recording import recorder

CLAUDE = get("claude-code")
CONTEXT = json.dumps({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "it was late"}})


def prompt(session: str = "s") -> Event:
    return CLAUDE.decode_event({"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": "hi"}, None)


def engine(tmp_path: Path, command: str, event: str = "UserPromptSubmit", **more: object) -> Engine:
    settings = tmp_path / "home/.claude/settings.json"
    settings.parent.mkdir(parents=True)
    entry = {"type": "command", "command": command, **more}
    settings.write_text(json.dumps({"hooks": {event: [{"hooks": [entry]}]}}))
    (tmp_path / "project").mkdir()
    environ = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
    return Engine(str(tmp_path / "project"), only="claude-code", environ=environ)


async def played(held: Engine, event: Event) -> tuple[float, list[Outcome], list[Outcome]]:
    """How long the event took, its outcomes, and those that came later."""
    late: list[Outcome] = []
    held.observe_late(lambda _, outcome: late.append(outcome))
    begun = time.monotonic()
    report = await held.fire(event)
    took = time.monotonic() - begun
    await held.drain(10)
    return took, list(report.outcomes), late


def test_it_is_not_waited_for_and_its_reply_comes_later(tmp_path: Path) -> None:
    held = engine(tmp_path, f"echo '{{\"async\": true}}'; sleep 1; echo '{CONTEXT}'")
    took, now, late = asyncio.run(played(held, prompt()))
    assert took < 0.9
    assert [outcome.status for outcome in now] == [Status.LATE]
    assert [(outcome.status, outcome.exit_code) for outcome in late] == [(Status.OK, 0)]
    later = held.fire_sync(prompt())
    held.close()
    assert later.verdict.additional_context == "it was late"


def test_the_journal_gets_what_it_said(tmp_path: Path) -> None:
    held = engine(tmp_path, f"echo '{{\"async\": true}}'; sleep 0.2; echo '{CONTEXT}'")
    made = recorder(held.folders, resident=True).attach(held)
    asyncio.run(played(held, prompt()))
    made.close()
    with Reader(held.folders.state) as reader:
        [record] = reader.records(Wanted())
        [late] = reader.late(str(record["id"]))
    assert late["status"] == "ok"
    assert "it was late" in str(late["stdout"])


def test_its_own_limit_is_kept(tmp_path: Path) -> None:
    held = engine(tmp_path, 'echo \'{"async": true, "asyncTimeout": 300}\'; sleep 30')
    begun = time.monotonic()
    _, _, late = asyncio.run(played(held, prompt()))
    assert [outcome.status for outcome in late] == [Status.TIMEOUT]
    assert time.monotonic() - begun < 5


def test_the_hooks_own_time_out_is_its_limit_otherwise(tmp_path: Path) -> None:
    held = engine(tmp_path, "echo '{\"async\": true}'; sleep 30", timeout=1)
    _, _, late = asyncio.run(played(held, prompt()))
    assert [outcome.status for outcome in late] == [Status.TIMEOUT]


def test_one_that_has_ended_meanwhile_is_read_all_the_same(tmp_path: Path) -> None:
    held = engine(tmp_path, f"echo '{{\"async\": true}}'; echo '{CONTEXT}'")
    _, now, late = asyncio.run(played(held, prompt()))
    said = [outcome.verdict.additional_context for outcome in (*now, *late)]
    assert "it was late" in said


def test_it_can_no_longer_refuse(tmp_path: Path) -> None:
    held = engine(tmp_path, "echo '{\"async\": true}'; sleep 0.3; echo no >&2; exit 2", "PreToolUse")
    body = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    report = held.fire_sync(CLAUDE.decode_event(body, None))
    held.close(5)
    assert report.verdict.decision is Decision.NONE


@pytest.mark.parametrize("line", ['{"async": false}', '{"async": "true"}', "async", '{"async": true', "[]"])
def test_other_first_lines_are_waited_for(tmp_path: Path, line: str) -> None:
    held = engine(tmp_path, f"echo '{line}'; sleep 0.2; exit 2", "PreToolUse")
    body = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    report = held.fire_sync(CLAUDE.decode_event(body, None))
    held.close()
    assert report.verdict.refused


def test_too_much_output_later_is_still_too_much(tmp_path: Path) -> None:
    held = engine(tmp_path, "echo '{\"async\": true}'; sleep 0.2; head -c 3000000 /dev/zero; sleep 30")
    _, _, late = asyncio.run(played(held, prompt()))
    assert [outcome.status for outcome in late] == [Status.OVERFLOW]


def test_nothing_stays_when_nobody_waits_any_longer(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    held = engine(tmp_path, f"echo '{{\"async\": true}}'; sleep 1.2; touch {alive}")
    held.fire_sync(prompt())
    held.close(0.2)
    time.sleep(1.6)
    assert not alive.exists()
