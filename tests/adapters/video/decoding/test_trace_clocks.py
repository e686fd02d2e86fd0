"""A test's trace and its video on one clock, shown by a page that tells its console when it turns dark."""

from __future__ import annotations

import shutil
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from adapters.video.decoding.decode import decode
from adapters.video.decoding.survey import survey
from adapters.video.traces.archive import Archive
from adapters.video.traces.clocks import begin_of
from adapters.video.traces.playwright import read_records
from adapters.video.traces.records_to_trace import to_trace
from core.analysis import Event, EventKind, Video
from core.causes import why
from core.traces import TestTrace, with_events
from tests.fakes.videos.traces import TRACES, members_of, write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.video.decoding.files import Limits

MOST_APART_MS = 100
DARK = 100


def on_the_clock_of(path: Path, limits: Limits, skip_ms: int = 0) -> tuple[TestTrace, list[int]]:
    """The trace beside a video that is cut at the front, and when the video turns dark."""
    video = Video(**survey(str(path), limits))
    frames = [each for each in decode(path, video, limits=limits, warn=pytest.fail) if each.t_ms >= skip_ms]
    with (path.parent / "trace.zip").open("rb") as file:
        archive = Archive(file)
        records = read_records(archive)
        found = begin_of(archive, records, frames, limits.max_pixels)
    assert found is not None
    dark = [after.t_ms for before, after in pairwise(frames) if before.luma.mean() >= DARK > after.luma.mean()]
    return to_trace(records, "trace.zip", *found), dark


@pytest.mark.parametrize(
    ("name", "page", "skip_ms", "times"),
    [("video.webm", "first", 0, 3), ("video-1.webm", "second", 0, 2), ("video.webm", "first", 1_000, 2)],
    ids=["the first page", "a page that came later", "cut at the front"],
)
def test_what_the_page_said_is_where_the_video_shows_it(
    limits: Limits, name: str, page: str, skip_ms: int, times: int
) -> None:
    trace, dark = on_the_clock_of(TRACES / "flash" / name, limits, skip_ms)

    said = [each.t_ms for each in trace.messages if each.place and page in each.place]
    assert len(dark) == times
    assert max(abs(one - other) for one, other in zip(said[-times:], dark, strict=True)) <= MOST_APART_MS


def test_a_failed_test_is_told_from_the_action_to_what_was_waited_for(limits: Limits) -> None:
    trace, _ = on_the_clock_of(TRACES / "refused" / "video.webm", limits)
    seen = Event(t_ms=1_040, kind=EventKind.APPEARED, text="Payment failed", confidence=1, description="It appeared.")
    trace = with_events(trace, [seen])

    reason = why(trace, [seen])
    assert reason is not None
    assert reason.text == (
        'refused.spec.ts:31 click "Place order" → POST /api/orders 500 (0.3 s) → "Payment failed" appeared; '
        "expect(getByText('Order confirmed')).toBeVisible gave up after 1.51 s"
    )
    assert [each.source for each in reason.clauses] == [
        "action 3 of trace.zip", "request 1 of trace.zip", "event 1 of the video", "action 4 of trace.zip",
    ]  # fmt: skip
    assert trace.requests[0].events == (0,)
    assert "secret" not in trace.model_dump_json()


@pytest.mark.parametrize("name", ["failed-7", "failed-8", "failed-9", "failed-10"])
def test_each_format_names_the_line_and_the_refused_request(name: str) -> None:
    with (TRACES / name / "trace.zip").open("rb") as file:
        records = read_records(Archive(file))
    reason = why(to_trace(records, "trace.zip", records.pictures[0].at, "own pictures"), ())

    assert reason is not None
    assert reason.text.startswith('order.spec.ts:22 click "Place order" → /api/orders 500; ')
    assert "expect(getByText('Order confirmed')).toBeVisible gave up after 0.7" in reason.text


def test_a_test_that_passed_has_no_reason() -> None:
    with (TRACES / "passed-10" / "trace.zip").open("rb") as file:
        records = read_records(Archive(file))
    assert why(to_trace(records, "trace.zip", records.pictures[0].at, "own pictures"), ()) is None


def test_a_trace_of_one_picture_begins_where_the_video_came_to_show_it(tmp_path: Path, limits: Limits) -> None:
    whole, _ = on_the_clock_of(TRACES / "refused" / "video.webm", limits)
    shutil.copy(TRACES / "refused" / "video.webm", tmp_path)
    members = members_of("refused")
    pictures = sorted(name for name in members if name.endswith(".jpeg"))
    write_trace(tmp_path, {name: data for name, data in members.items() if name not in pictures[:-1]})

    trace, _ = on_the_clock_of(tmp_path / "video.webm", limits)
    assert trace.clock == "first picture"
    assert abs(trace.actions[2].t_ms - whole.actions[2].t_ms) <= MOST_APART_MS
