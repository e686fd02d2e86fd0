"""All that we ask of DBOS: start a workflow, keep its steps, run it again after a crash."""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from adapters.jobs.context import TakenOver
from core.errors import Cancelled, Conflict, TimedOut, VaiderError

_KNOWS_MILLISECONDS: Final = (3, 42, 0)


class ClockedConnection(sqlite3.Connection):
    """A connection to SQLite that knows ``unixepoch('subsec')``, whatever SQLite's version."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if sqlite3.sqlite_version_info < _KNOWS_MILLISECONDS:
            self.create_function("unixepoch", 1, _unix_seconds)


def _unix_seconds(modifier: str) -> float:
    """Seconds since 1970 with milliseconds, as SQLite 3.42 returns them."""
    if modifier != "subsec":
        raise ValueError(f"unixepoch({modifier!r}) is not known here.")
    return time.time_ns() // 1_000_000 / 1000


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
    """DBOS while jobs are under way. It is a singleton of the process: stop one before the next is launched.

    While it is launched its threads poll the database (0.6 % of a core), and no setting stops them; so ``rest`` stops
    the whole when nothing is under way, and ``start`` launches it again, which takes 15 to 120 ms.

    Args:
        url: the database; its own tables stand beside ours.
        executor_id: the machine's name; DBOS runs again what that machine left.
        body: does a job by its id, and never raises but to leave it for the next start.

    """

    def __init__(self, url: str, executor_id: str, body: Callable[[str], None]) -> None:
        self._url = url
        self._executor_id = executor_id
        self._body = body
        self._is_launched = False
        self._workflow: Callable[[str], None] = body
        self._expected = threading.Event()
        """Set when it is known which jobs come back; one may begin before."""

    def launch(self, expect: Callable[[Sequence[str]], None]) -> None:
        """Start DBOS; ``expect`` gets the ids of the jobs that it runs again, before any of them begins."""
        # The import takes 0.4 s, which the help of a command does not need.
        from dbos import DBOS  # noqa: PLC0415 - see above

        if not _SINGLETON.acquire(blocking=False):
            raise Conflict("A job engine already runs in this process; stop it first.")
        self._is_launched = True
        silence()
        DBOS(
            config={
                "name": "vaider",
                "system_database_url": self._url,
                "db_engine_kwargs": _engine_options(self._url),
                "application_version": _VERSION,
                "executor_id": self._executor_id,
                "log_level": "CRITICAL",
                "enable_otlp": False,
                "use_listen_notify": False,
                # Of PostgreSQL's 100: one for each job that runs, and one that polls.
                "sys_db_pool_size": 5,
                # A stop waits for the listener, which looks up only after so long.
                "notification_listener_polling_interval_sec": 0.05,
            }
        )

        # The engine counts attempts itself, and ends a job that keeps crashing with a sentence.
        @DBOS.workflow(name="vaider_job", max_recovery_attempts=None)
        def vaider_job(job_id: str) -> None:
            self._do(job_id)

        self._workflow = vaider_job
        self._expected.clear()
        try:
            DBOS.launch()
            expect(self._under_way())
        except BaseException:
            # The next job tries again: the database may be back by then.
            self.destroy()
            raise
        finally:
            self._expected.set()

    def destroy(self) -> None:
        """Stop DBOS; whatever has not ended stays for the next launch."""
        if not self._is_launched:
            return
        from dbos import DBOS  # noqa: PLC0415 - see launch

        DBOS.destroy(destroy_registry=True)
        self._is_launched = False
        _SINGLETON.release()

    def rest(self) -> bool:
        """Stop DBOS if it has written down the end of every job; otherwise return False."""
        if self._is_launched and self._under_way():
            return False
        self.destroy()
        return True

    def start(self, job_id: str) -> None:
        """Start a job's workflow in a thread of its own. Never call it from within a workflow."""
        from dbos import DBOS, SetWorkflowID  # noqa: PLC0415 - see launch

        if not self._is_launched:
            self.launch(lambda _: None)
        with SetWorkflowID(job_id):
            DBOS.start_workflow(self._workflow, job_id)

    def cancel(self, job_id: str) -> None:
        """Keep, also through a crash, that the job shall not go on."""
        from dbos import DBOS  # noqa: PLC0415 - see launch

        DBOS.cancel_workflow(job_id)

    def forget(self, job_ids: Sequence[str]) -> None:
        """Drop what DBOS keeps of jobs that are final: their steps hold whole answers, which are not read again."""
        from dbos import DBOS  # noqa: PLC0415 - see launch

        if job_ids and self._is_launched:
            DBOS.delete_workflows(list(job_ids))

    def statuses(self) -> Mapping[str, str]:
        """How DBOS has kept each job of this machine, e.g. ``PENDING`` or ``CANCELLED``."""
        from dbos import DBOS  # noqa: PLC0415 - see launch

        kept = DBOS.list_workflows(executor_id=self._executor_id, load_input=False, load_output=False)
        return {workflow.workflow_id: workflow.status for workflow in kept}

    def _under_way(self) -> list[str]:
        from dbos import DBOS  # noqa: PLC0415 - see launch

        found = DBOS.list_workflows(
            status=UNDER_WAY,
            executor_id=self._executor_id,
            app_version=_VERSION,
            load_input=False,
            load_output=False,
        )
        return [workflow.workflow_id for workflow in found]

    def _do(self, job_id: str) -> None:
        self._expected.wait()
        self._body(job_id)


def keep_step(name: str, work: Callable[[], str]) -> str:
    """Do ``work`` once in the life of the workflow that runs in this thread, and keep what it returns.

    A ``VaiderError`` is kept and raised again as well, so that a resumed job takes the same way; a stop, a limit
    of time and a fault of ours are not. Raises ``TakenOver`` when the workflow is another process's by now.
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
    except dbos_error.DBOSWorkflowCancelledError:
        raise Cancelled("The job was cancelled.") from None
    except dbos_error.DBOSWorkflowConflictIDError:
        # Also how DBOS answers a step that ends just when its workflow is being cancelled.
        raise TakenOver from None


def _engine_options(url: str) -> dict[str, Any]:
    return {"connect_args": {"factory": ClockedConnection}} if url.startswith("sqlite") else {}


def silence() -> None:
    """Keep DBOS's tracebacks of cancelled jobs and its advertisements off the console."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = False
