from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from core.errors import Conflict
from storage.database import Database
from storage.job_claims import claim
from tests.adapters.jobs.conftest import ON_BOTH

_HELD = """SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
WHERE locktype = 'advisory' AND datname = current_database()"""


@ON_BOTH
def test_a_claim_is_one_sessions_alone(url: str) -> None:
    first, second = Database(url), Database(url)
    first.open()
    second.open()
    held = claim(first, "here")
    with pytest.raises(Conflict, match="Another Vaider process"):
        claim(second, "here")
    held.release()
    claim(second, "here").release()
    first.close()
    second.close()


@pytest.mark.programs
def test_a_claim_is_free_as_soon_as_it_is_given_up(postgres: Callable[[str], str], tmp_path: Path) -> None:
    url = postgres(tmp_path.name)
    database, other = Database(url), Database(url)
    database.open()
    other.open()
    # Its own connection is there already: a new one would give the server time to notice.
    with other.connect() as watching:
        for _ in range(20):
            claim(database, "here").release()
            assert watching.execute(sa.text(_HELD)).scalar() == 0
    database.close()
    other.close()
