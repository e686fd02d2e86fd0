"""Where the runs of jobs, tasks and workflows are kept, as far as they may be shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import NotFound
from core.jobs import Stage
from storage.run_files import run_directory
from storage.runs import places
from storage.tasks.runs import RUNS

if TYPE_CHECKING:
    from core.jobs import Job
    from server.services import Services

_FIRST_EVENTS = 500


async def folder_of_job(services: Services, job_id: str) -> Path:
    """The folder of a job's run, also while it goes on. Raises ``NotFound``: no such job, no run, not begun."""
    job = await services.jobs.get(job_id)
    directory = _told(job) or await _begun(services, job_id)
    if not directory:
        raise NotFound(f"Job {job_id} has no folder of a run.")
    return Path(directory)


def folder_of_task(services: Services, task_id: str, run_id: str) -> Path:
    """The folder of a task's run. Raises ``NotFound``."""
    return _existing((services.tasks.load(task_id).folder / RUNS,), run_id)


def folder_of_workflow(folder: str, data_dir: Path, run_id: str) -> Path:
    """The folder of a workflow's run. Raises ``NotFound``."""
    return _existing(tuple(places(folder, data_dir)), run_id)


def _existing(where: tuple[Path, ...], run_id: str) -> Path:
    found = run_directory(where, run_id)
    if found is None:
        raise NotFound(f"There is no run {run_id!r}; its history lists those there are.")
    return found


def _told(job: Job) -> str:
    directory = (job.result or {}).get("directory")
    return directory if isinstance(directory, str) else ""


async def _begun(services: Services, job_id: str) -> str:
    """What a run has told that has no result, for it goes on or was stopped."""
    events = await services.jobs.history(job_id, limit=_FIRST_EVENTS)
    begun = next((event for event in events if event.stage is Stage.REPLAY_STARTED), None)
    directory = begun.data.get("directory") if begun is not None else None
    return directory if isinstance(directory, str) else ""
