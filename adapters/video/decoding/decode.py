"""From a file to frames, upright and with honest times, also while the film is still being written."""

from __future__ import annotations

import os
import queue
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Final

from adapters.video.decoding.container import (
    DecodedPictures,
    claimed_film_ms,
    film_clock,
    open_growing,
    open_video,
    pictures_from,
    upright_frame,
    video_stream,
)
from adapters.video.decoding.files import open_file
from core.errors import InvalidVideo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from av import VideoFrame

    from adapters.video.decoding.files import Limits
    from adapters.video.frame import Frame
    from core.analysis import Video


_FEW_FPS = 10
"""Below, threads cost more than they bring (measured: 960 x real time without, 750 with, at 2 fps in 720p)."""
_STALE, _STALE_MS = 1.05, 1000
"""How much longer than the film its header may call it before that is worth a word."""


def decode(path: Path, video: Video, *, limits: Limits, warn: Callable[[str], None]) -> Iterator[Frame]:
    """Decode every frame in the order of presentation, all of them ``video.width`` x ``video.height``.

    What is damaged is left out, and told to ``warn`` at the end.

    Raises:
        InvalidPath, InvalidVideo: the file is gone, or nothing can be decoded.
        TooLarge: the frames outgrow a limit, whatever the container claims.

    """
    with open_file(path, limits) as file, closing(open_video(file, limits)) as container:
        stream = video_stream(container, limits)
        clock = film_clock(container, stream, limits)
        pictures = DecodedPictures(container, stream, limits, threaded=video.fps is None or video.fps >= _FEW_FPS)
        size = (video.width, video.height)
        count, t_ms = 0, 0.0
        for count, picture in enumerate(pictures, 1):
            t_ms = clock.at(picture.pts)
            limits.check_time(t_ms, count)
            yield upright_frame(picture, round(t_ms), size)
        if not count:
            raise InvalidVideo("No frame of the video can be decoded. Check that it plays, or record it again.")
        if pictures.damaged:
            warn(f"The video is damaged: what could not be decoded was left out ({pictures.damaged} times).")
        claimed_ms = claimed_film_ms(container, stream)
        if claimed_ms is not None and claimed_ms > video.duration_ms * _STALE + _STALE_MS:
            warn(f"The video is cut off: it ends after {t_ms / 1000:.1f} s, its header says {claimed_ms / 1000:.1f} s.")
        if clock.repaired:
            warn(f"{clock.repaired} timestamps of the video are broken; the times around them are estimates.")


def decode_from(path: Path, from_ms: int, *, limits: Limits) -> Iterator[Frame]:
    """Decode from the last key picture before that time on; times are the file's own, also where they are broken.

    Raises as ``decode`` does.
    """
    with open_file(path, limits) as file, closing(open_video(file, limits)) as container:
        stream = video_stream(container, limits)
        count = 0
        for picture, t_ms in pictures_from(container, stream, from_ms, limits):
            count += 1
            yield upright_frame(picture, t_ms, _upright_size(picture))
        if not count:
            raise InvalidVideo("No picture of the video can be decoded there. Check that it plays.")


def _upright_size(picture: VideoFrame) -> tuple[int, int]:
    sideways = picture.rotation // 90 % 2 == 1
    return (picture.height, picture.width) if sideways else (picture.width, picture.height)


_LOOK_SECONDS: Final = 0.15
"""How often the file is looked at for more."""
_WAITING: Final = 4
"""So many decoded frames may wait to be taken: the others are still in the file."""


def grow(
    path: Path, *, limits: Limits, is_ended: Callable[[], bool], warn: Callable[[str], None]
) -> Iterator[Frame | None]:
    """Decode every frame of an mp4 of pieces, and wait for more; ``None`` a few times a second while none comes.

    Ends when ``is_ended`` and all that was written has been decoded. All frames have the size of the first. What is
    damaged is left out, and told to ``warn`` at the end.

    Raises:
        InvalidPath, InvalidVideo: the file is gone, or nothing can be decoded.
        TooLarge: the frames outgrow a limit.

    """
    decoder = _Decoder(path, limits, is_ended)
    decoder.start()
    try:
        while True:
            try:
                frame = decoder.frames.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                yield None
                continue
            if frame is None:
                break
            yield frame
    finally:
        decoder.stop()
    if decoder.error is not None:
        raise decoder.error
    if decoder.damaged:
        warn(f"The video is damaged: what could not be decoded was left out ({decoder.damaged} times).")


class _Decoder(threading.Thread):
    """Decodes on a thread of its own: FFmpeg cannot be asked to come back later when a file has no more to give."""

    def __init__(self, path: Path, limits: Limits, is_ended: Callable[[], bool]) -> None:
        super().__init__(name="decoding", daemon=True)
        self.frames: queue.Queue[Frame | None] = queue.Queue(_WAITING)
        """``None`` at the end."""
        self.error: Exception | None = None
        self.damaged = 0
        self._path = path
        self._limits = limits
        self._is_ended = is_ended
        self._stopped = threading.Event()

    def run(self) -> None:
        try:
            self._decode()
        except Exception as error:  # noqa: BLE001 - raised again where the frames are taken
            self.error = error
        self._put(None)

    def stop(self) -> None:
        """Decode no more."""
        self._stopped.set()
        self.join()

    def _await_begin(self) -> None:
        """A file may be there before anything is in it."""
        while self._path.is_file() and not self._path.stat().st_size and not self._is_ended():
            if self._stopped.wait(_LOOK_SECONDS):
                break

    def _decode(self) -> None:
        self._await_begin()
        limits = self._limits
        with open_file(self._path, limits) as file:
            growing = _GrowingFile(file.fileno(), limits, self._is_ended, self._stopped)
            with closing(open_growing(growing, limits)) as container:
                stream = video_stream(container, limits)
                clock = film_clock(container, stream, limits)
                pictures = DecodedPictures(container, stream, limits, threaded=False)
                size: tuple[int, int] | None = None
                for count, picture in enumerate(pictures, 1):
                    if size is None:
                        limits.check_pixels(picture.width, picture.height)
                        size = _upright_size(picture)
                    t_ms = clock.at(picture.pts)
                    limits.check_time(t_ms, count)
                    if not self._put(upright_frame(picture, round(t_ms), size)):
                        return
                self.damaged = pictures.damaged
                limits.check_bytes(growing.size)
                if size is None:
                    raise InvalidVideo("No frame of the video can be decoded. Check that it plays, or record it again.")

    def _put(self, frame: Frame | None) -> bool:
        while not self._stopped.is_set():
            try:
                self.frames.put(frame, timeout=_LOOK_SECONDS)
            except queue.Full:
                continue
            return True
        return False


class _GrowingFile:
    """Its end is no end until it is said to be one. It cannot be sought in, so that FFmpeg reads on and never back."""

    def __init__(self, descriptor: int, limits: Limits, is_ended: Callable[[], bool], stopped: threading.Event) -> None:
        self._descriptor = descriptor
        self._limits = limits
        self._is_ended = is_ended
        self._stopped = stopped
        self.size = 0
        """Bytes that were read."""

    def read(self, size: int, /) -> bytes:
        """Wait for some; none at the end, and beyond the limit."""
        while self.size <= self._limits.max_bytes:
            # In this order: what was written before it ended is read.
            ended = self._is_ended()
            data = os.read(self._descriptor, size)
            if data or ended:
                self.size += len(data)
                return data
            if self._stopped.wait(_LOOK_SECONDS):
                break
        return b""
