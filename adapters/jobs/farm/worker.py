"""Does the jobs of a farm: takes them from the queue, says that it lives, and hands on what dead workers have left."""

from __future__ import annotations

import logging
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from adapters.jobs.context import Control, RunningJob, Suspended, TakenOver
from adapters.jobs.farm.queue import Handing
from adapters.jobs.farm.taking import REST_SECONDS, Taking
from adapters.jobs.runner import ended_by, stored_events
from adapters.jobs.runtime import keep_step
from core.errors import Cancelled, Internal, StorageFailed, VaiderError
from core.farm import DEAD_AFTER_SECONDS
from core.jobs import LONGEST_SECONDS, JobState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import sqlalchemy as sa

    from core.farm import FarmJobStore, Workers
    from core.jobs import Stage
    from core.ports import JobContext
    from core.values import Value

    Work = Callable[[dict[str, Any], JobContext, int], Value]

_LOG = logging.getLogger("vaider.jobs")
_BEAT_SECONDS: Final = 1.0
_IDLE_BEAT_SECONDS: Final = 2.0
"""Of a worker that has no job: nothing is lost if it seems dead, and others' jobs are handed on within 10 s."""
_ADOPTING_BEATS: Final = 10
_ATTEMPTS: Final = 3
_RETRY_SECONDS: Final = 0.5
DRAIN_SECONDS: Final = 60


