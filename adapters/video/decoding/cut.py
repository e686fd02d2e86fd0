"""Cuts one stretch out of a video, as a clip that any player and browser shows."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import av
from av.error import FFmpegError

from adapters.video.decoding.container import DecodedPictures, open_video, video_stream
from adapters.video.decoding.files import open_file
from core.errors import InvalidVideo, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from av.container import InputContainer
    from av.video.stream import VideoStream

    from adapters.video.decoding.limits import Limits

_MILLISECOND: Final = Fraction(1, 1000)
_H264: Final = {"preset": "veryfast", "crf": "23", "threads": "1"}
_MUXED: Final = {"movflags": "faststart"}
"""The index in front: a browser plays before it has all of it."""


def cut(path: Path, target: Path, start_ms: int, end_ms: int, limits: Limits) -> dict[str, int]:
    """Encode what is seen from ``start_ms`` to ``end_ms`` as H.264 in mp4, without sound, to a new file.

    Times are milliseconds from the first picture. What was on the screen at ``start_ms`` is the clip's first picture,
    and its last one stands until ``end_ms``: so the clip is as long as was asked for, where the video is.

    Returns the clip's ``duration_ms``. Raises as ``decode`` does, and ``StorageFailed``.
    """
    with open_file(path, limits) as file, closing(open_video(file, limits)) as source:
        stream = video_stream(source, limits)
        pictures = _stretch(source, stream, start_ms, end_ms, limits)
        first = next(pictures, None)
        if first is None:
            raise InvalidVideo("No picture of the video can be decoded there. Check that it plays.")
        try:
            with av.open(str(target), "w", format="mp4", options=_MUXED) as sink:
                duration = _encode(first[1], pictures, sink, end_ms - start_ms)
        except (FFmpegError, OSError) as error:
            raise StorageFailed(f"The clip cannot be written ({type(error).__name__}). Free some space.") from None
    return {"duration_ms": duration}


def _stretch(
    source: InputContainer, stream: VideoStream, start_ms: int, end_ms: int, limits: Limits
) -> Iterator[tuple[int, Any]]:
    """The pictures and their times within the clip; the first one is that which stood there when it begins."""
    unit_ms = float(stream.time_base or 0) * 1000
    if unit_ms <= 0:
        raise InvalidVideo("The video's pictures have no times. Convert it to mp4 first.")
    zero = stream.start_time or 0
    if start_ms > 0:
        source.seek(zero + int(start_ms / unit_ms), stream=stream, backward=True)
    before: Any = None
    begun = False
    for picture in DecodedPictures(source, stream, limits, threaded=False):
        if picture.pts is None:
            continue
        t_ms = round((picture.pts - zero) * unit_ms)
        if t_ms > end_ms:
            break
        if t_ms <= start_ms:
            before = picture
            continue
        if not begun and before is not None:
            yield 0, before
        begun = True
        yield t_ms - start_ms, picture
    if not begun and before is not None:
        yield 0, before


def _encode(first: Any, others: Iterator[tuple[int, Any]], sink: Any, length_ms: int) -> int:
    out = sink.add_stream("libx264", rate=25, options=_H264)
    # H.264 with 4:2:0 colour needs even sides.
    out.width, out.height = first.width - first.width % 2 or 2, first.height - first.height % 2 or 2
    out.pix_fmt = "yuv420p"
    out.codec_context.time_base = _MILLISECOND
    last_ms = -1

    def put(t_ms: int, picture: Any) -> None:
        nonlocal last_ms
        last_ms = picture.pts = max(t_ms, last_ms + 1)
        picture.time_base, picture.pict_type = _MILLISECOND, 0
        for packet in out.encode(picture):
            sink.mux(packet)

    shown = first.reformat(out.width, out.height, "yuv420p")
    put(0, shown)
    for t_ms, picture in others:
        shown = picture.reformat(out.width, out.height, "yuv420p")
        put(t_ms, shown)
    if length_ms > last_ms:
        put(length_ms, shown)
    for packet in out.encode(None):
        sink.mux(packet)
    return last_ms
