from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from adapters.video.following import Follower
from adapters.video.observer import Observer, Pictures
from core.analysis import EventKind
from tests.fakes.videos.drawn_screens import HEIGHT, WIDTH, draw, picture, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from adapters.video.frame import Frame
    from adapters.video.ocr.reader import TextReader
    from core.analysis import Findings
    from core.jobs import Stage
    from tests.fakes.videos.drawn_screens import Draw

QUIET = 0.2
"""Seconds from one look at the file to the next."""
TYPED = "correct horse battery"


class Follow:
    """Follows frames as they come by its own clock, and keeps what it is told and when."""

    def __init__(self, reader: TextReader) -> None:
        self.now = 0.0
        self.reported: list[tuple[float, Findings, int]] = []
        self._follower = Follower(reader=reader, report=self._read_reports, clock=lambda: self.now)

    def follow(self, frames: Iterable[Frame | None]) -> tuple[Findings, int]:
        return self._follower.follow(self._timed(frames))

    def follow_stopped(self, frames: Iterable[Frame]) -> tuple[Findings, int]:
        """With a clock that stands still, so that after the first time nothing is told."""
        return self._follower.follow(frames)

    def first_reported(self, text: str) -> float:
        """When it was told, in seconds."""
        return next(now for now, found, _ in self.reported if any(text in (one.text or "") for one in found.timeline))

    def _timed(self, frames: Iterable[Frame | None]) -> Iterator[Frame | None]:
        for frame in frames:
            self.now = max(self.now, frame.t_ms / 1000) if frame else self.now + QUIET
            yield frame

    def _read_reports(self, findings: Findings, until_ms: int) -> None:
        self.reported.append((self.now, findings, until_ms))


@pytest.fixture
def follow(reader: TextReader) -> Follow:
    return Follow(reader)


def ignore(stage: Stage, done: int, total: int) -> None:
    del stage, done, total


