"""Builds the dependencies of the MCP tools for tasks and the reload cache. Part of the composition root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.runs.run import RunRequest
from mcp_tools.reload import ActionCacheParts
from mcp_tools.tasks import TaskParts
from server.presenters import tasks_of
from storage.workflows.workflows import WorkflowFolders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from config.settings import Settings
    from core.tasks.ports import LearnRequest
    from core.values import Value
    from server.client.engine import ActionCacheClient


def reload_parts(
    settings: Settings, reloads: Callable[[], ActionCacheClient], admit: Callable[[RunRequest], RunRequest]
) -> ActionCacheParts:
    """What is cached, and replays as these settings want runs."""
    usual = usual_run(settings)

    def begin(cache_id: str, skip_indices: Sequence[int], values: Mapping[str, str]) -> tuple[str, Value]:
        return reloads().begin(cache_id, skip_indices, values, usual, admit)

    return ActionCacheParts(find=lambda question: reloads().options(question), begin=begin)


def usual_run(settings: Settings) -> RunRequest:
    """A run as these settings want it, of nothing yet."""
    return RunRequest(
        provider=settings.replay_provider,
        display=settings.display,
        size=settings.display_size,
        on_takeover=settings.replay_on_takeover,
    )


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
        exposed=settings.expose_as_tools,
    )
