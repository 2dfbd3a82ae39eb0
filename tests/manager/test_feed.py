"""The feed and the figures: what any process records shows up while the manager is open."""

import asyncio
import json
import sys

from manager.kit import AUTOHAND, Place, Screen
from omnihook.events import PreToolUse
from omnihook.manager.history import FIRST, History
from omnihook.recording import recorder

BLOCK = {"hooks": {"hooks": [{"event": "pre-tool", "command": "echo no >&2; exit 2"}]}}


async def _fire(place: Place) -> None:
    """Fire in a process of its own."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "omnihook", "fire", "pre-tool", "--as", "autohand"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        cwd=place.project,
    )
    payload = {"tool_name": "run_command", "tool_input": {"command": "ls"}, "session_id": "s"}
    await child.communicate(json.dumps(payload).encode())
    assert child.returncode == 0


def test_what_another_process_fires_shows_up(place: Place) -> None:
    place.write("~/.autohand/config.json", BLOCK)

    async def steps(screen: Screen) -> None:
        await screen.until("Nothing has fired yet.", "runs none in the journal")
        await _fire(place)
        await screen.until("block PreToolUse Bash", "runs 1, p95", "blocked")
        await screen.press("question_mark")
        await _fire(place)  # also while something else is on the screen
        await screen.pilot.pause(0.6)
        await screen.press("escape")
        await screen.until("runs 2, p95")
        assert "Nothing has fired yet." not in screen.text

    place.drive(steps, "autohand")


def _record(place: Place, count: int, *, tool: str = "Bash") -> None:
    engine = place.engine("autohand")
    record = recorder(engine.folders).attach(engine)
    event = PreToolUse(session_id="s", cwd=str(place.project), tool_name=tool, tool_input={"command": "ls"})

    async def fire() -> None:
        for _ in range(count):
            await engine.fire(event)

    asyncio.run(fire())
    record.close()


def test_figures_count_runs_and_failures(place: Place) -> None:
    place.write("~/.autohand/config.json", {"hooks": {"hooks": [{"event": "pre-tool", "command": "exit 9"}]}})
    _record(place, 4)
    history = History(place.engine().folders.state)
    assert len(history.new()) == 4
    figures = history.figures("pre-tool:1")
    assert figures is not None
    assert (figures.runs, figures.failures, len(figures.last)) == (4, 4, 3)
    assert figures.p95 >= max(run.duration_ms for run in figures.last) > 0
    assert history.new() == []
    assert history.figures("another") is None
    _record(place, 1)
    assert len(history.new()) == 1
    history.close()


def test_only_the_newest_records_are_read_at_the_start(place: Place) -> None:
    place.write("~/.autohand/config.json", {"hooks": {"hooks": []}})
    _record(place, FIRST + 20)
    history = History(place.engine().folders.state)
    assert len(history.new()) == FIRST
    assert history.new() == []
    history.close()


def test_hostile_names_in_the_journal_stay_text(place: Place) -> None:
    place.write("~/.autohand/config.json", AUTOHAND)
    _record(place, 1, tool="[/]\x1b[2J[@click=app.quit]")

    async def steps(screen: Screen) -> None:
        await screen.until("PreToolUse [/]\\x1b")
        assert "\x1b" not in screen.text

    place.drive(steps, "autohand")


def test_a_journal_that_cannot_be_read_is_said_once(place: Place) -> None:
    state = place.home / ".local/state/omnihook"
    state.mkdir(parents=True)
    (state / "journal.db").write_bytes(b"this is no database" * 100)

    async def steps(screen: Screen) -> None:
        await screen.until("the journal")
        await screen.pilot.pause(0.8)
        assert screen.text.count("the journal") == 1

    place.drive(steps)
