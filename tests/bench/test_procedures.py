"""What is told of recordings of real programs at two pictures a second, as they were read when they were made."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.procedure_sessions import RECORDINGS
from bench.procedures import Taken, derive_procedures, score
from core.analysis import Findings
from core.recording.input_log import InputLog

READ = Path(__file__).parents[1] / "data" / "procedures"


def taken(name: str) -> Taken:
    reported: dict[str, Any] = json.loads((READ / f"{name.replace(',', '').replace(' ', '-')}.json").read_text("utf-8"))
    return Taken(
        Findings.model_validate(reported["findings"]),
        InputLog.model_validate(reported["log"]),
        reported["duration_ms"],
        tuple(reported["begins"]),
    )


@pytest.mark.parametrize("name", RECORDINGS)
def test_with_a_log_every_step_and_every_boundary_is_told(name: str) -> None:
    recording = taken(name)
    found = score(RECORDINGS[name], recording, recording.log)

    assert (found.right, found.invented) == (found.of, ())
    assert found.found == found.reported == found.boundaries
    assert found.summaries == found.procedures


@pytest.mark.parametrize("name", RECORDINGS)
def test_without_a_log_nothing_is_invented_and_all_is_marked(name: str) -> None:
    recording = taken(name)

    assert score(RECORDINGS[name], recording, None).invented == ()
    assert all(procedure.inferred for procedure in derive_procedures(recording, None))


@pytest.mark.parametrize("name", RECORDINGS)
def test_what_is_over_keeps_its_id_and_words_while_the_recording_grows(name: str) -> None:
    recording = taken(name)
    first, *_ = whole = derive_procedures(recording, recording.log)
    until = whole[1].start_ms - 1
    seen = [
        one.model_copy(update={"until_ms": None if (one.until_ms or until) >= until else one.until_ms})
        for one in recording.findings.sightings or ()
        if one.t_ms <= until
    ]
    timeline = tuple(event for event in recording.findings.timeline if event.t_ms <= until)
    part = Taken(Findings(timeline=timeline, sightings=tuple(seen)), recording.log, until, recording.begins)
    (early, *_) = derive_procedures(part, recording.log)

    assert (early.id, early.steps, early.summary) == (first.id, first.steps, first.summary)
