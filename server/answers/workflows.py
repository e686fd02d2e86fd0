"""Workflows as the daemon and the command line tell of them; no example of a sensitive parameter is among it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, Field

from core.errors import NotFound, VaiderError
from core.runs.run import RunOutcome
from core.workflows.workflow import Parameter, Workflow
from server.answers.asked_parameters import AskedParameter, asked_parameters
from storage.runs import last_run
from storage.workflows.workflows import NAME, WorkflowFolders

if TYPE_CHECKING:
    from config.settings import Settings
    from core.runs.run import Run
    from storage.workflows.packages import Imported


class LastRun(BaseModel):
    """How a workflow's newest finished run ended."""

    run_id: str
    outcome: RunOutcome
    reason: str
    started_at: str
    duration_ms: int
    directory: str
    """Its folder; ``report.html`` in it tells the run."""


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
        reason=run.reason,
        started_at=run.started_at,
        duration_ms=run.duration_ms,
        directory=run.directory,
    )
