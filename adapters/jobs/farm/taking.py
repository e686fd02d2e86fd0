"""Takes jobs from the queue in a worker's process, and lets go of DBOS while there are none."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy import event

from adapters.jobs.farm.queue import QUEUE, WORKFLOW
from adapters.jobs.runtime import silence
from core.errors import StorageFailed
from core.jobs import LONGEST_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG = logging.getLogger("vaider.jobs")
_POLL_SECONDS: Final = 0.4
"""So a slot that is free is filled within half a second; each poll takes 3 ms of computing, where nothing waits."""
REST_SECONDS: Final = 60
"""How long nothing has to come before a worker rests: DBOS asks the database several times a second on its own account,
and a resting worker twice."""
_LOOK_SECONDS: Final = 1.0


def _mark_disconnect(context: sa.engine.ExceptionContext) -> None:
    """A connection that could not be made is one that was lost.

    DBOS waits for a database that is lost, but knows a refused connection by a wording that psycopg no longer has: it
    would fail the job whose step ends while PostgreSQL restarts.
    """
    if context.connection is None:
        context.is_disconnect = True


class Taking:
    """DBOS in a worker: takes jobs and keeps their steps.

    Args:
        url: the database.
        version: of the queue; jobs of another one are left alone.
        worker: its name, new with each start: DBOS then never takes another one's jobs for its own.
        slots: how many jobs it does at once; one number for all workers, the newest one's.
        body: does a job by its id; never raises but to leave it to another worker.
        has_waiting: whether there is a job to take; asked while it rests. May raise.
        rest_seconds: how long nothing has to come before it rests.

    """

    def __init__(
        self,
        url: str,
        version: str,
        worker: str,
        slots: int,
        body: Callable[[str], None],
        *,
        has_waiting: Callable[[], bool],
        rest_seconds: float = REST_SECONDS,
    ) -> None:
        self._url = url
        self._version = version
        self._worker = worker
        self._slots = slots
        self._body = body
        self._has_waiting = has_waiting
        self._rest_seconds = rest_seconds
        self._lock = threading.Lock()
        self._doing = 0
        self._quiet_from = time.monotonic()
        self._draining = threading.Event()
        self._resting = threading.Thread(target=self._rest_and_return, name="vaider-rest", daemon=True)

    def launch(self) -> None:
        """Begin to take jobs. Raises ``StorageFailed``."""
        self._begin()
        self._resting.start()

    def drain(self, seconds: int) -> None:
        """Take nothing more, and wait so long for what is being done; whatever is left stays with this worker."""
        self._draining.set()
        self._resting.join()
        self._end(seconds)

    def _begin(self) -> None:
        from dbos import DBOS  # noqa: PLC0415 - a laptop's daemon need not load it

        silence()
        if not event.contains(sa.Engine, "handle_error", _mark_disconnect):
            event.listen(sa.Engine, "handle_error", _mark_disconnect)
        DBOS(
            config={
                "name": "vaider",
                "system_database_url": self._url,
                "application_version": self._version,
                "executor_id": self._worker,
                "log_level": "CRITICAL",
                "enable_otlp": False,
                "use_listen_notify": False,
                "sys_db_pool_size": 3 + self._slots,
                "notification_listener_polling_interval_sec": 0.5,
            }
        )

        # Attempts are counted in the job's row, which a worker that ends in good order does not add to.
        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)
        def vaider_farm_job(job_id: str) -> None:
            self._do(job_id)

        del vaider_farm_job
        DBOS.listen_queues([QUEUE])
        try:
            DBOS.launch()
            DBOS.register_queue(
                QUEUE,
                worker_concurrency=self._slots,
                polling_interval_sec=_POLL_SECONDS,
                on_conflict="always_update",
            )
        except Exception as error:
            DBOS.destroy(destroy_registry=True)
            raise StorageFailed(f"The queue of jobs cannot be used: {type(error).__name__}.") from error
        self._quiet_from = time.monotonic()

    def _end(self, seconds: int) -> None:
        from dbos import DBOS  # noqa: PLC0415 - as above

        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=seconds)

    def _do(self, job_id: str) -> None:
        with self._lock:
            self._doing += 1
        try:
            self._body(job_id)
        finally:
            with self._lock:
                self._doing -= 1
                self._quiet_from = time.monotonic()

    def _rest_and_return(self) -> None:
        rests = False
        while not self._draining.wait(_LOOK_SECONDS):
            try:
                if rests and self._has_waiting():
                    self._begin()
                    rests = False
                elif not rests and self._is_quiet():
                    # What is taken in this moment is done to its end.
                    self._end(int(LONGEST_SECONDS))
                    rests = True
            except Exception as error:  # noqa: BLE001 - whatever it was, it is tried again
                _LOG.warning("the queue could not be asked: %s", error)

    def _is_quiet(self) -> bool:
        with self._lock:
            return not self._doing and time.monotonic() - self._quiet_from >= self._rest_seconds
