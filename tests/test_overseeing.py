import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from omnihook import Engine, Verdict
from omnihook.events import PreToolUse
from omnihook.outcomes import Report
from omnihook.sessions import FileSessions

EVENT = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"})


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return made(tmp_path)


def made(tmp_path: Path, extra: str = "") -> Engine:
    config = tmp_path / "home/.config/omnihook/hooks.toml"
    if not config.exists():
        config.parent.mkdir(parents=True)
        config.write_text(f'[[hook]]\nname = "flaky"\non = "PreToolUse"\nrun = "test -f ok || exit 1"\n{extra}\n')
        config.chmod(0o600)
    environ = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    return Engine(str(tmp_path), environ=environ, sessions=FileSessions(str(tmp_path / "sessions")))


def fire(engine: Engine, tmp_path: Path) -> Report:
    return asyncio.run(engine.fire(replace(EVENT, cwd=str(tmp_path))))


def test_five_breaks_in_a_row_mean_quarantine_with_a_notice(engine: Engine, tmp_path: Path) -> None:
    reports = [fire(engine, tmp_path) for _ in range(6)]
    assert [len(report.outcomes) for report in reports] == [1, 1, 1, 1, 1, 0]
    assert reports[4].notices[-1].endswith("bring it back with: omnihook enable flaky")
    assert [(item.hook.name, item.why) for item in reports[5].skipped] == [("flaky", "quarantined")]


def test_quarantine_holds_in_other_processes_and_can_be_lifted(tmp_path: Path) -> None:
    for _ in range(5):
        fire(made(tmp_path), tmp_path)
    engine = made(tmp_path)
    assert fire(engine, tmp_path).outcomes == ()
    assert [held.name for held in engine.quarantine.held()] == ["flaky"]
    assert engine.quarantine.release(engine.hooks[0])
    assert len(fire(engine, tmp_path).outcomes) == 1


def test_a_success_in_between_starts_the_count_again(engine: Engine, tmp_path: Path) -> None:
    for _ in range(4):
        fire(engine, tmp_path)
    (tmp_path / "ok").touch()
    fire(engine, tmp_path)
    (tmp_path / "ok").unlink()
    assert all(len(fire(engine, tmp_path).outcomes) == 1 for _ in range(4))


def test_guards_are_never_quarantined(tmp_path: Path) -> None:
    engine = made(tmp_path, "guard = true")
    reports = [fire(engine, tmp_path) for _ in range(8)]
    assert all(report.refused for report in reports)


def test_a_changed_hook_gets_a_new_chance(engine: Engine, tmp_path: Path) -> None:
    for _ in range(5):
        fire(engine, tmp_path)
    config = tmp_path / "home/.config/omnihook/hooks.toml"
    config.write_text(config.read_text().replace("exit 1", "exit 3"))
    assert len(fire(engine, tmp_path).outcomes) == 1


def test_over_the_budget_is_a_warning_that_names_the_slowest() -> None:
    engine = Engine(files=False, budget=0.05)

    @engine.on("PreToolUse")
    async def slow(event: PreToolUse) -> Verdict | None:
        await asyncio.sleep(0.1)
        return None

    notices = asyncio.run(engine.fire(EVENT)).notices
    assert len(notices) == 1
    assert "more than the budget of 0.05 s" in notices[0]
    assert "slow" in notices[0]
