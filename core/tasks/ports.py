"""What the use cases around tasks ask of where tasks are kept. See also ``core.ports``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

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
    questions: int = 0
    modified: str
    """When the file was last written, UTC, as ISO 8601."""
    fault: str = ""
    """Why it cannot be used, one sentence; then title is the id."""


class Tasks(Protocol):
    """Tasks, each in a folder of plain files that people edit as well.

    A change that finds another content than it was made for writes nothing. Each content that a file had is kept as
    a version, also what somebody wrote by hand, from when it is noticed: at the next call for that task.

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
        """Read it."""
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
        """Delete the task with its versions, recordings and runs, all at once for whoever looks."""
        ...

    def add_recording(self, task_id: str, source: Path) -> Path:
        """Copy a recording into the task, as ``recordings/<epoch>-<name>.<suffix>``.

        Raises ``InvalidPath`` if it is no file, ``InvalidVideo`` for another suffix than a video's, ``TooLarge``.
        """
        ...
