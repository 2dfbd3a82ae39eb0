"""A scratch machine for each test, and time for tests that start many processes on a busy machine."""

from pathlib import Path

import pytest

from faults.kit import Machine, machine


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(60))
