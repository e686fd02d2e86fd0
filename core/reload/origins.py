"""Where entries come from, and whether that is still as it was."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from core.errors import CallerError
from core.reload.entry import Origin
from core.runs.run import RunRequest
from core.runs.task_undertaking import TaskUndertaking
from core.runs.workflow_undertaking import WorkflowUndertaking

if TYPE_CHECKING:
    from core.runs.ports import Runs, Undertaking, Workflows
    from core.tasks.ports import Tasks
    from core.workflows.workflow import Workflow


class Origins:
    """Finds the documents again.

    Args:
        workflows: where workflows are.
        tasks: where tasks are.
        runs: of both; nothing is written.

    """

    def __init__(self, workflows: Workflows, tasks: Tasks, runs: Runs) -> None:
        self._workflows = workflows
        self._tasks = tasks
        self._runs = runs

    def revision(self, origin: Origin) -> str | None:
        """Of the document as it is now, ``None`` when there is none that could be carried out."""
        try:
            if origin.kind == "workflow":
                return revision_of(self._workflows.load(origin.name))
            return revision_of(TaskUndertaking.found(RunRequest(task=origin.name), self._tasks, self._runs).workflow)
        except CallerError:
            return None


def origin_of(undertaking: Undertaking) -> Origin:
    """What a run carries out, as entries name it."""
    if isinstance(undertaking, TaskUndertaking):
        return Origin(kind="task", name=undertaking.request.task, revision=revision_of(undertaking.workflow))
    if isinstance(undertaking, WorkflowUndertaking):
        return Origin(kind="workflow", name=undertaking.request.workflow, revision=revision_of(undertaking.workflow))
    return Origin()


def revision_of(workflow: Workflow) -> str:
    """SHA-256 of a document, its places not filled."""
    return hashlib.sha256(workflow.model_dump_json().encode()).hexdigest()
