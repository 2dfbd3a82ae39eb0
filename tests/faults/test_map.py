"""The table in README.md: every row has its tests, every test is in its rows, and every file is there."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
ROWS = [*(f"F{n}" for n in (*range(1, 23), *range(31, 35), *range(41, 51))), *(f"R{n}" for n in range(1, 18))]
ELSEWHERE = {"R5", "R16"}  # the audit verb and the daemon have tests of their own


def _listed() -> dict[str, set[str]]:
    found = {}
    for line in (HERE / "README.md").read_text().splitlines():
        match = re.match(r"\| ([FR]\d+) \|", line)
        if match:
            found[match[1]] = set(re.findall(r"`([^`]+)`", line))
    return found


def _claimed() -> dict[str, set[str]]:
    """What the docstrings say: row -> tests."""
    found: dict[str, set[str]] = {}
    for file in HERE.glob("test_*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for row in _rows(ast.get_docstring(node) or ""):
                    found.setdefault(row, set()).add(f"{file.name}::{node.name}")
    return found


def _rows(text: str) -> list[str]:
    head = re.match(r"((?:[FR]\d+(?:-[FR]?\d+)?(?:, )?)+):", text)
    made = []
    for kind, first, last in re.findall(r"([FR])(\d+)(?:-[FR]?(\d+))?", head[1] if head else ""):
        made += [f"{kind}{n}" for n in range(int(first), int(last or first) + 1)]
    return made


def test_every_row_is_listed_with_tests() -> None:
    listed = _listed()
    assert [row for row in ROWS if row not in listed and row not in ELSEWHERE] == []
    assert [row for row, tests in listed.items() if not tests] == []


def test_the_table_says_what_the_tests_say() -> None:
    listed, claimed = _listed(), _claimed()
    for row, tests in claimed.items():
        assert {name for name in listed[row] if "::" in name} == tests, row


def test_every_file_that_is_named_exists() -> None:
    for tests in _listed().values():
        for name in tests:
            assert "::" in name or (HERE.parents[1] / name).is_file(), name
