"""Tasks, workflows and the jobs that they wait for, as the daemon and the command line tell of them."""

from __future__ import annotations

import contextlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from pydantic import BaseModel, Field

from core.errors import InvalidRequest, NotFound, VaiderError
from core.headlines import Headline, of_run
from core.jobs import Job, JobEvent, JobState
from core.runs.run import Run, RunOutcome
from core.schedules.book import ScheduleAnswer, shown, utc_now
from core.tasks.parameters import parametrised
from core.workflows.workflow import Parameter, Workflow
from server.times import machine_zone
from storage.runs import last_run
from storage.tasks.runs import runs_of
from storage.tasks.tasks import TaskFolders
from storage.workflows.workflows import NAME, WorkflowFolders

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from config.settings import Settings
    from core.ports import Jobs
    from core.tasks.ports import StoredTask, Tasks, TaskSummary
    from storage.workflows.packages import Imported


class AskedParameter(BaseModel):
    """One value that may be given."""

    name: str
    type: str
    description: str
    example: str | None = Field(description="Its default; null when it has none, or when that is sensitive.")
    sensitive: bool = Field(description="Whether it is kept in memory alone, and masked wherever it would be seen.")
    optional: bool
    needed: bool = Field(description="Whether no run begins without it: it has no default and is not optional.")


def asked_parameters(parameters: Iterable[Parameter]) -> list[AskedParameter]:
    """The parameters in their order, without the defaults of sensitive ones."""
    return [
        AskedParameter(
            name=each.name,
            type=each.type,
            description=each.description,
            example=None if each.sensitive else each.example,
            sensitive=each.sensitive,
            optional=each.optional,
            needed=each.example is None and not each.optional,
        )
        for each in parameters
    ]


class LastRun(BaseModel):
    """How a workflow's newest finished run ended."""

    run_id: str
    outcome: RunOutcome
    confirmed_by: str = Field(description="Of a success: `effect`, or `screen` alone; empty without one.")
    reason: str
    headline: Headline
    started_at: str
    duration_ms: int
    directory: str
    """Its folder; ``report.html`` in it tells the run."""


class ListedRun(Run):
    """A run, and the line about its end that every front end shows."""

    headline: Headline

    @classmethod
    def of(cls, run: Run) -> Self:
        """A run that has come to its end."""
        whole = run.model_dump(mode="json")
        return cls.model_validate({**whole, "headline": of_run(whole)})


class WorkflowSummary(BaseModel):
    """One workflow in a list."""

    name: str
    folder: str
    valid: bool
    error: str | None = Field(description="What is wrong with its schema.json; null when it is valid.")
    task_name: str = ""
    task_description: str = ""
    parameters: list[Parameter] = Field(default_factory=list[Parameter])
    subtasks: int = 0
    last_run: LastRun | None = None


class WorkflowAnswer(BaseModel):
    """One workflow whole."""

    name: str
    folder: str
    version: int = Field(description="Of the file: 1 or 2.")
    notes: list[str] = Field(description="What in the file has no effect.")
    workflow: Workflow = Field(description="As version 2, without the examples of sensitive parameters.")
    parameters: list[AskedParameter] = Field(description="What `params` of `POST /replay` may give.")
    last_run: LastRun | None


class Added(BaseModel):
    """A workflow that was taken in."""

    name: str
    folder: str
    backup: str | None = Field(description="Where the one that it replaced is now.")
    notes: list[str] = Field(description="What in its schema.json has no effect.")

    @classmethod
    def of(cls, done: Imported) -> Self:
        """As it was kept."""
        backup = str(done.backup) if done.backup is not None else None
        return cls(name=done.name, folder=str(done.folder), backup=backup, notes=list(done.notes))


class WorkflowList(BaseModel):
    """All workflows, by name."""

    workflows: list[WorkflowSummary]


