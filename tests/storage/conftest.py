from collections.abc import Generator
from pathlib import Path

import pytest

from storage.answers import AnswerIndex
from storage.database import Database
from storage.interactions import InteractionFolders
from tests.canary import CANARY


@pytest.fixture
def database(tmp_path: Path) -> Generator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'vaider.db'}")
    database.open()
    yield database
    database.close()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def logs(database: Database, data_dir: Path) -> InteractionFolders:
    return InteractionFolders(
        data_dir=data_dir, answers=AnswerIndex(database, "here"), redact=lambda text: text.replace(CANARY, "[key]")
    )
