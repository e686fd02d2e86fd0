from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from storage.database import Database
from tests.fakes.jobs.postgres import postgres_server
from tests.fakes.reload.entries import SetClock


@pytest.fixture(scope="session")
def postgres_url() -> Generator[str]:
    with postgres_server() as url:
        yield url.format("postgres")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.programs)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a database that both this process and others may open; of one server, the tests have owners of their own."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'vaider.db'}"
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def opened(url: str) -> Generator[Database]:
    with closing(Database(url)) as database:
        database.open()
        yield database


@pytest.fixture
def owner(request: pytest.FixtureRequest) -> str:
    return request.node.name[:128]


@pytest.fixture
def clock() -> SetClock:
    return SetClock()
