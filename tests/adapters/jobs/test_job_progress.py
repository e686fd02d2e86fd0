from collections.abc import Mapping, Sequence

from adapters.jobs.context import Progress
from core.jobs import JobEvent, Stage

Report = tuple[Stage, Mapping[str, int | str]]


def _stored(progress: Progress, reports: Sequence[Report], *, step: float) -> list[str]:
    reported = [
        each for number, (stage, data) in enumerate(reports) for each in progress.admit(stage, data, number * step)
    ]
    return [f"{stage} {data.get('done', '')}".strip() for stage, data in reported + progress.rest()]


def _frames(last: int, stage: Stage = Stage.DECODING) -> list[Report]:
    return [(stage, {"done": done, "total": 100}) for done in range(1, last + 1)]


def test_first_and_last_frame_and_five_a_second_between_are_stored() -> None:
    reported = _stored(Progress(), _frames(100), step=1 / 64)
    assert reported == [f"decoding {done}" for done in (1, 14, 27, 40, 53, 66, 79, 92, 100)]


def test_what_was_withheld_is_stored_before_the_next_stage_and_at_the_end() -> None:
    reports: list[Report] = [*_frames(7), (Stage.ASKING, {}), *_frames(3, Stage.VERIFYING)]
    reported = _stored(Progress(), reports, step=0.001)
    assert reported == ["decoding 1", "decoding 7", "asking", "verifying 1", "verifying 3"]


def test_two_stages_in_turns_are_thinned_each_for_itself() -> None:
    both = [report for pair in zip(_frames(40), _frames(40, Stage.READING), strict=True) for report in pair]
    reported = _stored(Progress(), both, step=0.01)
    assert len(reported) == 10
    assert reported[-2:] == ["decoding 40", "reading 40"]


def test_progress_never_goes_backwards() -> None:
    reported = _stored(Progress(), [*_frames(5), *_frames(7)], step=1)
    assert reported == [f"decoding {done}" for done in range(1, 8)]


def test_what_is_said_again_is_no_news() -> None:
    reports: list[Report] = [(Stage.READING, {}), (Stage.READING, {}), (Stage.ASKING, {}), (Stage.READING, {})]
    assert _stored(Progress(), reports, step=1) == ["reading", "asking", "reading"]


def test_a_resumed_job_passes_silently_where_it_was_before() -> None:
    history = [
        JobEvent(id=1, job_id="j", t="", stage=Stage.DECODING, data={"done": 60, "total": 100}),
        JobEvent(id=2, job_id="j", t="", stage=Stage.ASKING, data={"model": "x"}),
    ]
    reports: list[Report] = [
        *_frames(61),
        (Stage.ASKING, {"model": "x"}),
        (Stage.ASKING, {"model": "y"}),
        (Stage.VERIFYING, {}),
    ]
    assert _stored(Progress(history), reports, step=1) == ["decoding 61", "asking", "verifying"]
