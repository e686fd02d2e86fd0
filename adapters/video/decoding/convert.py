"""Puts the film of any video into a container that everybody takes, whole or one stretch of it."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import av
import numpy as np
from av.error import FFmpegError

from adapters.video.decoding.container import DecodedPictures, open_video, pictures_from, video_stream
from adapters.video.decoding.files import open_file
from core.errors import InvalidVideo, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from av.container import InputContainer
    from av.video.stream import VideoStream

    from adapters.video.decoding.files import Limits


_COPIED: Final[Mapping[str, str]] = {
    "h264": "mp4",
    "hevc": "mp4",
    "av1": "mp4",
    "mpeg4": "mp4",
    "vp8": "webm",
    "vp9": "webm",
}
_PLAYED: Final[Mapping[str, str]] = {codec: _COPIED[codec] for codec in ("h264", "av1", "vp8", "vp9")}
"""What browsers play; the others depend on the machine."""


def convert(path: Path, folder: Path, limits: Limits, *, playable: bool = False) -> dict[str, str]:
    """Copy the packets where the codec allows it, else encode as H.264; without sound.

    Returns the new file below ``folder`` as ``path``, and its ``mime_type``. Raises as ``decode`` does.
    ``playable`` asks for a codec that browsers play.
    """
    with open_file(path, limits) as file, closing(open_video(file, limits)) as source:
        stream = video_stream(source, limits)
        kind = (_PLAYED if playable else _COPIED).get(stream.codec_context.name)
        target = folder / f"clip.{kind or 'mp4'}"
        try:
            with av.open(str(target), "w") as sink:
                if kind:
                    _copy(source, stream, sink)
                else:
                    _encode(DecodedPictures(source, stream, limits, threaded=True), stream, sink)
        except FFmpegError as error:
            raise InvalidVideo(
                f"The video cannot be turned into one that the provider takes ({type(error).__name__}): "
                "save it as mp4, or use provider 'local'."
            ) from None
    return {"path": str(target), "mime_type": f"video/{kind or 'mp4'}"}


def _copy(source: Any, stream: Any, sink: Any) -> None:
    out = sink.add_stream_from_template(stream)
    undated: list[Any] = []
    for packet in source.demux(stream):
        if packet.size == 0:
            continue
        undated.append(packet)
        if packet.dts is not None:
            _mux(undated, packet.dts, out, sink)
            undated = []
    if undated:
        _mux(undated, min(packet.pts or 0 for packet in undated), out, sink)


def _mux(packets: list[Any], last_dts: int, out: Any, sink: Any) -> None:
    """Write packets of which the last is to be decoded at ``last_dts``.

    Matroska has no decoding times: with B-frames the first packets, the key frame among them, come without one.
    """
    for before, packet in zip(range(len(packets) - 1, -1, -1), packets, strict=True):
        packet.dts = last_dts - before * (packet.duration or 1)
        packet.stream = out
        sink.mux(packet)


def _encode(pictures: DecodedPictures, stream: Any, sink: Any) -> None:
    out = sink.add_stream("libx264", rate=30, options={"preset": "veryfast", "crf": "18"})
    out.pix_fmt = "yuv420p"
    out.codec_context.time_base = stream.time_base
    size = None
    for frame in pictures:
        picture = _upright(frame)
        if size is None:
            # H.264 with 4:2:0 colour needs even sides.
            size = picture.width - picture.width % 2 or 2, picture.height - picture.height % 2 or 2
            out.width, out.height = size
        picture = picture.reformat(*size, "yuv420p")
        picture.pts, picture.time_base = frame.pts, frame.time_base
        sink.mux(out.encode(picture))
    sink.mux(out.encode(None))


def _upright(frame: Any) -> Any:
    """The picture as it is to be seen: what says that it lies on its side is not written into the new file."""
    turns = frame.rotation // 90 % 4
    if not turns:
        return frame
    pixels = np.ascontiguousarray(np.rot90(frame.to_ndarray(format="rgb24"), turns))
    return av.VideoFrame.from_ndarray(pixels, format="rgb24")


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
                duration = _encode_stretch(first[1], pictures, sink, end_ms - start_ms)
        except (FFmpegError, OSError) as error:
            raise StorageFailed(f"The clip cannot be written ({type(error).__name__}). Free some space.") from None
    return {"duration_ms": duration}


def _stretch(
    source: InputContainer, stream: VideoStream, start_ms: int, end_ms: int, limits: Limits
) -> Iterator[tuple[int, Any]]:
    """The pictures and their times within the clip; the first one is that which stood there when it begins."""
    before: Any = None
    begun = False
    for picture, t_ms in pictures_from(source, stream, start_ms, limits):
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


def _encode_stretch(first: Any, others: Iterator[tuple[int, Any]], sink: Any, length_ms: int) -> int:
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
