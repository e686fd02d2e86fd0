"""A native form that was filled in once is filled in again: with another value, elsewhere, and never wrongly."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.reload.offers import Option, Question
from core.runs.run import ReplayRequest, RunOutcome
from tests.fakes.runs.replaying import Replays, program_case

pytestmark = pytest.mark.screen
SHOWN = {"guest": "Ada Lovelace", "nights": "3", "floor": "First floor"}
STATE = {**SHOWN, "breakfast": True, "room": "Double room"}


@pytest.fixture
def replays(tmp_path: Path) -> Iterator[Replays]:
    with closing(Replays(tmp_path, reload=True, patience=2)) as made:
        yield made


def _proposed(option: Option) -> dict[str, str | None]:
    return {slot.name: slot.proposed for slot in option.slots}


@pytest.mark.nightly
def test_a_form_is_filled_in_again_with_another_value_in_a_window_that_moved_until_a_button_is_renamed(
    replays: Replays, tmp_path: Path
) -> None:
    case = program_case("booking", tmp_path, **SHOWN)
    first = replays.run(case)
    assert (first.outcome, case.await_state()) == (RunOutcome.SUCCEEDED, STATE)
    assert replays.reloading is not None
    options = replays.reloading.options

    # In other words, and for another guest; the floor was picked by its picture, and cannot be another one.
    (option,) = options.options(Question(request="Please book a room at the inn, guest: Emmy Noether"))
    assert (option.match, _proposed(option)["guest"]) == ("offer", "Emmy Noether")
    (fixed,) = options.options(Question(request="Book a room at the inn, floor: Second floor"))
    assert _proposed(fixed)["floor"] is None
    assert any("picked on the screen" in each for each in fixed.differs)

    program = case.workflow / "program.py"
    source = program.read_text(encoding="utf-8")
    program.write_text(source.replace("+120+90", "+300+200"), encoding="utf-8")
    (case.workflow / "state.json").unlink()
    again = replays.run(case, reload=ReplayRequest(cache_id=option.cache_id, values={"guest": "Emmy Noether"}))
    assert (again.outcome, again.reason) == (RunOutcome.SUCCEEDED, "")
    assert case.await_state() == {**STATE, "guest": "Emmy Noether"}
    assert again.reload is not None
    assert (again.reload.replayed, again.reload.stopped_at) == (again.reload.actions, None)

    program.write_text(source.replace("Save booking", "Drop booking"), encoding="utf-8")
    (case.workflow / "state.json").unlink()
    refused = replays.run(case, reload=ReplayRequest(cache_id="reload-1"))
    assert refused.reload is not None
    assert refused.reload.stopped_at == refused.reload.actions - 1
    assert refused.outcome is RunOutcome.FAILED
    assert "Drop booking" in refused.reload.reason
    assert case.state() is None