class FarmWorker:
    """One worker's process.

    Args:
        name: new with each start.
        url: the farm's database.
        version: of the queue, see ``core.farm.queue_version``.
        store: its jobs.
        workers: who else there is.
        work: does an analysis; its last argument is the number of the attempt.
        slots: how many at once.
        rest_seconds: how long nothing has to come before it lets go of the queue.

    """

    def __init__(
        self,
        *,
        name: str,
        url: str,
        version: str,
        store: FarmJobStore,
        workers: Workers,
        work: Work,
        slots: int,
        rest_seconds: float = REST_SECONDS,
    ) -> None:
        self._name = name
        self._store = store
        self._workers = workers
        self._work = work
        self._handing = Handing(url, version)
        self._taking = Taking(
            *(url, version, name, slots, self._do), has_waiting=lambda: self._has_waiting, rest_seconds=rest_seconds
        )
        self._taken: Sequence[tuple[str, str]] = ()
        self._has_waiting = False
        self._running: dict[str, Control] = {}
        self._lock = threading.Lock()
        self._ended: list[str] = []
        self._dropped: set[str] = set()
        """Jobs that the queue holds for this worker, which does not do them; seen twice, they are handed on."""
        self._stopped = threading.Event()
        self._watch = threading.Thread(target=self._keep_watch, name="vaider-watch", daemon=True)
        self._sure_from = time.monotonic() + DEAD_AFTER_SECONDS

    def start(self) -> None:
        """Begin to take jobs. Raises ``StorageFailed``."""
        self._workers.beat(self._name)
        self._watch.start()
        self._taking.launch()

    def stop(self, seconds: int = DRAIN_SECONDS) -> None:
        """Take nothing more, wait so long for what is being done, and leave the rest to others at once."""
        # The rest goes to other workers; being put back is not an attempt that counts.
        waiting = threading.Timer(seconds, self._suspend)
        waiting.daemon = True
        waiting.start()
        self._taking.drain(seconds + 5)
        waiting.cancel()
        self._suspend()
        self._stopped.set()
        self._watch.join(5)
        self._workers.leave(self._name)
        self._handing.close()

    def _suspend(self) -> None:
        for control in list(self._running.values()):
            control.suspend()

    def _do(self, job_id: str) -> None:
        control = Control()
        with self._lock:
            earlier = self._running.get(job_id)
            self._running[job_id] = control
        if earlier is not None:
            # It was handed on while this process stood still, and has come back here.
            earlier.superseded.set()
            earlier.ended.wait()
        try:
            self._attempt(job_id, control)
        finally:
            control.ended.set()
            with self._lock:
                if self._running.get(job_id) is control:
                    del self._running[job_id]
                    self._ended.append(job_id)

    def _attempt(self, job_id: str, control: Control) -> None:
        attempt = self._insist(lambda: self._store.begin(job_id))
        if not attempt:
            return
        if attempt > _ATTEMPTS:
            given_up = Internal(
                f"{_ATTEMPTS} workers ended while they were doing this job; it is not tried again. "
                "Look at the workers' logs, and whether the video can be analysed on one machine."
            )
            self._insist(lambda: self._store.finish(job_id, JobState.FAILED, error=given_up.to_json()))
            return
        context = RunningJob(
            job_id,
            control=control,
            seconds=LONGEST_SECONDS,
            history=self._insist(lambda: list(stored_events(self._store, job_id))),
            store_event=lambda stage, data: self._report(job_id, stage, data),
            keep_step=keep_step,
        )
        try:
            outcome = self._outcome(job_id, context, attempt, control)
        except (Suspended, TakenOver) as ending:
            if isinstance(ending, Suspended):
                self._insist(lambda: self._store.put_back(job_id))
            raise
        context.flush()
        state, said = ended_by(outcome)
        self._insist(lambda: self._store.finish(job_id, state, **said))

    def _outcome(
        self, job_id: str, context: RunningJob, attempt: int, control: Control
    ) -> dict[str, Any] | VaiderError:
        try:
            request = self._insist(lambda: self._store.get(job_id)).request
            return self._work(request, context, attempt).model_dump(mode="json")
        except VaiderError as error:
            if isinstance(error, Cancelled) and not control.cancelled.is_set():
                raise TakenOver from error
            return error
        except Exception:  # noqa: BLE001 - a job's fault must end the job, and nothing else
            _LOG.exception("job %s failed by a fault of ours", job_id)
            return Internal("The job failed by a fault of Vaider's; its worker's log tells more.")

    def _report(self, job_id: str, stage: Stage, data: Mapping[str, Any]) -> None:
        try:
            self._store.append(job_id, stage, data)
        except StorageFailed as error:
            # Progress may be missed while the database is away; the job goes on.
            _LOG.warning("progress of job %s could not be stored: %s", job_id, error.message)

    def _insist(self, change: Callable[[], Any]) -> Any:
        """Try until the database is there: an end that is not stored would have the job done again."""
        while True:
            try:
                return change()
            except StorageFailed as error:
                _LOG.warning("the database is away: %s", error.message)
                time.sleep(_RETRY_SECONDS)

    def _keep_watch(self) -> None:
        turns = 0
        while not self._stopped.wait(_BEAT_SECONDS if self._running else _IDLE_BEAT_SECONDS):
            turns += 1
            try:
                alive = self._workers.beat(self._name, partial(self._look_at_queue, adopt=turns % _ADOPTING_BEATS == 1))
                self._stop_lost()
                if time.monotonic() >= self._sure_from:
                    self._hand_on(alive, old=turns % 600 == 0)
            except Exception as error:  # noqa: BLE001 - whatever it was, this worker still lives
                _LOG.warning("the watch over the workers failed: %s", error)
                # Others could not say either that they live: they are given time to do so.
                self._sure_from = time.monotonic() + 2 * DEAD_AFTER_SECONDS

    def _look_at_queue(self, connection: sa.Connection, *, adopt: bool) -> None:
        if adopt:
            self._handing.adopt(connection)
        self._taken = self._handing.taken(connection)
        self._has_waiting = self._handing.has_waiting(connection)

    def _stop_lost(self) -> None:
        """Stop what was cancelled, or is another worker's by now."""
        begun = [job_id for job_id in list(self._running) if self._store.attempt(job_id)]
        for job_id in self._store.lost(begun) if begun else ():
            control = self._running.get(job_id)
            if control is not None and self._store.attempt(job_id):
                control.superseded.set()

    def _hand_on(self, alive: Collection[str], *, old: bool) -> None:
        taken = self._taken
        dropped = {job_id for job_id, worker in taken if worker == self._name and job_id not in self._running}
        # This worker lives, even where its own beat came too long ago: on a busy machine that happens between the two.
        dead = [job_id for job_id, worker in taken if worker not in {*alive, self._name}]
        dead += dropped & self._dropped
        self._dropped = dropped
        self._handing.hand_on(dead)
        with self._lock:
            ended, self._ended = self._ended, []
        under_way = {job_id for job_id, _ in taken}
        self._handing.forget([job_id for job_id in ended if job_id not in under_way and self._is_final(job_id)])
        if old:
            self._workers.forget()

    def _is_final(self, job_id: str) -> bool:
        job = self._store.get(job_id)
        return job is not None and job.state.is_final
