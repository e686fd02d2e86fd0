"""Does one job: begins it, does its work, and writes down how it ended."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from adapters.jobs.context import Control, RunningJob, Suspended, TakenOver
from adapters.jobs.job_queue import INTERRUPTED
from core.errors import Cancelled, Internal, StorageFailed, VaiderError
from core.jobs import JobEvent, JobState, state_of_result

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from adapters.jobs.stream import Publisher
    from core.ports import JobContext, JobStore
    from core.values import Value

    Work = Callable[[dict[str, Any], JobContext], Value]

_LOG = logging.getLogger("vaider.jobs")
_PAGE = 500


class Runner:
    """Runs jobs, each in the thread that calls; the job's end is in the store when ``run`` returns.

    Args:
        store: where jobs and events are kept.
        publisher: stores and hands on events.
        work: what to do for each kind of job.
        seconds: how long a job may run.
        keep_step: does a piece of work once and keeps its JSON.
        once: the kinds that never go on after the daemon's end, for what they touched is not as they left it.

    """

    def __init__(
        self,
        *,
        store: JobStore,
        publisher: Publisher,
        work: Mapping[str, Work],
        seconds: float,
        keep_step: Callable[[str, Callable[[], str]], str],
        once: Collection[str] = (),
    ) -> None:
        self._store = store
        self._publisher = publisher
        self._work = work
        self._seconds = seconds
        self._keep_step = keep_step
        self._once = frozenset(once)

    def run(self, job_id: str, control: Control) -> None:
        """Do the job, unless it is final already.

        Raises:
            Suspended: it is to go on at the next start.
            TakenOver: another process does it.

        """
        if control.suspended.is_set():
            raise Suspended
        if self._store.begin(job_id) == 0:
            return
        context = RunningJob(
            job_id,
            control=control,
            seconds=self._seconds,
            history=stored_events(self._store, job_id),
            store_event=lambda stage, data: self._publisher.append(job_id, stage, data),
            keep_step=self._keep_step,
        )
        try:
            self._finish(job_id, context, self._do(job_id, context, control))
        except Suspended:
            context.flush()
            if self._is_once(job_id):
                self._publisher.finish(job_id, JobState.FAILED, error=INTERRUPTED.to_json())
            else:
                self._store.put_back(job_id)
            raise

    def _is_once(self, job_id: str) -> bool:
        job = self._store.get(job_id)
        return job is not None and job.kind in self._once

    def _do(self, job_id: str, context: RunningJob, control: Control) -> dict[str, Any] | VaiderError:
        try:
            job = self._store.get(job_id)
            if job is None or job.kind not in self._work:
                return Internal("This Vaider does not know that kind of job; it was kept by another version.")
            result = self._work[job.kind](job.request, context).model_dump(mode="json")
            # DBOS and the caller know it as cancelled: it stays so, though the work was done first.
            return Cancelled("The job was cancelled.") if control.cancelled.is_set() else result
        except VaiderError as error:
            return error
        except TakenOver:
            if not control.cancelled.is_set():
                _LOG.warning("job %s was taken over by another process", job_id)
                raise
            return Cancelled("The job was cancelled.")
        except Exception:  # noqa: BLE001 - a job's fault must end the job, and nothing else
            _LOG.exception("job %s failed by a fault of ours", job_id)
            return Internal("The job failed by a fault of Vaider's; its log tells more.")

    def _finish(self, job_id: str, context: RunningJob, outcome: dict[str, Any] | VaiderError) -> None:
        try:
            context.flush()
        except StorageFailed:
            _LOG.warning("the last progress of job %s could not be stored", job_id)
        state, said = ended_by(outcome)
        self._publisher.finish(job_id, state, **said)


def ended_by(outcome: dict[str, Any] | VaiderError) -> tuple[JobState, dict[str, Any]]:
    """The state that a job ends in, and its result or its error, by that name."""
    if isinstance(outcome, VaiderError):
        state = JobState.CANCELLED if isinstance(outcome, Cancelled) else JobState.FAILED
        return state, {"error": outcome.to_json()}
    return state_of_result(outcome), {"result": outcome}


def stored_events(store: JobStore, job_id: str) -> Iterator[JobEvent]:
    """All events of a job, the oldest first. Raises ``StorageFailed``."""
    after = 0
    while page := store.events(after=after, job_id=job_id, limit=_PAGE):
        yield from page
        after = page[-1].id
