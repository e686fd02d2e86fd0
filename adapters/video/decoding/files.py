"""Opens a path, says what is wrong with it when it is no file with bytes in it, and how large a video may be."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import signal
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from core.errors import CallerError, InvalidPath, InvalidVideo, TooLarge

if TYPE_CHECKING:
    from pathlib import Path


FRAMES_PER_SECOND = 240
"""No screen is faster; a clip with more frames than this over its longest allowed time is a bomb."""

PIXELS_PER_SECOND = 3840 * 2160 * 60
"""Of the longest clip that is taken: 4K at 60 frames a second, which is watched about as fast as it plays."""
TRANSPARENT = 8
"""So many pixels counts one that may be transparent, as those of a GIF: measured, 54 million of them are watched in a
second, and 280 to 480 million of others."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one video: bytes of the file, seconds of play, pixels (width x height) of one frame."""

    max_bytes: int
    max_seconds: float
    max_pixels: int

    @property
    def max_frames(self) -> int:
        """How many frames a clip may have, whatever its timestamps claim."""
        return max(1, round(self.max_seconds * FRAMES_PER_SECOND))

    @property
    def max_work(self) -> int:
        """How many pixels all frames of a clip may have together; those that may be transparent count more."""
        return max(self.max_pixels, round(self.max_seconds * PIXELS_PER_SECOND))

    def check_work(self, pixels: int, frames: int) -> None:
        """Refuse a clip whose frames have too many pixels together with ``TooLarge``."""
        if pixels > self.max_work:
            raise TooLarge(
                f"The video has {frames:,} frames with {pixels / 1e6:,.0f} million pixels together; at most "
                f"{self.max_work / 1e6:,.0f} million are taken (a pixel that may be transparent, as in a GIF, counts "
                f"{TRANSPARENT}). Record it in a smaller size or with fewer frames a second, or cut out the part that "
                "matters.",
                limit=self.max_work,
            )

    def check_bytes(self, size: int) -> None:
        """Refuse a file of too many bytes with ``TooLarge``."""
        if size > self.max_bytes:
            raise TooLarge(
                f"The video has {size:,} bytes; at most {self.max_bytes:,} are taken. Record it in a smaller size, "
                "or raise the setting max_video_bytes.",
                limit=self.max_bytes,
                setting="max_video_bytes",
            )

    def check_pixels(self, width: int, height: int) -> None:
        """Refuse a picture of too many pixels with ``TooLarge``."""
        if width * height > self.max_pixels:
            raise TooLarge(
                f"The video's frames are {width} x {height}; at most {self.max_pixels:,} pixels are taken. Record it "
                "in a smaller size.",
                limit=self.max_pixels,
            )

    def check_time(self, t_ms: float, frames: int) -> None:
        """Refuse a clip that goes on too long, by its clock or by its number of frames, with ``TooLarge``."""
        if t_ms > self.max_seconds * 1000 or frames > self.max_frames:
            raise TooLarge(
                f"The video is longer than {self.max_seconds:g} s. Cut out the part that matters, or raise the "
                "setting max_video_seconds.",
                limit=self.max_seconds,
                setting="max_video_seconds",
            )


def open_file(path: Path, limits: Limits) -> BinaryIO:
    """Open a regular, readable file that is neither empty nor too large; never waits for a FIFO or a device.

    Raises:
        InvalidPath, InvalidVideo, TooLarge: with what is wrong.

    """
    try:
        str(path).encode()
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidPath(f"There is no file {str(path)!r}. Check the path.") from None
    except PermissionError:
        raise InvalidPath(f"{str(path)!r} may not be read. Give the daemon's user the right to read it.") from None
    except UnicodeEncodeError:
        raise InvalidPath(f"The name {str(path)!r} is not UTF-8. Rename the file.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidPath(f"{str(path)!r} cannot be opened: {reason}.") from None
    try:
        _check(path, os.fstat(descriptor), limits)
    except CallerError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def is_being_written(path: Path) -> bool:
    """Whether a process has the file open for writing, as far as the system tells (Linux does, of one's own files).

    The system refuses a lease for reading then. One that was given is let go at once; who opens the file in between
    waits for that, and the signal about it must be ignored, since by default it ends a process.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        with path.open("rb", buffering=0) as file:
            before = signal.signal(signal.SIGIO, signal.SIG_IGN)
            try:
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            finally:
                signal.signal(signal.SIGIO, before)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def sha256_of(file: BinaryIO) -> str:
    """Of all its bytes, wherever it is read at meanwhile."""
    digest, offset = hashlib.sha256(), 0
    while block := os.pread(file.fileno(), 1 << 20, offset):
        digest.update(block)
        offset += len(block)
    return digest.hexdigest()


def _check(path: Path, status: os.stat_result, limits: Limits) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise InvalidPath(f"{str(path)!r} is a folder. Name the video file in it.")
    if not stat.S_ISREG(status.st_mode):
        raise InvalidPath(f"{str(path)!r} is no regular file. Copy the video to a file first.")
    if status.st_size == 0:
        raise InvalidVideo(f"{str(path)!r} is empty. Was the recording finished?")
    limits.check_bytes(status.st_size)
