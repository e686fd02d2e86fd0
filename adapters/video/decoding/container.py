"""Opens a file that may be anything as one of four containers or a trace, and takes out its film, upright."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO, Final, NoReturn, Protocol, cast

import av
import numpy as np
from av.error import FFmpegError
from av.stream import Disposition

from adapters.video.decoding.files import FRAMES_PER_SECOND, TRANSPARENT
from adapters.video.frame import Frame
from adapters.video.traces.archive import SIGNATURE
from adapters.video.traces.film import film_of
from core.errors import InvalidVideo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from av.container import InputContainer
    from av.packet import Packet
    from av.video.codeccontext import VideoCodecContext
    from av.video.stream import VideoStream
    from numpy.typing import NDArray

    from adapters.video.decoding.files import Limits


LUMA_FIRST: Final = frozenset(
    {"gray", "nv12", "nv16", "nv21", "nv24"}
    | {f"yuv{full}{sampling}p" for full in ("", "j") for sampling in ("410", "411", "420", "422", "440", "444")}
)
"""Pixel formats whose first plane is the brightness, a byte a pixel: read without any conversion."""
_ALPHA: Final = frozenset({"rgba", "bgra", "argb", "abgr", "ya8", "pal8", "gbrap"})
_QUARTER = 90


def work(picture: av.VideoFrame) -> int:
    """How many pixels the picture counts among those that a clip may have."""
    return picture.width * picture.height * (TRANSPARENT if _has_alpha(picture) else 1)


def upright_frame(picture: av.VideoFrame, t_ms: int, size: tuple[int, int]) -> Frame:
    """Wrap a decoded picture; ``size`` is the upright (width, height) that every frame of the video has."""
    turns = picture.rotation // _QUARTER % 4
    coded = size if turns % 2 == 0 else (size[1], size[0])
    if (picture.width, picture.height) != coded:
        picture = picture.reformat(width=coded[0], height=coded[1])
    luma = np.rot90(_luma(picture), turns)
    luma.flags.writeable = False
    return Frame(t_ms, luma, lambda: np.ascontiguousarray(np.rot90(_bgr(picture), turns)))


def _luma(picture: av.VideoFrame) -> NDArray[np.uint8]:
    if picture.format.name in LUMA_FIRST:
        plane = picture.planes[0]
        pixels = np.frombuffer(cast("memoryview", plane), np.uint8)
        return pixels.reshape(-1, plane.line_size)[: picture.height, : picture.width]
    if _has_alpha(picture):
        picture = av.VideoFrame.from_ndarray(_bgr(picture), format="bgr24")
    return cast("NDArray[np.uint8]", picture.to_ndarray(format="gray"))


def _bgr(picture: av.VideoFrame) -> NDArray[np.uint8]:
    if not _has_alpha(picture):
        return cast("NDArray[np.uint8]", picture.to_ndarray(format="bgr24"))
    pixels = cast("NDArray[np.uint8]", picture.to_ndarray(format="bgra"))
    alpha = pixels[..., 3:]
    if alpha.min() == np.iinfo(np.uint8).max:
        return np.ascontiguousarray(pixels[..., :3])
    # On white: colour x alpha + 255 x (1 - alpha), rounded.
    laid = pixels[..., :3] * alpha.astype(np.uint16) + 255 * (255 - alpha.astype(np.uint16))
    return ((laid + 127) // 255).astype(np.uint8)


def _has_alpha(picture: av.VideoFrame) -> bool:
    name = picture.format.name
    return name in _ALPHA or name.startswith("yuva")


_SLACK_MS = 1_000


class Clock:
    """Tells the milliseconds since the first frame.

    Missing timestamps, steps backwards, and leaps over the clip's end are broken: then the frame is placed one
    nominal frame after the one before, and time goes on from there.

    Args:
        time_base: seconds of one unit of a timestamp.
        nominal_ms: the time from frame to frame where nothing else is known.
        end_ms: beyond which the clip cannot go by its own account, ``None`` when that is not known.

    """

    def __init__(self, *, time_base: Fraction | None, nominal_ms: float, end_ms: float | None) -> None:
        self._unit_ms = float(time_base or 0) * 1000
        self.nominal_ms = nominal_ms
        self._end_ms = end_ms
        self._offset_ms: float | None = None
        self._now_ms = 0.0
        self.repaired = 0
        """How many timestamps were broken."""

    def at(self, timestamp: int | None) -> float:
        """Milliseconds of a frame with this timestamp; call it in the order of presentation."""
        raw = None if timestamp is None or self._unit_ms <= 0 else timestamp * self._unit_ms
        if self._offset_ms is None:
            self._offset_ms = -(raw or 0.0)
            return 0.0
        reported = None if raw is None else raw + self._offset_ms
        if reported is not None and not self._is_broken(reported):
            self._now_ms = reported
            return reported
        self.repaired += 1
        self._now_ms += self.nominal_ms
        if raw is not None:
            self._offset_ms = self._now_ms - raw
        return self._now_ms

    def _is_broken(self, reported: float) -> bool:
        if reported < self._now_ms:
            return True
        leaps = reported - self._now_ms > max(_SLACK_MS, 10 * self.nominal_ms)
        return leaps and self._end_ms is not None and reported > self._end_ms + _SLACK_MS


_TAKEN = "mp4, mov, webm, mkv, avi or gif, or a Playwright trace.zip"
_MOV_ATOMS: Final = frozenset({b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"})
_HEADER_BYTES = 12
_UNKNOWN_FRAME_MS = 40.0
_SHORTEST_DELAY: Final = 1
_SHOWN_DELAY: Final = 10
"""Hundredths of a second: what browsers show for a picture of a GIF that asks for no more than the shortest delay."""
_MOST_THREADS = 4
"""Each decoding thread holds frames of its own."""
_ALPHA_DECODERS: Final = {"vp8": "libvpx", "vp9": "libvpx-vp9"}
"""FFmpeg's own VP8 and VP9 decoders ignore the alpha channel that Matroska carries beside the picture."""


