from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import av
import numpy as np
import pytest

from adapters.video.decoding.container import Clock
from adapters.video.decoding.decode import decode
from tests.fakes.videos.odd_clips import write_changing_size, write_clip, write_gif

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from adapters.video.decoding.files import Limits
    from adapters.video.frame import Frame
    from adapters.video.video_files import VideoFile

MILLISECONDS = Fraction(1, 1000)
RED, BLUE, WHITE = (0, 0, 255), (255, 0, 0), (255, 255, 255)


class Watched:
    """A clip, looked at and decoded."""

    def __init__(self, path: Path, inspector: VideoFile, limits: Limits) -> None:
        self.warnings: list[str] = []
        self.video = inspector.inspect(path)
        self.frames: list[Frame] = list(decode(path, self.video, limits=limits, warn=self.warnings.append))
        self.times = [frame.t_ms for frame in self.frames]

    def shows(self, x: float, y: float, colour: tuple[int, int, int], frame: int = 0) -> bool:
        """Whether there is this colour (BGR) at these shares of width and height."""
        bgr = self.frames[frame].bgr()
        height, width = bgr.shape[:2]
        return bool(np.allclose(bgr[int(y * height), int(x * width)], colour, atol=12))


@pytest.fixture
def watch(inspector: VideoFile, limits: Limits) -> Callable[[Path], Watched]:
    return lambda path: Watched(path, inspector, limits)


@pytest.mark.parametrize(
    ("name", "coded", "size"),
    [
        ("x.mp4", "libx264 yuv420p", (64, 48)),
        pytest.param("x.mov", "libx264 yuv422p", (64, 48), marks=pytest.mark.nightly),
        ("odd.mkv", "libx264 yuv444p", (65, 49)),
        ("vp8.webm", "libvpx yuv420p", (63, 47)),
        ("vp9.webm", "libvpx-vp9 yuv420p", (64, 48)),
        ("x.avi", "mjpeg yuvj420p", (64, 48)),
        pytest.param("ten_bits.mp4", "libx264 yuv420p10le", (64, 48), marks=pytest.mark.nightly),
        pytest.param("rgb.mkv", "ffv1 bgr0", (33, 17), marks=pytest.mark.nightly),
    ],
)
def test_every_container_and_pixel_format_gives_upright_frames_with_their_times(
    tmp_path: Path, watch: Callable[[Path], Watched], name: str, coded: str, size: tuple[int, int]
) -> None:
    codec, pix_fmt = coded.split()
    clip = watch(write_clip(tmp_path / name, codec=codec, pix_fmt=pix_fmt, size=size))

    assert (clip.video.width, clip.video.height) == size
    assert clip.video.duration_ms == pytest.approx(1000, abs=1)
    assert clip.video.fps == pytest.approx(10)
    assert clip.times == list(range(0, 1000, 100))
    for frame in clip.frames:
        assert frame.luma.shape == size[::-1]
        assert frame.luma.dtype == np.uint8
        assert not frame.luma.flags.writeable
    assert clip.shows(0.05, 0.05, WHITE)
    assert clip.shows(0.2, 0.8, RED)
    assert clip.shows(0.9, 0.5, BLUE)
    luma = clip.frames[-1].luma
    assert luma[2, 2] > luma[-2, 2] > luma[-2, -2]
    assert clip.warnings == []


def test_a_gif_is_a_video_and_what_is_transparent_in_it_is_white(
    tmp_path: Path, watch: Callable[[Path], Watched]
) -> None:
    opaque = watch(write_gif(tmp_path / "opaque.gif", size=(31, 21)))
    transparent = watch(write_gif(tmp_path / "transparent.gif", transparent=True))

    assert opaque.times == transparent.times == [0, 100, 200]
    assert opaque.video.duration_ms == 300
    assert opaque.shows(0.2, 0.8, RED)
    assert transparent.shows(0.2, 0.8, WHITE)
    assert transparent.shows(0.9, 0.5, BLUE)
    assert transparent.frames[0].luma[-2, 2] > transparent.frames[0].luma[10, -2]


@pytest.mark.parametrize(("delay_ms", "shown_ms"), [(10, 100), (20, 20), (40, 40)])
def test_a_gif_takes_the_time_that_browsers_give_it(
    tmp_path: Path, watch: Callable[[Path], Watched], delay_ms: int, shown_ms: int
) -> None:
    clip = watch(write_gif(tmp_path / "hasty.gif", delay_ms=delay_ms))

    assert clip.times == [0, shown_ms, 2 * shown_ms]
    assert clip.video.duration_ms == 3 * shown_ms


def test_the_comment_at_a_gifs_end_is_no_picture(tmp_path: Path, inspector: VideoFile) -> None:
    path = write_gif(tmp_path / "made.gif")
    path.write_bytes(path.read_bytes().removesuffix(b";") + b"!\xfe\x15Made with ScreenToGif\x00;")

    assert inspector.inspect(path).duration_ms == 300


@pytest.mark.parametrize(
    ("opacity", "left"),
    [
        pytest.param(0, WHITE, marks=pytest.mark.nightly),
        (128, (127, 127, 255)),
        pytest.param(255, RED, marks=pytest.mark.nightly),
    ],
)
def test_alpha_beside_a_vp9_picture_is_laid_on_white(
    tmp_path: Path, watch: Callable[[Path], Watched], opacity: int, left: tuple[int, int, int]
) -> None:
    clip = watch(write_clip(tmp_path / "alpha.webm", codec="libvpx-vp9", pix_fmt="yuva420p", opacity=opacity))

    assert clip.shows(0.2, 0.8, left)


