from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.jobs.engine import DbosJobs
from storage.database import Database
from tests.fakes.jobs.job_work import Works, engine
from tests.fakes.jobs.postgres import postgres_server


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Generator[Callable[[str], str]]:
    with postgres_server() as url:

        def fresh(name: str) -> str:
            server = sa.create_engine(
                url.format("postgres").replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT"
            )
            with server.connect() as connection:
                connection.execute(sa.text(f'CREATE DATABASE "{name}"'))
            server.dispose()
            return url.format(name)

        yield fresh


@pytest.fixture
def works() -> Generator[Works]:
    works = Works()
    yield works
    works.gate.open()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.programs)])
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
