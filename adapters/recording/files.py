"""The files that a recording goes into: a film that can be played wherever it ends, and an input log, line by line."""

import fcntl
import os
import threading
from pathlib import Path
from typing import Final

from core.files import new_file, write_whole
from core.recording.input_log import MAX_LOG_BYTES, InputEvent, InputLogHeader, line_of

_SYNC_SECONDS: Final = 2.0


class FilmFile:
    """A new file that only its user can read; what a failed write has left of a piece is cut off again.

    It has what PyAV asks of a file that is only written on. After a failure nothing is written any more.

    Args:
        path: must not be there yet.

    Raises:
        OSError: it is there, or its folder cannot be written.

    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._file = new_file(path)
        # Others tell by it whether a film still grows: it is gone with the process, however that ends.
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.size = 0
        """Bytes."""
        self.largest = 0
        """Bytes of the largest piece."""
        self.failure: OSError | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sync, name="recording to disk", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> int:
        """Write a whole piece, or nothing of it; the failure is kept, for the muxer would hide it."""
        if self.failure is None:
            try:
                write_whole(self._file, data, self.size)
            except OSError as error:
                self.failure = error
            else:
                self.size += len(data)
                self.largest = max(self.largest, len(data))
        return len(data)

    def close(self) -> None:
        """Have all of it on the disk."""
        self._ended.set()
        self._thread.join()
        try:
            os.fsync(self._file)
        except OSError as error:
            self.failure = self.failure or error
        os.close(self._file)

    def _sync(self) -> None:
        """Have it on the disk every now and then, in a thread that the recording does not wait for."""
        # macOS has only the other one.
        to_disk = getattr(os, "fdatasync", os.fsync)
        while not self._ended.wait(_SYNC_SECONDS):
            try:
                to_disk(self._file)
            except OSError:
                return


class LogFile:
    """A new file that only its user can read. Used by one thread at a time.

    Args:
        path: must not be there yet.
        header: its first line.

    Raises:
        OSError: it is there, or cannot be written.

    """

    def __init__(self, path: Path, header: InputLogHeader) -> None:
        self._file = new_file(path)
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
        write_whole(self._file, line, self._size)
        self._size += len(line)
