"""The list of what left this machine, and the marks of what was read, in files that outlive a daemon that is killed."""

import threading
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from core.documents import DocumentFile
from core.files import Folder, make_private, storage_failure
from core.memories.ports import Sent
from core.values import Value

NAME: Final = "memory-sent.jsonl"
_LOCK: Final = ".memory-sent.lock"


class SentFile:
    """Implements ``core.memories.ports.SentLedger``.

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
            if folder.append(NAME, line) > self._most_bytes:
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
            with self._lock, Folder.open(self._folder) as folder, folder.lock(_LOCK):
                yield folder
        except OSError as error:
            raise storage_failure(self.path, error) from None


def _parsed(line: bytes) -> Sent | None:
    try:
        return Sent.model_validate_json(line)
    except ValidationError:
        return None


class _Marks(Value):
    version: Literal[1] = 1
    read: frozenset[str] = frozenset()
    begun: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)


class ReadingMarkFile:
    """Implements ``core.memories.ports.ReadingMarks``. An invalid file counts as empty.

    Args:
        path: of the file; it is made when the first segment is read.

    """

    def __init__(self, path: Path) -> None:
        self._file = DocumentFile(path, _Marks)
        self._lock = threading.Lock()
        self._marks: _Marks | None = None

    def is_read(self, segment_id: str) -> bool:
        """See the port."""
        with self._lock:
            return segment_id in self._now().read

    def begin(self, segment_id: str) -> int:
        """See the port."""
        with self._lock:
            marks = self._now()
            tries = marks.begun.get(segment_id, 0) + 1
            self._write(marks.read, {**marks.begun, segment_id: tries})
            return tries

    def put_back(self, segment_id: str) -> None:
        """See the port."""
        with self._lock:
            marks = self._now()
            tries = marks.begun.get(segment_id, 0)
            others = {one: count for one, count in marks.begun.items() if one != segment_id}
            self._write(marks.read, {**others, segment_id: tries - 1} if tries > 1 else others)

    def finish(self, segment_id: str) -> None:
        """See the port."""
        with self._lock:
            marks = self._now()
            begun = {one: count for one, count in marks.begun.items() if one != segment_id}
            self._write(marks.read | {segment_id}, begun)

    def forget(self, segment_ids: Collection[str]) -> None:
        """See the port."""
        with self._lock:
            marks = self._now()
            self._keep((marks.read | marks.begun.keys()) - frozenset(segment_ids))

    def keep_only(self, segment_ids: Collection[str]) -> None:
        """See the port."""
        with self._lock:
            self._keep(frozenset(segment_ids))

    def _keep(self, segment_ids: frozenset[str]) -> None:
        marks = self._now()
        self._write(marks.read & segment_ids, {one: count for one, count in marks.begun.items() if one in segment_ids})

    def _now(self) -> _Marks:
        if self._marks is None:
            self._marks = self._file.read()
        return self._marks

    def _write(self, read: frozenset[str], begun: dict[str, int]) -> None:
        marks = _Marks(read=read, begun=begun)
        if marks != self._marks:
            self._file.write(marks)
            self._marks = marks
