from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from adapters.video.observation import Observation, Watch
from adapters.video.partial import Pace, Parts
from core.analysis import Event, EventKind, Findings, FindingsSoFar
from tests.fakes.videos.drawn_screens import HEIGHT, WIDTH, Draw, draw, write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adapters.video.frame import Frame
    from adapters.video.ocr.reader import TextReader


def event(t_ms: int, until_ms: int | None = None) -> Event:
    return Event(
        t_ms=t_ms,
        until_ms=until_ms,
        kind=EventKind.APPEARED,
        text=f"Order {t_ms}",
        confidence=1.0,
        frame="frames/01.jpg",
        description="It appeared.",
    )


def times(part: FindingsSoFar | None) -> list[int]:
    return [] if part is None else [each.t_ms for each in part.timeline]


def test_an_event_is_told_once_and_only_when_a_second_has_passed_since_its_end() -> None:
    parts = Parts(20_000)
    events = (event(1000), event(1500, 4000), event(3000))

    assert times(parts.next(Findings(timeline=events[:1]), 1900)) == []
    assert times(parts.next(Findings(timeline=events[:1]), 2000)) == [1000]
    assert times(parts.next(Findings(timeline=events), 4500)) == [3000]
    assert times(parts.next(Findings(timeline=events), 5000)) == [1500]
    assert parts.next(Findings(timeline=events), 9000) is None


def test_what_is_told_is_where_it_stands_and_how_far_the_video_is_and_names_no_picture() -> None:
    parts = Parts(20_000)
    first = parts.next(Findings(first_screen=("Checkout",), timeline=(event(1000),)), 2500)
    second = parts.next(Findings(first_screen=("Checkout",), timeline=(event(1000), event(2000))), 3500)

    assert first is not None
    assert second is not None
    assert (first.at, first.done, first.total, first.first_screen) == (0, 2500, 20_000, ("Checkout",))
    assert (second.at, second.done, second.first_screen) == (1, 3500, ())
    assert first.timeline[0].frame is None


def test_parts_make_the_whole_and_one_that_begins_anew_replaces_it() -> None:
    first = FindingsSoFar(done=2500, total=9000, first_screen=("Checkout",), timeline=(event(1000),))
    second = FindingsSoFar(done=4000, total=9000, at=1, timeline=(event(2000), event(2500)))
    anew = FindingsSoFar(done=1000, total=9000, first_screen=("Checkout again",))

    whole = reduce(FindingsSoFar.and_then, [first, second])

    assert (times(whole), whole.first_screen, whole.done) == ([1000, 2000, 2500], ("Checkout",), 4000)
    assert whole.and_then(anew) == anew


def test_composing_takes_a_tenth_of_the_time_at_most() -> None:
    now = [0.0]
    pace = Pace(0.5, lambda: now[0])
    assert pace.is_due
    for took, after, due in ((0.01, 0.48, False), (0.01, 0.5, True), (2.0, 19.0, False), (2.0, 20.5, True)):
        with pace.composing():
            now[0] += took
        now[0] += after
        assert pace.is_due is due


def shaken(canvas: Draw, t: int) -> None:
    """A text that stands elsewhere for a moment, comes back beside its place, and then moves to it."""
    write(canvas, 60, 60, "Harbour office", size=26)
    write(canvas, 60, 200, "Berths that are free")
    write(canvas, 300 if t < 2000 else 480 if t < 2480 else 312 if t < 3200 else 300, 120, "Electron 106")


def _kept_nowhere(frame: Frame, bgr: NDArray[np.uint8]) -> None:
    del frame, bgr


def test_findings_that_were_composed_before_change_nothing_of_those_in_the_end(reader: TextReader) -> None:
    def watched(often: int) -> Findings:
        observation, watch = Observation(reader, _kept_nowhere, (WIDTH, HEIGHT)), Watch()
        for frame in draw(shaken, 6000):
            if observation.take(watch.feed(frame)):
                for _ in range(often):
                    observation.findings_so_far(watch, frame_ms=40)
        observation.take(watch.finish())
        return observation.findings(watch, frame_ms=40, end_ms=6000)

    assert watched(3) == watched(0)
