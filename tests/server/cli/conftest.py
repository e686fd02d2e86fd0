"""What the tests of the command line share."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.fakes.daemons.scripted_daemon import ScriptedDaemon, scripted_daemon


@pytest.fixture
def daemon(tmp_path: Path) -> Generator[ScriptedDaemon]:
    with scripted_daemon(tmp_path / "data") as running:
        yield running


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
