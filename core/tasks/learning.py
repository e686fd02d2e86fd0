"""The use case: recordings of a demonstration in, a task with its questions out; nothing is touched without one."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.analysis import Video
from core.errors import InvalidRequest, NoTask, NotFound, StorageFailed, TooLarge
from core.provider_choice import choose
from core.recording.recording import MAX_BYTES, MAX_SECONDS
from core.tasks.finding import find_task
from core.tasks.heartbeat_merge import merged
from core.tasks.learning_gate import read_extraction
from core.tasks.lessons import Learned
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from core.ports import JobContext, VideoInspector
    from core.tasks.heartbeat import Heartbeat
    from core.tasks.learning_ports import InputLogs, Lessons, TaskExtractor
    from core.tasks.lessons import ExtractionReply, LearnRequest
    from core.tasks.ports import StoredTask, Tasks

MAX_VIDEOS: Final = 20
_BY: Final = "learning"
LONGEST_SECONDS: Final = MAX_SECONDS + 2.0
"""A container's rounding, or the last picture of a recording that stopped by itself, adds to five minutes."""


class _Kept(Value):
    """A recording that has become a part of a task."""

    task: str
    recording: str
    created: bool
    warning: str = ""


@dataclass(frozen=True)
class TaskLearning:
    """Learns tasks, whichever front end asked for it.

    Args:
        extractors: by name, as ``provider`` spells it.
        preference: the names that ``auto`` tries in order.
        inspector: looks at a recording before anything is decoded.
        logs: finds the input logs of recordings.
        tasks: where tasks are kept.
        lessons: memories to learn from.

    """

    extractors: Mapping[str, TaskExtractor]
    preference: Sequence[str]
    inspector: VideoInspector
    logs: InputLogs
    tasks: Tasks
    lessons: Lessons

    @property
    def providers(self) -> Mapping[str, str | None]:
        """Each extractor and what it lacks, ``None`` for those that can be used now."""
        return {name: extractor.unavailable() for name, extractor in self.extractors.items()}

    def admit(self, request: LearnRequest) -> LearnRequest:
        """Refuse at once what is plainly wrong, before a job is made of it; the request with the task's id.

        Raises ``CallerError``: no recording, one without an absolute path, no such memory, task or provider.
        """
        if request.memory is not None:
            if request.videos:
                raise InvalidRequest("Name recordings or a memory to learn from, not both.")
            self.lessons.check(request.memory)
        elif not request.videos:
            raise InvalidRequest("Name at least one recording to learn from.")
        if len(request.videos) > MAX_VIDEOS:
            raise InvalidRequest(f"At most {MAX_VIDEOS} recordings are learned from at once.")
        for path in request.videos:
            if not Path(path).is_absolute():
                raise InvalidRequest(f"A recording's path must be absolute, {path!r} is not.")
        self._choose(request.provider)
        if request.into is None:
            return request
        return request.model_copy(update={"into": find_task(self.tasks, request.into).id})

    def run(self, request: LearnRequest, context: JobContext) -> Learned:
        """Learn from one recording after the other; blocks until done.

        A recording that shows no task, or whose account breaks the format, touches nothing; what was learned from
        those before it stays. Raises any ``VaiderError``.
        """
        began = time.monotonic()
        request = self.admit(request)
        extractor, reason = self._choose(request.provider)
        into, kept = request.into, list[_Kept]()
        usage: dict[str, int] = {}
        warnings: list[str] = []
        with self._recordings(request, context) as paths:
            for number, path in enumerate(paths, start=1):
                video = context.step(f"inspect-{number}", Video, lambda path=path: self._inspect(path))
                reply = extractor.extract(video, self.logs.of(path), context)
                learned = _task_of(reply, path)
                mark = f"{_BY} {context.job_id[:8]}-{number}"
                keep = _Keep(self.tasks, learned, path, mark, into)
                kept.append(context.step(f"keep-{number}", _Kept, keep.do))
                into = kept[-1].task
                for name, count in reply.usage.items():
                    usage[name] = usage.get(name, 0) + count
                warnings += [*reply.warnings, *filter(None, [kept[-1].warning])]
        task = self.tasks.load(kept[-1].task)
        return Learned(
            task=task.id,
            title=task.heartbeat.title,
            folder=str(task.folder),
            created=kept[0].created,
            version=task.version.number,
            recordings=tuple(each.recording for each in kept if each.recording),
            questions=task.heartbeat.open_questions,
            provider=extractor.name,
            provider_reason=reason,
            model=extractor.model,
            job_id=context.job_id,
            duration_ms=round((time.monotonic() - began) * 1000),
            usage=usage,
            warnings=tuple(warnings),
        )

    @contextmanager
    def _recordings(self, request: LearnRequest, context: JobContext) -> Generator[Sequence[Path]]:
        if request.memory is None:
            yield [Path(path) for path in request.videos]
            return
        with self.lessons.taken(request.memory, context.job_id, context.heed) as path:
            yield [path]

    def _inspect(self, path: Path) -> Video:
        """The video, if it keeps the limits of a recording. Raises ``TooLarge`` and what the inspector raises."""
        video = self.inspector.inspect(path)
        if video.size_bytes > MAX_BYTES:
            raise TooLarge(f"{path.name} is over {MAX_BYTES // 1024**3} GB: cut it to the task, or record it again.")
        if video.duration_ms > LONGEST_SECONDS * 1000:
            minutes = MAX_SECONDS / 60
            raise TooLarge(
                f"{path.name} is longer than {minutes:g} minutes: cut it to the task, or record it again in parts."
            )
        return video

    def _choose(self, provider: str) -> tuple[TaskExtractor, str]:
        return choose(provider, self.extractors, self.preference, purpose=" for learning")


