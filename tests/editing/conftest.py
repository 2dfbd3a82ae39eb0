"""A scratch folder in memory, for tests that write a great deal."""

import tempfile
from collections.abc import Iterator

import pytest

from editing.kit import MEMORY


@pytest.fixture
def folder() -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as made:
        yield made
