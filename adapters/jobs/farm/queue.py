"""DBOS's own queue on PostgreSQL, as a farm uses it: who puts jobs in, and who takes them out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy import event

from adapters.jobs.runtime import silence
from core.errors import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

_LOG = logging.getLogger("vaider.jobs")
QUEUE: Final = "vaider"
WORKFLOW: Final = "vaider_farm_job"
_POLL_SECONDS: Final = 0.4
"""So a slot that is free is filled within half a second; each poll takes 3 ms of computing, where nothing waits."""
_ADOPTED: Final = sa.text("""
    UPDATE dbos.workflow_status SET application_version = :version
    WHERE queue_name = :queue AND status = 'ENQUEUED' AND application_version < :version""")
_TURN: Final = sa.text("""
    SELECT greatest(
        1,
        (SELECT min(priority) FROM dbos.workflow_status WHERE queue_name = :queue AND status = 'ENQUEUED'),
        (SELECT max(priority) + 1 FROM dbos.workflow_status
         WHERE queue_name = :queue AND status = 'ENQUEUED' AND queue_partition_key = :submitter)
    )""")
"""The turn of a submitter's next job: the one that is on, or the one after the submitter's last that waits. So each
turn has one job of each submitter, and who comes later does not wait for all that others have sent before."""


class FarmQueue:
    """The way in, for processes that do no job themselves.

    Args:
        url: the database, whose tables of DBOS are made if they are not there.
        version: of the queue, see ``core.farm.queue_version``.

    """

    def __init__(self, url: str, version: str) -> None:
        from dbos import DBOS, DBOSClient  # noqa: PLC0415 - a laptop's daemon need not load it

        self._version = version
        silence()
        try:
            DBOS.migrate(url)
            self._client = DBOSClient(system_database_url=url, system_database_pool_size=2)
        except Exception as error:
            raise StorageFailed(f"The queue of jobs cannot be used: {type(error).__name__}.") from error

    def enqueue(self, connection: sa.Connection, job_id: str, submitter: str) -> None:
        """Put a job in, in the caller's transaction: it is stored and waits, or neither.

        Submitters take turns: thousands of jobs of one do not hold up another's.
        """
        turn = connection.execute(_TURN, {"queue": QUEUE, "submitter": submitter}).scalar_one()
        self._client.enqueue_in_transaction(
            connection,
            {
                "workflow_name": WORKFLOW,
                "queue_name": QUEUE,
                "workflow_id": job_id,
                "app_version": self._version,
                "priority": turn,
                "queue_partition_key": submitter,
            },
            job_id,
        )

    def cancel(self, job_id: str) -> None:
        """Take a job out, or have no worker go on with it."""
        self._client.cancel_workflow(job_id)

    def close(self) -> None:
        """Let go of the database."""
        self._client.destroy()


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

    """

    def __init__(self, url: str, version: str, worker: str, slots: int, body: Callable[[str], None]) -> None:
        self._url = url
        self._version = version
        self._worker = worker
        self._slots = slots
        self._body = body

    def launch(self) -> None:
        """Begin to take jobs. Raises ``StorageFailed``."""
        from dbos import DBOS  # noqa: PLC0415 - as above

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
        body = self._body

        # Attempts are counted in the job's row, which a worker that ends in good order does not add to.
        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)
        def vaider_farm_job(job_id: str) -> None:
            body(job_id)

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

    def drain(self, seconds: int) -> None:
        """Take nothing more, and wait so long for what is being done; whatever is left stays with this worker."""
        from dbos import DBOS  # noqa: PLC0415 - as above

        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=seconds)


class Handing:
    """Hands the jobs of dead workers to others.

    Args:
        url: the database.
        version: of the queue.

    """

    def __init__(self, url: str, version: str) -> None:
        from dbos import DBOSClient  # noqa: PLC0415 - as above

        self._version = version
        silence()
        self._client = DBOSClient(system_database_url=url, system_database_pool_size=1, lazy=True)

    def taken(self) -> Sequence[tuple[str, str]]:
        """Each job that a worker has taken and not ended, and that worker."""
        found: Sequence[Any] = self._client.list_workflows(
            status="PENDING", queue_name=QUEUE, load_input=False, load_output=False
        )
        return [(each.workflow_id, str(each.executor_id)) for each in found]

    def adopt(self, connection: sa.Connection) -> None:
        """Have workers of this version take what waits for workers of an older one."""
        connection.execute(_ADOPTED, {"queue": QUEUE, "version": self._version})

    def hand_on(self, job_ids: Collection[str]) -> None:
        """Have other workers take them; who had them can keep no step of theirs any more."""
        for job_id in job_ids:
            _LOG.warning("job %s is handed on: its worker is gone", job_id)
            self._client.resume_workflow(job_id, queue_name=QUEUE)

    def forget(self, job_ids: Collection[str]) -> None:
        """Drop what DBOS keeps of jobs that are final."""
        if job_ids:
            self._client.delete_workflows(list(job_ids))

    def close(self) -> None:
        """Let go of the database."""
        self._client.destroy()
