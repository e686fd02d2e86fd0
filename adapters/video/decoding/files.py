"""Opens a path that somebody gave, and says what is wrong with it when it is no file with bytes in it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, BinaryIO

from core.errors import CallerError, InvalidPath, InvalidVideo

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.video.decoding.limits import Limits


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


def _check(path: Path, status: os.stat_result, limits: Limits) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise InvalidPath(f"{str(path)!r} is a folder. Name the video file in it.")
    if not stat.S_ISREG(status.st_mode):
        raise InvalidPath(f"{str(path)!r} is no regular file. Copy the video to a file first.")
    if status.st_size == 0:
        raise InvalidVideo(f"{str(path)!r} is empty. Was the recording finished?")
    limits.check_bytes(status.st_size)
