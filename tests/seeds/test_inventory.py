"""The script that keeps the inventory: what it finds in a document, and what it complains about."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/inventory.py"
DOCUMENT = """# Hooks

- an item

## Events

| Event | When |
|-------|------|
| `start` | first |
| `stop` | last |

1. numbered:
   ```bash
   # not a heading
   - not an item
   ```
2. next
"""


@pytest.fixture(scope="module")
def inventory() -> ModuleType:
    spec = spec_from_file_location("inventory", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["inventory"] = module  # its dataclasses look for their module
    spec.loader.exec_module(module)
    return module


def test_blocks_rows_and_items_are_found_with_their_place(inventory: ModuleType) -> None:
    found = [(e.kind, e.number, e.section, e.hint) for e in inventory.extract("d", DOCUMENT)]
    assert found == [
        ("item", 1, "Hooks", "an item"),
        ("row", 1, "Hooks / Events", "| `start` | first |"),
        ("row", 2, "Hooks / Events", "| `stop` | last |"),
        ("item", 2, "Hooks / Events", "numbered:"),
        ("block", 1, "Hooks / Events", "# not a heading"),
        ("item", 3, "Hooks / Events", "next"),
    ]


def test_what_changed_came_or_went_is_stale(inventory: ModuleType) -> None:
    kept = list(inventory.extract("d", DOCUMENT))
    assert list(inventory.stale(kept, kept)) == []
    changed = list(inventory.extract("d", DOCUMENT.replace("first", "second")))
    assert [line.split(":")[0] for line in inventory.stale(kept, changed)] == ["changed"]
    assert [line.split(":")[0] for line in inventory.stale(kept, kept[1:])] == ["gone"]
    assert [line.split(":")[0] for line in inventory.stale(kept[1:], kept)] == ["not listed"]


def test_an_entry_needs_a_test_or_a_reason_and_not_both(inventory: ModuleType) -> None:
    entry = {"file": "d", "section": "s", "kind": "row", "number": 1, "sha256": "x", "hint": "h"}
    cases = [{}, {"test": ("a",)}, {"reason": "r"}, {"test": ("a",), "reason": "r"}]
    found = [list(inventory.uncovered([inventory.Entry(**entry, **case)])) for case in cases]
    assert [bool(lines) for lines in found] == [True, False, False, True]


@pytest.mark.parametrize("name", ["test_good", "test_bad", "test_gone"])
def test_missing_and_failing_tests_are_named(inventory: ModuleType, tmp_path: Path, name: str) -> None:
    path = tmp_path / "test_sample.py"
    path.write_text("def test_good():\n    pass\n\n\ndef test_bad():\n    assert 0\n")
    found = list(inventory.failing([f"{path}::{name}"], workers=0))
    assert [name in line for line in found] == ([] if name == "test_good" else [True])


def test_every_entry_of_the_inventory_is_well_formed(inventory: ModuleType) -> None:
    entries = inventory.listed()
    assert len({entry.key for entry in entries}) == len(entries) > 500
    assert {entry.kind for entry in entries} == set(inventory.KINDS)
    assert all(len(entry.hint) <= inventory.HINT for entry in entries)
