"""Whose a user's file is when links lead to it: the user's own, or a work tree's that needs trust."""

import os
from pathlib import Path

import pytest

from omnihook import Engine
from omnihook.events import Stop

NATIVE = '[[hook]]\nname = "h"\non = "Stop"\nrun = "true"\n'
CLAUDE = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    for folder in (".config/omnihook", ".claude", "dots", "project/.git"):
        (made / folder).mkdir(parents=True)
    return made


def standing(home: Path, project: Path) -> list[str]:
    """How each hook fares: the status of its run, or why it did not run; else what is wrong with the files."""
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    with Engine(project, environ=environ, read="claude-code") as engine:
        report = engine.fire_sync(Stop(cwd=str(project)))
        found = [outcome.status.value for outcome in report.outcomes] + [item.why for item in report.skipped]
        return found or [item.message for item in engine.diagnostics]


@pytest.mark.parametrize(
    ("link", "target", "text"),
    [
        (".config/omnihook/hooks.toml", "dots/hooks.toml", NATIVE),
        (".claude/settings.json", "dots/settings.json", CLAUDE),
    ],
)
def test_files_may_be_kept_elsewhere_in_the_home(home: Path, link: str, target: str, text: str) -> None:
    (home / target).write_text(text)
    (home / link).symlink_to(home / target)
    assert standing(home, home / "project") == ["ok"]


def test_a_link_out_of_the_home_is_refused(home: Path, tmp_path: Path) -> None:
    (tmp_path / "hooks.toml").write_text(NATIVE)
    (home / ".config/omnihook/hooks.toml").symlink_to(tmp_path / "hooks.toml")
    (message,) = standing(home, home / "project")
    assert "symlinked out of its layer's folder" in message


@pytest.mark.parametrize("whole", [False, True], ids=["file", "folder"])
def test_a_users_link_into_the_work_tree_needs_trust(home: Path, whole: bool) -> None:
    (home / "project/claude").mkdir()
    (home / "project/claude/settings.json").write_text(CLAUDE)
    if whole:
        (home / ".claude").rmdir()
        (home / ".claude").symlink_to("project/claude")
    else:
        (home / ".claude/settings.json").symlink_to("../project/claude/settings.json")
    assert standing(home, home / "project") == ["untrusted"]
    (home / "other/.git").mkdir(parents=True)
    assert standing(home, home / "other") == ["ok"]


def test_a_users_own_file_stays_the_users_in_its_own_folder_too(home: Path) -> None:
    (home / ".config/omnihook/hooks.toml").write_text(NATIVE)
    (home / ".config/.git").mkdir()
    assert standing(home, home / ".config") == ["ok"]


def test_a_home_inside_the_work_tree_is_still_the_users(home: Path) -> None:
    (home / ".config/omnihook/hooks.toml").write_text(NATIVE)
    assert standing(home, home.parent) == ["ok"]


def test_a_link_that_comes_to_lead_into_the_work_tree_needs_trust_from_then_on(home: Path) -> None:
    (home / "dots/settings.json").write_text(CLAUDE)
    (home / "project/settings.json").write_text(CLAUDE)
    link = home / ".claude/settings.json"
    link.symlink_to(home / "dots/settings.json")
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    with Engine(home / "project", environ=environ, read="claude-code") as engine:
        assert len(engine.fire_sync(Stop(cwd=str(home / "project"))).outcomes) == 1
        link.unlink()
        link.symlink_to(home / "project/settings.json")
        assert engine.fire_sync(Stop(cwd=str(home / "project"))).outcomes == ()
