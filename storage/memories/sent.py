"""The list of what left this machine: a file of JSON lines that only its owner may read."""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from core.memories.sent import Sent
from storage.files import Folder, make_private, storage_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from datetime import datetime
    from pathlib import Path

NAME: Final = "memory-sent.jsonl"
_LOCK: Final = ".memory-sent.lock"
_MODE: Final = 0o600


class SentFile:
    """Implements ``core.memories.sent.SentLedger``.

    Args:
        folder: the data directory.
        most_bytes: of the file; when it grows beyond, its older half goes.

    """

    def __init__(self, folder: Path, *, most_bytes: int = 8 << 20) -> None:
        self.path: Final = folder / NAME
        self._folder, self._most_bytes = folder, most_bytes
        self._lock = threading.Lock()

    def add(self, sent: Sent) -> None:
        """Add a line."""
        line = sent.model_dump_json().encode() + b"\n"
        with self._alone() as folder:
            folder.append(NAME, line)
            if self.path.stat().st_size > self._most_bytes:
                data = self._read(folder)
                half = data.find(b"\n", len(data) // 2) + 1
                folder.replace(NAME, data[half:])

    def newest(self, limit: int) -> Sequence[Sent]:
        """The last so many; lines that are none of ours are left out."""
        if not self.path.exists():
            return []
        with self._alone() as folder:
            lines = self._read(folder).splitlines()
        found: list[Sent] = []
        for line in reversed(lines):
            if len(found) == limit:
                break
            sent = _parsed(line)
            if sent is not None:
                found.append(sent)
        return found

    def forget(self, since: datetime, until: datetime) -> int:
        """Remove the lines of that stretch."""
        return self._forget(lambda sent: sent.touches(since, until))

    def _forget(self, is_meant: Callable[[Sent], bool]) -> int:
        if not self.path.exists():
            return 0
        with self._alone() as folder:
            lines = self._read(folder).splitlines(keepends=True)
            # What cannot be read may tell of anything: it goes as well.
            kept = [line for line in lines if (sent := _parsed(line)) is not None and not is_meant(sent)]
            if len(kept) < len(lines):
                folder.replace(NAME, b"".join(kept))
        return len(lines) - len(kept)

    def _read(self, folder: Folder) -> bytes:
        try:
            return folder.read(NAME, 4 * self._most_bytes)
        except FileNotFoundError:
            return b""

    @contextmanager
    def _alone(self) -> Generator[Folder]:
        """The folder, while no thread and no other process changes the file."""
        make_private(self._folder)
        try:
            with self._lock, Folder.open(self._folder) as folder:
                flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
                lock = os.open(self._folder / _LOCK, flags, _MODE)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    yield folder
                finally:
                    os.close(lock)
        except OSError as error:
            raise storage_failure(self.path, error) from None


def _parsed(line: bytes) -> Sent | None:
    try:
        return Sent.model_validate_json(line)
    except ValidationError:
        return None