def shop(canvas: Draw, t_ms: int) -> None:
    """A name is typed, a page is opened, a toast comes and goes, letters follow each other fast."""
    write(canvas, 40, 30, "Harbour deliveries" if t_ms < 9000 else "Order overview", size=28)
    write(canvas, 40, 100, "Name" if t_ms < 9000 else "Order 1042")
    if t_ms < 9000:
        write(canvas, 40, 140, TYPED[: max(0, (t_ms - 1500) // 150)])
        write(canvas, 40, 200, "Place order")
    else:
        write(canvas, 40, 160, "Two crates of lemons")
        write(canvas, 40, 220, "Delivered on Thursday")
    if 12_000 <= t_ms < 14_000:
        write(canvas, 500, 540, "Receipt sent")


def typing(canvas: Draw, t_ms: int) -> None:
    write(canvas, 40, 30, "Search the harbour", size=28)
    write(canvas, 40, 100, TYPED[: max(0, (t_ms - 1500) // 150)])


def toast(canvas: Draw, t_ms: int) -> None:
    write(canvas, 40, 30, "Harbour deliveries", size=28)
    if t_ms >= 3000:
        write(canvas, 40, 140, "Saved as draft")


def without_repeats(frames: Iterable[Frame]) -> list[Frame]:
    """As a recorder writes them that leaves out what shows nothing new."""
    kept: list[Frame] = []
    for frame in frames:
        if not kept or (frame.luma != kept[-1].luma).any():
            kept.append(frame)
    return kept


def test_what_happened_is_told_while_frames_still_come(follow: Follow) -> None:
    follow.follow(draw(toast, 12_000, fps=2))
    assert follow.first_reported("Saved as draft") <= 3000 / 1000 + 2
    assert all(until_ms <= now * 1000 for now, _, until_ms in follow.reported)


def test_a_change_that_no_frame_follows_is_told_all_the_same(follow: Follow) -> None:
    frames = without_repeats(draw(toast, 4_000, fps=2))
    assert [frame.t_ms for frame in frames] == [0, 3000]
    follow.follow([*frames, *[None] * 12])
    assert follow.first_reported("Saved as draft") <= 3000 / 1000 + 2


def test_letters_are_told_when_the_typing_pauses_though_no_frame_follows(follow: Follow) -> None:
    frames = without_repeats(draw(typing, 6_000, fps=2))
    follow.follow([*frames, *[None] * 20])
    assert follow.first_reported(TYPED) <= frames[-1].t_ms / 1000 + 3


def test_nothing_is_told_again_while_nothing_happens(follow: Follow) -> None:
    follow.follow([*draw(toast, 6_000, fps=2), *[None] * 200])
    assert len(follow.reported) <= 3


@pytest.mark.nightly
def test_it_is_told_at_most_once_a_second(follow: Follow) -> None:
    follow.follow(draw(shop, 16_000, fps=10))
    moments = [now for now, _, _ in follow.reported]
    assert len(moments) >= 4
    assert all(later - earlier >= 0.99 for earlier, later in itertools.pairwise(moments))


def test_following_finds_what_watching_the_whole_clip_finds(follow: Follow, reader: TextReader, tmp_path: Path) -> None:
    found, until_ms = follow.follow(draw(shop, 16_000, fps=2))
    observer = Observer(reader=reader, pictures=Pictures(tmp_path, "", ""), report=ignore)
    whole = observer.observe(draw(shop, 16_000, fps=2), width=WIDTH, height=HEIGHT, duration_ms=16_000, fps=2)
    assert [(one.kind, one.text) for one in found.timeline] == [(one.kind, one.text) for one in whole.timeline]
    assert found.first_screen == whole.first_screen
    assert {(one.text, one.t_ms, one.until_ms) for one in found.sightings or ()} == {
        (one.text, one.t_ms, one.until_ms) for one in whole.sightings or ()
    }
    assert until_ms == 15_500


def test_that_it_is_told_in_between_changes_nothing_in_the_end(reader: TextReader) -> None:
    often, once = Follow(reader), Follow(reader)
    frames = list(draw(shop, 16_000, fps=4))
    found = often.follow(frames)
    assert len(often.reported) > 5
    assert found == once.follow_stopped(frames)
    assert len(once.reported) == 1


def test_what_is_told_in_the_end_does_not_depend_on_when_the_frames_came(reader: TextReader) -> None:
    frames = without_repeats(draw(shop, 16_000, fps=2))
    at_once, slowly = Follow(reader), Follow(reader)
    waits: list[Frame | None] = []
    for frame, following in zip(frames, [*frames[1:], None], strict=True):
        waits.append(frame)
        if following is not None:
            waits += [None] * round((following.t_ms - frame.t_ms) / 1000 / QUIET)
    assert at_once.follow(frames) == slowly.follow(waits)


def test_what_still_moves_is_told_as_busy(follow: Follow) -> None:
    def scene(canvas: Draw, t_ms: int) -> None:
        write(canvas, 40, 30, "Uploading")
        for side in range(8):
            if (t_ms // 500 + side) % 2:
                canvas.rectangle((100, 200 + 15 * side, 220, 214 + 15 * side), fill="black")
        if t_ms >= 4000:
            write(canvas, 40, 500, "Second file queued")

    follow.follow(draw(scene, 9_000, fps=2))
    assert any(one.kind is EventKind.BUSY for _, found, _ in follow.reported for one in found.timeline)


def test_no_frame_at_all_is_nothing_found(follow: Follow) -> None:
    found, until_ms = follow.follow([None, None])
    assert found.timeline == ()
    assert found.sightings == ()
    assert until_ms == 0


def test_a_frame_that_comes_late_does_not_turn_time_back(follow: Follow) -> None:
    first, late = picture(toast, 0), picture(toast, 3000)
    frames = [first, *[None] * 30, *[picture(toast, t_ms) for t_ms in (900, 1100)], late, *[None] * 10]
    found, _ = follow.follow(frames)
    assert [one.text for one in found.timeline] == ["Saved as draft"]
    assert found.timeline[0].t_ms >= 1100
