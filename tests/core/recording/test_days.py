"""What a strip of a day says of the stretches without a picture."""

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.recording.history import ForgottenStretch, Gap, GapReason, Journal, Noted, excluded_in, gaps_in
from core.recording.recorder import RecorderPhase
from core.recording.recordings import Segment

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
PHASE = RecorderPhase
PHASES = [*RecorderPhase, None]


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def segment(begin: float, end: float) -> Segment:
    return Segment(
        id=f"s{begin}",
        started_at=at(begin),
        path=Path("s.mp4"),
        log=None,
        duration_ms=round((end - begin) * 60_000),
        width=64,
        height=48,
        size_bytes=1,
        complete=True,
    )


def journal(*states: tuple[float, RecorderPhase | None], forgotten: tuple[tuple[float, float], ...] = ()) -> Journal:
    return Journal(
        states=tuple(Noted(at=at(minute), phase=phase) for minute, phase in states),
        forgotten=tuple(ForgottenStretch(since=at(since), until=at(until)) for since, until in forgotten),
    )


def read_reports(gaps: list[Gap]) -> list[tuple[float, float, str]]:
    return [
        ((gap.start - NOON) / timedelta(minutes=1), (gap.end - NOON) / timedelta(minutes=1), gap.reason) for gap in gaps
    ]


def test_a_gap_is_cut_where_its_reason_changes() -> None:
    known = journal(
        *((0, PHASE.STARTING), (0.02, PHASE.RECORDING), (10, PHASE.PAUSED), (20, PHASE.OFF), (29.98, PHASE.STARTING)),
        *((30, PHASE.RECORDING), (40, PHASE.LOCKED), (45, PHASE.RECORDING), (50, PHASE.FAILED)),
    )
    segments = [segment(0.02, 9.99), segment(30.01, 40), segment(45.01, 50)]

    assert read_reports(gaps_in(at(0), at(60), segments, known)) == [
        (10, 20, "paused"),
        (20, 29.98, "off"),
        (40, 45, "locked"),
        (50, 60, "failed"),
    ]


def test_what_has_given_way_is_told_apart_from_what_is_missing() -> None:
    known = journal((0, PHASE.RECORDING))

    assert read_reports(gaps_in(at(-5), at(60), [segment(20, 40), segment(45, 60)], known)) == [
        (-5, 0, "unknown"),
        (0, 20, "expired"),
        (40, 45, "unknown"),
    ]


def test_what_was_forgotten_is_told_as_that_whatever_the_recorder_did() -> None:
    known = journal((0, PHASE.RECORDING), (20, PHASE.PAUSED), forgotten=((10, 25),))

    assert read_reports(gaps_in(at(0), at(30), [segment(0, 10)], known)) == [(10, 25, "forgotten"), (25, 30, "paused")]


def test_the_end_of_a_film_that_is_being_written_is_no_gap() -> None:
    known = journal((0, PHASE.RECORDING))

    assert gaps_in(at(0), at(10), [segment(0, 9.9)], known) == []
    assert read_reports(gaps_in(at(0), at(10), [segment(0, 9)], known)) == [(9, 10, "unknown")]


def test_without_a_word_of_the_recorder_nothing_is_made_up() -> None:
    assert read_reports(gaps_in(at(0), at(10), [segment(2, 4)], Journal())) == [(0, 2, "unknown"), (4, 10, "unknown")]


def test_what_was_blacked_out_is_told_while_it_was_recorded_and_shown() -> None:
    states = (
        Noted(at=at(0), phase=PHASE.RECORDING),
        Noted(at=at(1), phase=PHASE.RECORDING, veiled=True),
        Noted(at=at(2), phase=PHASE.RECORDING),
        Noted(at=at(2.02), phase=PHASE.RECORDING, veiled=True),
        Noted(at=at(3), phase=PHASE.PAUSED),
        Noted(at=at(4), phase=PHASE.RECORDING, veiled=True),
    )
    found = excluded_in(at(0.5), at(5), Journal(states=states))

    assert [(each.start, each.end) for each in found] == [(at(1), at(3)), (at(4), at(5))]


MOMENTS = st.integers(0, 600).map(lambda tenths: tenths / 10)
STATES = st.lists(st.tuples(MOMENTS, st.sampled_from(PHASES), st.booleans()), max_size=12)


def known_of(states: list[tuple[float, RecorderPhase | None, bool]], forgotten: list[tuple[float, float]]) -> Journal:
    ordered = sorted(states, key=lambda state: state[0])
    return Journal(
        states=tuple(Noted(at=at(minute), phase=phase, veiled=veiled) for minute, phase, veiled in ordered),
        forgotten=tuple(ForgottenStretch(since=at(min(pair)), until=at(max(pair))) for pair in forgotten),
    )


@given(
    cuts=st.lists(MOMENTS, max_size=10, unique=True),
    states=STATES,
    forgotten=st.lists(st.tuples(MOMENTS, MOMENTS), max_size=3),
)
def test_gaps_are_in_order_apart_and_never_where_something_can_be_played(
    cuts: list[float], states: list[tuple[float, RecorderPhase | None, bool]], forgotten: list[tuple[float, float]]
) -> None:
    ends = sorted(cuts)
    segments = [segment(*pair) for pair in zip(ends[::2], ends[1::2], strict=False)]
    gaps = gaps_in(at(0), at(60), segments, known_of(states, forgotten))

    assert all(gap.start < gap.end for gap in gaps)
    assert all(first.end <= second.start for first, second in itertools.pairwise(gaps))
    assert all(gap.end <= each.started_at or gap.start >= each.ended_at for gap in gaps for each in segments)
    shown = sum((each.duration_ms for each in segments), 0)
    missing = sum((gap.end - gap.start for gap in gaps), timedelta())
    slack = timedelta(seconds=5 * (len(states) + len(segments) + 2 * len(forgotten) + 3) + 15)
    assert timedelta(minutes=60) - timedelta(milliseconds=shown) - missing <= slack


@given(states=STATES, pair=st.tuples(MOMENTS, MOMENTS))
def test_nothing_is_told_of_a_stretch_that_was_forgotten(
    states: list[tuple[float, RecorderPhase | None, bool]], pair: tuple[float, float]
) -> None:
    since, until = at(min(pair)), at(max(pair) + 0.1)
    before = known_of(states, [])
    after = before.without(since, until)

    assert not [each for each in excluded_in(at(0), at(70), after) if each.start < until and each.end > since]
    assert [state for state in after.states if since < state.at < until] == []
    later = until + timedelta(minutes=1)
    assert excluded_in(later, at(70), after) == excluded_in(later, at(70), before)
    assert {gap.reason for gap in gaps_in(since, until, [], after)} == {GapReason.FORGOTTEN}
