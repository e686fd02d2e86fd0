"""Long work: a job, its progress events, and its progress as displays show it."""

import secrets
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypedDict, cast

from pydantic import computed_field, model_validator

from core.analysis import FindingsSoFar
from core.headlines import Headline, headline
from core.runs.budget import LiveState, OpenApproval
from core.text import one_line
from core.values import Value

_NOT_DONE: Final = frozenset({"failed", "refused"})
"""Outcomes of runs that did not reach their goal."""

_COMPUTED: Final = frozenset({"outcome", "headline"})

LONGEST_SECONDS: Final = 1800.0
"""How long a job may work; its time in line does not count."""


class JobState(StrEnum):
    """Where a job is in its life. The last three are final.

    A run that failed or was refused has failed as a job, too, and has its result all the same.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing will happen to the job any more."""
        return self in {JobState.DONE, JobState.FAILED, JobState.CANCELLED}


def state_of_result(result: Mapping[str, Any]) -> JobState:
    """The final state of a job that came to this result."""
    return JobState.FAILED if result.get("outcome") in _NOT_DONE else JobState.DONE


def outcome_of(state: JobState, result: Mapping[str, Any] | None, error: Mapping[str, Any] | None) -> str:
    """How a job ended, in the words of ``core.runs.run.RunOutcome`` for all kinds; empty until it has."""
    if not state.is_final:
        return ""
    own = (result or {}).get("outcome")
    if isinstance(own, str) and own:
        return own
    if (error or {}).get("code") == "taken_over":
        return "taken_over"
    return "succeeded" if state is JobState.DONE else state.value


class Stage(StrEnum):
    """What a job is doing just now; the ``event`` of its progress events on ``/events``."""

    QUEUED = "queued"
    UPLOADING = "uploading"
    DECODING = "decoding"
    READING = "reading"
    FOUND = "found"
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
    """0 for a place in line that was computed for one viewer and is not stored."""
    job_id: str
    t: str
    """When it was stored, UTC, ISO 8601."""
    stage: Stage
    data: dict[str, Any]


class JobFilter(TypedDict, total=False):
    """Which jobs are listed: 50 of all, unless said."""

    state: JobState | None
    kinds: Collection[str]
    """Of no kind are those of all."""
    before: str | None
    """The id of a job: only those that are older."""
    among: Collection[str] | None
    """Ids: only these jobs."""
    limit: int


class Sender(NamedTuple):
    """Who asks for a job, and in which trace: see ``NewJob``."""

    submitter: str = ""
    traceparent: str | None = None


NOBODY: Final = Sender()
"""The machine's own account, in no trace."""


class NewJob(NamedTuple):
    """A job that is not stored yet."""

    id: str
    kind: str
    request: Mapping[str, Any]
    question: str | None = None
    """Equal for requests that one job answers; see ``core.ports.Jobs.submit``."""
    submitter: str = ""
    """The token that asked for it first; empty for the machine's own account."""
    traceparent: str | None = None
    """The caller's trace that it belongs to, as W3C's header has it."""


class Job(Value):
    """One piece of long work as it stands now."""

    id: str
    kind: str
    """What it does: ``analysis``, ``replay``, ``reload``, ``learning``."""
    state: JobState
    request: dict[str, Any]
    result: dict[str, Any] | None = None
    """The use case's answer once ``state`` is ``done``; also that of a run that ``failed`` by itself."""
    error: dict[str, Any] | None = None
    """The one error shape once ``state`` is ``failed`` or ``cancelled`` and there is no answer."""
    place: int | None = None
    """The job's place in line (1 = next) while it is queued."""
    asked_by: int = 1
    """How many callers asked for it and have not taken that back, while it is under way; 0 while it is cancelled."""
    progress: JobEvent | None = None
    """The newest progress event."""
    so_far: FindingsSoFar | None = None
    """What an analysis that is still running has found by now."""
    approval: OpenApproval | None = None
    """What the job asks now; set by the daemon that runs it, as is ``live``."""
    live: LiveState | None = None
    """How a run stands that acts on a desktop just now."""
    traceparent: str | None = None
    """The caller's trace that it belongs to, as W3C's header has it; ``None`` where the caller named none."""
    pinned: bool = False
    """Whether it is kept whatever its age."""
    leaves_at: str | None = None
    """When it goes, by what the settings say; ``None`` until that is a day away."""
    created_at: str
    finished_at: str | None = None

    @computed_field
    @property
    def outcome(self) -> str:
        """How it ended, in the words of runs: ``succeeded``, ``unclear``, ``failed`` …; empty until it has."""
        return outcome_of(self.state, self.result, self.error)

    @computed_field
    @property
    def headline(self) -> Headline | None:
        """How it ended, in one line for people; null until it has."""
        return headline(self.kind, self.outcome, self.result, self.error)

    @model_validator(mode="before")
    @classmethod
    def _without_computed(cls, data: Any) -> Any:
        """Drop computed fields from the input, because the daemon's answers contain them."""
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in cast("dict[str, Any]", data).items() if name not in _COMPUTED}


