"""Anything that takes long: a job, and the events that tell how far it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from core.runs.live_state import LiveState, OpenApproval
from core.values import Value


class JobState(StrEnum):
    """Where a job is in its life. The last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing will happen to the job any more."""
        return self in {JobState.DONE, JobState.FAILED, JobState.CANCELLED}


class Stage(StrEnum):
    """What a job is doing just now; the ``event`` of its progress events on ``/events``."""

    QUEUED = "queued"
    UPLOADING = "uploading"
    DECODING = "decoding"
    READING = "reading"
    ASKING = "asking"
    VERIFYING = "verifying"
    REPLAY_STARTED = "replay_started"
    SUBTASK_STARTED = "subtask_started"
    PREDICTED_TOOL_CALL = "predicted_tool_call"
    PIXEL_ACTION = "pixel_action"
    ACTION_RESULT = "action_result"
    EXTRACT_RESULT = "extract_result"
    EXEC_ERROR = "exec_error"
    SUBTASK_DONE = "subtask_done"
    TAKEN_OVER = "taken_over"
    RESUMED = "resumed"
    APPROVAL_ASKED = "approval_asked"
    APPROVAL_GIVEN = "approval_given"
    REPLAY_FINISHED = "replay_finished"
    RELOAD_STARTED = "reload_started"
    RELOAD_ACTION = "reload_action"
    RELOAD_EMITTED = "reload_emitted"
    RELOAD_FINISHED = "reload_finished"
    RELOAD_STOPPED = "reload_stopped"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobEvent(Value):
    """One stored progress event.

    ``id`` grows by at least one from event to event over all jobs and never repeats, also across restarts.
    ``data`` is what the stage tells of itself, e.g. ``{"done": 120, "total": 750}`` or ``{"place": 2}``.
    """

    id: int
    job_id: str
    t: str
    """When it was stored, UTC, ISO 8601."""
    stage: Stage
    data: dict[str, Any]


class Job(Value):
    """One piece of long work as it stands now."""

    id: str
    kind: str
    """What it does: ``analysis``, ``replay``, ``reload``, ``learning``."""
    state: JobState
    request: dict[str, Any]
    result: dict[str, Any] | None = None
    """The use case's answer once ``state`` is ``done``."""
    error: dict[str, Any] | None = None
    """The one error shape once ``state`` is ``failed`` or ``cancelled``."""
    place: int | None = None
    """The job's place in line (1 = next) while it is queued."""
    progress: JobEvent | None = None
    """The newest progress event."""
    approval: OpenApproval | None = None
    """What the job asks now; told by the daemon that carries it out, as is ``live``."""
    live: LiveState | None = None
    """How a run stands that acts on a desktop just now."""
    created_at: str
    finished_at: str | None = None
