"""Real programs on a real display, without a model: what each says of itself afterwards is what was asked of it."""

from pathlib import Path

import pytest

from core.runs.run import RunOutcome
from tests.fakes.runs.activities import Activity, activities
from tests.fakes.runs.replaying import Replays, page_case

pytestmark = pytest.mark.screen


LONG = {"stations", "slow", "booking", "members", "form", "voyage", "archive"}
"""And the three of which other tests of runs say more."""
ALL = [
    pytest.param(one, marks=[pytest.mark.nightly] if one.name in LONG else [], id=one.name)
    for one in activities(8, seed=1)
]


@pytest.mark.parametrize("activity", ALL)
def test_what_was_asked_is_done(activity: Activity, tmp_path: Path) -> None:
    with activity.opened(tmp_path / "workflows") as case:
        run = Replays(tmp_path).run(case)
        state = case.await_state()

    assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
    assert state == activity.expected
    assert (case.run_folder / "report.html").stat().st_size > 0


@pytest.mark.nightly
def test_between_two_that_are_alike_nothing_is_chosen(tmp_path: Path) -> None:
    with page_case("members_alike", tmp_path / "workflows") as case:
        run = Replays(tmp_path).run(case)

        assert case.state() is None
    assert run.outcome is RunOutcome.ASKED
    assert "2 times" in run.reason
