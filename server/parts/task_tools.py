"""Hands the MCP tools around tasks what they work with. Part of the composition root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tools.tasks import TaskParts
from server.answers.tasks import tasks_of
from server.parts.reload_tools import usual_run
from storage.workflows.workflows import WorkflowFolders

if TYPE_CHECKING:
    from collections.abc import Callable

    from config.settings import Settings
    from core.runs.run import RunRequest
    from core.tasks.lessons import LearnRequest


def task_parts(
    settings: Settings,
    *,
    admit: Callable[[RunRequest], RunRequest],
    admit_learning: Callable[[LearnRequest], LearnRequest],
) -> TaskParts:
    """Tasks and workflows where these settings keep them, and runs as they are wanted there."""
    return TaskParts(
        tasks=tasks_of(settings),
        workflows=WorkflowFolders(settings.workflow_roots),
        admit=admit,
        usual=usual_run(settings),
        admit_learning=admit_learning,
        learns=settings.learning_provider,
    )
