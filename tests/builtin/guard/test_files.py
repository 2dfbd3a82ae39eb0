"""Verdicts on paths of file tools, on real files and links."""

import os
from pathlib import Path

import pytest

from omnihook.builtin.guard import Judgement, Mode, judge_file
from omnihook.builtin.guard.files import Action


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".ssh").mkdir(parents=True)
    (tmp_path / "home" / ".ssh" / "id_rsa").write_text("key")
    project = tmp_path / "home" / "project"
    (project / "src").mkdir(parents=True)
    (project / ".env").write_text("A=1")
    (project / "notes.md").write_text("x")
    return project


def judged(action: Action, path: str | Path, project: Path, **options: object) -> Judgement:
    home = str(project.parent)
    return judge_file(action, str(path), cwd=str(project), home=home, project=str(project), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("action", ["read", "write", "edit", "create", "delete", "move"])
@pytest.mark.parametrize(
    "path",
    [
        *(".env", "./.env", "src/../.env", ".ENV", ".env.local", "config/.env", "tls.key", "a/SERVER.PEM"),
        *("~/.ssh/id_rsa", "~/.aws/credentials", "~/.SSH/ID_RSA", "．env", ".env ", "file:///x/.env"),
        *("/proc/self/root/etc/shadow", "/etc/shadow", "credentials.json", ".env~", "id_rsa~"),
    ],
)
def test_protected_files_are_blocked(action: Action, path: str, project: Path) -> None:
    assert judged(action, path, project).verdict == "block"


@pytest.mark.parametrize(
    "path", [".env.example", "src/env.ts", "~/.ssh/id_rsa.pub", "keys.ts", "notes.md", "src/new/file.py"]
)
@pytest.mark.parametrize("action", ["read", "write"])
def test_ordinary_files_are_allowed(action: Action, path: str, project: Path) -> None:
    assert judged(action, path, project).verdict == "allow"


def test_listing_reads_no_content(project: Path) -> None:
    assert judged("list", ".env", project).verdict == "allow"


def test_a_symbolic_link_is_followed(project: Path) -> None:
    (project / "innocent.txt").symlink_to(".env")
    (project / "folder").symlink_to(project.parent / ".ssh")
    assert judged("read", "innocent.txt", project).verdict == "block"
    assert judged("read", "folder/id_rsa", project).verdict == "block"


def test_a_hard_link_is_recognised(project: Path) -> None:
    os.link(project / ".env", project / "src" / "copy.txt")
    assert judged("read", "src/copy.txt", project).verdict == "block"
    os.link(project / "notes.md", project / "src" / "notes2.md")
    assert judged("read", "src/notes2.md", project).verdict == "allow"


def test_resolving_can_be_injected(project: Path) -> None:
    assert judged("read", "a.txt", project, resolve=lambda path: "/etc/shadow").verdict == "block"


def test_a_resolver_that_fails_does_not_open_the_door(project: Path) -> None:
    def broken(path: str) -> str:
        raise OSError(40, "Too many levels of symbolic links")

    assert judged("read", ".env", project, resolve=broken).verdict == "block"
    assert judged("read", "notes.md", project, resolve=broken).verdict == "allow"


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (".claude/settings.json", "agent-config"),
        (".omnihook/hooks.toml", "agent-config"),
        ("~/.codex/config.toml", "agent-config"),
        (".cursor/hooks.json", "agent-config"),
        (".gemini/settings.json", "agent-config"),
        (".git/hooks/pre-commit", "persistence"),
        ("~/.bashrc", "persistence"),
        ("/etc/hosts", "system-config"),
    ],
)
def test_writing_what_runs_later_is_asked(path: str, rule: str, project: Path) -> None:
    found = judged("write", path, project)
    assert (found.verdict, found.rule) == ("ask", rule)
    assert judged("read", path, project).verdict == "allow"


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        *((path, "block") for path in ("/", "~", ".", "..", "/etc")),
        (".git", "ask"),
        ("src", "allow"),
        ("notes.md", "allow"),
    ],
)
def test_deleting_is_judged_by_place(path: str, verdict: str, project: Path) -> None:
    assert judged("delete", path, project).verdict == verdict


@pytest.mark.parametrize("path", ["/etc/passwd", "/boot/vmlinuz", "/dev/sda"])
def test_writing_critical_files_is_blocked(path: str, project: Path) -> None:
    assert judged("write", path, project).verdict == "block"


def test_a_nul_character_is_not_a_path(project: Path) -> None:
    assert judged("read", "a\0b", project).verdict == "ask"


def test_paranoid_mode_asks_before_writing_outside(project: Path) -> None:
    assert judged("write", "/opt/x", project, mode=Mode.PARANOID).rule == "paranoid-outside"
    assert judged("write", "src/x", project, mode=Mode.PARANOID).verdict == "allow"


def test_a_single_rule_can_be_switched_off_and_the_next_one_answers(project: Path) -> None:
    assert judged("read", ".env", project, rules={"protected-file": False}).verdict == "allow"
    assert judged("read", ".env", project, rules={"agent-config": False}).verdict == "block"
    key = "~/.ssh/authorized_keys"
    assert judged("write", key, project, rules={"persistence": False}).verdict == "allow"
    both = judged("write", "/etc/server.key", project, rules={"protected-file": False})
    assert (both.verdict, both.rule) == ("ask", "system-config")


@pytest.mark.parametrize(
    ("action", "path", "rule"),
    [
        ("delete", "/", "delete-critical"),
        ("write", "/dev/sda", "write-device"),
        ("write", "/etc/passwd", "overwrite-critical"),
    ],
)
def test_a_catastrophic_rule_cannot_be_switched_off(action: Action, path: str, rule: str, project: Path) -> None:
    found = judged(action, path, project, rules={rule: False})
    assert (found.verdict, found.rule) == ("block", rule)
