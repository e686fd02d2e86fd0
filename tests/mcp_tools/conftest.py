"""What the tests of the tools share."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The daemon runs on asyncio, and so do its tests."""
    return "asyncio"
