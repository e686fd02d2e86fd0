"""The composition root: the one place that builds Vaider's parts, and stops them in reverse. No front end is here."""

from __future__ import annotations

import contextlib
import os
import tempfile
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.jobs.engine import DbosJobs
from adapters.keys import Keys
from core.analysis import AnalysisRequest
from core.comparison.comparing_videos import KIND as COMPARISON
from core.comparison.values import CompareRequest
from core.errors import naming_only
from core.memories.remembering import MemoryWriter
from core.runs.run import ReplayRequest, RunRequest
from core.tasks.ports import LearnRequest
from server.composition.memory import Memory, build_meaning
from server.composition.memory_reading import RecordingReader
from server.composition.memory_refining import RefinementWorker
from server.composition.recorder import Recorder
from server.composition.replaying import Replaying, build_replaying
from server.composition.watching import build_analysis, build_learning
from server.identity import installation
from storage.answers import AnswerIndex
from storage.database import Database
from storage.interactions import InteractionFolders
from storage.job_events import SqlJobStore

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from adapters.jobs.runner import Work
    from adapters.video.process.child import KeptChild
    from config.settings import Settings
    from core.ports import JobContext
    from core.tasks.learning import TaskLearning
    from core.video_analysis import VideoAnalysis


@dataclass(frozen=True)
class Vaider:
    """The product without a front end."""

    settings: Settings
    keys: Keys
    analysis: VideoAnalysis
    learning: TaskLearning
    jobs: DbosJobs
    replaying: Replaying
    database: Database
    memory: Memory
    recorder: Recorder
    reader: RecordingReader
    refinement_worker: RefinementWorker


@asynccontextmanager
async def open_vaider(
    settings: Settings, environment: Mapping[str, str] = os.environ, kept: KeptChild | None = None
) -> AsyncGenerator[Vaider]:
    """Vaider inside this process, for one command: its jobs end with it, its answers are kept as ever.

    ``kept`` is where the analyser's process waits for the next video, for a command that has several.

    Raises:
        StorageFailed: the data directory or the database cannot be used.

    """
    with tempfile.TemporaryDirectory(prefix="vaider-") as folder:
        # Jobs of its own: several commands may run at once, and beside a daemon.
        async with built(settings, environment, jobs_url=f"sqlite:///{folder}/jobs.db", kept=kept) as vaider:
            yield vaider


@asynccontextmanager
async def built(
    settings: Settings, environment: Mapping[str, str], jobs_url: str, kept: KeptChild | None = None
) -> AsyncGenerator[Vaider]:
    """All parts, until they are needed no more. Raises ``StorageFailed``.

    ``jobs_url`` is the database of the jobs, ``kept`` where the analyser's process waits for the next video.
    """
    keys = Keys(environment, vision_base_url=settings.vision_base_url, folder=settings.data_path)
    with contextlib.ExitStack() as stack:
        # Also for what libraries and child processes write, such as pictures: readable by this user alone.
        stack.callback(os.umask, os.umask(0o077))
        database = _opened_database(stack, settings.resolved_database_url)
        jobs_database = database if jobs_url == settings.resolved_database_url else _opened_database(stack, jobs_url)
        owner = installation(settings.data_path)
        answers = AnswerIndex(database, owner)
        logs = InteractionFolders(data_dir=settings.data_path, answers=answers, redact=keys.redact)
        memory = stack.enter_context(contextlib.closing(Memory(settings)))
        remember = MemoryWriter(lambda: memory.memories)
        analysis = build_analysis(settings, keys, logs, remember.analysis, kept)
        store = SqlJobStore(jobs_database, owner)
        replaying = build_replaying(settings, keys, remember.run, database, lambda job_id: _is_alive(store, job_id))
        stack.callback(replaying.close)

        worker = RefinementWorker(settings, keys, memory)
        stack.callback(worker.stop)
        if worker.helps_recall:
            memory.ranking = worker
        memory.meaning = lambda memories: build_meaning(settings, keys, memories)
        reader = RecordingReader(settings, memory, worker)
        stack.callback(reader.stop)
        recorder = Recorder(settings, memories=lambda: worker, viewer=reader, reading=reader.status)
        stack.callback(recorder.close)
        learning = build_learning(settings, keys, replaying.tasks, memory, analysis, kept)
        async with DbosJobs(
            store=store,
            url=jobs_database.url,
            work=_work_by_kind(settings, analysis, replaying, learning, recorder),
            # What they touched is not as they left it.
            once=("replay", "reload"),
            max_parallel=settings.max_parallel_analyses,
        ) as jobs:
            yield Vaider(
                settings, keys, analysis, learning, jobs, replaying, database, memory, recorder, reader, worker
            )


def _work_by_kind(
    settings: Settings, analysis: VideoAnalysis, replaying: Replaying, learning: TaskLearning, recorder: Recorder
) -> dict[str, Work]:
    def analyse(request: dict[str, Any], context: JobContext) -> Any:
        asked = AnalysisRequest.model_validate(request)
        with naming_only([asked.video_path] if asked.uploaded else []):
            return analysis.run(asked, context)

    def compare(request: dict[str, Any], context: JobContext) -> Any:
        from server.media.comparing import build_comparison  # noqa: PLC0415 - the daemon starts without pictures

        asked = CompareRequest.model_validate(request)
        with naming_only([each.video_path for each in (asked.good, asked.bad) if each.uploaded]):
            return build_comparison(settings, analysis).run(asked, context)

    def replay(request: dict[str, Any], context: JobContext) -> Any:
        with recorder.during_run():
            return replaying.replay.run(RunRequest.model_validate(request), context)

    def learn(request: dict[str, Any], context: JobContext) -> Any:
        asked = LearnRequest.model_validate(request)
        with naming_only(asked.videos if asked.uploaded else []):
            return learning.run(asked, context)

    def reload(request: dict[str, Any], context: JobContext) -> Any:
        return replaying.reload.emit(ReplayRequest.model_validate(request), context)

    return {"analysis": analyse, COMPARISON: compare, "replay": replay, "learning": learn, "reload": reload}


def _is_alive(store: SqlJobStore, job_id: str) -> bool:
    job = store.get(job_id) if job_id else None
    return job is not None and not job.state.is_final


def _opened_database(stack: contextlib.ExitStack, url: str) -> Database:
    database = Database(url)
    database.open()
    stack.callback(database.close)
    return database
