"""Options of built-ins that only the built-in itself can judge."""

from pathlib import Path

import pytest

from checking_kit import Desk, desk


@pytest.fixture
def here(tmp_path: Path) -> Desk:
    return desk(tmp_path)


@pytest.mark.parametrize(
    ("entry", "severity", "message"),
    [
        ('builtin = "security-guard"\noptions = { rules = { "git-histry" = false } }', "error", "did you mean"),
        ('builtin = "security-guard"\noptions = { rules = { "git-history" = 0 } }', "error", "must be true or false"),
        ('builtin = "security-guard"\noptions = { rules = { "fork-bomb" = false } }', "warning", "cannot be switched"),
        ('builtin = "auto-format"\noptions = { formatters = ["pretier"] }', "error", "there is no formatter 'pretier'"),
        ('builtin = "security-guard"\noptions = { mode = "lax" }', "error", "must be one of"),
    ],
)
def test_what_cannot_be_meant_is_found_once_at_its_line(here: Desk, entry: str, severity: str, message: str) -> None:
    (found,) = here.hook(entry)
    assert (found.severity, found.code, found.line) == (severity, "option", 3)
    assert message in found.message


@pytest.mark.parametrize(
    "entry",
    [
        'builtin = "security-guard"\noptions = { rules = { "git-history" = false, "fork-bomb" = true } }',
        'builtin = "auto-format"\noptions = { formatters = ["ruff"], every = true }',
    ],
)
def test_what_can_be_meant_is_left_alone(here: Desk, entry: str) -> None:
    assert here.hook(entry) == ()
