"""What a token may ask for: how many of its jobs wait, and how many bytes a day; by an injected clock."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from core.errors import Throttled, TooLarge
from core.jobs import JobState, NewJob
from core.tokens import Limits, Scope
from storage.database import Database
from storage.job_events import SqlJobStore
from storage.submissions import Submissions
from storage.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

DAY = Limits(bytes_a_day=1000)
TWO = Limits(waiting=2)


class Clock:
    """Stands still until the test moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 24, 21, 59, 30, 500_000, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.programs)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Database]:
    url = f"sqlite:///{tmp_path / 'vaider.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres")(tmp_path.name)
    with contextlib.closing(Database(url)) as database:
        database.open()
        yield database


@pytest.fixture
def submissions(database: Database, clock: Clock) -> Submissions:
    return Submissions(database, "here", slots=2, clock=clock)


def submit(submissions: Submissions, database: Database, job_id: str, submitter: str = "ci") -> None:
    """As the route does: a place, then its job."""
    place = submissions.enter(submitter, 10, TWO)
    SqlJobStore(database, "here").create(NewJob(job_id, "analysis", {}, None, submitter), {})
    submissions.settle(place, job_id, "", 10)


def refused(submissions: Submissions, limits: Limits, size: int = 10) -> int:
    with pytest.raises(Throttled) as told:
        submissions.enter("ci", size, limits)
    return int(str(told.value.details["retry_after"]))


def test_who_waits_as_told_gets_in_however_long_the_line_still_is(
    database: Database, submissions: Submissions, clock: Clock
) -> None:
    for job_id in "ab":
        submit(submissions, database, job_id)
    first, second = refused(submissions, TWO), refused(submissions, TWO)
    assert 0 < first < second, "one place after the other"
    clock.forward(first - 1)
    third = refused(submissions, TWO)
    clock.forward(1)
    submit(submissions, database, "c")
    refused(submissions, TWO)
    clock.forward(second - first)
    submit(submissions, database, "d")
    clock.forward(third + first - 1 - second)
    submit(submissions, database, "e")
    submit(submissions, database, "other", "somebody-else")


def test_a_promise_that_nobody_came_for_is_forgotten(
    database: Database, submissions: Submissions, clock: Clock
) -> None:
    for job_id in "ab":
        submit(submissions, database, job_id)
    clock.forward(refused(submissions, TWO) + 121)
    refused(submissions, TWO)


def test_a_job_that_begins_makes_room_and_one_whose_video_still_comes_takes_it(
    database: Database, submissions: Submissions
) -> None:
    for job_id in "ab":
        submit(submissions, database, job_id)
    SqlJobStore(database, "here").begin("a")
    place = submissions.enter("ci", 10, TWO)
    refused(submissions, TWO)
    submissions.leave(place)
    submit(submissions, database, "c")


def test_the_line_is_as_fast_as_the_jobs_that_ended_last(database: Database, submissions: Submissions) -> None:
    store = SqlJobStore(database, "here")
    for job_id in "ab":
        submit(submissions, database, job_id)
    assert refused(submissions, TWO) == 3, "nothing is known yet: 5 s by two at once"
    store.begin("a")
    store.finish("a", JobState.DONE, result={})
    submit(submissions, database, "c")
    assert refused(submissions, TWO) <= 4, "behind the promise that is there, without a step of seconds"


def test_bytes_of_a_day_are_there_again_after_midnight(submissions: Submissions, clock: Clock) -> None:
    submissions.settle(submissions.enter("ci", 600, DAY), "a", "", 600)
    submissions.enter("ci", 400, DAY)
    after = refused(submissions, DAY, size=1)
    assert after == 2 * 3600 + 30
    submissions.enter("other", 1000, DAY)
    clock.forward(after - 1)
    refused(submissions, DAY, size=1)
    clock.forward(1)
    submissions.enter("ci", 1000, DAY)
    with pytest.raises(TooLarge):
        submissions.enter("ci", 1001, DAY)


def test_a_video_that_did_not_say_its_size_is_weighed_when_it_is_there(submissions: Submissions) -> None:
    place = submissions.enter("ci", 0, DAY)
    submissions.check(place, "ci", 900, DAY)
    other = submissions.enter("ci", 0, DAY)
    with pytest.raises(Throttled):
        submissions.check(other, "ci", 200, DAY)
    submissions.check(place, "ci", 900, DAY)


def test_of_many_at_once_no_more_get_in_than_may(database: Database, submissions: Submissions) -> None:
    Tokens(database, "here").add("ci", Scope.SUBMIT, None, TWO)

    def enter(_: int) -> bool:
        try:
            submissions.enter("ci", 10, TWO)
        except Throttled:
            return False
        return True

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(enter, range(12))) == 2


def test_a_token_has_its_limits_and_other_installations_are_not_counted(
    database: Database, submissions: Submissions, clock: Clock
) -> None:
    tokens = Tokens(database, "here")
    bearer = tokens.bearer(tokens.add("ci", Scope.SUBMIT, None, Limits(waiting=3, bytes_a_day=1000)))
    assert bearer is not None
    assert bearer.limits == Limits(waiting=3, bytes_a_day=1000)
    Submissions(database, "elsewhere", clock=clock).enter("ci", 1000, DAY)
    submissions.enter("ci", 1000, DAY)
