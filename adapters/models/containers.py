"""Which of Gemini's video types a file is, by its first bytes; what is none of them is turned into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import av
from av.error import FFmpegError

from core.errors import InvalidVideo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SNIFFED = 64
# https://ai.google.dev/gemini-api/docs/video-understanding lists the types that Gemini takes.
_COPIED = {"h264": "mp4", "hevc": "mp4", "av1": "mp4", "mpeg4": "mp4", "vp8": "webm", "vp9": "webm"}

_KINDS: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (lambda head: head[4:12] == b"ftypqt  ", "video/quicktime"),
    (lambda head: head[4:11] == b"ftyp3gp", "video/3gpp"),
    (lambda head: head[4:8] == b"ftyp", "video/mp4"),
    (lambda head: head[4:8] in {b"moov", b"mdat", b"wide", b"free"}, "video/quicktime"),
    (lambda head: head[:4] == b"RIFF" and head[8:12] == b"AVI ", "video/avi"),
    (lambda head: head[:4] == b"\x1a\x45\xdf\xa3" and b"webm" in head, "video/webm"),
    (lambda head: head[:3] == b"FLV", "video/x-flv"),
    (lambda head: head[:4] in {b"\0\0\1\xba", b"\0\0\1\xb3"}, "video/mpeg"),
)


def mime_type(path: Path) -> str | None:
    """The MIME type of a file as Gemini names it, ``None`` when Gemini takes no such file."""
    with path.open("rb") as file:
        head = file.read(_SNIFFED)
    return next((kind for matches, kind in _KINDS if matches(head)), None)


def convert(path: Path, folder: Path, tick: Callable[[], None]) -> tuple[Path, str]:
    """Put the pictures into a container that Gemini takes: copied where that is possible, else encoded as H.264.

    Returns the new file below ``folder`` and its MIME type. Raises ``InvalidVideo``.
    """
    try:
        with av.open(str(path)) as source:
            stream = source.streams.video[0]
            kind = _COPIED.get(stream.codec_context.name)
            target = folder / f"clip.{kind or 'mp4'}"
            with av.open(str(target), "w") as sink:
                (_copy if kind else _encode)(source, stream, sink, tick)
    except (FFmpegError, IndexError) as error:
        raise InvalidVideo(
            f"The video cannot be turned into one that Gemini takes ({type(error).__name__}): "
            "save it as mp4, or use provider 'local'."
        ) from None
    return target, f"video/{kind or 'mp4'}"


def _copy(source: Any, stream: Any, sink: Any, tick: Callable[[], None]) -> None:
    out = sink.add_stream_from_template(stream)
    undated: list[Any] = []
    for packet in source.demux(stream):
        tick()
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


def _encode(source: Any, stream: Any, sink: Any, tick: Callable[[], None]) -> None:
    out = sink.add_stream("libx264", rate=30, options={"preset": "veryfast", "crf": "18"})
    # H.264 with 4:2:0 colour needs even sides.
    out.width, out.height = stream.width - stream.width % 2 or 2, stream.height - stream.height % 2 or 2
    out.pix_fmt = "yuv420p"
    out.codec_context.time_base = stream.time_base
    for frame in source.decode(stream):
        tick()
        picture = frame.reformat(out.width, out.height, "yuv420p")
        picture.pts, picture.time_base = frame.pts, frame.time_base
        sink.mux(out.encode(picture))
    sink.mux(out.encode(None))