@pytest.mark.parametrize(
    ("turned", "size", "corner"),
    [
        (90, (48, 64), (0.05, 0.95)),
        pytest.param(-90, (48, 64), (0.95, 0.05), marks=pytest.mark.nightly),
        pytest.param(180, (64, 48), (0.95, 0.95), marks=pytest.mark.nightly),
    ],
)
def test_a_film_that_says_it_is_turned_is_shown_upright(
    tmp_path: Path, watch: Callable[[Path], Watched], turned: int, size: tuple[int, int], corner: tuple[float, float]
) -> None:
    clip = watch(write_clip(tmp_path / "phone.mp4", rotation=turned))

    assert (clip.video.width, clip.video.height) == size
    assert clip.frames[0].luma.shape == size[::-1]
    assert clip.shows(*corner, WHITE)


def test_frames_keep_the_times_they_were_recorded_at(tmp_path: Path, watch: Callable[[Path], Watched]) -> None:
    clip = watch(write_clip(tmp_path / "only_changes.mp4", times_ms=(2000, 2100, 2130, 92_000)))

    assert clip.times == [0, 100, 130, 90_000]


def test_a_film_that_goes_on_in_another_size_keeps_its_first_one(
    tmp_path: Path, watch: Callable[[Path], Watched]
) -> None:
    clip = watch(write_changing_size(tmp_path / "resized.mkv"))

    assert [frame.luma.shape for frame in clip.frames] == [(48, 64)] * 3
    assert clip.shows(0.2, 0.8, RED, frame=2)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("torn.mp4", {"movflags": "faststart"}),
        pytest.param("torn.mkv", {}, marks=pytest.mark.nightly),
        pytest.param("torn.webm", {"deadline": "realtime", "cpu-used": "8"}, marks=pytest.mark.nightly),
    ],
)
def test_what_is_left_of_a_torn_film_is_seen_with_a_warning_and_no_noise(
    tmp_path: Path,
    watch: Callable[[Path], Watched],
    capfd: pytest.CaptureFixture[str],
    name: str,
    options: dict[str, str],
) -> None:
    codec = "libvpx" if name.endswith("webm") else "libx264"
    path = write_clip(tmp_path / name, codec=codec, options=options, times_ms=range(0, 8000, 40), size=(320, 240))
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.75)])
    capfd.readouterr()

    clip = watch(path)

    assert 10 < len(clip.frames) < 200
    assert clip.video.duration_ms < 7000
    assert any("cut off" in warning or "damaged" in warning for warning in clip.warnings)
    assert capfd.readouterr().err == ""


def test_timestamps_that_start_again_in_the_middle_are_mended_with_a_warning(
    tmp_path: Path, watch: Callable[[Path], Watched]
) -> None:
    path = write_clip(tmp_path / "again.mkv", options={"cluster_time_limit": "400"})
    content = path.read_bytes()
    second = content.index(b"\x1f\x43\xb6\x75", content.index(b"\x1f\x43\xb6\x75") + 4)
    timestamp = content.index(b"\xe7", second)  # Timestamp of the cluster: id, size, value
    size = content[timestamp + 1] & 0x7F
    path.write_bytes(content[: timestamp + 2] + b"\0" * size + content[timestamp + 2 + size :])

    clip = watch(path)

    assert len(clip.times) == 10
    assert clip.times == sorted(clip.times)
    assert clip.times[-1] == pytest.approx(900, abs=100)


def test_a_clock_goes_only_forward_whatever_it_is_told() -> None:
    clock = Clock(time_base=MILLISECONDS, nominal_ms=40, end_ms=5000)
    reported = [-80, -40, 0, None, 80, 10, 50, 50, 36_000_000, 130, 9_000, 170]

    times = [clock.at(timestamp) for timestamp in reported]

    assert times == [0, 40, 80, 120, 160, 200, 240, 240, 280, 320, 360, 400]
    assert clock.repaired == 6


def test_a_long_rest_is_no_broken_timestamp_unless_it_outlasts_the_clip() -> None:
    within = Clock(time_base=MILLISECONDS, nominal_ms=40, end_ms=60_000)
    unknown = Clock(time_base=MILLISECONDS, nominal_ms=40, end_ms=None)

    assert [within.at(0), within.at(59_000)] == [0, 59_000]
    assert [unknown.at(0), unknown.at(36_000_000)] == [0, 36_000_000]


def test_the_parts_that_a_container_names_are_known_with_their_times(tmp_path: Path, inspector: VideoFile) -> None:
    plain, named = tmp_path / "plain.mp4", tmp_path / "named.mp4"
    write_clip(plain)
    titles = ("harbour\nsails at dawn", "", "sinks at noon" * 100)
    with av.open(plain) as source, av.open(named, "w") as copy:
        stream = copy.add_stream_from_template(source.streams.video[0])
        copy.set_chapters(
            [
                {
                    "id": at,
                    "start": 100 * at,
                    "end": 100 * at + 100,
                    "time_base": MILLISECONDS,
                    "metadata": {"title": title},
                }
                for at, title in enumerate(titles)
            ]
        )
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                copy.mux(packet)

    chapters = inspector.inspect(named).chapters
    assert [(one.t_ms, one.title[:21], len(one.title)) for one in chapters] == [
        (0, "harbour sails at dawn", 21),
        (200, "sinks at noonsinks at", 300),
    ]
    assert inspector.inspect(plain).chapters == ()
