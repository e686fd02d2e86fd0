"""Makes an mp4 of pictures and sound as they come, and the same mp4 with its index in front when it is over."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import av
import numpy as np
from av.error import FFmpegError
from av.video.reformatter import ColorRange, Colorspace, Interpolation

from core.files import new_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from adapters.recording.files import FilmFile

SOUND_RATE: Final = 48_000
"""Samples a second, of one channel, 16 bits each."""
_MILLISECOND: Final = Fraction(1, 1000)
_MUXED: Final = {
    # A piece for each frame, handed over at once: a recorder that is killed leaves all but the last.
    "movflags": "frag_every_frame+empty_moov+default_base_moof",
    "flush_packets": "1",
    # Microseconds that pictures wait for sound: without this, a microphone that hangs would hold them back for ten.
    "max_interleave_delta": "500000",
}
_PIECE: Final = 8 * 1024**2
"""Bytes that are gathered before they are written: more than any frame has, so that each is written whole."""
_BT709: Final = 1
_PIXELS_A_THREAD: Final = 1920 * 1080
_SOUND_BITS: Final = 64_000
_PRIMING: Final = 1024
"""Samples that AAC puts before the first: later than the first picture, or all times would be moved to make room."""
_GAP: Final = SOUND_RATE * 2 // 5
"""Samples; sound that is later than that by the clock was interrupted."""


@dataclass(frozen=True, slots=True)
class Quality:
    """How pictures are encoded.

    ``crf`` and ``preset`` as libx264 has them; ``key_pictures`` is after how many pictures one comes that needs none
    before it; ``threads`` of the encoder, as many as the size asks for if ``None``.
    """

    crf: int = 23
    preset: str = "veryfast"
    key_pictures: int = 100
    threads: int | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])


DEMONSTRATION: Final = Quality()


class FilmEncoder:
    """Encodes pictures of one size. Times are milliseconds from the first picture. Used by one thread.

    Failures of the file are kept in it. After one nothing is gained by adding more.

    Args:
        file: takes the pieces.
        size: width and height of the pictures; a missing last row or column is repeated, for H.264 has even sizes.
        fps: how many pictures a second are to be expected.
        sound: whether there will be sound.
        quality: how they are encoded.
        scaled: whether pictures are of another size and made to fit.

    """

    def __init__(
        self,
        file: FilmFile,
        size: tuple[int, int],
        fps: float,
        *,
        sound: bool,
        quality: Quality = DEMONSTRATION,
        scaled: bool = False,
    ) -> None:
        self.width, self.height = size[0] + size[0] % 2, size[1] + size[1] % 2
        """Of the video."""
        self._file = file
        self._mux: Any = av.open(file, "w", format="mp4", options=_MUXED, buffer_size=_PIECE)
        self._scaled = scaled
        fitting = min(4, os.cpu_count() or 1, 1 + self.width * self.height // (_PIXELS_A_THREAD + 1))
        options = {"crf": str(quality.crf), "preset": quality.preset, "tune": "zerolatency", **quality.options}
        self._video: Any = self._mux.add_stream(
            "libx264",
            rate=Fraction(fps).limit_denominator(1000),
            options={**options, "threads": str(quality.threads or fitting)},
        )
        self._video.width, self._video.height, self._video.pix_fmt = self.width, self.height, "yuv420p"
        self._video.gop_size = quality.key_pictures
        context: Any = self._video.codec_context
        context.time_base = _MILLISECOND
        context.color_range = ColorRange.MPEG
        context.colorspace = context.color_primaries = context.color_trc = _BT709
        self._sound: Any = None
        self._sound_at = 0
        if sound:
            self._sound = self._mux.add_stream("aac", rate=SOUND_RATE, layout="mono", bit_rate=_SOUND_BITS)
        self._frame: Any = None
        self._held: dict[int, Any] = {}
        self.last_ms = -1
        """Of the last picture."""

    def add(self, picture: NDArray[np.uint8], t_ms: int) -> None:
        """A picture, rows of BGRA pixels; its time is moved by what it takes to come after the last one."""
        rows, columns = picture.shape[:2]
        if not self._scaled and (columns, rows) != (self.width, self.height):
            picture = np.pad(picture, ((0, self.height - rows), (0, self.width - columns), (0, 0)), mode="edge")
        frame: Any = av.VideoFrame.from_numpy_buffer(np.ascontiguousarray(picture), format="bgra")
        self._frame = frame.reformat(
            width=self.width,
            height=self.height,
            format="yuv420p",
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
            interpolation=Interpolation.AREA if self._scaled else None,
        )
        self.repeat(t_ms)

    def repeat(self, t_ms: int) -> None:
        """The last picture once more: it is still the one that is seen."""
        self.last_ms = self._frame.pts = max(t_ms, self.last_ms + 1)
        self._frame.time_base = _MILLISECOND
        self._muxed(self._video, self._frame)

    def add_sound(self, samples: bytes, end_ms: float) -> None:
        """Sound as 16-bit samples, the last of which was heard at ``end_ms``; what is from before the start is cut."""
        sound = np.frombuffer(samples, np.int16)
        begins = round(end_ms * SOUND_RATE / 1000) - len(sound)
        if not self._sound_at or begins - self._sound_at > _GAP:
            early = max(0, _PRIMING - begins, self._sound_at - begins)
            sound, self._sound_at = sound[early:], begins + early
        if self._sound is None or not len(sound):
            return
        frame: Any = av.AudioFrame.from_ndarray(sound.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = SOUND_RATE, self._sound_at, Fraction(1, SOUND_RATE)
        self._sound_at += len(sound)
        self._muxed(self._sound, frame)

    def close(self) -> None:
        """Write what is still inside; the file stays open."""
        with suppress(FFmpegError, OSError):
            self._muxed(self._video, None)
            if self._sound is not None:
                self._muxed(self._sound, None)
            for packet in self._held.values():
                self._mux.mux(packet)
        with suppress(FFmpegError, OSError):
            self._mux.close()

    def _muxed(self, stream: Any, frame: Any) -> None:
        for packet in stream.encode(frame):
            # The muxer takes a piece of one stream for as long as its packet says, whenever the next one comes; how
            # long a packet lasts is known when there is the next one.
            held = self._held.pop(stream.index, None)
            if held is not None:
                held.duration = packet.dts - held.dts
                self._mux.mux(held)
            self._held[stream.index] = packet


def last_picture(film: Path) -> int | None:
    """When the last picture of a film is that can be read, in milliseconds; ``None`` when there is none."""
    last: int | None = None
    with suppress(FFmpegError, OSError), av.open(str(film.absolute())) as source:
        packets: Iterable[Any] = source.demux(source.streams.video[0])
        for packet in packets:
            if packet.pts is not None:
                base: Any = packet.time_base
                last = round(float(packet.pts * base) * 1000)
    return last


def put_index_in_front(film: Path, last_ms: int, end_ms: int) -> None:
    """Replace a film of pieces by the same one in one piece, which any player can seek in; all or nothing.

    Args:
        film: the file.
        last_ms: when its last picture is.
        end_ms: how long it is seen.

    Raises:
        OSError: the disk is full, or the folder cannot be written; the film is as it was.
        FFmpegError: nothing of it can be read; the film is as it was.

    """
    whole = film.with_name(f".{film.stem}.whole.mp4").absolute()
    whole.unlink(missing_ok=True)
    os.close(new_file(whole))
    try:
        _copy(film.absolute(), whole, last_ms, end_ms)
        file = os.open(whole, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(file)
        finally:
            os.close(file)
        whole.replace(film)
    finally:
        whole.unlink(missing_ok=True)


def _copy(film: Path, whole: Path, last_ms: int, end_ms: int) -> None:
    with av.open(str(film)) as source, av.open(str(whole), "w", format="mp4", options={"movflags": "faststart"}) as to:
        into: dict[int, Any] = {
            stream.index: to.add_stream_from_template(stream)
            for stream in (*source.streams.video, *source.streams.audio)
        }
        packets: Iterable[Any] = source.demux()
        sound_at = 0
        for packet in packets:
            if packet.dts is None:
                continue
            base: Any = packet.time_base
            at = round(float(packet.dts * base) * 1000)
            if packet.stream.type == "video":
                if at >= last_ms:
                    packet.duration = max(1, round((end_ms - at) / 1000 / base))
            elif at >= end_ms:
                continue
            else:
                # In pieces, sound is now and then dated one packet too late.
                if abs(packet.dts - sound_at) <= 2 * _PRIMING:
                    packet.pts = packet.dts = sound_at
                sound_at = packet.dts + int(packet.duration or _PRIMING)
            packet.stream = into[packet.stream.index]
            to.mux(packet)
