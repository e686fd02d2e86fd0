"""Tasks as they are told to machines, and where those of this machine are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.errors import InvalidRequest
from storage.tasks import TaskFolders

if TYPE_CHECKING:
    from config.settings import Settings
    from core.schedule_book import ScheduleAnswer
    from core.task_ports import StoredTask, Tasks, TaskSummary


def tasks_of(settings: Settings) -> Tasks:
    """The tasks of these settings."""
    return TaskFolders(settings.data_path / "tasks")


def task_answer(task: StoredTask) -> dict[str, Any]:
    """A task whole; ``text`` is the file as it stands, line ends included."""
    return {
        "id": task.id,
        "title": task.heartbeat.title,
        "folder": str(task.folder),
        "fault": fault_of(task),
        "version": task.version.model_dump(mode="json"),
        "text": task.heartbeat.text,
        "questions": [each.model_dump(mode="json") for each in task.heartbeat.questions],
    }


def listed_task(task: TaskSummary, schedule: ScheduleAnswer | None) -> dict[str, Any]:
    """A line of the list; ``next`` is when it is carried out, ISO 8601, and ``None`` when it is not."""
    return {
        **task.model_dump(mode="json"),
        "schedule": schedule.schedule if schedule else "",
        "next": schedule.next[0] if schedule and schedule.next else None,
        "schedule_fault": schedule.fault if schedule else "",
    }


def fault_of(task: StoredTask) -> str:
    """Why it cannot be used, one sentence; empty if it can."""
    try:
        task.heartbeat.check()
    except InvalidRequest as error:
        return error.message
    return ""
