"""Who runs and who waits: the submitter with the fewest running jobs goes first; of one submitter, the oldest job."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from typing import TYPE_CHECKING

from adapters.jobs.context import Control
from adapters.jobs.runtime import UNDER_WAY, DbosRuntime
from adapters.jobs.suspects import Suspects, deaths_after, verdict_on
from core.errors import Cancelled, Conflict, Internal, Interrupted, NotFound
from core.jobs import JobState, NewJob, UnfinishedJob

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from concurrent.futures import Executor

    from adapters.jobs.stream import Publisher
    from adapters.jobs.waiting import WaitingJobs
    from core.ports import JobStore

_LOG = logging.getLogger("vaider.jobs")
_STOP_SECONDS = 10.0
INTERRUPTED = Interrupted(
    "The daemon ended while this run was acting. It does not go on by itself: look at the screen, then start it again."
)


class JobQueue:
    """Lets at most ``capacity`` jobs run and keeps the others in order.

    All methods but ``control``, ``asked_by`` and ``leave_soon`` run in the one thread of ``mover``: so the line needs
    no lock, and starts workflows from outside of any workflow.
    """

    def __init__(
        self,
        *,
        store: JobStore,
        publisher: Publisher,
        runtime: DbosRuntime,
        mover: Executor,
        waiting: WaitingJobs,
        capacity: int,
        once: Collection[str] = (),
        quiet_seconds: float = 10.0,
        idle_seconds: float = 60.0,
    ) -> None:
        self._store = store
        self._publisher = publisher
        self._runtime = runtime
        self._mover = mover
        self._waiting = waiting
        self._capacity = capacity
        self._once = once
        self._running: dict[str, Control] = {}
        self._suspects = Suspects(quiet_seconds)
        self._idle_seconds = idle_seconds
        self._timers: list[threading.Timer] = []
        self._rest_timer: threading.Timer | None = None
        self._questions: dict[str, str] = {}
        """Of the questions that may be shared, the job that answers each."""
        self._asked: dict[str, str] = {}
        """The other way round."""
        self._askers: dict[str, int] = {}
        self._final: list[str] = []
        self._stopping = False

    def control(self, job_id: str) -> Control:
        """What tells the job to stop."""
        # A job that is final already, and only now comes back from a crash, is none of the running.
        return self._running.get(job_id) or Control()

    def asked_by(self, job_id: str) -> int:
        """How many callers asked for the job and have not left it; 0 for one that is being cancelled."""
        return self._askers.get(job_id, 1)

    def take_up(self) -> None:
        """Launch, and go on with what a crash or a stop has left, in its old order."""
        left = [job for job in self._store.unfinished() if not self._is_ended_by_crash(job)]
        deaths = self._count_deaths(left)
        left = [job for job in left if job.id in deaths]
        self._runtime.launch(lambda job_ids: self._expect(job_ids, deaths))
        statuses = self._runtime.statuses()
        for job in left:
            self._note_question(job.id, job.question)
            if job.id in self._running:
                self._waiting.began(job.id, job.submitter)
            else:
                self._put_in_order(job, statuses.get(job.id))
        self._runtime.forget([job_id for job_id, status in statuses.items() if status not in UNDER_WAY])
        for seconds in self._suspects.waiting_times():
            self._timers.append(self._later(max(0.0, seconds) + 0.01, self._advance))
        self._advance()
        self._rest_later()

    def admit(self, new: NewJob) -> str:
        """Keep a new job, and start it when there is room.

        Returns:
            Its id, or that of the job that is there already: under this id, or with the same question.

        """
        if self._store.get(new.id) is not None:
            return new.id
        if new.question is not None and (same := self._under_way(new.question)) is not None:
            self._askers[same] += 1
            return same
        must_wait = bool(self._waiting) or self._is_full()
        data = {"place": self._waiting.next_place(new.submitter)} if must_wait else {}
        self._publisher.create(new, data)
        self._note_question(new.id, new.question)
        self._waiting.append(new.id, new.submitter)
        self._advance()
        return new.id

    def leave(self, job_id: str) -> None:
        """One of those who asked for the job wants it no more; the last one cancels it."""
        if self.asked_by(job_id) > 1:
            self._askers[job_id] -= 1
        else:
            self.cancel(job_id)

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
            self._forget_question(job_id)
            self._askers[job_id] = 0
            control = self._running[job_id]
            control.cancelled.set()
            self._runtime.cancel(job_id)
            if not control.begun.is_set():
                # DBOS may not bring it back any more after a crash; if it does, the job is final and nothing is done.
                self._finish_cancelled(job_id)
                self._leave(job_id)
            control.release()
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
        for timer in (*self._timers, *filter(None, [self._rest_timer])):
            timer.cancel()
        for control in self._running.values():
            control.suspend()
        deadline = time.monotonic() + _STOP_SECONDS
        for job_id, control in self._running.items():
            if control.begun.is_set() and not control.ended.wait(max(0.0, deadline - time.monotonic())):
                _LOG.warning("job %s did not stop in time; it will be done again from its last finished step", job_id)
                # The process ends now because it was asked to, not because of this job.
                self._store.put_back(job_id)

    def _expect(self, job_ids: Sequence[str], deaths: Mapping[str, int]) -> None:
        self._suspects.hold(deaths, job_ids)
        self._running = {job_id: Control(held=self._suspects.waits(job_id)) for job_id in job_ids}

    def _is_ended_by_crash(self, job: UnfinishedJob) -> bool:
        """A job whose work does not go on was running when the process ended."""
        if job.kind not in self._once or job.state is not JobState.RUNNING:
            return False
        self._publisher.finish(job.id, JobState.FAILED, error=INTERRUPTED.to_json())
        return True

    def _count_deaths(self, left: Sequence[UnfinishedJob]) -> Mapping[str, int]:
        """How often the process ended while each was running; those that are given up are left out."""
        counts = {job.id: job.deaths for job in left}
        for job_id, deaths in deaths_after(left).items():
            failure = verdict_on(deaths)
            if failure is None:
                self._store.note_deaths(job_id, deaths)
                counts[job_id] = deaths
            else:
                self._publisher.finish(job_id, JobState.FAILED, error=failure.to_json())
                del counts[job_id]
        return counts

    def _put_in_order(self, job: UnfinishedJob, status: str | None) -> None:
        """A job that DBOS does not bring back: never begun, or ended there while we could not write it down."""
        if status is None:
            self._waiting.append(job.id, job.submitter)
        elif status == "CANCELLED":
            self._finish_cancelled(job.id)
        else:
            lost = Internal("The job had ended, but its answer could not be stored. Start it again.")
            self._publisher.finish(job.id, JobState.FAILED, error=lost.to_json())

    def _finish_cancelled(self, job_id: str) -> None:
        self._forget_question(job_id)
        self._publisher.finish(job_id, JobState.CANCELLED, error=Cancelled("The job was cancelled.").to_json())

    def _under_way(self, question: str) -> str | None:
        """The job that answers the question and is not final: its end is stored before it leaves the line."""
        same = self._questions.get(question)
        job = None if same is None else self._store.get(same)
        return same if job is not None and not job.state.is_final else None

    def _note_question(self, job_id: str, question: str | None) -> None:
        self._askers[job_id] = 1
        if question is not None:
            self._questions[question] = job_id
            self._asked[job_id] = question

    def _forget_question(self, job_id: str) -> None:
        """From here on, the same question makes a new job."""
        self._askers.pop(job_id, None)
        question = self._asked.pop(job_id, None)
        if question is not None and self._questions.get(question) == job_id:
            del self._questions[question]

    def _leave(self, job_id: str, *, final: bool = True) -> None:
        self._running.pop(job_id, None)
        self._waiting.ended(job_id)
        self._suspects.leave(job_id)
        if final:
            self._forget_question(job_id)
        self._advance()
        # One job later: only now DBOS itself writes down that this one has ended.
        self._runtime.forget(self._final)
        self._final = [job_id] if final else []
        self._rest_later()

    def _later(self, seconds: float, change: Callable[[], None]) -> threading.Timer:
        """Make the change in the thread of ``mover`` after so many seconds."""

        def submit() -> None:
            with contextlib.suppress(RuntimeError):
                self._mover.submit(change)

        timer = threading.Timer(seconds, submit)
        timer.daemon = True
        timer.start()
        return timer

    def _rest_later(self) -> None:
        if self._rest_timer is not None:
            self._rest_timer.cancel()
        if not self._running and not self._stopping:
            self._rest_timer = self._later(self._idle_seconds, self._rest)

    def _rest(self) -> None:
        """Stop DBOS, unless a job has begun meanwhile."""
        if self._running or self._stopping:
            return
        self._runtime.forget(self._final)
        self._final = []
        if not self._runtime.rest():
            self._rest_later()

    def _active(self) -> int:
        return len(self._running) - len(self._suspects)

    def _is_full(self) -> bool:
        return self._active() >= self._capacity or self._suspects.must_run_alone

    def _advance(self) -> None:
        moved = False
        while not self._stopping and self._active() < self._capacity:
            suspect = self._suspects.next(self._active())
            if suspect is not None:
                _LOG.info("job %s begins again; the process ended more than once while it was running", suspect)
                self._suspects.begin(suspect)
                self._running[suspect].release()
            elif self._waiting and not self._is_full():
                self._start(self._waiting.pop())
                moved = True
            else:
                break
        if moved:
            self._publisher.publish_places()

    def _start(self, job_id: str) -> None:
        self._running[job_id] = Control()
        try:
            self._runtime.start(job_id)
        except Exception:  # noqa: BLE001 - whatever it was, the line must move on
            _LOG.exception("job %s could not be started", job_id)
            del self._running[job_id]
            self._waiting.ended(job_id)
            self._forget_question(job_id)
            failed = Internal("The job could not be started by a fault of Vaider's; its log tells more.")
            self._publisher.finish(job_id, JobState.FAILED, error=failed.to_json())
