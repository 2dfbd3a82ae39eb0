"""The Nth system call of a kind fails: decisions stay, what counts as written is there, and the journal goes on."""

import json
from pathlib import Path

import pytest

from failing_calls import trials
from journal.kit import record, rows, sound
from omnihook.journal import Journal

FIRES, LOST = 6, 5
CODE = f"""
from pathlib import Path
from journal.test_faults import _engine, _fire
def trial(folder):
    said = []
    engine, journal = _engine(Path(folder), Path(folder) / "state", said)
    for number in range({FIRES} // 2):
        assert _fire(engine, f"rm {{number}}").name == "DENY"
        assert _fire(engine, f"ls {{number}}").name == "ALLOW"
    journal.close()
    engine.close()
    return {LOST} if journal.journal.lost else 0
"""
CALLS = {
    "openat": ("EIO", "ENOSPC", "EINTR"),
    "pwrite64": ("EIO", "ENOSPC", "EINTR"),
    "write": ("EIO", "ENOSPC", "EINTR"),
    "fdatasync": ("EIO", "EINTR"),
    "fsync": ("EIO", "EINTR"),
    "rename": ("EIO", "ENOSPC"),
}
QUICK, ALL = (1, 2, 3, 5, 8, 13, 21, 34, 55), tuple(range(1, 100))


@pytest.mark.parametrize("numbers", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)], ids=["some", "all"])
@pytest.mark.parametrize("call", CALLS)
def test_the_nth_failing_call_changes_no_decision_and_tears_nothing(
    tmp_path: Path, call: str, numbers: tuple[int, ...]
) -> None:
    with trials(CODE, tmp_path) as template:
        for number in numbers:
            for error in CALLS[call] if numbers is ALL else (CALLS[call][number % len(CALLS[call])],):
                folder = tmp_path / f"{error}-{number}"
                folder.mkdir()
                code = template.run(str(folder), call, error, number)
                assert code in (0, LOST), (call, error, number)
                goes_on(folder / "state", whole=code == 0)


def goes_on(state: Path, *, whole: bool) -> None:
    """The journal takes another record; it is sound, and with nothing lost it has every record."""
    journal = Journal(str(state), resident=False, notify=lambda text: None)
    journal.append(record(journal, 999), urgent=True)
    journal.close()
    found = [json.loads(str(row[-1])) for row in rows(state)]
    assert found[-1]["number"] == 999
    assert len(found) == FIRES + 1 or (not whole and len(found) <= FIRES)
    sound(state)
