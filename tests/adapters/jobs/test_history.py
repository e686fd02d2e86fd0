from collections.abc import Awaitable, Callable
from itertools import groupby

import pytest

from adapters.jobs.engine import DbosJobs
from core.errors import NotFound
from core.jobs import Stage
from tests.fakes.jobs.job_work import Count

Start = Callable[..., Awaitable[DbosJobs]]

pytestmark = pytest.mark.anyio
LIMIT = 30.0


async def test_what_a_job_has_told_is_read_page_by_page_and_of_no_other_job(start: Start) -> None:
    jobs = await start()
    one, two = await jobs.submit("count", Count(n=5)), await jobs.submit("count", Count(n=5))
    await jobs.wait(one.id, LIMIT)
    await jobs.wait(two.id, LIMIT)
    everything = await jobs.history(one.id)
    first = await jobs.history(one.id, limit=1)
    rest = await jobs.history(one.id, after=first[0].id)

    stages = [stage for stage, _ in groupby(event.stage for event in everything)]
    assert stages == [Stage.QUEUED, Stage.DECODING, Stage.DONE]
    assert {event.job_id for event in everything} == {one.id}
    assert [*first, *rest] == everything
    with pytest.raises(NotFound):
        await jobs.history("job-none")
