"""Memories as demonstrations: the stretch of the recording in a file, with its input log beside it."""

from __future__ import annotations

import re
import shutil
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from core.errors import NotFound
from core.files import Folder, make_private, storage_failure
from core.recording.input_log import InputLogHeader, cut_log, line_of, log_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from core.memories.clips import Lesson, MemoryClips
    from core.tasks.ports import InputLogs

_ODD: Final = re.compile(r"[^A-Za-z0-9-]+")


class MemoryLessons:
    """Implements ``core.tasks.ports.Lessons``.

    Args:
        clips: finds and cuts what can be seen of memories; called when the first memory is wanted.
        logs: where input logs are.
        folder: for the files during learning.

    """

    def __init__(self, clips: Callable[[], MemoryClips], logs: InputLogs, folder: Path) -> None:
        self._clips, self._logs, self._folder = clips, logs, folder

    def check(self, memory: str) -> None:
        """See the port."""
        procedure, _ = self._clips().find_video(memory)
        if procedure.source == "run":
            raise NotFound(f"Memory {memory} is a run of Vaider's own, of which there is no video to learn from.")

    @contextmanager
    def taken(self, memory: str, job_id: str, raise_if_cancelled: Callable[[], None]) -> Generator[Path]:
        """See the port."""
        folder = make_private(self._folder) / _ODD.sub("-", job_id)
        # A killed attempt may have left an incomplete file.
        shutil.rmtree(folder, ignore_errors=True)
        clip = make_private(folder) / f"memory-{_ODD.sub('-', memory)[:60]}.mp4"
        try:
            self._write_log(clip, self._clips().cut_lesson(memory, clip, raise_if_cancelled))
            yield clip
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _write_log(self, clip: Path, lesson: Lesson) -> None:
        log = self._logs.of(lesson.video)
        if log is None:
            return
        log = cut_log(log, lesson.start_ms, lesson.end_ms)
        header = InputLogHeader(width=log.width, height=log.height, started_at=datetime.now(UTC))
        path = log_beside(clip)
        try:
            with Folder.open(path.parent) as folder:
                folder.create(path.name, b"".join(map(line_of, (header, *log.events))))
        except OSError as error:
            raise storage_failure(path, error) from error
