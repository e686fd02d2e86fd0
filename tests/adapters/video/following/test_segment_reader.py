from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from adapters.recording.encoder import put_index_in_front
from adapters.video.local import LocalSegmentReader
from core.errors import InvalidPath, InvalidVideo, TooLarge
from tests.clock import within
from tests.fakes.recordings.growing_films import GrowingFilm, segment_of, write_film
from tests.processes import running

if TYPE_CHECKING:
    from pathlib import Path

    from core.analysis import Findings
    from core.recording.recordings import Segment

MOST_MS = 5000
BOUND_SECONDS = 20.0
NEVER = 1_000_000_000


class Reading:
    """Reads a segment on another thread, and knows when it was told what."""

    def __init__(self, reader: LocalSegmentReader, segment: Segment, film: GrowingFilm) -> None:
        self._reader = reader
        self._segment = segment
        self._film = film
        self._reported = threading.Condition()
        self._texts: dict[str, int] = {}
        self.found: Findings | None = None
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def reported_ms(self, text: str) -> int:
        """At which millisecond of the film it was told."""
        with self._reported:
            assert self._reported.wait_for(lambda: text in self._texts, BOUND_SECONDS), self._texts
            return self._texts[text]

    def end(self) -> Findings:
        self._thread.join(BOUND_SECONDS)
        assert self.found is not None
        return self.found

    def _read(self) -> None:
        self.found, _ = self._reader.follow(self._segment, self._read_reports, self._film.is_ended)

    def _read_reports(self, findings: Findings, until_ms: int) -> None:
        del until_ms
        with self._reported:
            for event in findings.timeline:
                self._texts.setdefault(event.text or "", self._film.now_ms)
            self._reported.notify_all()


@pytest.mark.nightly
@pytest.mark.parametrize(
    "rests_ms",
    [0, 2000],
    ids=["a picture at every look", "no picture without anything new"],
)
def test_what_happens_on_the_screen_is_told_within_five_seconds(
    segment_reader: LocalSegmentReader, tmp_path: Path, rests_ms: int
) -> None:
    with GrowingFilm(tmp_path / "a.mp4", rests_ms=rests_ms) as film:
        reading = Reading(segment_reader, film.segment(), film)
        took: list[int] = []
        for text in ("The key was added", "Signed out"):
            happened_ms = film.show(text)
            took.append(reading.reported_ms(text) - happened_ms)
        film.end()
        found = reading.end()
    within(MOST_MS / 1000, max(took) / 1000)
    assert [event.text for event in found.timeline] == ["The key was added", "Signed out"]
    assert not running("adapters.video.process.")


def test_a_complete_segment_is_read_without_waiting_for_anything(
    segment_reader: LocalSegmentReader, tmp_path: Path
) -> None:
    segment = write_film(tmp_path / "a.mp4", (0, ()), (4000, ("The key was added",)), until_ms=40_000)
    began = time.monotonic()
    found, until_ms = segment_reader.follow(segment, ignore, lambda: True)
    within(20, time.monotonic() - began)
    assert [event.text for event in found.timeline] == ["The key was added"]
    assert until_ms == 39_500
    assert found.warnings == ()


@pytest.mark.nightly
def test_what_was_torn_off_in_the_middle_of_a_picture_is_read_up_to_there(
    segment_reader: LocalSegmentReader, tmp_path: Path
) -> None:
    segment = write_film(tmp_path / "a.mp4", (0, ()), (3000, ("The key was added",)), until_ms=8000)
    data = segment.path.read_bytes()
    segment.path.write_bytes(data[: data.rindex(b"moof") - 200])
    found, until_ms = segment_reader.follow(segment, ignore, lambda: True)
    assert [event.text for event in found.timeline] == ["The key was added"]
    assert 6000 <= until_ms < 7500


