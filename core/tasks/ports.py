"""What the use cases around tasks ask of the outside: to keep tasks, and to learn one. See also ``core.ports``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from pydantic import Field

from core.errors import Conflict, NotFound
from core.tasks.questions import Question
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from core.analysis import Video
    from core.ports import JobContext
    from core.recording.input_log import InputLog
    from core.tasks.heartbeat import Heartbeat


BY_HAND = "hand"
"""Who has made a change that was found in the file."""


class Version(Value):
    """A state that a task's ``HEARTBEAT.md`` had."""

    number: int
    """From 1, without gaps."""
    hash: str
    """SHA-256 of the file, in hexadecimal."""
    at: str
    """When it was kept, UTC, as ISO 8601; for an edit by hand that is when it was noticed."""
    by: str
    """Who: ``hand``, or what the caller said, e.g. ``cli``."""
    why: str
    size: int
    """Bytes."""


class StoredTask(NamedTuple):
    """A task as it was read."""

    id: str
    folder: Path
    """With ``HEARTBEAT.md``, ``recordings/`` and ``runs/``."""
    heartbeat: Heartbeat
    version: Version
    """What a later ``save`` says that it has read."""


class TaskSummary(Value):
    """A line of the list of tasks."""

    id: str
    title: str
    open_questions: int = 0
    asks: str = ""
    """The first question that is open, without its asides."""
    questions: int = 0
    modified: str
    """When the file was last written, UTC, as ISO 8601."""
    fault: str = ""
    """Why it cannot be used, one sentence; then title is the id."""


class Tasks(Protocol):
    """Tasks, each in a folder of plain files that people edit as well.

    A change that finds another content than it was made for writes nothing. Each content that a file had is kept as
    a version, also an edit by hand, from when it is noticed: at the next call for that task.

    All methods that take an id raise ``NotFound`` with the nearest one, ``InvalidPath`` for symbolic links in the
    place of what belongs to a task, and ``StorageFailed``. What reads the document raises ``InvalidRequest`` for what
    is no text, and ``TooLarge``.
    """

    def create(self, title: str) -> StoredTask:
        """The task of that title; made if there is none yet. Raises ``InvalidRequest`` for a blank title."""
        ...

    def add(self, heartbeat: Heartbeat, *, by: str, why: str) -> StoredTask:
        """Keep a document as a new task, under an id that no other has. Raises ``InvalidRequest``."""
        ...

    def list(self) -> Sequence[TaskSummary]:
        """All there are, by id, also those with a fault."""
        ...

    def load(self, task_id: str) -> StoredTask:
        """Read the task."""
        ...

    def save(self, task_id: str, heartbeat: Heartbeat, *, read: Version, by: str, why: str) -> StoredTask:
        """Write it in the place of the version that was read.

        Raises ``Conflict`` if the file is another one by now; its detail ``version`` is the number of that one.
        """
        ...

    def change(self, task_id: str, edit: Callable[[Heartbeat], Heartbeat], *, by: str, why: str) -> StoredTask:
        """Read, edit and write it, with no other process between; ``edit`` may be called again if a person was."""
        ...

    def history(self, task_id: str) -> Sequence[Version]:
        """All versions, the oldest first."""
        ...

    def content(self, task_id: str, number: int) -> bytes:
        """What the file was in that version. Raises ``NotFound``."""
        ...

    def diff(self, task_id: str, old: int, new: int) -> str:
        """What has changed between two versions, as a unified diff; empty if nothing has."""
        ...

    def restore(self, task_id: str, number: int, *, by: str) -> StoredTask:
        """Write an old version as a new one."""
        ...

    def remove(self, task_id: str) -> None:
        """Delete the task with its versions, recordings and runs, atomically for readers."""
        ...

    def add_recording(self, task_id: str, source: Path) -> Path:
        """Copy a recording into the task, as ``recordings/<epoch>-<name>.<suffix>``.

        Raises ``InvalidPath`` if it is no file, ``InvalidVideo`` for another suffix than a video's, ``TooLarge``.
        """
        ...


def find_task(tasks: Tasks, name: str) -> StoredTask:
    """The task of that id, else the only one of that title.

    Raises:
        NotFound: there is none; the message has the nearest id.
        Conflict: several have that title.

    """
    words = " ".join(name.split()).casefold()
    try:
        return tasks.load(name)
    except NotFound:
        same = [each.id for each in tasks.list() if each.title.casefold() == words]
        if not same:
            raise
    if len(same) > 1:
        raise Conflict(f"Several tasks are called {name[:100]!r}: name one by its id, {' or '.join(same[:5])}.")
    return tasks.load(same[0])


class TaskExtractor(Protocol):
    """Answers «what task does this recording show?»."""

    @property
    def name(self) -> str:
        """The provider's name as settings and answers spell it, e.g. ``local``."""
        ...

    @property
    def model(self) -> str:
        """The model's name with what else decides its answer, e.g. the version of the prompt."""
        ...

    def unavailable(self) -> str | None:
        """``None`` when it can be used now, else one sentence that says what is missing and how to supply it."""
        ...

    def extract(self, video: Video, log: InputLog | None, context: JobContext) -> ExtractionReply:
        """The reply in the form that ``core.tasks.learning_gate`` reads; blocks until done.

        MUST report progress at least every two seconds while it computes, and leave nothing running or stored with
        a provider. Raises ``ProviderError``, ``InvalidVideo``, ``Cancelled``, ``TimedOut``.
        """
        ...


class InputLogs(Protocol):
    """Where input logs are: beside their videos."""

    def of(self, video: Path) -> InputLog | None:
        """The log of a recording, ``None`` if it has none. Raises ``InvalidRequest`` for a broken one."""
        ...


class Lessons(Protocol):
    """Memories as demonstrations."""

    def check(self, memory: str) -> None:
        """Find out that a memory can be shown again. Raises ``NotFound``."""
        ...

    def taken(self, memory: str, job_id: str, raise_if_cancelled: Callable[[], None]) -> AbstractContextManager[Path]:
        """The memory's stretch of its video as a file, with its input log beside it; both are gone when it is left.

        For the same job it is the same file, also after a crash.
        ``raise_if_cancelled`` is called at least five times a second; what it raises stops the work.
        Raises ``NotFound``, ``InvalidVideo``, ``TooLarge``, ``StorageFailed``.
        """
        ...


class LearnRequest(Value):
    """Which recordings or which memory, into which task, and who extracts it."""

    videos: tuple[str, ...] = ()
    """Absolute paths, the first one first; each further one is merged into what was learned before it."""
    memory: str | None = None
    """A memory's id: its stretch of the recording is learned from, instead of videos."""
    into: str | None = None
    """A task's id; a new one is made without it."""
    provider: str = "auto"
    uploaded: bool = False
    """Whether the files are Vaider's own copies of an upload."""


class ExtractionReply(Value):
    """What an extractor answered."""

    text: str
    usage: dict[str, int] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Learned(Value):
    """The answer to ``vaider learn``, ``POST /tasks`` and ``learn_task``."""

    task: str
    """Its id."""
    title: str
    folder: str
    created: bool
    """Whether it is new; else the recordings were merged into it."""
    version: int
    recordings: tuple[str, ...]
    """Their names below ``recordings/``."""
    questions: tuple[Question, ...]
    """Those that are open."""
    provider: str
    provider_reason: str
    model: str
    job_id: str
    duration_ms: int
    usage: dict[str, int]
    warnings: tuple[str, ...]
