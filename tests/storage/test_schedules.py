"""What is kept of schedules: on both databases, and by nobody twice."""

import threading
from collections.abc import Generator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.schedules.ports import Entry, Outcome, State
from storage.database import Database
from storage.schedules import SqlSchedules

NINE = datetime(2026, 11, 23, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.programs)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Database]:
    url = f"sqlite:///{tmp_path / 'vaider.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres")(tmp_path.name)
    with closing(Database(url)) as database:
        database.open()
        yield database


def _entry(moment: datetime, outcome: Outcome = Outcome.FIRED) -> Entry:
    text = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    return Entry(moment=text, outcome=outcome, reason="It is time.", job_id="job-1", decided_at=text)


def test_states_and_decisions_are_kept_for_each_installation(database: Database) -> None:
    here, there = SqlSchedules(database, "here"), SqlSchedules(database, "there")
    state = here.begin("report", "every hour", NINE)
    later = State(key=state.key, handled=NINE + HOUR)

    assert here.begin("report", "every hour", NINE + 5 * HOUR) == state
    assert not here.note("report", state, [_entry(NINE)])
    assert not here.note("report", State(key="another", handled=NINE + HOUR), [_entry(NINE)])
    assert not there.note("report", later, [_entry(NINE)])
    assert here.note("report", later, [_entry(NINE), _entry(NINE + HOUR, Outcome.MISSED)])
    assert here.begin("report", "every hour", NINE) == later
    assert here.log("report", 1) == [_entry(NINE + HOUR, Outcome.MISSED)]
    assert [here.has_fired("report", each.moment) for each in here.log("report", 9)] == [False, True]
    assert here.begin("report", "every day", NINE) == State(key="every day", handled=NINE)
    assert (here.task_ids(), there.task_ids()) == (["report"], [])
    here.end("report")
    assert here.log("report", 9)
    here.forget("report")
    assert here.task_ids() == []


def test_of_many_that_decide_the_same_one_is_kept(database: Database) -> None:
    kept = SqlSchedules(database, "here")
    state = kept.begin("report", "every hour", NINE)
    done: list[bool] = []

    def decide() -> None:
        done.append(kept.note("report", State(key=state.key, handled=NINE + HOUR), [_entry(NINE + HOUR)]))

    threads = [threading.Thread(target=decide) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(done) == [False] * 7 + [True]
    assert kept.log("report", 9) == [_entry(NINE + HOUR)]
