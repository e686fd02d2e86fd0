"""Small recorded films of which every moment can be told by its colour."""

from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import av
import numpy as np
from av.error import FFmpegError
from numpy.typing import NDArray

WIDTH, HEIGHT = 320, 240
LEVELS = 8


def write_film(path: Path, *, seconds: int = 60, still: range = range(0)) -> Path:
    """Two pictures a second; the whole picture is of one grey, another in each second, but for the still ones."""
    with av.open(str(path), "w", format="mp4", options={"movflags": "frag_keyframe+empty_moov"}) as sink:
        stream = sink.add_stream("libx264", rate=2, options={"preset": "ultrafast", "crf": "18"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.gop_size = 20
        for number in range(seconds * 2):
            second = number // 2
            pixels = np.full((HEIGHT, WIDTH, 3), grey_at(still.start if second in still else second), np.uint8)
            sink.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="bgr24")))
        sink.mux(stream.encode(None))
    return path


def grey_at(second: int) -> int:
    """The grey of a second, 16 apart from its neighbours'."""
    return 40 + 24 * (second % LEVELS)


def second_of(grey: float) -> int:
    """Which second of eight it was."""
    return round((grey - 40) / 24) % LEVELS


def seconds_of(film: Path | BinaryIO) -> Iterator[int]:
    """Which second of eight each picture of a film or a clip shows."""
    with av.open(film if isinstance(film, BytesIO) else str(film), "r") as source:
        for picture in source.decode(video=0):
            yield second_of(float(np.asarray(picture.to_ndarray(format="gray"), np.uint8).mean()))


def frames(path: Path) -> list[tuple[int, NDArray[np.uint8]]]:
    """The pictures that can be decoded, in RGB, with their milliseconds; a torn end is their end."""
    found: list[tuple[int, NDArray[np.uint8]]] = []
    film: Any
    with av.open(str(path)) as film, suppress(FFmpegError):
        for frame in film.decode(video=0):
            found.append((round(frame.time * 1000), frame.to_ndarray(format="rgb24")))  # noqa: PERF401 - it may end
    return found
