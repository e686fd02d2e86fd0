"""Makes the film of a trace's pictures: JPEGs in a Matroska file in memory, as they are, each at its moment."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import TYPE_CHECKING, BinaryIO, Final

import av

from adapters.video.traces.archive import Archive
from adapters.video.traces.playwright import film, read_records
from core.errors import InvalidVideo, TooLarge

if TYPE_CHECKING:
    from adapters.video.traces.playwright import Picture, Records

_MILLISECOND: Final = Fraction(1, 1000)
_MOST_PICTURE_BYTES: Final = 16 << 20
_LAST_SHOWN_MS: Final = 40
_SIZES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""JPEG's markers of a frame's header."""


def film_of(file: BinaryIO, *, max_bytes: int, max_seconds: float) -> BinaryIO:
    """The film of a ``trace.zip``, which begins with its first picture and ends with its last call.

    Raises:
        InvalidVideo: it is no trace, or one without pictures.
        TooLarge: the pictures are more than a video may have.

    """
    archive = Archive(file)
    records = read_records(archive)
    pictures = _shown(archive, records, max_bytes)
    begin = pictures[0][0].at
    if pictures[-1][0].at - begin > max_seconds * 1000:
        raise TooLarge(f"The trace's pictures take longer than {max_seconds:g} s. Trace one test at a time.")
    made = io.BytesIO()
    width, height = pictures[0][2]
    with av.open(made, "w", format="matroska") as container:
        stream = container.add_stream("mjpeg", rate=25)
        stream.width, stream.height, stream.pix_fmt, stream.time_base = width, height, "yuvj420p", _MILLISECOND
        for picture, data, _ in [*pictures, *_ending(records, pictures, begin + max_seconds * 1000)]:
            packet = av.Packet(data)
            packet.stream, packet.time_base, packet.is_keyframe = stream, _MILLISECOND, True
            packet.pts = packet.dts = round(picture.at - begin)
            packet.duration = _LAST_SHOWN_MS
            container.mux(packet)
    made.seek(0)
    return made


def begin_of_film(archive: Archive, records: Records, *, max_bytes: int) -> float:
    """The moment of the wall clock at which ``film_of`` begins. Raises likewise."""
    return _shown(archive, records, max_bytes)[0][0].at


_Shown = tuple["Picture", bytes, tuple[int, int]]


def _shown(archive: Archive, records: Records, max_bytes: int) -> list[_Shown]:
    """The pictures of the page that is watched, those of the size that most of them have."""
    found: list[_Shown] = []
    total = 0
    for picture in film(records):
        data = archive.read(picture.name, _MOST_PICTURE_BYTES)
        size = size_of(data) if data else None
        if data is None or size is None:
            continue
        total += len(data)
        if total > max_bytes:
            raise TooLarge(f"The trace's pictures have more than {max_bytes:,} bytes. Trace one test at a time.")
        found.append((picture, data, size))
    if not found:
        raise InvalidVideo(
            "The trace has no pictures to watch. Record it with screenshots (trace: 'on'), or analyse its video."
        )
    sizes = [size for *_, size in found]
    common = max(sizes, key=sizes.count)
    return [each for each in found if each[2] == common]


def _ending(records: Records, pictures: list[_Shown], latest: float) -> list[_Shown]:
    """The last picture once more, when the test ended: it stood until then."""
    picture, data, size = pictures[-1]
    ends = (call.end or call.begin for call in records.calls.values())
    last = max((end for end in ends if end <= latest), default=0.0)
    return [(type(picture)(picture.page, last, picture.name), data, size)] if last - picture.at > _LAST_SHOWN_MS else []


def size_of(data: bytes) -> tuple[int, int] | None:
    """Width and height by the JPEG's own header; ``None`` when it is no JPEG."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:  # noqa: PLR2004 - a marker begins so
        if data[at + 1] in _SIZES:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return None