@pytest.mark.nightly
def test_a_film_that_was_given_its_index_in_front_is_read_too(
    segment_reader: LocalSegmentReader, tmp_path: Path
) -> None:
    segment = write_film(tmp_path / "a.mp4", (0, ()), (3000, ("The key was added",)), until_ms=8000)
    put_index_in_front(segment.path, 7500, 8000)
    found, until_ms = segment_reader.follow(segment, ignore, lambda: True)
    assert [event.text for event in found.timeline] == ["The key was added"]
    assert until_ms == 7500


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(bytes(5000), marks=pytest.mark.nightly),
        b"#EXTM3U\n/etc/hostname\n" + bytes(900),
        pytest.param(b"", marks=pytest.mark.nightly),
    ],
    ids=["zeros", "a playlist", "nothing"],
)
def test_what_is_no_film_is_refused(segment_reader: LocalSegmentReader, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.mp4"
    path.write_bytes(content)
    with pytest.raises(InvalidVideo):
        segment_reader.follow(segment_of(path), ignore, lambda: True)
    assert not running("adapters.video.process.")


@pytest.mark.nightly
def test_a_film_that_is_still_empty_is_waited_for(segment_reader: LocalSegmentReader, tmp_path: Path) -> None:
    whole = write_film(tmp_path / "whole.mp4", (0, ()), (1000, ("The key was added",)), until_ms=4000)
    path = tmp_path / "a.mp4"
    path.touch()
    asked: list[int] = []

    def is_ended() -> bool:
        asked.append(len(asked))
        if len(asked) == 8:
            path.write_bytes(whole.path.read_bytes())
        return len(asked) > 12

    found, _ = segment_reader.follow(segment_of(path), ignore, is_ended)
    assert [event.text for event in found.timeline] == ["The key was added"]


def test_a_film_without_a_picture_is_refused(segment_reader: LocalSegmentReader, tmp_path: Path) -> None:
    segment = write_film(tmp_path / "a.mp4", (0, ()), until_ms=2000)
    segment.path.write_bytes(segment.path.read_bytes()[:600])
    with pytest.raises(InvalidVideo):
        segment_reader.follow(segment, ignore, lambda: True)


def test_a_segment_that_is_gone_is_told_so(segment_reader: LocalSegmentReader, tmp_path: Path) -> None:
    with pytest.raises(InvalidPath):
        segment_reader.follow(segment_of(tmp_path / "gone.mp4"), ignore, lambda: True)


@pytest.mark.parametrize(
    ("max_bytes", "max_seconds"),
    [(4000, NEVER), pytest.param(NEVER, 3, marks=pytest.mark.nightly)],
    ids=["bytes", "seconds"],
)
def test_a_film_beyond_the_limits_is_refused(tmp_path: Path, max_bytes: int, max_seconds: float) -> None:
    reader = LocalSegmentReader(max_bytes=max_bytes, max_seconds=max_seconds, max_pixels=NEVER)
    segment = write_film(tmp_path / "a.mp4", (0, ()), (1000, ("More",)), until_ms=6000)
    with pytest.raises(TooLarge):
        reader.follow(segment, ignore, lambda: True)


@pytest.mark.nightly
def test_a_reading_that_is_stopped_leaves_no_process(segment_reader: LocalSegmentReader, tmp_path: Path) -> None:
    with GrowingFilm(tmp_path / "a.mp4") as film:
        with pytest.raises(StoppedError):
            segment_reader.follow(film.segment(), stop_reporting, lambda: False)
        assert not running("adapters.video.process.")
        with pytest.raises(StoppedError):
            segment_reader.follow(film.segment(), ignore, stop)
        assert not running("adapters.video.process.")


class StoppedError(Exception):
    """Somebody wants no more."""


def stop() -> bool:
    raise StoppedError


def stop_reporting(findings: Findings, until_ms: int) -> None:
    del findings, until_ms
    stop()


def ignore(findings: Findings, until_ms: int) -> None:
    del findings, until_ms