class WorkflowShelf:
    """The workflows of this machine, with what is known of each.

    Args:
        folders: where they are.
        data_dir: where the runs lie that are not in their workflow's folder.

    """

    def __init__(self, folders: WorkflowFolders, data_dir: Path) -> None:
        self.folders = folders
        self._data_dir = data_dir

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Those of these settings."""
        return cls(WorkflowFolders(settings.workflow_roots), settings.data_path)

    def summaries(self) -> WorkflowList:
        """All there are, also those that are not valid."""
        found: list[WorkflowSummary] = []
        for name in self.folders.names():
            with suppress(NotFound):  # removed in this very moment
                found.append(self._summary(self.folders.find(name)))
        return WorkflowList(workflows=found)

    def named(self, name: str) -> WorkflowAnswer:
        """One by its name alone. Raises ``NotFound``, ``InvalidWorkflow``, ``InvalidPath``."""
        if not NAME.fullmatch(name) or name not in self.folders.names():
            raise self.folders.missing(name)
        return self.at(self.folders.find(name))

    def at(self, folder: str) -> WorkflowAnswer:
        """One by its folder."""
        reading = self.folders.read(folder)
        return WorkflowAnswer(
            name=Path(folder).name,
            folder=folder,
            version=reading.version,
            notes=list(reading.notes),
            workflow=_public(reading.workflow),
            parameters=asked_parameters(reading.workflow.task_params),
            last_run=_last(last_run(folder, self._data_dir)),
        )

    def _summary(self, folder: str) -> WorkflowSummary:
        name = Path(folder).name
        try:
            workflow = _public(self.folders.load(folder))
        except VaiderError as error:
            return WorkflowSummary(name=name, folder=folder, valid=False, error=error.message)
        return WorkflowSummary(
            name=name,
            folder=folder,
            valid=True,
            error=None,
            task_name=workflow.task_name,
            task_description=workflow.task_description_user,
            parameters=list(workflow.task_params),
            subtasks=len(workflow.plan.subtasks),
            last_run=_last(last_run(folder, self._data_dir)),
        )


def _public(workflow: Workflow) -> Workflow:
    parameters = [
        each.model_copy(update={"example": None}) if each.sensitive else each for each in workflow.task_params
    ]
    return workflow.model_copy(update={"task_params": tuple(parameters)})


def _last(run: Run | None) -> LastRun | None:
    if run is None:
        return None
    return LastRun(
        run_id=run.run_id,
        outcome=run.outcome,
        confirmed_by=run.confirmed_by,
        reason=run.reason,
        headline=ListedRun.of(run).headline,
        started_at=run.started_at,
        duration_ms=run.duration_ms,
        directory=run.directory,
    )


_TASKS: Final = "tasks"


def tasks_of(settings: Settings) -> Tasks:
    """The tasks of these settings."""
    return TaskFolders(settings.data_path / _TASKS)


def task_answer(task: StoredTask) -> dict[str, Any]:
    """A task whole; ``text`` is the file as it stands, line ends included."""
    fault = fault_of(task)
    asked = [] if fault else asked_parameters(parametrised(task.heartbeat).parameters)
    return {
        "id": task.id,
        "title": task.heartbeat.title,
        "folder": str(task.folder),
        "fault": fault,
        "version": task.version.model_dump(mode="json"),
        "text": task.heartbeat.text,
        "questions": [each.model_dump(mode="json") for each in task.heartbeat.questions],
        "parameters": [each.model_dump(mode="json") for each in asked],
    }


def listed_task(task: TaskSummary, schedule: ScheduleAnswer | None, last: Run | None) -> dict[str, Any]:
    """A line of the list; ``next`` is when it is carried out, ISO 8601, and ``None`` when it is not."""
    return {
        **task.model_dump(mode="json"),
        "schedule": schedule.schedule if schedule else "",
        "next": schedule.next[0] if schedule and schedule.next else None,
        "schedule_fault": schedule.fault if schedule else "",
        "last_run": _run_to_response(last) if last else None,
    }


def last_runs(settings: Settings, found: Iterable[TaskSummary]) -> Mapping[str, Run]:
    """The newest run of each of those tasks that has one that came to its end."""
    newest = {each.id: runs_of(settings.data_path / _TASKS / each.id, 1) for each in found}
    return {task_id: runs[0] for task_id, runs in newest.items() if runs}


def upcoming(settings: Settings, found: Iterable[TaskSummary]) -> Mapping[str, ScheduleAnswer]:
    """The schedules of those tasks that have one, without their logs; also those that are not understood."""
    tasks, zone, now = tasks_of(settings), machine_zone(), utc_now()
    answers: dict[str, ScheduleAnswer] = {}
    for each in found:
        if each.fault:
            continue
        # It may be gone since it was listed.
        with contextlib.suppress(VaiderError):
            answers[each.id] = shown(each.id, tasks.load(each.id).heartbeat, zone, now)
    return {task_id: answer for task_id, answer in answers.items() if answer.schedule or answer.fault}


def fault_of(task: StoredTask) -> str:
    """Why it cannot be used, one sentence; empty if it can."""
    try:
        task.heartbeat.check()
    except InvalidRequest as error:
        return error.message
    return ""


def _run_to_response(run: Run) -> dict[str, Any]:
    reported = {"run_id", "outcome", "confirmed_by", "status", "reason", "headline", "started_at", "duration_ms"}
    return ListedRun.of(run).model_dump(mode="json", include=reported)


_MOST = 500


class ActiveJob(BaseModel):
    """A job that is not over."""

    job_id: str
    kind: str = Field(description="`replay`, `reload` or `learning`.")
    state: JobState
    place: int | None = Field(description="Its place in line, 1 = next; null when it runs.")
    progress: JobEvent | None = Field(description="The newest progress event.")


class Activity(NamedTuple):
    """All jobs that are not over, those that run first."""

    jobs: Sequence[Job]

    @classmethod
    async def now(cls, jobs: Jobs) -> Self:
        """As it is at this moment. Raises ``StorageFailed``."""
        return cls(
            [job for state in (JobState.RUNNING, JobState.QUEUED) for job in await jobs.list(state=state, limit=_MOST)]
        )

    def of_task(self, task_id: str) -> list[ActiveJob]:
        """Its runs, and what merges recordings into it."""
        return [
            _to_active_job(job) for job in self.jobs if task_id in {job.request.get("task"), job.request.get("into")}
        ]

    def of_workflow(self, folder: str) -> list[ActiveJob]:
        """Its runs, by its folder."""
        return [_to_active_job(job) for job in self.jobs if job.request.get("workflow") == folder]


def _to_active_job(job: Job) -> ActiveJob:
    return ActiveJob(job_id=job.id, kind=job.kind, state=job.state, place=job.place, progress=job.progress)
