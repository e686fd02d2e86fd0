from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from storage.answers import AnswerIndex
from storage.database import Database
from storage.interactions import InteractionFolders
from tests.canary import CANARY
from tests.fakes.jobs.postgres import fresh_databases


@pytest.fixture(scope="session")
def postgres() -> Generator[Callable[[str], str]]:
    with fresh_databases() as fresh:
        yield fresh


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
