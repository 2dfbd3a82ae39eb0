"""What holds for every test."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

import modelserver

# The machine is shared: how long an example takes says nothing about the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


@pytest.fixture(scope="module")
def model_server() -> Iterator[modelserver.Model]:
    with modelserver.serve() as served:
        yield served


@pytest.fixture
def model(model_server: modelserver.Model) -> modelserver.Model:
    """A model server on loopback that has not been asked anything, and answers as it is told to."""
    model_server.asked.clear()
    model_server.replies.clear()
    return model_server
