"""Tasks as they are told to machines, and where those of this machine are."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from core.errors import InvalidRequest, VaiderError
from core.schedules.book import shown, utc_now
from core.tasks.parameters import parametrised
from server.answers.asked_parameters import asked_parameters
from server.zone import machine_zone
from storage.tasks.runs import runs_of
from storage.tasks.tasks import TaskFolders

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from config.settings import Settings
    from core.runs.run import Run
    from core.schedules.book import ScheduleAnswer
    from core.tasks.ports import StoredTask, Tasks, TaskSummary

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
        "last_run": _told_run(last) if last else None,
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


def _told_run(run: Run) -> dict[str, Any]:
    told = {"run_id", "outcome", "status", "reason", "started_at", "duration_ms"}
    return run.model_dump(mode="json", include=told)
