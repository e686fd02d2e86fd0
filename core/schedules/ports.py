"""What the schedules of tasks ask of the outside: files that are watched, what was decided, and the runs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from pydantic import AwareDatetime

from core.tasks.ports import Tasks
from core.values import Value


class Outcome(StrEnum):
    """What was decided about a moment at which a task was due."""

    FIRED = "fired"
    MISSED = "missed"
    DUPLICATE = "duplicate"
    """Its run had been started before: the clock was put back, or the daemon died before it could note that."""


class Entry(Value):
    """A line of the log of decisions."""

    moment: str
    """When the task was due, UTC, as ``core.schedules.firings.Decision.key`` writes it."""
    outcome: Outcome
    reason: str
    """One sentence."""
    job_id: str | None = None
    decided_at: str
    """UTC, as ISO 8601."""


class State(Value):
    """How far the schedule of a task has been decided."""

    key: str
    """The schedule's text in one form: another text is another schedule."""
    handled: AwareDatetime
    """All moments up to this one are decided."""
    ceiling: AwareDatetime | None = None
    """Up to where they had been decided before the clock was put back so far that it must have been wrong."""


class Mark(NamedTuple):
    """How a task's file is on the disk."""

    stamp: str
    """Differs whenever the file was changed."""
    modified: datetime


class WatchedTasks(Tasks, Protocol):
    """Tasks that are looked at again and again."""

    def marks(self) -> Mapping[str, Mark]:
        """The mark of each task, by id; cheap enough for every few seconds.

        Raises ``StorageFailed`` when it cannot be known which there are; a task that is left out is gone.
        """
        ...


class Schedules(Protocol):
    """What is kept of the schedules of this installation's tasks. Each method is one transaction, from any thread.

    Raises ``StorageFailed``.
    """

    def begin(self, task_id: str, key: str, handled: datetime) -> State:
        """The state of the schedule ``key``; a new one, decided up to ``handled``, where the task had another."""
        ...

    def note(self, task_id: str, state: State, entries: Sequence[Entry]) -> bool:
        """Keep what was decided, and how far.

        Keeps nothing and tells so when the task has another schedule by now, or as much has been decided already.
        """
        ...

    def restart(self, task_id: str, state: State) -> None:
        """Keep this state in the place of another one of that schedule, for the clock had been wrong."""
        ...

    def has_fired(self, task_id: str, moment: str) -> bool:
        """Whether the log says that it has."""
        ...

    def end(self, task_id: str) -> None:
        """Forget the state; the log stays."""
        ...

    def forget(self, task_id: str) -> None:
        """Forget all of a task."""
        ...

    def task_ids(self) -> Sequence[str]:
        """The tasks of which anything is kept."""
        ...

    def log(self, task_id: str, limit: int) -> Sequence[Entry]:
        """The newest decisions, newest first."""
        ...


class ScheduledRuns(Protocol):
    """The runs of tasks, as jobs that survive the daemon."""

    def key(self, task_id: str, moment: str) -> str:
        """The id of the job that runs the task for that moment: the same in every life of this installation."""
        ...

    async def exists(self, job_id: str) -> bool:
        """Whether that job was ever started."""
        ...

    async def going_on(self, task_id: str) -> str | None:
        """The id of a job that runs the task and is not over, if there is one."""
        ...

    async def start(self, task_id: str, display: str, job_id: str) -> None:
        """Start a run under that id, once however often this is called. Raises ``VaiderError``."""
        ...
