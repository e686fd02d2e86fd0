from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Any, Final

import pytest

from adapters.jobs.engine import DbosJobs
from storage.database import Database
from tests.fakes.jobs.job_work import Works, engine
from tests.fakes.jobs.postgres import fresh_databases


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Generator[Callable[[str], str]]:
    with fresh_databases() as fresh:
        yield fresh


@pytest.fixture
def works() -> Generator[Works]:
    works = Works()
    yield works
    works.gate.open()


POSTGRES: Final = pytest.param("postgresql", marks=[pytest.mark.programs, pytest.mark.nightly])
ON_BOTH: Final = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.programs)], indirect=True
)
"""For what is another matter on PostgreSQL: who is told, who holds a lock, and how a row is written."""


@pytest.fixture(params=["sqlite", POSTGRES])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'vaider.db'}"
    return request.getfixturevalue("postgres")(tmp_path.name)


@pytest.fixture
async def start(works: Works, url: str) -> AsyncGenerator[Callable[..., Any]]:
    """Starts an engine on the test's database; whatever was started is stopped in the end."""
    started: list[tuple[Database, DbosJobs]] = []

    async def start_one(**options: Any) -> DbosJobs:
        database, jobs = engine(url, works, **options)
        started.append((database, jobs))
        await jobs.start()
        return jobs

    yield start_one
    works.gate.open()
    for database, jobs in started:
        await jobs.stop()
        database.close()
