"""How a job ended is said in one set of words, whatever its kind."""

import json
from typing import Any

import pytest

from core.job_briefs import brief_of
from core.jobs import Job, JobState, outcome_of, state_of_result
from core.runs.run import RunOutcome

LATER = "2026-03-01T12:00:00.000+00:00"


def job(state: JobState, **ended: Any) -> Job:
    return Job(id="job-1", kind="replay", state=state, request={}, created_at=LATER, finished_at=LATER, **ended)


@pytest.mark.parametrize("outcome", list(RunOutcome))
def test_no_job_is_done_whose_run_failed_or_was_refused(outcome: RunOutcome) -> None:
    found = job(state_of_result({"outcome": outcome.value}), result={"outcome": outcome.value})

    assert (found.state is JobState.FAILED) is (outcome in {RunOutcome.FAILED, RunOutcome.REFUSED})
    assert found.outcome == brief_of(found).outcome == outcome.value


@pytest.mark.parametrize(
    ("state", "error", "outcome"),
    [
        (JobState.DONE, None, "succeeded"),
        (JobState.FAILED, {"error": "x", "code": "upstream_error"}, "failed"),
        (JobState.CANCELLED, {"error": "x", "code": "cancelled"}, "cancelled"),
        (JobState.CANCELLED, {"error": "x", "code": "taken_over"}, "taken_over"),
        (JobState.RUNNING, None, ""),
        (JobState.QUEUED, None, ""),
    ],
)
def test_a_job_without_an_outcome_of_its_own_has_that_of_its_state(
    state: JobState, error: dict[str, Any] | None, outcome: str
) -> None:
    assert outcome_of(state, None, error) == outcome
    assert outcome == "" or outcome in set(RunOutcome)


def test_an_answer_of_the_daemon_is_read_back_with_the_same_outcome() -> None:
    reported = job(JobState.FAILED, result={"outcome": "failed"})
    answer = reported.model_dump_json()

    assert json.loads(answer)["outcome"] == "failed"
    assert Job.model_validate_json(answer) == reported
