"""Screens of real videos held side by side in the process that does it."""

import subprocess
from pathlib import Path

import pytest

from adapters.video.video_files import VideoFile, VideoPairs
from core.comparison.values import Pictures, ReadPlace
from server.composition.from_settings import VideoLimits

SAMPLE = Path(__file__).parents[3] / "samples" / "checkout.mp4"
LIMITS: VideoLimits = {"max_bytes": 1 << 30, "max_seconds": 600, "max_pixels": 4096 * 2160}
BOX = "drawbox=x=700:y=500:w=240:h=60:color=red:t=fill"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("good"), "null")


def made(folder: Path, change: str, *, crf: str = "30") -> Path:
    path = folder / "clip.mp4"
    command = ["ffmpeg", "-loglevel", "error", "-y", "-i", SAMPLE, "-t", "3", "-vf", change, "-crf", crf, path]
    subprocess.run(command, check=True)
    return path


def compared(good: Path, bad: Path) -> Pictures | None:
    look = VideoFile(**LIMITS).inspect
    return VideoPairs(**LIMITS).compare(look(good), look(bad))


@pytest.mark.nightly
def test_another_encoding_of_the_same_screens_differs_nowhere(good: Path, tmp_path: Path) -> None:
    found = compared(made(tmp_path, "null", crf="18"), good)
    assert found is not None
    assert found.pairs
    assert not found.patches


def test_what_stands_there_for_a_moment_is_a_patch_of_that_run_alone(good: Path, tmp_path: Path) -> None:
    found = compared(good, made(tmp_path, f"{BOX}:enable='between(t,1,1.4)'"))
    assert found is not None
    assert {patch.side for patch in found.patches} == {"bad"}
    assert all(abs(a - b) <= 8 for patch in found.patches for a, b in zip(patch.region, (700, 500, 240, 60)))  # noqa: B905 - four


@pytest.mark.nightly
def test_a_colour_that_stays_is_a_patch_of_the_same_screen(good: Path, tmp_path: Path) -> None:
    found = compared(good, made(tmp_path, "drawbox=x=700:y=500:w=60:h=24:color=red:t=fill"))
    assert found is not None
    assert found.pairs
    assert "both" in {patch.side for patch in found.patches}


def test_videos_of_two_sizes_are_not_held_side_by_side(good: Path, tmp_path: Path) -> None:
    assert compared(good, made(tmp_path, "scale=640:360")) is None


def test_what_stands_a_screen_later_in_pairs_that_shifted_is_no_patch_of_both(tmp_path: Path) -> None:
    def boxes(name: str, *begins: float) -> Path:
        path = tmp_path / f"{name}.mp4"
        drawn = ",".join(
            f"drawbox=x={20 + 100 * place}:y=80:w=24:h=16:color=blue:t=fill:enable='gte(t,{begin})'"
            for place, begin in enumerate(begins)
        )
        source = ["-f", "lavfi", "-i", "color=white:s=320x192:d=3:r=25", "-vf", drawn]
        subprocess.run(["ffmpeg", "-loglevel", "error", *source, path], check=True)
        return path

    found = compared(boxes("good", 1, 2, 9), boxes("bad", 0, 1, 2))
    assert found is not None
    assert len(found.pairs) == 3
    assert {each.region[0] // 100 for each in found.patches if each.side == "both"} == {0, 2}


@pytest.mark.nightly
def test_a_step_that_one_recording_has_alone_is_the_beginning_of_the_next_screen(tmp_path: Path) -> None:
    def fields(name: str, *drawn: str) -> Path:
        path = tmp_path / f"{name}.mp4"
        boxes = ",".join(f"drawbox={each}:color=blue:t=fill" for each in drawn)
        source = ["-f", "lavfi", "-i", "color=white:s=320x192:d=3:r=25", "-vf", boxes]
        subprocess.run(["ffmpeg", "-loglevel", "error", *source, path], check=True)
        return path

    frame, text = "x=20:y=20:w=200:h=12:enable='gte(t,1)'", "x=20:y=40:w=40:h=12:enable='gte(t,{})'"
    found = compared(fields("once", frame, text.format(1)), fields("twice", frame, text.format(1.4)))
    assert found is not None
    assert [(pair.good.begun, pair.bad.begun) for pair in found.pairs] == [(0, 0), (1000, 1000)]
    assert found.pairs[1].bad.t_ms == 1400


@pytest.mark.nightly
def test_a_screen_that_came_after_another_one_is_told_as_moved(tmp_path: Path) -> None:
    def boxes(name: str, *columns: int) -> Path:
        path = tmp_path / f"{name}.mp4"
        drawn = ",".join(
            f"drawbox=x={20 + 90 * column}:y=40:w=60:h=60:color=blue:t=fill:"
            f"enable='between(t,{place + 0.5},{place + 1.4})'"
            for place, column in enumerate(columns)
        )
        source = ["-f", "lavfi", "-i", "color=white:s=320x192:d=4:r=25", "-vf", drawn]
        subprocess.run(["ffmpeg", "-loglevel", "error", *source, path], check=True)
        return path

    good = boxes("good", 0, 1, 2)
    found, same = compared(good, boxes("bad", 1, 0, 2)), compared(good, boxes("again", 0, 1, 2))
    assert found is not None
    assert same is not None
    assert found.moved
    assert not same.moved


def test_a_text_stands_where_its_place_looks_as_it_did_when_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    box = "drawbox=x=200:y=96:w=80:h=64:color=red:t=fill:enable='between(t,1,2)'"
    sign = "drawbox=x=20:y=80:w=24:h=16:color=blue:t=fill:enable='lt(t,2.5)'"
    source = ["-f", "lavfi", "-i", "color=white:s=320x192:d=3:r=25", "-vf", f"{box},{sign}"]
    subprocess.run(["ffmpeg", "-loglevel", "error", *source, path], check=True)
    video = VideoFile(**LIMITS).inspect(path)
    read = ReadPlace(region=(16, 76, 40, 24), t_ms=0, until_ms=1000)
    found = VideoPairs(**LIMITS).compare(video, video, ((read,), ()))
    assert found is not None
    (stands, none) = found.standing
    assert [(each.text, round(each.t_ms, -2), round(each.until_ms, -2)) for each in stands] == [
        (0, 1000, 2000),
        (0, 2000, 2500),
    ]
    assert none == ()
