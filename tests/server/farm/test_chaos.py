"""A farm whose processes, database and store are killed, stopped and restarted while jobs are sent."""

import pytest

from bench.farm.chaos import Plan, disturbed_farm


@pytest.mark.nightly
def test_under_chaos_each_job_ends_once_and_each_viewer_sees_each_event() -> None:
    plan = Plan()

    outcome = disturbed_farm(plan)

    assert outcome.faults == []
    assert len(outcome.accepted) == plan.jobs
    assert outcome.disturbed["restart postgres"] == outcome.disturbed["take store away"] == 1
