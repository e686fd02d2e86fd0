from __future__ import annotations

import io
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from adapters.video.contact_sheet import MOST_EVENTS, contact_sheet, evenly
from core.analysis import Analysis, Event, EventKind, Evidence, Verdict, VerdictResult
from tests.fakes.videos.clips import video

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Region

NOWHERE = Path("/no/such/folder")


def event(t_ms: int, *, region: Region | None = None, words: str = "It came.", frame: str | None = None) -> Event:
    return Event(t_ms=t_ms, kind=EventKind.APPEARED, region=region, confidence=0.9, frame=frame, description=words)


def analysis(timeline: Sequence[Event], *verdicts: Verdict) -> Analysis:
    return Analysis(
        description="",
        duration_ms=1,
        video=video(),
        first_screen=(),
        timeline=tuple(timeline),
        verdicts=verdicts,
        provider="local",
        provider_reason="asked for",
        model="m",
        cached=False,
        interactions_dir="",
        job_id="job-1",
        usage={},
        warnings=(),
    )


def drawn(sheet: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(sheet))
    picture.load()
    return picture


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 200), st.integers(2, 60))
def test_the_chosen_events_are_spread_evenly_from_the_first_to_the_last(count: int, most: int) -> None:
    chosen = [each.t_ms for each in evenly([event(t_ms) for t_ms in range(count)], most)]

    assert len(chosen) == min(count, most)
    assert chosen[:1] + chosen[-1:] == ([0, count - 1] if count else [])
    gaps = {later - earlier for earlier, later in itertools.pairwise(chosen)}
    assert not gaps or max(gaps) - min(gaps) <= 1


@settings(max_examples=25, deadline=None)
@given(
    st.text(max_size=900),
    st.none() | st.tuples(*[st.integers(-5000, 1 << 40)] * 4),
    st.sampled_from([None, "frames/none.jpg", "../../etc/passwd", "frames/\0"]),
)
def test_whatever_was_on_the_screen_can_be_drawn(words: str, region: Region | None, frame: str | None) -> None:
    verdict = Verdict(
        expectation=words, verdict=VerdictResult.FAIL, reason=words, evidence=(Evidence(t_ms=0, quote=words),)
    )

    sheet = drawn(contact_sheet(analysis([event(0, region=region, words=words, frame=frame)], verdict), NOWHERE))

    assert sheet.width < 2000


def test_a_sheet_stays_readable_however_many_events_there_are() -> None:
    most = drawn(contact_sheet(analysis([event(t_ms) for t_ms in range(MOST_EVENTS)]), NOWHERE))
    more = drawn(contact_sheet(analysis([event(t_ms) for t_ms in range(10_000)]), NOWHERE))
    none = drawn(contact_sheet(analysis([]), NOWHERE))

    assert more.size == most.size
    assert none.height < most.height / 5


def test_what_changed_is_boxed(tmp_path: Path) -> None:
    (tmp_path / "frames").mkdir()
    Image.new("RGB", (1280, 720), "white").save(tmp_path / "frames" / "01.jpg")
    plain, boxed = (event(0, region=region, frame="frames/01.jpg") for region in (None, (320, 180, 640, 360)))

    without, with_box = (drawn(contact_sheet(analysis([each]), tmp_path)).tobytes() for each in (plain, boxed))

    assert without != with_box
