from __future__ import annotations

import os
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from adapters.video.decoding.decode import decode
from adapters.video.decoding.files import Limits
from adapters.video.process.child import ChildProcess
from adapters.video.video_files import VideoFile
from core.analysis import Video
from core.errors import CallerError, InvalidPath, InvalidVideo, TooLarge
from tests.fakes.videos.odd_clips import (
    patched,
    write_bomb,
    write_clip,
    write_gif,
    write_gif_bomb,
    write_growing_size,
    write_sound,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EBML_DURATION = b"\x44\x89\x88"
"""Matroska's Duration element: id and size; a double follows."""


def folder(tmp_path: Path) -> Path:
    path = tmp_path / "folder.mp4"
    path.mkdir()
    return path


def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "fifo.mp4"
    os.mkfifo(path)
    return path


def written(name: str, content: bytes) -> Callable[[Path], Path]:
    def write(tmp_path: Path) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def link_to_nothing(tmp_path: Path) -> Path:
    path = tmp_path / "link.mp4"
    path.symlink_to(tmp_path / "gone.mp4")
    return path


def without_index(tmp_path: Path) -> Path:
    path = write_clip(tmp_path / "torn.mp4")
    path.write_bytes(path.read_bytes().partition(b"moov")[0][:-4])
    return path


def gif_of(width: int, height: int) -> Callable[[Path], Path]:
    def write(tmp_path: Path) -> Path:
        path = write_gif(tmp_path / "size.gif")
        content = bytearray(path.read_bytes())
        content[6:10] = struct.pack("<HH", width, height)
        path.write_bytes(content)
        return path

    return write


def bomb(*, claimed: int) -> Callable[[Path], Path]:
    return lambda tmp_path: write_bomb(tmp_path / "bomb.mov", side=20_000, claimed=claimed)


def lasting(seconds: int, *, claimed_ms: float | None = None) -> Callable[[Path], Path]:
    """A frame a second, and a header that may claim something else."""

    def write(tmp_path: Path) -> Path:
        times = range(0, seconds * 1000, 1000)
        path = write_clip(tmp_path / "long.mkv", codec="mpeg4", size=(16, 16), times_ms=times)
        if claimed_ms is not None:
            truth = struct.pack(">d", seconds * 1000.0 - 900)
            patched(path, EBML_DURATION + truth, EBML_DURATION + struct.pack(">d", claimed_ms))
        return path

    return write


def of_ten_hours(tmp_path: Path) -> Path:
    hours = [hour * 3_600_000 for hour in range(11)]
    return write_clip(tmp_path / "night.mp4", codec="mpeg4", size=(16, 16), times_ms=hours)


BAD: dict[str, tuple[Callable[[Path], Path], type[CallerError], str]] = {
    "missing": (lambda tmp_path: tmp_path / "gone.mp4", InvalidPath, "There is no file"),
    "missing folder": (lambda tmp_path: tmp_path / "gone" / "x.mp4", InvalidPath, "There is no file"),
    "folder": (folder, InvalidPath, "is a folder"),
    "FIFO": (fifo, InvalidPath, "no regular file"),
    "link to nothing": (link_to_nothing, InvalidPath, "There is no file"),
    "name too long": (lambda tmp_path: tmp_path / ("x" * 300), InvalidPath, "too long"),
    "NUL in the name": (lambda tmp_path: tmp_path / "a\0b.mp4", InvalidPath, "null byte"),
    "name that is no UTF-8": (lambda tmp_path: tmp_path / "\udcff.mp4", InvalidPath, "not UTF-8"),
    "empty": (written("empty.mp4", b""), InvalidVideo, "is empty"),
    "text": (written("notes.mp4", b"just some notes\n" * 10), InvalidVideo, "mp4, mov, webm, mkv, avi or gif"),
    "playlist": (written("list.mp4", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n"), InvalidVideo, "no video"),
    "concat script": (written("cat.mp4", b"ffconcat version 1.0\nfile /etc/passwd\n"), InvalidVideo, "no video"),
    "mp4 without index": (without_index, InvalidVideo, "moov"),
    "mp4 that is noise": (written("n.mp4", b"\0\0\0\x18ftypisom" + bytes(range(256)) * 40), InvalidVideo, "moov"),
    "webm that is noise": (written("n.webm", b"\x1a\x45\xdf\xa3" + bytes(range(256))), InvalidVideo, "broken"),
    "gif that is noise": (written("n.gif", b"GIF89a" + bytes(range(256))), InvalidVideo, "be decoded"),
    "sound alone": (lambda tmp_path: write_sound(tmp_path / "s.mp4"), InvalidVideo, "no video stream"),
    "0 x 0": (gif_of(0, 0), InvalidVideo, "broken"),
    "20,000 x 20,000 gif": (gif_of(20_000, 20_000), TooLarge, "in a smaller size"),
    "20,000 x 20,000 mov": (bomb(claimed=20_000), TooLarge, "in a smaller size"),
    "20,000 x 20,000 that claims to be small": (bomb(claimed=64), InvalidVideo, "64 x 64"),
    "ten hours": (of_ten_hours, TooLarge, "max_video_seconds"),
    "ten minutes that claim to be 5 s": (lasting(600, claimed_ms=5000.0), TooLarge, "max_video_seconds"),
    "ten minutes that claim nothing": (lasting(600, claimed_ms=float("nan")), TooLarge, "max_video_seconds"),
}


LATE = {
    *("missing folder", "link to nothing", "gif that is noise", "webm that is noise", "0 x 0"),
    *("20,000 x 20,000 mov", "ten minutes that claim nothing"),
}
"""Such as others are; by night."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] if name in LATE else []) for name in BAD]
)
def test_a_bad_file_is_refused_with_a_sentence_that_helps(
    tmp_path: Path, inspector: VideoFile, limits: Limits, name: str
) -> None:
    make, error, words = BAD[name]
    path = make(tmp_path)

    with pytest.raises(error, match=words) as refused:
        inspector.inspect(path)

    sentence = refused.value.message
    assert sentence[0] in "'TN\"1234567890" or sentence[0].isupper()
    assert sentence.endswith((".", "?"))
    assert len(sentence) < 400 + len(str(path))
    claimed = Video(
        path=str(path), duration_ms=5000, width=64, height=48, fps=10, codec="h264", size_bytes=1, sha256=""
    )
    with pytest.raises((InvalidPath, InvalidVideo, TooLarge)):
        list(decode(path, claimed, limits=limits, warn=lambda _: None))


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "private.mp4")
    path.chmod(0)
    # Root may read everything: as nobody, then; what is needed is imported before.
    script = (
        "import os, sys; from pathlib import Path; from adapters.video.decoding.files import open_file\n"
        "from adapters.video.decoding.files import Limits\n"
        "os.getuid() or os.setuid(65534)\n"
        "open_file(Path(sys.argv[1]), Limits(1 << 30, 300, 10_000))"
    )

    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    path.chmod(0o600)  # at the end of all tests each file is searched for keys

    assert "InvalidPath" in done.stderr
    assert "may not be read" in done.stderr


def test_a_picture_of_huge_claims_is_refused_before_its_memory_is_taken(tmp_path: Path) -> None:
    lean = ChildProcess(memory_bytes=300 << 20)  # less than one such picture takes
    inspector = VideoFile(max_bytes=1 << 30, max_seconds=300, max_pixels=33_177_600, process=lean)

    with pytest.raises(TooLarge, match="20000 x 20000"):
        inspector.inspect(bomb(claimed=20_000)(tmp_path))
    with pytest.raises(InvalidVideo, match="can be decoded"):
        inspector.inspect(bomb(claimed=64)(tmp_path))


def test_a_video_that_outgrows_the_memory_bound_is_too_large_and_the_bound_is_kept(tmp_path: Path) -> None:
    lean = ChildProcess(memory_bytes=120 << 20)
    inspector = VideoFile(max_bytes=1 << 30, max_seconds=300, max_pixels=33_177_600, process=lean)
    huge = write_clip(tmp_path / "8k.mp4", codec="mpeg4", size=(7680, 4320), times_ms=[0])

    with pytest.raises(TooLarge, match="memory"):
        inspector.inspect(huge)


def test_a_small_gif_of_many_huge_frames_is_refused_at_the_first_look(tmp_path: Path, inspector: VideoFile) -> None:
    path = write_gif_bomb(tmp_path / "bomb.gif", side=5000, frames=2000)
    assert path.stat().st_size < 100_000

    with pytest.raises(TooLarge, match=r"2,000 frames with 400,000 million pixels.*smaller size") as refused:
        inspector.inspect(path)

    assert refused.value.details == {"limit": 149_299_200_000}


def test_frames_that_grow_after_the_first_are_refused_while_they_are_decoded(tmp_path: Path) -> None:
    path = write_growing_size(tmp_path / "bomb.mkv", side=5000, frames=40)
    limits = Limits(max_bytes=1 << 30, max_seconds=1, max_pixels=33_177_600)
    video = VideoFile(max_bytes=1 << 30, max_seconds=1, max_pixels=33_177_600).inspect(path)

    assert (video.width, video.height) == (64, 48)
    with pytest.raises(TooLarge, match="21 frames with 500 million pixels"):
        list(decode(path, video, limits=limits, warn=lambda _: None))


@pytest.mark.parametrize(
    ("width", "height", "fps", "seconds", "longest"),
    [
        (3840, 2160, 2, 60, 300),
        (3840, 2160, 60, 300, 300),
        (7680, 4320, 30, 120, 300),
        (1920, 1080, 25, 8 * 3600, 8 * 3600),
    ],
)
def test_what_screens_really_show_is_within_the_bound(
    width: int, height: int, fps: int, seconds: int, longest: int
) -> None:
    limits = Limits(max_bytes=1 << 31, max_seconds=longest, max_pixels=33_177_600)
    limits.check_work(width * height * fps * seconds, fps * seconds)


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_moving_pictures_that_are_no_video_are_refused(tmp_path: Path, inspector: VideoFile, kind: str) -> None:
    frames = [Image.new("RGB", (64, 48), (n * 60, 0, 0)) for n in range(4)]
    frames[0].save(tmp_path / "moving.gif", kind, save_all=True, append_images=frames[1:], duration=100)

    with pytest.raises(InvalidVideo, match="mp4, mov, webm, mkv, avi or gif"):
        inspector.inspect(tmp_path / "moving.gif")


def test_a_decoder_that_stands_still_is_ended(tmp_path: Path) -> None:
    still = [sys.executable, "-c", "import time; time.sleep(600)"]
    process = ChildProcess(command=still, silent_seconds=0.3)

    with pytest.raises(InvalidVideo, match=r"told nothing for 0\.3 s"):
        process.ask({"do": "observe", "path": str(tmp_path)}, raise_if_cancelled=lambda: None)


@pytest.mark.nightly
def test_more_frames_than_a_screen_can_show_are_a_bomb_and_refused(tmp_path: Path) -> None:
    short = Limits(max_bytes=1 << 30, max_seconds=5, max_pixels=1_000_000)
    inspector = VideoFile(max_bytes=short.max_bytes, max_seconds=short.max_seconds, max_pixels=short.max_pixels)
    path = write_clip(tmp_path / "bomb.mkv", codec="mpeg4", size=(16, 16), times_ms=range(2500))

    with pytest.raises(TooLarge, match="max_video_seconds"):
        inspector.inspect(path)


def test_a_file_of_too_many_bytes_is_refused_with_the_setting_that_says_so(tmp_path: Path) -> None:
    inspector = VideoFile(max_bytes=1000, max_seconds=300, max_pixels=10_000)

    with pytest.raises(TooLarge, match=r"at most 1,000 .* max_video_bytes") as refused:
        inspector.inspect(write_clip(tmp_path / "x.mp4"))

    assert refused.value.details == {"limit": 1000, "setting": "max_video_bytes"}


def test_a_header_that_claims_too_much_is_not_believed(tmp_path: Path, inspector: VideoFile) -> None:
    for claimed_ms in (36_000_000.0, float("nan"), -1.0, 0.0, 1e300):
        video = inspector.inspect(lasting(20, claimed_ms=claimed_ms)(tmp_path))

        assert video.duration_ms == pytest.approx(20_000, abs=1000)


@pytest.mark.parametrize("name", ["two\nlines.mp4", "😀 ünï 'quoted\".mp4", "-i.mp4", "a:b%d.mp4", "x" * 251 + ".mp4"])
def test_any_name_that_a_file_can_have_is_taken(tmp_path: Path, inspector: VideoFile, name: str) -> None:
    path = write_clip(tmp_path / "plain.mp4").rename(tmp_path / name)

    assert inspector.inspect(path).path == str(path)


def test_dots_and_links_in_a_path_lead_to_the_file(tmp_path: Path, inspector: VideoFile) -> None:
    (tmp_path / "below").mkdir()
    direct = write_clip(tmp_path / "x.mp4")
    (tmp_path / "link.mp4").symlink_to(direct)

    seen = [inspector.inspect(path) for path in (direct, tmp_path / "below" / ".." / "x.mp4", tmp_path / "link.mp4")]

    assert len({video.sha256 for video in seen}) == 1
