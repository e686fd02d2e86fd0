import pytest

from adapters.jobs.context import Control, RunningJob
from core.errors import TimedOut


def test_the_time_in_which_a_person_is_waited_for_does_not_count() -> None:
    job = RunningJob(
        "job-1",
        control=Control(),
        seconds=-1,
        history=(),
        store_event=lambda _stage, _data: None,
        keep_step=lambda _name, work: work(),
    )

    with pytest.raises(TimedOut):
        job.raise_if_cancelled()
    job.extend_deadline(60)
    job.raise_if_cancelled()
