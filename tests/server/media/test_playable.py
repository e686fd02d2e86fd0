import os
import time
from pathlib import Path

import av
import pytest

from adapters.video.video_files import VideoConverter
from core.errors import Cancelled, InvalidVideo
from server.media.playable import PlayableCopies, media_type, playable_type
from tests.fakes.videos.odd_clips import write_clip

SHA = "ab" * 32


@pytest.fixture
def copies(tmp_path: Path) -> PlayableCopies:
    convert = VideoConverter(max_bytes=1 << 20, max_seconds=60, max_pixels=1 << 20, playable=True)
    return PlayableCopies(tmp_path / "playable", convert)


def kind_of(path: Path) -> str | None:
    with path.open("rb") as file:
        return media_type(file)


def nothing() -> None:
    """Go on."""


def test_what_browsers_do_not_play_is_made_an_mp4_once(copies: PlayableCopies, tmp_path: Path) -> None:
    video = write_clip(tmp_path / "clip.avi", codec="mpeg4")
    assert playable_type(kind_of(video) or "", "mpeg4") is None

    copy, kind = copies.copy(video, SHA, uploaded=False, raise_if_cancelled=nothing)
    again, _ = copies.copy(tmp_path / "gone.avi", SHA, uploaded=False, raise_if_cancelled=nothing)

    assert (kind, kind_of(copy), again) == ("video/mp4", "video/mp4", copy)
    with av.open(str(copy)) as made:
        assert (made.streams.video[0].codec_context.name, made.streams.video[0].frames) == ("h264", 10)


def test_pictures_that_browsers_know_are_copied_into_another_box(copies: PlayableCopies, tmp_path: Path) -> None:
    video = write_clip(tmp_path / "clip.mkv", codec="libvpx-vp9")
    assert kind_of(video) == "video/x-matroska"

    copy, kind = copies.copy(video, SHA, uploaded=False, raise_if_cancelled=nothing)

    assert (kind, kind_of(copy)) == ("video/webm", "video/webm")


def test_a_film_that_was_taken_sideways_stands_upright_in_its_copy(copies: PlayableCopies, tmp_path: Path) -> None:
    video = write_clip(tmp_path / "phone.mov", rotation=90, codec="mpeg4")

    copy, _ = copies.copy(video, SHA, uploaded=False, raise_if_cancelled=nothing)

    with av.open(str(copy)) as made:
        assert (made.streams.video[0].width, made.streams.video[0].height) == (48, 64)


def test_the_copy_of_an_upload_lies_beside_it(copies: PlayableCopies, tmp_path: Path) -> None:
    (tmp_path / "uploads" / "a").mkdir(parents=True)
    video = write_clip(tmp_path / "uploads" / "a" / "clip.avi", codec="mpeg4")

    copy, _ = copies.copy(video, SHA, uploaded=True, raise_if_cancelled=nothing)

    assert copy.parent.parent == video.parent
    assert not (tmp_path / "playable").exists()


def test_a_video_that_cannot_be_converted_leaves_nothing(copies: PlayableCopies, tmp_path: Path) -> None:
    (tmp_path / "bad.avi").write_bytes(b"RIFF\0\0\0\0AVI no more")

    with pytest.raises(InvalidVideo):
        copies.copy(tmp_path / "bad.avi", SHA, uploaded=False, raise_if_cancelled=nothing)

    assert list((tmp_path / "playable").iterdir()) == []


def test_who_waits_no_longer_ends_the_work(copies: PlayableCopies, tmp_path: Path) -> None:
    def stop() -> None:
        raise Cancelled("Enough.")

    with pytest.raises(Cancelled):
        copies.copy(write_clip(tmp_path / "clip.avi", codec="mpeg4"), SHA, uploaded=False, raise_if_cancelled=stop)

    assert list((tmp_path / "playable").iterdir()) == []


def test_copies_that_nobody_watches_are_removed(copies: PlayableCopies, tmp_path: Path) -> None:
    for name, hours in (("watched", 1), ("forgotten", 25), (".half-made", 1)):
        folder = tmp_path / "playable" / name
        folder.mkdir(parents=True)
        (folder / "clip.mp4").write_bytes(b"1")
        used = time.time() - hours * 3600
        os.utime(folder, (used, used))

    copies.sweep()

    assert [path.name for path in (tmp_path / "playable").iterdir()] == ["watched"]


@pytest.mark.parametrize(
    ("kind", "codec", "plays"),
    [
        ("video/mp4", "h264", "video/mp4"),
        ("video/quicktime", "h264", "video/mp4"),
        ("video/webm", "vp9", "video/webm"),
        ("video/mp4", "hevc", None),
        ("video/mp4", "mpeg4", None),
        ("image/gif", "gif", None),
        ("video/x-matroska", "h264", None),
    ],
)
def test_what_browsers_play_is_known(kind: str, codec: str, plays: str | None) -> None:
    assert playable_type(kind, codec) == plays
