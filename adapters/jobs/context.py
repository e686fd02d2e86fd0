"""One job while it runs: how it is told to stop, and how it tells how far it is."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from adapters.jobs.progress import Progress
from core.errors import Cancelled, TimedOut
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from core.jobs import JobEvent, Stage

ValueT = TypeVar("ValueT", bound=Value)


class Suspended(BaseException):  # not an Exception: no use case shall take it for a failure and write it down
    """The daemon stops; the job is put back, and goes on when the daemon is there again."""


class Control:
    """What the engine can tell a running job; safe from any thread."""

    def __init__(self, *, held: bool = False) -> None:
        self.begun = threading.Event()
        self.cancelled = threading.Event()
        self.suspended = threading.Event()
        self.ended = threading.Event()
        self._released = threading.Event()
        if not held:
            self._released.set()

    def suspend(self) -> None:
        """Have the job stop until the next start."""
        self.suspended.set()
        self._released.set()

    def release(self) -> None:
        """Let a job begin that was held."""
        self._released.set()

    def await_release(self) -> None:
        """Block while the job is held."""
        self._released.wait()

    def check(self) -> None:
        """Raise when the job shall not go on."""
        if self.suspended.is_set():
            raise Suspended
        if self.cancelled.is_set():
            raise Cancelled("The job was cancelled.")


class RunningJob:
    """Implements ``core.ports.JobContext``.

    Args:
        job_id: the job's id.
        control: what the engine tells it.
        seconds: how long it may run.
        history: the events that an earlier attempt has stored.
        store_event: stores and publishes an event.
        keep_step: does a piece of work once and keeps its JSON (``adapters.jobs.runtime``).

    """

    def __init__(
        self,
        job_id: str,
        *,
        control: Control,
        seconds: float,
        history: Iterable[JobEvent],
        store_event: Callable[[Stage, Mapping[str, Any]], None],
        keep_step: Callable[[str, Callable[[], str]], str],
    ) -> None:
        self._job_id = job_id
        self._control = control
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._progress = Progress(history)
        self._lock = threading.Lock()
        self._store_event = store_event
        self._keep_step = keep_step

    @property
    def job_id(self) -> str:
        """The job's id."""
        return self._job_id

    def report(self, stage: Stage, **data: int | str | None) -> None:
        """Tell how far the work is; raises ``Cancelled``, ``TimedOut`` or ``Suspended`` when it shall stop."""
        self._check()
        with self._lock:
            for told, told_data in self._progress.admit(stage, data, time.monotonic()):
                self._store_event(told, told_data)

    def tell(self, stage: Stage, data: Mapping[str, Any]) -> None:
        """Store an event as it is."""
        with self._lock:
            self._store_event(stage, data)

    def heed(self) -> None:
        """Raise ``Cancelled``, ``TimedOut`` or ``Suspended`` when the job shall stop."""
        self._check()

    def spare(self, seconds: float) -> None:
        """Put off the end of its time."""
        self._deadline += seconds

    def step(self, name: str, result: type[ValueT], work: Callable[[], ValueT]) -> ValueT:
        """Do ``work`` once: a finished step's kept result returns when the job is resumed."""
        self._check()
        return result.model_validate_json(self._keep_step(name, lambda: work().model_dump_json()))

    def flush(self) -> None:
        """Store what was withheld of the last stages."""
        with self._lock:
            for stage, data in self._progress.rest():
                self._store_event(stage, data)

    def _check(self) -> None:
        self._control.check()
        if time.monotonic() >= self._deadline:
            raise TimedOut(
                f"The work took longer than {self._seconds:g} seconds and was stopped. Give it a shorter video."
            )