class Growing(Protocol):
    """A file that is only read on."""

    def read(self, size: int, /) -> bytes:
        """As many bytes as there are, at least one and at most ``size``; none at the end."""
        ...


def open_video(file: BinaryIO, limits: Limits, *, decoding: bool = True) -> InputContainer:
    """Open the container of an open file by the demuxer that its first bytes name; the caller closes both.

    Of a Playwright trace it is the film of its pictures.

    FFmpeg gets bytes, never a name: it cannot reach another file or a host, whatever a playlist or a data reference
    inside asks for. DecodedPictures above the limit are refused by the decoders before they allocate.

    Raises:
        InvalidVideo: no container that is taken, or a broken one.

    """
    if _head(file).startswith(SIGNATURE):
        file = film_of(file, max_bytes=limits.max_bytes, max_seconds=limits.max_seconds)
    return _opened(file, _demuxer(file), limits, {} if decoding else {"codec_whitelist": "none"})


def open_growing(file: Growing, limits: Limits) -> InputContainer:
    """Open an mp4 of pieces that is still being written, without looking ahead: ``file`` waits where it ends.

    Raises:
        InvalidVideo: it is none.

    """
    return _opened(file, "mov", limits, {"probesize": "32", "fpsprobesize": "0", "analyzeduration": "0"})


def _opened(file: BinaryIO | Growing, demuxer: str, limits: Limits, options: dict[str, str]) -> InputContainer:
    try:
        return av.open(
            file,
            mode="r",
            format=demuxer,
            options={"max_pixels": str(limits.max_pixels), "protocol_whitelist": "none", **options},
            metadata_errors="replace",
            io_open=_refuse,
        )
    except (FFmpegError, ValueError) as error:
        if demuxer == "mov":
            raise InvalidVideo(
                "The video is cut off or broken: its index (moov) cannot be read. Let the recorder finish first."
            ) from None
        reason = getattr(error, "strerror", None) or error
        raise InvalidVideo(f"The {demuxer} file is broken ({reason}). Record it again.") from None


def video_stream(container: InputContainer, limits: Limits) -> VideoStream:
    """Find the stream that is the film (no cover picture). Raises ``InvalidVideo``, ``TooLarge``."""
    films = [stream for stream in container.streams.video if not stream.disposition & Disposition.attached_pic]
    if not films:
        raise InvalidVideo("The file has no video stream, only sound or data. Name a file with a picture.")
    stream = films[0]
    if cast("object", stream.codec_context) is None:
        raise InvalidVideo("The video's codec is not known here. Convert it to H.264 in mp4.")
    limits.check_pixels(stream.codec_context.width, stream.codec_context.height)
    return stream


def film_clock(container: InputContainer, stream: VideoStream, limits: Limits) -> Clock:
    """Make the clock that the film's timestamps are read by.

    Where the header puts the end within the limit, a leap over the limit is a broken timestamp and not a long film.
    The header's own end is no bound: muxers count it without the order in which frames are shown.
    """
    rate = stream.average_rate or stream.guessed_rate
    plausible = rate is not None and 1 <= rate <= FRAMES_PER_SECOND
    limit_ms = limits.max_seconds * 1000
    claimed_ms = container.duration / 1000 if container.duration else None
    honest = claimed_ms is not None and 0 < claimed_ms <= limit_ms
    return Clock(
        time_base=stream.time_base,
        nominal_ms=1000 / float(rate) if rate and plausible else _UNKNOWN_FRAME_MS,
        end_ms=limit_ms if honest else None,
    )


