"""All that we ask of DBOS: start a workflow, keep its steps, run it again after a crash."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from adapters.jobs.sqlite_clock import ClockedConnection
from core.errors import Cancelled, Conflict, TimedOut, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dbos import DBOS

_VERSION = "vaider-jobs-1"
"""DBOS resumes only workflows of its own version; a hash of the source would strand every job at each upgrade."""
UNDER_WAY = ["PENDING", "ENQUEUED"]
_SINGLETON = threading.Lock()
"""Held while DBOS is launched: it would hand a second caller the first one's instance."""


class _Unkept(BaseException):  # DBOS keeps every Exception of a step as its result
    """Carries a failure past DBOS that a resumed job shall not find again."""

    def __init__(self, cause: Exception) -> None:
        super().__init__()
        self.cause = cause


class DbosRuntime:
    """One launch of DBOS. It is a singleton of the process: stop one before the next is launched.

    Args:
        url: the database; its own tables stand beside ours.
        executor_id: the machine's name; DBOS runs again what that machine left.
        body: does a job by its id, and never raises but to leave it for the next start.

    """

    def __init__(self, url: str, executor_id: str, body: Callable[[str], None]) -> None:
        self._url = url
        self._executor_id = executor_id
        self._body = body
        self._dbos: DBOS | None = None
        self._is_launched = False
        self._workflow: Callable[[str], None] = body
        self._awaited: set[str] = set()
        self._lock = threading.Lock()

    def launch(self, expect: Callable[[Sequence[str]], None]) -> None:
        """Start DBOS; before anything runs, ``expect`` is told the ids that it will run again within two seconds."""
        # 0.4 s to import, and nobody needs it who only reads the help.
        from dbos import DBOS  # noqa: PLC0415 - see above

        if not _SINGLETON.acquire(blocking=False):
            raise Conflict("A job engine already runs in this process; stop it first.")
        self._is_launched = True
        _silence()
        dbos = DBOS(
            config={
                "name": "vaider",
                "system_database_url": self._url,
                "db_engine_kwargs": _engine_options(self._url),
                "application_version": _VERSION,
                "executor_id": self._executor_id,
                "log_level": "CRITICAL",
                "enable_otlp": False,
                "use_listen_notify": False,
                # The listener is stopped below, but sees that only when it has slept this long.
                "notification_listener_polling_interval_sec": 0.05,
            }
        )

        # The engine counts attempts itself, and ends a job that keeps crashing with a sentence.
        @DBOS.workflow(name="vaider_job", max_recovery_attempts=None)
        def vaider_job(job_id: str) -> None:
            self._do(job_id)

        self._workflow = vaider_job
        # Held until the ids are known: a job may come back at once.
        with self._lock:
            DBOS.launch()
            self._dbos = dbos
            mine = DBOS.list_workflows(status=UNDER_WAY, executor_id=self._executor_id, app_version=_VERSION)
            self._awaited = {workflow.workflow_id for workflow in mine}
            expect(list(self._awaited))
            if not self._awaited:
                self._stop_polling()

    def destroy(self) -> None:
        """Stop DBOS; whatever has not ended stays for the next launch."""
        if not self._is_launched:
            return
        from dbos import DBOS  # noqa: PLC0415 - see launch

        DBOS.destroy(destroy_registry=True)
        self._dbos = None
        self._is_launched = False
        _SINGLETON.release()

    def start(self, job_id: str) -> None:
        """Start a job's workflow in a thread of its own. Never call it from within a workflow."""
        from dbos import DBOS, SetWorkflowID  # noqa: PLC0415 - see launch

        with SetWorkflowID(job_id):
            DBOS.start_workflow(self._workflow, job_id)

    def cancel(self, job_id: str) -> None:
        """Keep, also through a crash, that the job shall not go on."""
        from dbos import DBOS  # noqa: PLC0415 - see launch

        DBOS.cancel_workflow(job_id)
        self._note_arrival(job_id)

    def forget(self, job_ids: Sequence[str]) -> None:
        """Drop what DBOS keeps of jobs that are final: their steps hold whole answers, and nobody reads them again."""
        from dbos import DBOS  # noqa: PLC0415 - see launch

        if job_ids:
            DBOS.delete_workflows(list(job_ids))

    def statuses(self) -> Mapping[str, str]:
        """How DBOS has kept each job of this machine, e.g. ``PENDING`` or ``CANCELLED``."""
        from dbos import DBOS  # noqa: PLC0415 - see launch

        kept = DBOS.list_workflows(executor_id=self._executor_id, load_input=False, load_output=False)
        return {workflow.workflow_id: workflow.status for workflow in kept}

    def keep_step(self, name: str, work: Callable[[], str]) -> str:
        """Do ``work`` once in the life of the workflow that runs in this thread, and keep what it returns.

        A ``VaiderError`` is kept and raised again as well, so that a resumed job takes the same way; a stop, a limit
        of time and a fault of ours are not.
        """
        from dbos import DBOS  # noqa: PLC0415 - see launch
        from dbos import error as dbos_error  # noqa: PLC0415 - see launch

        def guarded() -> str:
            try:
                return work()
            except (Cancelled, TimedOut) as error:
                raise _Unkept(error) from error
            except VaiderError:
                raise
            except Exception as error:
                raise _Unkept(error) from error

        try:
            return DBOS.run_step({"name": name}, guarded)
        except _Unkept as unkept:
            raise unkept.cause from None
        except (dbos_error.DBOSWorkflowCancelledError, dbos_error.DBOSWorkflowConflictIDError):
            # The second is how DBOS answers a step that ends just when its workflow is being cancelled.
            raise Cancelled("The job was cancelled.") from None

    def _do(self, job_id: str) -> None:
        self._note_arrival(job_id)
        self._body(job_id)

    def _note_arrival(self, job_id: str) -> None:
        with self._lock:
            was_last = self._awaited == {job_id}
            self._awaited.discard(job_id)
        if was_last:
            self._stop_polling()

    def _stop_polling(self) -> None:
        """End the threads that look for queued workflows, timeouts, schedules and messages every second.

        We use none of these, once the crashed jobs have come back through DBOS's internal queue.
        """
        dbos: Any = self._dbos
        for event in dbos.background_thread_stop_events:
            event.set()
        # Private, for want of a setting; `destroy` sets the same. A test sees whether any such thread lives on.
        dbos._background_jobs_stop_event.set()  # noqa: SLF001
        dbos._sys_db._run_background_processes = False  # noqa: SLF001


def _engine_options(url: str) -> dict[str, Any]:
    return {"connect_args": {"factory": ClockedConnection}} if url.startswith("sqlite") else {}


def _silence() -> None:
    """Keep DBOS's tracebacks of cancelled jobs and its advertisements off the console."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = False
