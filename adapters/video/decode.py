"""From a file to frames: whatever container and pixel format, upright, with honest times."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Final, cast

import av
from av.error import EOFError as AvEOFError
from av.error import FFmpegError

from adapters.video.clock import Clock
from adapters.video.container import open_file, open_video, video_stream
from adapters.video.picture import upright_frame
from core.errors import InvalidVideo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from av.container import InputContainer
    from av.video.codeccontext import VideoCodecContext
    from av.video.stream import VideoStream

    from adapters.video.frame import Frame
    from adapters.video.limits import Limits
    from core.analysis import Video

_FEW_FPS = 10
"""Below, threads cost more than they bring (measured: 960 x real time without, 750 with, at 2 fps in 720p)."""
_MOST_THREADS = 4
"""Each decoding thread holds frames of its own."""
_UNKNOWN_FRAME_MS = 40.0
_ALPHA_DECODERS: Final = {"vp8": "libvpx", "vp9": "libvpx-vp9"}
"""FFmpeg's own VP8 and VP9 decoders ignore the alpha channel that Matroska carries beside the picture."""


def decode(
    path: Path, video: Video, *, limits: Limits, warn: Callable[[str], None] = lambda _: None
) -> Iterator[Frame]:
    """Decode every frame in the order of presentation, all of them ``video.width`` x ``video.height``.

    What is damaged is left out, and told to ``warn`` at the end.

    Raises:
        InvalidPath, InvalidVideo: the file is gone, or nothing can be decoded.
        TooLarge: the frames outgrow a limit, whatever the container claims.

    """
    with open_file(path) as file, closing(open_video(file, limits)) as container:
        stream = video_stream(container, limits)
        clock = Clock(
            time_base=stream.time_base,
            nominal_ms=1000 / video.fps if video.fps else _UNKNOWN_FRAME_MS,
            end_ms=video.duration_ms or None,
        )
        pictures = Pictures(container, stream, limits, threaded=video.fps is None or video.fps >= _FEW_FPS)
        size = (video.width, video.height)
        count = 0
        for count, picture in enumerate(pictures, 1):
            t_ms = clock.at(picture.pts)
            limits.check_time(t_ms, count)
            yield upright_frame(picture, round(t_ms), size)
        if not count:
            raise InvalidVideo("No frame of the video can be decoded. Check that it plays, or record it again.")
        if pictures.damaged:
            warn(f"The video is damaged: {pictures.damaged} parts of it could not be decoded and were left out.")
        if clock.repaired:
            warn(f"{clock.repaired} timestamps of the video are broken; the times around them are estimates.")


class Pictures:
    """The pictures of a stream as decoded, once; counts in ``damaged`` what could not be decoded."""

    def __init__(self, container: InputContainer, stream: VideoStream, limits: Limits, *, threaded: bool) -> None:
        self.damaged = 0
        self._packets = container.demux(stream)
        self._decoder = _decoder(stream, limits)
        self._decoder.thread_type = "AUTO" if threaded else "NONE"
        self._decoder.thread_count = min(_MOST_THREADS, os.cpu_count() or 1) if threaded else 1

    def __iter__(self) -> Iterator[av.VideoFrame]:
        """Decode on. A picture that the decoder calls corrupt shows what never was on screen, and is left out."""
        while True:
            try:
                packet = next(self._packets, None)
            except FFmpegError:
                self.damaged += 1
                packet = None
            try:
                pictures = self._decoder.decode(packet)
            except FFmpegError as error:
                if packet is None and isinstance(error, AvEOFError):
                    return
                self.damaged += 1
                pictures = []
            for picture in pictures:
                if picture.is_corrupt:
                    self.damaged += 1
                else:
                    yield picture
            if packet is None:
                return


def _decoder(stream: VideoStream, limits: Limits) -> VideoCodecContext:
    own = stream.codec_context
    name = _ALPHA_DECODERS.get(own.name) if stream.metadata.get("alpha_mode") == "1" else None
    if name is None:
        decoder = own
    else:
        decoder = cast("VideoCodecContext", av.CodecContext.create(name, "r"))
        decoder.extradata = own.extradata
    decoder.options = {"max_pixels": str(limits.max_pixels)}
    return decoder
