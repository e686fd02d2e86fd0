"""Small real videos, the Gemini analyser as the tests build it, and a helper that lets it watch."""

import hashlib
from pathlib import Path
from typing import Any, cast

import av

from adapters.models.gemini import GeminiAnalyser, GeminiVideo
from adapters.models.retry import RetryPolicy
from adapters.video.video_files import VideoConverter
from core.analysis import Findings, Video
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models.gemini import KEY, FakeGemini


async def no_sleep(_: float) -> None:
    """Time does not pass in these tests."""


QUICK = RetryPolicy(attempts=3, max_seconds=60, sleep=no_sleep)


def analyser(
    server: FakeGemini | None = None,
    *,
    key: str | None = KEY,
    model: str = "gemini-3.8-flash",
    base_url: str = "",
    prompt_version: str = "1",
    retry: RetryPolicy = QUICK,
    **options: Any,
) -> GeminiAnalyser:
    gemini = GeminiVideo(
        key=lambda: key,
        convert=VideoConverter(max_bytes=1 << 30, max_seconds=300, max_pixels=1 << 24),
        model=model,
        base_url=server.url if server else base_url,
        retry=retry,
        **options,
    )
    return GeminiAnalyser(gemini, prompt="Watch.", prompt_version=prompt_version)


def watch(gemini: GeminiAnalyser, video: Video, *expectations: str, context: FakeContext | None = None) -> Findings:
    return gemini.analyse(video, expectations, None, context or FakeContext())  # pyright: ignore[reportArgumentType] - Gemini makes no pictures


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
