"""The labelled clips themselves: what the truth says can be seen in the pixels, at the time it says."""

from collections.abc import Sequence
from itertools import pairwise

import av
import cv2
import numpy as np
import pytest

from bench.clips import HELD_OUT, Clip, clips
from core.analysis import EventKind, VerdictResult

CLIPS = clips()
HELD = clips(HELD_OUT)
STILL = {"still", "idle", "watch"}


def change_times(clip: Clip) -> list[float]:
    """Milliseconds of the frames that differ visibly from the one before."""
    with av.open(str(clip.path)) as container:
        lumas = (
            (float(frame.time or 0) * 1000, np.asarray(frame.to_ndarray(format="gray"), np.uint8))
            for frame in container.decode(video=0)
        )
        return [t for (_, old), (t, new) in pairwise(lumas) if np.count_nonzero(cv2.absdiff(new, old) > 30) >= 3]


def nearest(times: Sequence[float], t: float) -> float:
    return min((abs(each - t) for each in times), default=float("inf"))


@pytest.mark.nightly
@pytest.mark.parametrize("clip", [*CLIPS, *HELD], ids=lambda clip: clip.name)
def test_each_true_event_is_a_change_of_pixels_within_two_frames(clip: Clip) -> None:
    times = change_times(clip)
    far = [event for event in clip.truth.events if nearest(times, event.t_ms) > 2 * clip.truth.frame_ms + 10]
    assert far == []


@pytest.mark.parametrize("clip", [*CLIPS, *HELD], ids=lambda clip: clip.name)
def test_a_clip_has_the_size_and_length_that_its_truth_tells(clip: Clip) -> None:
    with av.open(str(clip.path)) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height, float(stream.average_rate or 0)) == (
            clip.truth.width,
            clip.truth.height,
            clip.truth.fps,
        )
        assert (container.duration or 0) / 1000 == pytest.approx(clip.truth.duration_ms, abs=clip.truth.frame_ms)


def test_the_clips_cover_every_kind_of_event_every_size_and_rate_and_two_where_nothing_happens() -> None:
    assert {event.kind for clip in CLIPS for event in clip.truth.events} == set(EventKind)
    assert {(clip.truth.width, clip.truth.fps) for clip in CLIPS} >= {
        (1280, 25.0), (1280, 2.0), (1920, 25.0), (1920, 2.0), (800, 25.0),
    }  # fmt: skip
    assert {clip.name for clip in CLIPS if not clip.truth.events} == STILL
    assert len(CLIPS) >= 12


def test_a_short_toast_and_a_pair_of_near_events_are_among_them() -> None:
    events = next(clip.truth.events for clip in CLIPS if clip.name == "toasts")
    assert any(event.until_ms is not None and event.until_ms - event.t_ms <= 310 for event in events)
    assert any(50 <= later.t_ms - event.t_ms <= 150 for event, later in pairwise(events))


def test_the_scripted_expectations_are_many_and_have_every_verdict() -> None:
    scripted = {(true.text, true.verdict) for clip in CLIPS for true in clip.truth.expectations}
    assert len(scripted) >= 60
    assert {verdict for _, verdict in scripted} == set(VerdictResult)


def test_the_held_out_clips_are_others_with_expectations_of_every_verdict_each() -> None:
    assert HELD
    assert not {clip.name for clip in HELD} & {clip.name for clip in CLIPS}
    for clip in HELD:
        assert {true.verdict for true in clip.truth.expectations} == set(VerdictResult), clip.name