def claimed_film_ms(container: InputContainer, stream: VideoStream) -> float | None:
    """How long the film is by the header, ``None`` when it says nothing about the film alone."""
    if stream.duration and stream.duration > 0 and stream.time_base:
        return float(stream.duration * stream.time_base * 1000)
    if container.duration and container.duration > 0 and len(container.streams) == 1:
        return container.duration / 1000
    return None


def packets_as_shown(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    """The packets of the film in its order; of a GIF with the times at which browsers show its pictures.

    A GIF that asks for a hundredth of a second or none between two pictures gets a tenth in every browser, as it did in
    FFmpeg up to version 7.
    """
    is_gif, begin = stream.codec_context.name == "gif", 0
    for packet in container.demux(stream):
        if is_gif and packet.size:
            delay = packet.duration or 0
            packet.pts = packet.dts = begin
            packet.duration = delay if delay > _SHORTEST_DELAY else _SHOWN_DELAY
            begin += packet.duration
        yield packet


class DecodedPictures:
    """The pictures of a stream as decoded, once; counts in ``damaged`` what could not be decoded.

    Raises ``TooLarge`` when they have more pixels together than the limits allow, whatever the container claims.
    """

    def __init__(self, container: InputContainer, stream: VideoStream, limits: Limits, *, threaded: bool) -> None:
        self.damaged = 0
        self._limits = limits
        self._work = self._count = 0
        self._packets = packets_as_shown(container, stream)
        self._decoder = _decoder(stream)
        self._decoder.options = {"max_pixels": str(limits.max_pixels)}
        self._decoder.thread_type = "AUTO" if threaded else "NONE"
        self._decoder.thread_count = min(_MOST_THREADS, os.cpu_count() or 1) if threaded else 1

    def __iter__(self) -> Iterator[av.VideoFrame]:
        """Decode on. A picture that the decoder calls corrupt shows what never was on screen, and is left out."""
        draining = False
        while not draining:
            packet = self._next_packet()
            draining = packet is None or packet.size == 0
            for picture in self._decoded(packet):
                if picture.is_corrupt:
                    self.damaged += 1
                else:
                    self._work += work(picture)
                    self._count += 1
                    self._limits.check_work(self._work, self._count)
                    yield picture

    def _next_packet(self) -> Packet[VideoStream] | None:
        try:
            return next(self._packets, None)
        except MemoryError:
            raise
        except FFmpegError:
            self.damaged += 1
            return None

    def _decoded(self, packet: Packet[VideoStream] | None) -> list[av.VideoFrame]:
        try:
            return self._decoder.decode(packet)
        except MemoryError:
            raise
        except FFmpegError:
            self.damaged += 1
            return []


def _decoder(stream: VideoStream) -> VideoCodecContext:
    own = stream.codec_context
    # Muxers write the key in either case.
    has_alpha = any(key.lower() == "alpha_mode" and value == "1" for key, value in stream.metadata.items())
    name = _ALPHA_DECODERS.get(own.name) if has_alpha else None
    if name is None:
        return own
    decoder = cast("VideoCodecContext", av.CodecContext.create(name, "r"))
    decoder.extradata = own.extradata
    return decoder


def _head(file: BinaryIO) -> bytes:
    file.seek(0)
    head = file.read(_HEADER_BYTES)
    file.seek(0)
    return head


def _demuxer(file: BinaryIO) -> str:
    head = _head(file)
    if head[4:8] in _MOV_ATOMS:
        return "mov"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "matroska"
    if head.startswith(b"RIFF") and head[8:11] == b"AVI":
        return "avi"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    raise InvalidVideo(f"The file is no video, whatever its name says. Give one in {_TAKEN}.")


def _refuse(url: str, flags: int, options: object) -> NoReturn:
    raise PermissionError(f"a video may not open further files ({len(url)} characters, {flags}, {type(options)})")


def pictures_from(
    source: InputContainer, stream: VideoStream, from_ms: int, limits: Limits
) -> Iterator[tuple[av.VideoFrame, int]]:
    """The pictures from the last key picture before a time on, with the file's own times in milliseconds.

    Raises ``InvalidVideo``.
    """
    unit_ms = float(stream.time_base or 0) * 1000
    if unit_ms <= 0:
        raise InvalidVideo("The video's pictures have no times. Convert it to mp4 first.")
    zero = stream.start_time or 0
    if from_ms > 0 and stream.codec_context.name != "gif":
        # A GIF has no key pictures, and its times are counted from its beginning.
        source.seek(zero + int(from_ms / unit_ms), stream=stream, backward=True)
    for picture in DecodedPictures(source, stream, limits, threaded=False):
        if picture.pts is not None:
            yield picture, round((picture.pts - zero) * unit_ms)
