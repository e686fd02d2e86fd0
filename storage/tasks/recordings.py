"""Recordings that are copied into a task's folder with their input logs, whole or not at all."""

import contextlib
import errno
import fcntl
import itertools
import os
import re
import secrets
import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, BinaryIO, Final

from core.errors import InvalidPath, InvalidVideo, NotFound, TooLarge
from core.files import Folder, storage_failure
from core.recording.input_log import LOG_SUFFIX, log_beside
from core.rules import VIDEO_SUFFIXES
from storage.recording_files import read_log_bytes

RECORDINGS: Final = "recordings"
"""The folder of them, in a task's."""
MAX_RECORDING: Final = 2 * 1024**3
_CHUNK: Final = 4 * 1024**2
_MAX_NAME: Final = 80
_LEFT: Final = re.compile(r"\.[0-9a-f]{16}\.part")
_LEFT_SECONDS: Final = 3600.0
"""Seconds without a new byte after which a copy counts as abandoned."""


def copy_recording(source: Path, root: Path, folder: tuple[str, str], most: int) -> Path:
    """Copy a video to ``<epoch>-<name>.<suffix>`` in the task's folder of recordings; returns where it is.

    The input log beside it comes along, after it: whatever happens there is no log without its video.

    Raises:
        InvalidPath: it is no file that can be read, or the folder is a symbolic link.
        InvalidRequest: its input log cannot be read, or is too large.
        InvalidVideo: its suffix is no video's.
        NotFound: the task was deleted meanwhile.
        TooLarge: it has more than ``most`` bytes.
        StorageFailed: it cannot be written.

    """
    place = root.joinpath(*folder)
    suffix = source.suffix.lower()
    if suffix not in VIDEO_SUFFIXES:
        known = ", ".join(sorted(VIDEO_SUFFIXES))
        raise InvalidVideo(f"{source} is no recording by its name: it must end in one of {known}.")
    with _opened(source) as file:
        _check_size(source, os.fstat(file.fileno()).st_size, most)
        log = read_log_bytes(log_beside(source))
        try:
            with _Recordings.open(root, *folder) as recordings:
                recordings.sweep()
                name = recordings.copy(file, source, most, log)
        except FileNotFoundError:
            name = ""
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                raise InvalidPath(f"{place} is a symbolic link or no folder: put a folder there.") from None
            raise storage_failure(place, error) from error
    if not name or not (place / name).is_file():
        raise NotFound(f"Task {folder[0]!r} was deleted while {source.name} was copied into it.", task=folder[0])
    return place / name


def recordings_of(task: Path) -> Sequence[str]:
    """The names of a task's recordings, the oldest first."""
    try:
        names = sorted(os.listdir(task / RECORDINGS))  # noqa: PTH208 - names are asked for, no paths
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise storage_failure(task / RECORDINGS, error) from None
    return [name for name in names if Path(name).suffix.lower() in VIDEO_SUFFIXES and not name.startswith(".")]


def open_recording(task: Path, name: str) -> IO[bytes]:
    """A recording of a task, open. Raises ``NotFound``: there is none of that name."""
    if name in recordings_of(task):
        how = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with contextlib.suppress(OSError):
            file = os.fdopen(os.open(task / RECORDINGS / name, how), "rb")
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file
            file.close()
    raise NotFound(f"Task {task.name!r} has no recording {name[:100]!r}.")


class _Recordings(Folder):
    def copy(self, file: BinaryIO, source: Path, most: int, log: bytes | None) -> str:
        """Copy it under a name that is not there yet."""
        part, log_part = f".{secrets.token_hex(8)}.part", f".{secrets.token_hex(8)}.part"
        try:
            with os.fdopen(self.new(part), "wb") as target:
                written = 0
                while chunk := file.read(_CHUNK):
                    written += len(chunk)
                    _check_size(source, written, most)
                    target.write(chunk)
                _to_disk(target)
            if log is not None:
                with os.fdopen(self.new(log_part), "wb") as target:
                    target.write(log)
                    _to_disk(target)
            stem = f"{int(time.time())}-{_plain(source.stem)}"
            return self._placed(part, None if log is None else log_part, stem, source.suffix.lower())
        finally:
            self.remove(part)
            self.remove(log_part)

    def sweep(self) -> None:
        """Remove the copies of processes that died over them."""
        for name in self.names():
            if not _LEFT.fullmatch(name):
                continue
            with contextlib.suppress(OSError):
                age = time.time() - os.stat(name, dir_fd=self._fd, follow_symlinks=False).st_mtime
                if age > _LEFT_SECONDS:
                    self.remove(name)

    def _placed(self, part: str, log_part: str | None, stem: str, suffix: str) -> str:
        # So that two copies of one name in one second do not replace each other.
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        there = set(self.names())
        numbers = itertools.count(2)
        chosen = stem
        # Nor may a recording find the log of another one beside it.
        while f"{chosen}{suffix}" in there or f"{chosen}{LOG_SUFFIX}" in there:
            chosen = f"{stem}-{next(numbers)}"
        self.rename(part, f"{chosen}{suffix}")
        if log_part is not None:
            self.rename(log_part, f"{chosen}{LOG_SUFFIX}")
        self.sync()
        return f"{chosen}{suffix}"


def _to_disk(target: BinaryIO) -> None:
    target.flush()
    os.fsync(target.fileno())


def _opened(source: Path) -> BinaryIO:
    try:
        file = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no path"
        raise InvalidPath(f"{source} cannot be read: {why}.") from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise InvalidPath(f"{source} is no file: name the recording itself.")
    return os.fdopen(file, "rb")


def _check_size(source: Path, size: int, most: int) -> None:
    if not size:
        raise InvalidVideo(f"{source} is empty: record it again.")
    if size > most:
        raise TooLarge(
            f"{source} is larger than {most / 1024**3:g} GB, which a recording may have: trim it, or record it again.",
            limit_bytes=most,
        )


def _plain(stem: str) -> str:
    words = re.sub(r"[^\w.-]+", "-", stem).strip("-._")[:_MAX_NAME].strip("-._")
    while len(words.encode()) > 2 * _MAX_NAME:
        words = words[:-1]
    return words or "recording"
