from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.models.refiners import SEGMENT, RefiningScene, procedure
from tests.fakes.recordings.films import write_film


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minute; from 20 s to 29 s nothing changes."""
    return write_film(tmp_path_factory.mktemp("films") / f"{SEGMENT}.mp4", still=range(20, 30))


@pytest.fixture
def scene(tmp_path: Path, film: Path) -> Iterator[RefiningScene]:
    """One procedure from 10 s to 18 s, whose steps 2 and 3 want better words."""
    made = RefiningScene(tmp_path)
    made.film = film
    made.memories.replace(SEGMENT, [procedure("a")])
    yield made
    made.memories.close()
