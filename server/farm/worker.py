"""``vaider serve --role worker``: takes videos from the queue, analyses each in a child process, keeps the answers."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import signal
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from adapters.jobs.farm.worker import FarmWorker
from adapters.keys import Keys
from adapters.video.process.child import keep_child
from core.analysis import Analysis, AnalysisRequest
from core.errors import naming_only
from core.farm import FARM, queue_version
from core.files import Held, hold, make_private
from core.values import Value
from server.composition.watching import build_analysis
from server.logs import set_up_logging
from server.signals import set_in_handler
from storage.answers import AnswerIndex
from storage.database import Database
from storage.farm_jobs import FarmJobStore
from storage.object_logs import ObjectLogs, answer_prefix
from storage.objects import Objects
from storage.schema import HEAD
from storage.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.jobs.farm.worker import Work
    from adapters.video.process.child import KeptChild
    from config.settings import Settings
    from core.jobs import Stage
    from core.ports import JobContext

log = logging.getLogger("vaider.daemon")
ValueT = TypeVar("ValueT", bound=Value)
_LOOKED_AT: Final = "inspect"
"""A step that is done anew by each attempt: the file lies elsewhere then."""
_PATIENCE_SECONDS: Final = 60
"""A store that is away fails no job for so long; no longer, for a worker that is to end has no more time."""


def run_worker(settings: Settings, work: Callable[[Path], Work] | None = None) -> None:
    """Work until a signal stops it (SIGTERM, Ctrl+C); a second signal ends at once. Raises ``VaiderError``.

    ``work`` makes of a folder what does a job; analyses, unless said.
    """
    stopping = threading.Event()
    _stop_on_signals(stopping)
    environment = os.environ
    keys = Keys(environment, vision_base_url=settings.vision_base_url, folder=settings.data_path)
    name = f"{socket.gethostname()[:30]}-{os.getpid()}-{secrets.token_hex(4)}"
    with contextlib.ExitStack() as stack:
        stack.callback(os.umask, os.umask(0o077))
        set_up_logging(settings.data_path, settings.log_level, keys.redact)
        database = Database(settings.database_url)
        database.open()
        stack.callback(database.close)
        objects = Objects(settings.store_url, patience_seconds=_PATIENCE_SECONDS)
        scratch = stack.enter_context(_scratch(settings.data_path / "scratch", name))
        kept = stack.enter_context(contextlib.closing(keep_child()))
        analyse = (
            work(scratch)
            if work
            else Analyses(settings, keys, objects=objects, database=database, scratch=scratch, kept=kept).run
        )
        worker = FarmWorker(
            name=name,
            url=database.url,
            version=queue_version(HEAD),
            store=FarmJobStore(database, FARM),
            workers=Workers(database, FARM),
            work=analyse,
            slots=settings.max_parallel_analyses,
        )
        worker.start()
        log.info("worker.started", extra={"worker": name})
        stopping.wait()
        log.info("worker.draining", extra={"worker": name})
        worker.stop()


class Analyses:
    """Does the jobs of the kind ``analysis``."""

    def __init__(
        self,
        settings: Settings,
        keys: Keys,
        *,
        objects: Objects,
        database: Database,
        scratch: Path,
        kept: KeptChild | None,
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._objects = objects
        self._answers = AnswerIndex(database, FARM)
        self._scratch = scratch
        self._kept = kept

    def run(self, request: dict[str, Any], context: JobContext, attempt: int) -> Analysis:
        """Load the video, analyse it, store what was found."""
        asked = AnalysisRequest.model_validate(request)
        prefix = answer_prefix(context.job_id, attempt)
        folder = make_private(self._scratch / f"{context.job_id}-{attempt}")
        try:
            video = folder / Path(asked.video_path).name
            for key in list(self._objects.keys(Path(asked.video_path).parent.as_posix())):
                self._objects.get_file(key, folder / Path(key).name)
            logs = ObjectLogs(self._objects, self._answers, prefix, make_private(folder / "log"), self._keys.redact)
            analysis = build_analysis(self._settings, self._keys, logs, lambda _: None, self._kept)
            with naming_only([str(video)]):
                steps = KeptSteps(context, logs, attempt)
                found = analysis.run(asked.model_copy(update={"video_path": str(video)}), steps)
            return found.model_copy(update={"video": found.video.named(video.name)})
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class _StepResult(Value):
    attempt: int
    """Whose pictures belong to it."""
    result: str


class KeptSteps:
    """Implements ``core.ports.JobContext``: what a step has drawn is stored with it.

    Args:
        inner: of the job.
        logs: where its pictures are.
        attempt: at the job.

    """

    def __init__(self, inner: JobContext, logs: ObjectLogs, attempt: int) -> None:
        self._inner = inner
        self._logs = logs
        self._attempt = attempt

    @property
    def job_id(self) -> str:
        """See the port."""
        return self._inner.job_id

    def report(self, stage: Stage, **data: int | str | None) -> None:
        """See the port."""
        self._inner.report(stage, **data)

    def publish(self, stage: Stage, data: Mapping[str, Any]) -> None:
        """See the port."""
        self._inner.publish(stage, data)

    def raise_if_cancelled(self) -> None:
        """See the port."""
        self._inner.raise_if_cancelled()

    def extend_deadline(self, seconds: float) -> None:
        """See the port."""
        self._inner.extend_deadline(seconds)

    def step(self, name: str, result: type[ValueT], work: Callable[[], ValueT]) -> ValueT:
        """See the port."""
        if name == _LOOKED_AT:
            return work()

        def stored() -> _StepResult:
            done = work()
            self._logs.publish_pictures()
            return _StepResult(attempt=self._attempt, result=done.model_dump_json())

        kept = self._inner.step(name, _StepResult, stored)
        if kept.attempt != self._attempt:
            self._logs.fetch_pictures(answer_prefix(self.job_id, kept.attempt))
        return result.model_validate_json(kept.result)


def _stop_on_signals(stopping: threading.Event) -> None:
    def stop(_signal: int, _frame: object) -> None:
        if stopping.is_set():
            os._exit(1)
        set_in_handler(stopping)

    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, stop)


@contextlib.contextmanager
def _scratch(root: Path, name: str) -> Any:
    """A folder of this process's alone; those that killed processes have left are removed."""
    make_private(root)
    for folder in root.iterdir():
        with contextlib.suppress(Held, OSError):
            os.close(hold(folder / "lock", ""))
            shutil.rmtree(folder, ignore_errors=True)
    own = make_private(root / name)
    lock = hold(own / "lock", str(os.getpid()))
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)
        os.close(lock)
