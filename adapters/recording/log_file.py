"""The input log while it is written: each line is in the file before the next event is looked at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from core.recording.input_log_lines import MAX_LOG_BYTES, line_of

if TYPE_CHECKING:
    from pathlib import Path

    from core.recording.input_log import InputEvent
    from core.recording.input_log_lines import InputLogHeader


class LogFile:
    """A new file that only its user can read. Used by one thread at a time.

    Args:
        path: must not be there yet.
        header: its first line.

    Raises:
        OSError: it is there, or cannot be written.

    """

    def __init__(self, path: Path, header: InputLogHeader) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.open(path, flags, 0o600)
        self._size = 0
        try:
            self._write(line_of(header))
        except OSError:
            os.close(self._file)
            path.unlink()
            raise

    def add(self, event: InputEvent) -> None:
        """Write a whole line, or nothing of it. Raises ``OSError``."""
        line = line_of(event)
        if self._size + len(line) <= MAX_LOG_BYTES:
            self._write(line)

    def close(self) -> None:
        """Have it on the disk."""
        try:
            os.fsync(self._file)
        finally:
            os.close(self._file)

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            os.ftruncate(self._file, self._size)
            os.lseek(self._file, self._size, os.SEEK_SET)
            raise
        self._size += len(line)
