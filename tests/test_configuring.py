"""Which files are read, by whom, and how often."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from omnihook import Engine, UnknownDialect
from omnihook.events import Stop
from omnihook.folders import find

CLAUDE = {"hooks": {"Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "true"}]}]}}
GEN = {"hooks": {"Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "echo gen"}]}]}}
NATIVE = '[[hook]]\nname = "n"\non = "Stop"\nrun = "true"\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for name, text in (
        (".claude/settings.json", json.dumps(CLAUDE)),
        (".gen/settings.json", json.dumps(GEN)),
        (".config/omnihook/hooks.toml", NATIVE),
        ("project/.git", ""),
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    return home


def ran(home: Path, **options: object) -> list[str]:
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    with Engine(home / "project", environ=environ, **options) as engine:  # type: ignore[arg-type]
        return [outcome.hook.source.dialect for outcome in engine.fire_sync(Stop(session_id="s")).outcomes]


@pytest.mark.parametrize(
    ("read", "dialects"),
    [
        (["claude-code", "claude-agent-rs", "code-agent"], ["omnihook", "claude-code"]),
        (["claude-agent-rs", "claude-code"], ["omnihook", "claude-agent-rs"]),
        (["claude-code", "gencode"], ["omnihook", "claude-code", "gencode"]),
        (["omnihook"], ["omnihook"]),
    ],
)
def test_a_file_that_several_dialects_claim_is_read_by_the_first_alone(
    home: Path, read: list[str], dialects: list[str]
) -> None:
    assert ran(home, read=read) == dialects


def test_read_counts_beside_another_agents_files(home: Path) -> None:
    assert ran(home, only="claude-code") == ["claude-code"]
    assert ran(home, only="claude-code", read=["gencode"]) == ["claude-code", "gencode"]
    assert ran(home, only="claude-code", read=["omnihook"]) == ["claude-code", "omnihook"]


def test_read_counts_beside_files_that_are_named(home: Path) -> None:
    named = home / "named.toml"
    named.write_text(NATIVE.replace('"n"', '"named"'))
    assert ran(home, config=[("omnihook", str(named))]) == ["omnihook"]
    assert ran(home, config=[("omnihook", str(named))], read=["claude-code"]) == ["omnihook", "claude-code"]


@pytest.mark.parametrize("options", [{"config": True}, {"only": "claude-code", "read": ["omnihook"]}, {}])
def test_an_administrators_orders_hold_however_files_are_chosen(home: Path, options: dict[str, object]) -> None:
    managed = home.parent / "root"
    (managed / "etc/omnihook").mkdir(parents=True)
    (managed / "etc/omnihook/hooks.toml").write_text("managed_only = true\n" + NATIVE.replace('"n"', '"m"'))
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    folders = replace(find(environ, cwd=str(home / "project")), managed=str(managed))
    if "config" in options:
        options = {"config": [("omnihook", str(home / ".config/omnihook/hooks.toml"))]}
    with Engine(environ=environ, folders=folders, **options) as engine:  # type: ignore[arg-type]
        report = engine.fire_sync(Stop(session_id="s"))
    assert [outcome.hook.name for outcome in report.outcomes] == ["m"]
    assert {item.why for item in report.skipped} == {"only managed hooks run"}


def test_a_dialect_that_is_none_is_an_error_of_the_caller_and_a_problem_of_a_file(home: Path) -> None:
    with pytest.raises(UnknownDialect, match="did you mean 'claude-code'"):
        ran(home, read=["claud-code"])
    path = home / ".config/omnihook/hooks.toml"
    path.write_text('read = ["claud-code"]\n' + NATIVE)
    assert ran(home) == ["omnihook"]
