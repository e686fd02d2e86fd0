"""Which segments of the recording have been read, in a small file of its own: it outlives a daemon that is killed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from core.values import Value
from storage.documents import DocumentFile

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


class _Marks(Value):
    version: Literal[1] = 1
    read: frozenset[str] = frozenset()
    begun: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)


class ReadingMarkFile:
    """Implements ``core.memories.reading_ports.ReadingMarks``. One that makes no sense counts as none.

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