@dataclass(frozen=True)
class _Keep:
    """Keeps what was learned from one recording; done again after a crash, it finds what it has done.

    Args:
        tasks: where tasks are kept.
        learned: the document of this recording alone.
        video: the recording.
        mark: who did it, as the task's history tells.
        into: the task that it becomes a part of; ``None`` for a new one.

    """

    tasks: Tasks
    learned: Heartbeat
    video: Path
    mark: str
    into: str | None

    def do(self) -> _Kept:
        """Write the document, then copy the recording."""
        why = f"learned from {self.video.name}"
        if self.into is None:
            task = self._done_before() or self.tasks.add(self.learned, by=self.mark, why=why)
        else:
            base = self._base(self.into)
            task = self.tasks.change(self.into, lambda now: merged(now, self.learned, base=base), by=self.mark, why=why)
        try:
            recording = self.tasks.add_recording(task.id, self.video).name
        except StorageFailed as error:
            return _Kept(task=task.id, recording="", created=self.into is None, warning=error.message)
        return _Kept(task=task.id, recording=recording, created=self.into is None)

    def _done_before(self) -> StoredTask | None:
        """The task that an attempt before a crash has made."""
        for each in self.tasks.list():
            if each.title == self.learned.title:
                first = next(iter(self.tasks.history(each.id)), None)
                if first is not None and first.by == self.mark:
                    return self.tasks.load(each.id)
        return None

    def _base(self, task: str) -> Heartbeat | None:
        """The task as it was when it was last learned."""
        for version in reversed(self.tasks.history(task)):
            if version.by.startswith(f"{_BY} ") and version.by != self.mark:
                try:
                    return type(self.learned).read(self.tasks.content(task, version.number))
                except NotFound:
                    return None
        return None


def _task_of(reply: ExtractionReply, video: Path) -> Heartbeat:
    """The document of a reply. Raises ``InvalidReply`` for one that breaks the format, ``NoTask`` for one without."""
    extraction = read_extraction(reply.text)
    if extraction.heartbeat is None:
        raise NoTask(extraction.told, video=str(video), status=str(extraction.status), reason=str(extraction.reason))
    return extraction.heartbeat