class UnfinishedJob(Value):
    """The data of a job that resuming it after a restart needs."""

    id: str
    kind: str
    state: JobState
    deaths: int
    """Number of crashes of the process during which it was running, and which it may have caused."""
    question: str | None
    """The question that it answers, which other requests may share."""
    submitter: str = ""
    """The token that asked for it first."""


def new_job_id() -> str:
    """A new unique job id."""
    return f"job-{secrets.token_hex(8)}"


RUNNING: Final = (
    Stage.REPLAY_STARTED,
    Stage.SUBTASK_STARTED,
    Stage.PREDICTED_TOOL_CALL,
    Stage.PIXEL_ACTION,
    Stage.ACTION_RESULT,
    Stage.EXTRACT_RESULT,
    Stage.EXEC_ERROR,
    Stage.SUBTASK_DONE,
    Stage.TAKEN_OVER,
    Stage.RESUMED,
    Stage.APPROVAL_ASKED,
    Stage.APPROVAL_GIVEN,
    Stage.RELOAD_STOPPED,
)
"""What a run tells while it acts; how far it is, ``subtask_idx`` of ``subtask_total`` says."""

EMITTING: Final = (Stage.RELOAD_STARTED, Stage.RELOAD_ACTION, Stage.RELOAD_EMITTED, Stage.RELOAD_FINISHED)
"""What a replay tells whose actions belong to a front end; ``done`` of ``total`` are emitted."""

SPANS: Final[Mapping[Stage, tuple[float, float]]] = {
    Stage.QUEUED: (0.0, 0.02),
    Stage.UPLOADING: (0.02, 0.2),
    Stage.DECODING: (0.05, 0.8),
    Stage.READING: (0.05, 0.9),
    Stage.FOUND: (0.05, 0.8),
    Stage.ASKING: (0.2, 0.95),
    Stage.VERIFYING: (0.95, 0.99),
    **dict.fromkeys(RUNNING, (0.02, 0.98)),
    Stage.REPLAY_FINISHED: (0.99, 0.99),
    Stage.RELOAD_STARTED: (0.02, 0.02),
    Stage.RELOAD_ACTION: (0.02, 0.5),
    Stage.RELOAD_EMITTED: (0.5, 0.5),
    Stage.RELOAD_FINISHED: (0.99, 0.99),
    Stage.DONE: (1.0, 1.0),
    Stage.FAILED: (1.0, 1.0),
    Stage.CANCELLED: (1.0, 1.0),
}
"""Where each stage lies in the whole. Decoding and reading overlap: they take turns."""

_LONGEST: Final = 200


def fraction(event: JobEvent) -> float:
    """The share of the whole that is done, 0..1. It may fall back between stages: viewers keep their maximum."""
    low, high = SPANS[event.stage]
    done = event.data.get("done", event.data.get("subtask_idx"))
    total = event.data.get("total", event.data.get("subtask_total"))
    if not isinstance(done, int | float) or not isinstance(total, int | float) or total <= 0:
        return low
    return low + (high - low) * min(max(done / total, 0.0), 1.0)


def sentence(event: JobEvent) -> str:
    """A few words, at most 200 characters: ``decoding 120 of 750``."""
    data = event.data
    if event.stage is Stage.QUEUED and data.get("place"):
        return f"waiting in line, place {data['place']}"[:_LONGEST]
    if event.stage is Stage.FOUND and data.get("timeline"):
        return one_line(f"found: {data['timeline'][-1]['description']}")[:_LONGEST]
    if event.stage in _SAID:
        return _said(event)[:_LONGEST]
    if data.get("done") is not None and data.get("total"):
        return f"{event.stage} {data['done']} of {data['total']}"[:_LONGEST]
    return str(event.stage)


_SAID: Final = {
    Stage.SUBTASK_STARTED: "subtask_text",
    Stage.PIXEL_ACTION: "words",
    Stage.EXEC_ERROR: "error",
    Stage.APPROVAL_ASKED: "question",
    Stage.TAKEN_OVER: "reason",
}
"""The word of each event that says more than its name."""


def _said(event: JobEvent) -> str:
    words = " ".join(str(event.data.get(_SAID[event.stage], event.stage)).split())
    total = event.data.get("subtask_total")
    return f"{int(event.data.get('subtask_idx', 0)) + 1} of {total}: {words}" if total else words
