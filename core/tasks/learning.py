"""The use case: recordings of a demonstration in, a task with its questions out, also for a task that is known.

- A part of the task (``core.tasks.heartbeat_sections``) that the document lacks is added, unless it had that part when
  it was last learned: then the user removed it, and it stays removed.
- A part that says something else becomes one question, in which the newer account is quoted; other values are none.
- Two plans of one way are laid beside each other (``core.tasks.aligning``): what only one of them shows is asked.
- New questions are asked; what the recording answers of the open ones is answered; where it answers otherwise than
  somebody has, that is asked.
- The title is what people call the task, and the evidence points into a recording of its own: neither is compared.

Merging the same recording again changes nothing, also when its questions are answered.

An extractor (``adapters/models/learning``) makes the account of each recording: the local one turns findings and input
log into steps, criteria, evidence and questions by ``core/demonstration``. ``learning_gate`` refuses what is not in the
form or holds no task; ``merged`` adds to a known task and asks, but never overwrites.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.analysis import Video
from core.errors import Conflict, InvalidRequest, NoTask, NotFound, StorageFailed, TooLarge
from core.provider_choice import choose
from core.recording.recordings import MAX_BYTES, MAX_SECONDS
from core.tasks.aligning import aligned
from core.tasks.heartbeat_sections import Field, field_name, task_fields
from core.tasks.learning_gate import read_extraction
from core.tasks.parameters import parametrised
from core.tasks.plan import PLAN, is_about_plan
from core.tasks.ports import (
    ExtractionReply,
    InputLogs,
    Learned,
    LearnRequest,
    Lessons,
    StoredTask,
    TaskExtractor,
    Tasks,
    find_task,
)
from core.tasks.questions import MAX_QUESTION, QuestionState, question_words
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Mapping, Sequence

    from core.ports import JobContext, VideoInspector
    from core.tasks.heartbeat import Heartbeat


_APPROACH: Final = "PreferredDemonstratedApproach"
_OWN: Final = frozenset({"Title", "Evidence"})
_SCHEDULE: Final = "schedule"
_LISTS: Final = frozenset(
    {"AppsObserved", "HardConstraints", "SuccessCriteria", "Effects", "AlternativeValidApproaches"}
)
"""Where the order does not count."""
_QUOTED: Final = 1600


def merged(document: Heartbeat, learned: Heartbeat, *, base: Heartbeat | None = None) -> Heartbeat:
    """The document with what a newer recording has taught.

    Args:
        document: as it is, with answers and edits by hand.
        learned: what was made of the newer recording alone.
        base: as it was when it was last learned, if that is known.

    Raises:
        Conflict, InvalidRequest: a fence or a comment is left open in one of them, and would swallow the other.
        TooLarge: it would be.

    """
    fields, news = task_fields(document), task_fields(learned)
    before: Mapping[str, Field] = task_fields(base) if base is not None else {}
    missing = [
        line
        for name, field in news.items()
        if name not in fields and name not in before and name not in _OWN
        for line in _as_label(field)
    ]
    if missing:
        document = document.with_task_lines(missing)
    document = _with_sections(document, learned, base)
    same = _same_but_values(document, learned)
    way = aligned(document, learned) if PLAN not in same and not _is_known(PLAN, before, news) else None
    answers, questions = _questions(document, learned)
    if way is not None:
        # What the newer one could not tell of its own steps, the other may have told.
        document, questions = way[0], [*way[1], *(each for each in questions if not is_about_plan(each))]
        same |= {PLAN, _APPROACH}
    document = document.with_answers(answers)
    asked = [*_differences(fields, news, before, same), *questions]
    try:
        return document.with_questions(asked) if asked else document
    except Conflict:
        # All of them have been asked before.
        return document


def _same_but_values(document: Heartbeat, learned: Heartbeat) -> set[str]:
    """The parts in which the two differ by nothing but what was typed: each run may have another value there."""
    if PLAN not in task_fields(document) or PLAN not in task_fields(learned):
        return set()
    old, new = (task_fields(parametrised(each).heartbeat) for each in (document, learned))
    return {name for name in old.keys() & new.keys() if _plain(old[name].items) == _plain(new[name].items)}


def _is_known(name: str, before: Mapping[str, Field], news: Mapping[str, Field]) -> bool:
    """Whether it says what was learned before: answers and edits have gone on from there."""
    return name in before and name in news and _plain(before[name].items) == _plain(news[name].items)


def _differences(
    fields: Mapping[str, Field], news: Mapping[str, Field], before: Mapping[str, Field], same: Collection[str]
) -> Iterator[str]:
    for name, new in news.items():
        old = fields.get(name)
        if old is None or name in _OWN or name in same or _is_known(name, before, news):
            continue
        if name not in _LISTS:
            if _plain(old.items) != _plain(new.items):
                yield _cut(f"The newer recording has another {name}: {_quoted(new.items)}. Does it hold from now on?")
            continue
        added = [item for item in _plain(new.items) if item not in set(_plain(old.items))]
        gone = [item for item in _plain(old.items) if item not in set(_plain(new.items))]
        if added:
            yield _cut(f"The newer recording adds to {name}: {_quoted(added)}. Shall it be added?")
        if gone:
            yield _cut(f"The newer recording does not show of {name}: {_quoted(gone)}. Does it still hold?")


def _questions(document: Heartbeat, learned: Heartbeat) -> tuple[dict[str, str], list[str]]:
    """What is answered by the newer recording, by id, and what is to be asked because of it."""
    known = {question_words(each.text): each for each in reversed(document.questions)}
    answers: dict[str, str] = {}
    asked: list[str] = []
    for new in learned.questions:
        old = known.get(question_words(new.text))
        if new.state is QuestionState.STALE:
            continue
        if old is None and new.answer is None:
            asked.append(f"[required] {new.text}" if new.required else new.text)
        elif old is None:
            asked.append(_cut(f"The newer recording says {_quoted([new.answer or ''])} to: {new.text} Is that right?"))
        elif new.answer is not None and old.state is QuestionState.OPEN:
            answers[old.id] = new.answer
        elif new.answer is not None and _plain([new.answer]) != _plain([old.answer or ""]):
            asked.append(_cut(f"The newer recording says {_quoted([new.answer])} to: {old.text} Which answer holds?"))
    return answers, asked


def _with_sections(document: Heartbeat, learned: Heartbeat, base: Heartbeat | None) -> Heartbeat:
    """The document with the sections that only the newer account has, but no schedule: that is the user's own."""
    for name in learned.section_names:
        body = learned.section(name)
        is_known = document.section(name) is not None or (base is not None and base.section(name) is not None)
        is_own = name.casefold() in {"questions", _SCHEDULE} or field_name(name) is not None
        if body and not is_known and not is_own:
            document = document.with_section(name, body)
    return document


def _as_label(field: Field) -> list[str]:
    first, *more = field.lines
    return (
        [f"{field.name}:", *(line for line in more if line.strip())]
        if first.lstrip().startswith("#")
        else [first, *more]
    )


def _plain(items: Sequence[str]) -> list[str]:
    """Items to be compared: more than blanks and a full stop may mean something, also a sign or a capital."""
    return [" ".join(item.split()).rstrip(".") for item in items]


def _quoted(items: Sequence[str]) -> str:
    text = "; ".join(f'"{" ".join(item.split())}"' for item in items)
    return text if len(text) <= _QUOTED else f'{text[: _QUOTED - 2]}…"'


def _cut(question: str) -> str:
    return question[:MAX_QUESTION]


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
        with self.lessons.taken(request.memory, context.job_id, context.raise_if_cancelled) as path:
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
        said = " ".join([extraction.no_task_message, *reply.warnings])
        raise NoTask(said, video=str(video), status=str(extraction.status), reason=str(extraction.reason))
    return extraction.heartbeat
