"""Who runs and who waits: first come, first served."""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING, Any

from adapters.jobs.context import Control
from core.errors import Cancelled, Conflict, Internal, NotFound
from core.jobs import JobState, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from concurrent.futures import Executor

    from adapters.jobs.runtime import DbosRuntime
    from adapters.jobs.stream import Publisher
    from core.jobs import Job
    from core.ports import JobStore

_LOG = logging.getLogger("vaider.jobs")
_STOP_SECONDS = 10.0
_TOLD_PLACES = 10
"""Whoever is further behind is told every tenth place only, or a long line would write events without end."""


class Line:
    """Lets at most ``room`` jobs run and keeps the others in order.

    All methods but ``place``, ``control`` and ``leave_soon`` run in the one thread of ``mover``: so the line needs no
    lock, and starts workflows from outside of any workflow.
    """

    def __init__(
        self,
        *,
        store: JobStore,
        publisher: Publisher,
        runtime: DbosRuntime,
        mover: Executor,
        owner: str,
        room: int,
    ) -> None:
        self._store = store
        self._publisher = publisher
        self._runtime = runtime
        self._mover = mover
        self._owner = owner
        self._room = room
        self._waiting: list[str] = []
        self._running: dict[str, Control] = {}
        self._told: dict[str, int] = {}
        self._places: Mapping[str, int] = {}
        self._final: list[str] = []
        self._stopping = False

    def place(self, job_id: str) -> int | None:
        """The job's place in line, 1 = next; ``None`` when it does not wait."""
        return self._places.get(job_id)

    def control(self, job_id: str) -> Control:
        """What tells the job to stop."""
        # A job that is final already, and only now comes back from a crash, is none of the running.
        return self._running.get(job_id) or Control()

    def take_up(self) -> None:
        """Launch, and go on with what a crash or a stop has left, in its old order."""
        self._runtime.launch(self._expect)
        for job in self._store.unfinished(self._owner):
            if job.id not in self._running:
                self._put_in_order(job)
        self._runtime.forget(self._runtime.ended())
        self._advance()

    def admit(self, job_id: str, kind: str, request: Mapping[str, Any]) -> None:
        """Keep a new job, and start it when there is room; one that is there already stays as it is."""
        if self._store.get(job_id) is not None:
            return
        must_wait = bool(self._waiting) or len(self._running) >= self._room
        place = len(self._waiting) + 1
        self._publisher.create(job_id, kind, request, self._owner, {"place": place} if must_wait else {})
        self._waiting.append(job_id)
        self._told[job_id] = place
        self._advance()

    def cancel(self, job_id: str) -> None:
        """End the job if it waits, tell it to stop if it runs. Raises ``NotFound``, ``Conflict``."""
        job = self._store.get(job_id)
        if job is None:
            raise NotFound(f"There is no job {job_id!r}.")
        if job.state.is_final:
            return
        if job_id in self._waiting:
            self._finish_cancelled(job_id)
            self._waiting.remove(job_id)
            self._advance()
        elif job_id in self._running:
            self._running[job_id].cancelled.set()
            self._runtime.cancel(job_id)
            if not self._running[job_id].begun.is_set():
                # DBOS may not bring it back any more after a crash; if it does, the job is final and nothing is done.
                self._finish_cancelled(job_id)
                self._leave(job_id)
        else:
            raise Conflict(f"Job {job_id} belongs to another machine; cancel it there.")

    def leave_soon(self, job_id: str, *, final: bool) -> None:
        """Make room: the job has ended, ``final`` when its end is stored. From any thread."""
        # The mover is gone when a job outlives the engine.
        with contextlib.suppress(RuntimeError):
            self._mover.submit(self._leave, job_id, final=final)

    def suspend(self) -> None:
        """Start nothing more, interrupt what runs, and wait a moment for it."""
        self._stopping = True
        for control in self._running.values():
            control.suspended.set()
        deadline = time.monotonic() + _STOP_SECONDS
        for job_id, control in self._running.items():
            if control.begun.is_set() and not control.ended.wait(max(0.0, deadline - time.monotonic())):
                _LOG.warning("job %s did not stop in time; it will be done again from its last finished step", job_id)

    def _expect(self, job_ids: Iterable[str]) -> None:
        self._running = {job_id: Control() for job_id in job_ids}

    def _put_in_order(self, job: Job) -> None:
        """A job that DBOS does not bring back: never begun, or ended there while we could not write it down."""
        status = self._runtime.status(job.id)
        if status is None:
            self._waiting.append(job.id)
            place = job.progress.data.get("place") if job.progress else None
            self._told[job.id] = place if isinstance(place, int) else 0
        elif status == "CANCELLED":
            self._finish_cancelled(job.id)
        else:
            lost = Internal("The job had ended, but its answer could not be stored. Start it again.")
            self._publisher.finish(job.id, JobState.FAILED, error=lost.to_json())

    def _finish_cancelled(self, job_id: str) -> None:
        self._publisher.finish(job_id, JobState.CANCELLED, error=Cancelled("The job was cancelled.").to_json())

    def _leave(self, job_id: str, *, final: bool = True) -> None:
        self._running.pop(job_id, None)
        self._advance()
        # One job later: only now DBOS itself writes down that this one has ended.
        self._runtime.forget(self._final)
        self._final = [job_id] if final else []

    def _advance(self) -> None:
        while self._waiting and len(self._running) < self._room and not self._stopping:
            self._start(self._waiting.pop(0))
        self._places = {job_id: place for place, job_id in enumerate(self._waiting, 1)}
        for job_id, place in self._places.items():
            if self._told.get(job_id) != place and (place <= _TOLD_PLACES or place % _TOLD_PLACES == 0):
                self._publisher.append(job_id, Stage.QUEUED, {"place": place})
                self._told[job_id] = place

    def _start(self, job_id: str) -> None:
        self._told.pop(job_id, None)
        self._running[job_id] = Control()
        try:
            self._runtime.start(job_id)
        except Exception:  # noqa: BLE001 - whatever it was, the line must move on
            _LOG.exception("job %s could not be started", job_id)
            del self._running[job_id]
            failed = Internal("The job could not be started by a fault of Vaider's; its log tells more.")
            self._publisher.finish(job_id, JobState.FAILED, error=failed.to_json())
