from __future__ import annotations

from typing import TYPE_CHECKING

import av
import numpy as np
import pytest

from adapters.recording.encoder import FilmEncoder
from adapters.recording.files import FilmFile
from adapters.video.video_files import VideoCutter
from core.errors import InvalidPath, InvalidVideo, StorageFailed, TooLarge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STEP = 6
"""Between the greys of two half seconds."""


@pytest.fixture
def film(tmp_path: Path) -> Iterator[tuple[Path, FilmEncoder]]:
    """Twenty seconds that tell by their grey when they are, as a recorder leaves them that is still at work."""
    path = tmp_path / "film.mp4"
    file = FilmFile(path)
    encoder = FilmEncoder(file, (161, 91), 2, sound=False)
    for half in range(40):
        encoder.add(np.full((91, 161, 4), half * STEP, np.uint8), half * 500)
    yield path, encoder
    encoder.close()
    file.close()


@pytest.fixture
def cutter() -> VideoCutter:
    return VideoCutter(max_bytes=1 << 30, max_seconds=600, max_pixels=8_000_000)


def _halves(clip: Path) -> list[tuple[int, int]]:
    """Each picture's milliseconds, and the half second of the film that it shows."""
    with av.open(str(clip)) as opened:
        return [
            (round(float(frame.time or 0) * 1000), round(float(frame.to_ndarray(format="gray").mean()) / STEP))
            for frame in opened.decode(video=0)
        ]


def test_a_clip_shows_just_its_stretch_of_a_film_that_still_grows(
    film: tuple[Path, FilmEncoder], cutter: VideoCutter, tmp_path: Path
) -> None:
    assert cutter.cut(film[0], tmp_path / "clip.mp4", 10_250, 12_800) == 2550
    assert _halves(tmp_path / "clip.mp4") == [
        (0, 20),
        (250, 21),
        (750, 22),
        (1250, 23),
        (1750, 24),
        (2250, 25),
        (2550, 25),
    ]


def test_a_moment_without_a_change_is_a_clip_as_well(
    film: tuple[Path, FilmEncoder], cutter: VideoCutter, tmp_path: Path
) -> None:
    assert cutter.cut(film[0], tmp_path / "clip.mp4", 3_100, 3_300) == 200
    assert _halves(tmp_path / "clip.mp4") == [(0, 6), (200, 6)]


def test_a_clip_of_what_is_after_the_end_shows_the_last_picture(
    film: tuple[Path, FilmEncoder], cutter: VideoCutter, tmp_path: Path
) -> None:
    cutter.cut(film[0], tmp_path / "clip.mp4", 60_000, 61_000)
    assert {half for _, half in _halves(tmp_path / "clip.mp4")} <= {37, 38, 39}


def test_what_cannot_be_cut_is_told_and_nothing_is_left(
    film: tuple[Path, FilmEncoder], cutter: VideoCutter, tmp_path: Path
) -> None:
    clip = tmp_path / "clip.mp4"
    with pytest.raises(InvalidPath, match="no file"):
        cutter.cut(tmp_path / "other.mp4", clip, 0, 100)
    (tmp_path / "text.mp4").write_text("no video")
    with pytest.raises(InvalidVideo):
        cutter.cut(tmp_path / "text.mp4", clip, 0, 100)
    with pytest.raises(TooLarge):
        VideoCutter(max_bytes=1 << 30, max_seconds=600, max_pixels=100).cut(film[0], clip, 0, 100)
    with pytest.raises(StorageFailed):
        cutter.cut(film[0], tmp_path / "nowhere" / "clip.mp4", 0, 100)
    assert not clip.exists()
