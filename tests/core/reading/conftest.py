"""What the tests of reading share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.recordings.reading_desk import Desk, FullMemories


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.reading.stop()
    desk.memories.close()


@pytest.fixture
def full_desk(tmp_path: Path) -> Iterator[tuple[Desk, FullMemories]]:
    memories = FullMemories(tmp_path / "memory.db")
    desk = Desk(tmp_path, memories=memories)
    yield desk, memories
    desk.reading.stop()
    desk.memories.close()
