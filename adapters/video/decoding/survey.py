"""What a file is, by its bytes and not by what its header claims; runs in the analysis process."""

from __future__ import annotations

import heapq
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from av.error import FFmpegError

from adapters.video.decoding.container import (
    DecodedPictures,
    film_clock,
    open_video,
    packets_as_shown,
    video_stream,
    work,
)
from adapters.video.decoding.files import open_file, sha256_of
from core.errors import InvalidVideo
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from av.container import InputContainer
    from av.packet import Packet
    from av.video.stream import VideoStream

    from adapters.video.decoding.files import Limits

_COMMENT = 1024
"""Bytes: no comment of a GIF is longer."""
_CHAPTERS = 1000
_TITLE = 300
"""More chapters, and more letters of their titles, are left out."""
_REORDERED = 32
"""No codec shows a packet later than this many packets after it came."""


def survey(path: str, limits: Limits) -> dict[str, Any]:
    """Read the fields of ``core.analysis.Video``: hash all bytes, walk over all packets, decode one picture.

    Raises:
        InvalidPath, InvalidVideo, TooLarge: it cannot or shall not be analysed.

    """
    with open_file(Path(path), limits) as file, ThreadPoolExecutor(1) as hashing:
        sha256 = hashing.submit(sha256_of, file)
        with closing(open_video(file, limits, decoding=False)) as container:
            stream = video_stream(container, limits)
            count, duration_ms, fps = _timeline(container, stream, limits)
            codec = stream.codec_context.codec.canonical_name
            chapters = list(islice(_chapters(container), _CHAPTERS))
        (width, height), each = _upright_size(file, limits)
        limits.check_work(count * each, count)
        return {
            "path": path,
            "duration_ms": duration_ms,
            "width": width,
            "height": height,
            "fps": fps,
            "codec": codec,
            "chapters": chapters,
            "size_bytes": os.fstat(file.fileno()).st_size,
            "sha256": sha256.result(),
        }


def _chapters(container: InputContainer) -> Iterator[dict[str, Any]]:
    """The fields of ``core.analysis.Chapter``, of those that have a title."""
    for chapter in container.chapters():
        title = one_line(chapter["metadata"].get("title", ""))[:_TITLE]
        if title and chapter["start"] >= 0 and chapter["time_base"]:
            yield {"t_ms": round(chapter["start"] * chapter["time_base"] * 1000), "title": title}


def _upright_size(file: BinaryIO, limits: Limits) -> tuple[tuple[int, int], int]:
    """Width and height of the first picture, and how many pixels it counts."""
    with closing(open_video(file, limits)) as container:
        stream = video_stream(container, limits)
        picture = next(iter(DecodedPictures(container, stream, limits, threaded=False)), None)
        if picture is None:
            claimed = f"{stream.codec_context.width} x {stream.codec_context.height}"
            raise InvalidVideo(f"No frame of the video ({claimed}) can be decoded. Check that it plays.")
        limits.check_pixels(picture.width, picture.height)
        sideways = picture.rotation // 90 % 2 == 1
        size = (picture.height, picture.width) if sideways else (picture.width, picture.height)
        return size, work(picture)


def _timeline(container: InputContainer, stream: VideoStream, limits: Limits) -> tuple[int, int, float | None]:
    """The number of frames, milliseconds from the first one's begin to the last one's end, and frames a second."""
    clock = film_clock(container, stream, limits)
    count, last_ms, shown_ms = 0, 0.0, clock.nominal_ms
    for count, (timestamp, duration) in enumerate(_in_order(_packets(container, stream)), 1):
        last_ms = clock.at(timestamp)
        limits.check_time(last_ms, count)
        shown_ms = duration * float(stream.time_base or 0) * 1000 if duration else clock.nominal_ms
    fps = (count - 1) * 1000 / last_ms if count > 1 and last_ms > 0 else None
    end_ms = min(last_ms + shown_ms, limits.max_seconds * 1000)
    return count, round(end_ms), fps


def _packets(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    is_gif = stream.codec_context.name == "gif"
    try:
        for packet in packets_as_shown(container, stream):
            if packet.size and not (is_gif and packet.size < _COMMENT and not _has_picture(bytes(packet))):
                yield packet
    except FFmpegError:
        return  # the rest is torn off; decode() says so to whoever asked


def _has_picture(part: bytes) -> bool:
    """Whether a part of a GIF holds a picture: the comment of the program that made it comes alone at its end."""
    at = 0
    while part[at : at + 1] == b"!":
        at += 2
        while at < len(part) and part[at]:
            at += part[at] + 1
        at += 1
    return part[at : at + 1] not in {b"", b";"}


def _in_order(packets: Iterator[Packet[VideoStream]]) -> Iterator[tuple[int | None, int]]:
    """Timestamps and durations in the order of presentation."""
    waiting: list[tuple[int, int]] = []
    for packet in packets:
        timestamp = packet.pts if packet.pts is not None else packet.dts
        if timestamp is None:
            yield None, packet.duration or 0
            continue
        heapq.heappush(waiting, (timestamp, packet.duration or 0))
        if len(waiting) > _REORDERED:
            yield heapq.heappop(waiting)
    while waiting:
        yield heapq.heappop(waiting)
