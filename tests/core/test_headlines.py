"""The one line about an end: it names what decides, and the moment that shows it."""

from typing import Any

import pytest

from core.headlines import headline
from core.jobs import Job, JobState
from core.runs.run import RunOutcome
from tests.fakes.jobs.run_results import run_result


def verdict(result: str, reason: str, *moments: int) -> dict[str, Any]:
    evidence = [{"t_ms": each, "frame": f"frames/{each}.jpg", "quote": None} for each in moments]
    return {"expectation": f"expected: {reason}", "verdict": result, "reason": reason, "evidence": evidence}


def analysis(*verdicts: dict[str, Any]) -> dict[str, Any]:
    timeline = [{"t_ms": 900, "frame": "frames/900.jpg"}, {"t_ms": 4000, "frame": "frames/4000.jpg"}]
    return {"verdicts": [*verdicts], "timeline": timeline, "video": {"duration_ms": 14_200}}


SEEN = verdict("pass", '"Saved" was there from 00:01.0.', 1000)
LATER = verdict("pass", '"Sent" was there from 00:03.0.', 3000)
FOUND = verdict("fail", '"Error" was there from 00:02.0.', 2000)
NEVER = verdict("fail", 'None of the 3 lines read says "Paid".')
VAGUE = verdict("unclear", "Not understood.")


@pytest.mark.parametrize(
    ("verdicts", "mood", "text", "t_ms", "at_end"),
    [
        ((SEEN, LATER), "good", '2 of 2 as expected: "Sent" was there from 00:03.0.', 3000, False),
        ((SEEN, FOUND), "bad", '1 of 2 as expected: "Error" was there from 00:02.0.', 2000, False),
        ((NEVER, SEEN, FOUND), "bad", '1 of 3 as expected: "Error" was there from 00:02.0.', 2000, False),
        ((NEVER,), "bad", 'Not as expected: None of the 3 lines read says "Paid".', 4000, True),
        (
            (SEEN, VAGUE),
            "warn",
            "1 of 2 as expected, 1 unclear: expected: Not understood.: Not understood.",
            4000,
            True,
        ),
        ((), "muted", "2 events in 00:14.2; no expectation was given.", None, False),
    ],
)
def test_an_analysis_is_told_by_its_worst_verdict_that_can_be_seen(
    verdicts: tuple[dict[str, Any], ...], mood: str, text: str, t_ms: int | None, at_end: bool
) -> None:
    line = headline("analysis", "succeeded", analysis(*verdicts))

    assert line is not None
    assert (line.mood, line.text, line.t_ms, line.at_end) == (mood, text, t_ms, at_end)
    assert line.frame == (f"frames/{t_ms}.jpg" if t_ms else "")


def test_a_run_is_told_by_the_step_at_which_it_ended() -> None:
    stopped = run_result(RunOutcome.FAILED, reason="Subtask 5: It was not found.", stopped_at=4, subtask_total=7)
    done = run_result(subtask_total=3, confirmed_by="screen")
    asks = run_result(RunOutcome.ASKED, reason="Which delivery?", stopped_at=1, subtask_total=2)

    seen = 'Step 3, "Send (now)": It is not seen (the screen begins with "Parcels"). What is to be done instead?'
    planned = run_result(RunOutcome.ASKED, reason=seen, stopped_at=0, subtask_total=1)

    told = [headline("replay", str(each["outcome"]), each) for each in (stopped, done, asks, planned)]
    assert [each.text for each in told if each] == [
        "Stopped at step 5 of 7: It was not found.",
        'All 3 steps done, seen on the screen only: "Saved" is shown',
        "Asks at step 2 of 2: Which delivery?",
        'Asks at step 3, "Send (now)": It is not seen. What is to be done instead?',
    ]


@pytest.mark.parametrize(
    ("other", "mood", "text"),
    [
        ({"path": "b", "duration_ms": 4000}, "good", "The same: 00:04.0 of video."),
        ({"path": "b", "duration_ms": 4210}, "good", "The same: 00:04.0 and 00:04.2 of video."),
        ({"path": "a", "duration_ms": 4000}, "warn", "Both are the same file, which tells nothing: compare it with"),
    ],
)
def test_two_runs_that_are_the_same_say_how_long_and_one_run_is_no_success(
    other: dict[str, Any], mood: str, text: str
) -> None:
    videos = [{"path": "a", "duration_ms": 4000}, other]
    found = headline("comparison", "done", {"differences": [], "videos": videos})
    assert found is not None
    assert (found.mood, found.text[: len(text)]) == (mood, text)


def test_a_job_tells_its_end_when_it_has_come_to_it_and_is_read_back_without() -> None:
    job = Job(id="job-1", kind="analysis", state=JobState.RUNNING, request={}, created_at="2026-01-01T00:00:00+00:00")
    failed = job.model_copy(update={"state": JobState.FAILED, "error": {"error": "There is no file.", "code": "x"}})

    assert job.headline is None
    assert failed.headline is not None
    assert (failed.headline.label, failed.headline.text) == ("failed", "There is no file.")
    assert Job.model_validate(failed.model_dump(mode="json")) == failed
