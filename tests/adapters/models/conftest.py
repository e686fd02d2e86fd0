from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, cast

import av
import pytest

from core.analysis import Video
from tests.fakes.gemini import FakeGemini

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def write_video(path: Path, *, codec: str, pixel_format: str, frames: int = 20, rate: int = 10) -> None:
    """A real small video: a grey picture that grows lighter."""
    with av.open(str(path), "w") as sink:
        stream = cast("av.VideoStream", sink.add_stream(codec, rate=rate))
        stream.width, stream.height, stream.pix_fmt = 64, 48, pixel_format
        for number in range(frames):
            frame = av.VideoFrame(64, 48, "gray")
            for plane in frame.planes:
                plane.update(bytes([number * 10 % 256]) * plane.buffer_size)
            sink.mux(stream.encode(frame.reformat(format=pixel_format)))
        sink.mux(stream.encode(None))


def describe(path: Path, duration_ms: int = 2000) -> Video:
    content = path.read_bytes()
    return Video(
        path=str(path),
        duration_ms=duration_ms,
        width=64,
        height=48,
        fps=10,
        codec="h264",
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
    )


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Video]:
    """Makes a clip of two seconds in the named container, once."""
    folder = tmp_path_factory.mktemp("clips")
    coders = {
        "mp4": ("libx264", "yuv420p"),
        "mov": ("libx264", "yuv420p"),
        "avi": ("mpeg4", "yuv420p"),
        "webm": ("libvpx", "yuv420p"),
        "mkv": ("libx264", "yuv420p"),
        "gif": ("gif", "rgb8"),
    }

    def make(kind: str) -> Video:
        path = folder / f"clip.{kind}"
        if not path.exists():
            write_video(path, codec=coders[kind][0], pixel_format=coders[kind][1])
        return describe(path)

    return make


@pytest.fixture
def clip(clips: Callable[[str], Video]) -> Video:
    return clips("mp4")


@pytest.fixture
def gemini() -> Iterator[FakeGemini]:
    with FakeGemini() as server:
        yield server
