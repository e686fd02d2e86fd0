"""Programs that always say "saved", each with one fault of each kind it has and one record that is saved right."""

from pathlib import Path

import pytest

from bench.effects import PAGE, TK, tried
from core.runs.run import RunOutcome

pytestmark = pytest.mark.screen
VALUES = {"name": "Niamh O'Hara", "weight": "2.50", "code": "0045"}


@pytest.mark.parametrize(
    ("program", "fault", "says"),
    [
        (TK, "truncated 0", "“Niamh O'H” instead of “Niamh O'Hara”"),
        pytest.param(TK, "collateral 0", "is gone", marks=pytest.mark.nightly),
        pytest.param(PAGE, "twice 0", "the row twice", marks=pytest.mark.nightly),
        pytest.param(PAGE, "not at all 1", "no new row", marks=pytest.mark.nightly),
    ],
)
def test_what_was_saved_wrongly_is_told_though_the_screen_says_saved(
    program: str, fault: str, says: str, tmp_path: Path
) -> None:
    done = tried(program, fault, VALUES, tmp_path / "run")

    assert done.by_screen
    assert done.run is not None
    assert (done.run.outcome, done.run.confirmed_by) == (RunOutcome.FAILED, "")
    assert says in done.reason


@pytest.mark.parametrize("program", [TK, pytest.param(PAGE, marks=pytest.mark.nightly)])
def test_what_was_saved_right_is_confirmed_by_its_effect(program: str, tmp_path: Path) -> None:
    done = tried(program, "", VALUES, tmp_path / "run")

    assert done.run is not None
    assert (done.run.outcome, done.run.confirmed_by, done.reason) == (RunOutcome.SUCCEEDED, "effect", "")
