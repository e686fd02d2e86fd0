"""One job while it runs: how it is stopped, and which of its many reports become stored events."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from core.errors import Cancelled, TimedOut
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from core.jobs import JobEvent, Stage


INTERVAL_SECONDS = 0.2
"""At most this often an event of the same stage is stored."""

StageReport = tuple["Stage", "Mapping[str, Any]"]


class Progress:
    """Keeps first and last report of each stage and at most five a second between, and never goes backwards.

    Args:
        history: what an earlier, crashed attempt has stored; a resumed job passes there again, silently.

    """

    def __init__(self, history: Iterable[JobEvent] = ()) -> None:
        self._most: dict[Stage, int] = {}
        self._earlier: set[tuple[Stage, str]] = set()
        self._newest: tuple[Stage, str] | None = None
        self._stored_at: dict[Stage, float] = {}
        self._withheld: dict[Stage, Mapping[str, Any]] = {}
        for event in history:
            self._note(event.stage, event.data)
            self._earlier.add((event.stage, _key(event.data)))

    def admit(self, stage: Stage, data: Mapping[str, Any], now: float) -> list[StageReport]:
        """What to store upon this report, in order; ``now`` in seconds of any clock that does not jump."""
        if self._is_repeat(stage, data):
            return []
        self._note(stage, data)
        self._newest = (stage, _key(data))
        last = self._stored_at.get(stage)
        if last is not None and now - last < INTERVAL_SECONDS and not _is_complete(data):
            self._withheld.pop(stage, None)
            self._withheld[stage] = data
            return []
        before = self.rest() if last is None else []
        self._withheld.pop(stage, None)
        self._stored_at[stage] = now
        return [*before, (stage, data)]

    def rest(self) -> list[StageReport]:
        """What was withheld last of each stage: to be stored before the job moves on or ends."""
        rest = list(self._withheld.items())
        self._withheld.clear()
        return rest

    def _is_repeat(self, stage: Stage, data: Mapping[str, Any]) -> bool:
        done = data.get("done")
        if isinstance(done, int):
            return done <= self._most.get(stage, -1)
        # A call that only asks whether to go on repeats the last report.
        reported = (stage, _key(data))
        return reported == self._newest or reported in self._earlier

    def _note(self, stage: Stage, data: Mapping[str, Any]) -> None:
        done = data.get("done")
        if isinstance(done, int):
            self._most[stage] = max(done, self._most.get(stage, -1))


def _is_complete(data: Mapping[str, Any]) -> bool:
    return data.get("done") is not None and data.get("done") == data.get("total")


def _key(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True)


ValueT = TypeVar("ValueT", bound=Value)


class Suspended(BaseException):  # not an Exception: no use case shall take it for a failure and write it down
    """The daemon stops; the job is put back, and goes on when the daemon is there again."""


class TakenOver(BaseException):  # likewise
    """Another process does the job by now: nothing more is written of it here."""


class Control:
    """What the engine can tell a running job; safe from any thread."""

    def __init__(self, *, held: bool = False) -> None:
        self.begun = threading.Event()
        self.cancelled = threading.Event()
        self.suspended = threading.Event()
        self.superseded = threading.Event()
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
        if self.superseded.is_set():
            raise TakenOver
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
            for reported, data_of_stage in self._progress.admit(stage, data, time.monotonic()):
                self._store_event(reported, data_of_stage)

    def publish(self, stage: Stage, data: Mapping[str, Any]) -> None:
        """Store an event as it is."""
        with self._lock:
            self._store_event(stage, data)

    def raise_if_cancelled(self) -> None:
        """Raise ``Cancelled``, ``TimedOut`` or ``Suspended`` when the job shall stop."""
        self._check()

    def extend_deadline(self, seconds: float) -> None:
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
