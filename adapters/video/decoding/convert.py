"""Puts the film of any video into a container that everybody takes."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import av
import numpy as np
from av.error import FFmpegError

from adapters.video.decoding.container import DecodedPictures, open_video, video_stream
from adapters.video.decoding.files import open_file
from core.errors import InvalidVideo

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from adapters.video.decoding.limits import Limits

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
