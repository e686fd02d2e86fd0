"""DBOS's own queue on PostgreSQL, as a farm uses it: jobs are put in, and those of dead workers handed on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from adapters.jobs.runtime import silence
from core.errors import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_LOG = logging.getLogger("vaider.jobs")
QUEUE: Final = "vaider"
WORKFLOW: Final = "vaider_farm_job"
_ADOPTED: Final = sa.text("""
    UPDATE dbos.workflow_status SET application_version = :version
    WHERE queue_name = :queue AND status = 'ENQUEUED' AND application_version < :version""")
_TAKEN: Final = sa.text("""
    SELECT workflow_uuid, executor_id FROM dbos.workflow_status WHERE queue_name = :queue AND status = 'PENDING'""")
_WAITS: Final = sa.text("""
    SELECT EXISTS (
        SELECT FROM dbos.workflow_status
        WHERE queue_name = :queue AND status = 'ENQUEUED' AND application_version = :version
    )""")
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

    def taken(self, connection: sa.Connection) -> Sequence[tuple[str, str]]:
        """Each job that a worker has taken and not ended, and that worker."""
        found = connection.execute(_TAKEN, {"queue": QUEUE})
        return [(row.workflow_uuid, str(row.executor_id)) for row in found]

    def has_waiting(self, connection: sa.Connection) -> bool:
        """Whether a job waits that a worker of this version may take."""
        return bool(connection.execute(_WAITS, {"queue": QUEUE, "version": self._version}).scalar_one())

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
