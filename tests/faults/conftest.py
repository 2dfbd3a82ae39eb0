"""A scratch machine for each test."""

from pathlib import Path

import pytest

from faults.kit import Machine, machine


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)
