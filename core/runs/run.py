"""A run: one execution of a workflow or a task on a desktop, and what is told of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from core.reload.offers import ReloadAccount, ReloadRequest
from core.tasks.questions import Question
from core.values import Value


class RunRequest(Value):
    """What to carry out, with what values, by whom and where: a workflow, a task or an entry of reload, just one."""

    workflow: str = ""
    """A workflow's name, or the absolute path of its folder."""
    task: str = ""
    """A task's id or title."""
    by: str = ""
    """Who asked for it, when no person did, e.g. ``schedule``."""
    params: dict[str, str] = Field(default_factory=dict)
    provider: str = "local"
    model: str | None = None
    """Another model than the provider's setting names."""
    display: str = "current"
    """``current``, ``private`` or ``:N``."""
    size: Annotated[str | None, Field(pattern=r"^\d{3,5}x\d{3,5}$")] = None
    """Of a private display, e.g. ``1920x1080``; else the setting's."""
    on_takeover: Literal["cancel", "pause"] = "cancel"
    reload: ReloadRequest | None = None
    """What was done before and is done again; the workflow or task that it came from is then named by the daemon."""
    held: str = ""
    """A ticket for the sensitive values, which are kept in memory only; given by the daemon."""


class RunOutcome(StrEnum):
    """How a run ended."""

    SUCCEEDED = "succeeded"
    """All was done, and what was expected was seen on the screen."""
    UNCLEAR = "unclear"
    """All is said to be done, but what was expected was not seen, or cannot be judged."""
    FAILED = "failed"
    """It could not be done; ``reason`` says where it stopped."""
    REFUSED = "refused"
    """The gate, a person or the provider forbade it."""
    ASKED = "asked"
    """It needs an answer that only a person can give: ``reason`` is the question."""
    CANCELLED = "cancelled"
    """Somebody stopped it."""
    TAKEN_OVER = "taken_over"
    """The user took the mouse or the keyboard."""


class RunStatus(StrEnum):
    """How a task's run ended, in the words of the format."""

    SUCCESS = "SUCCESS"
    """It was done, and seen to be done."""
    NEEDS_CLARIFICATION = "NEEDS_CLARIFICATION"
    """A person must tell something first: what is asked stands in the task's questions."""
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


STATUSES = {
    RunOutcome.SUCCEEDED: RunStatus.SUCCESS,
    RunOutcome.UNCLEAR: RunStatus.NEEDS_CLARIFICATION,
    RunOutcome.ASKED: RunStatus.NEEDS_CLARIFICATION,
    RunOutcome.FAILED: RunStatus.FAILED,
    RunOutcome.REFUSED: RunStatus.FAILED,
    RunOutcome.CANCELLED: RunStatus.CANCELLED,
    RunOutcome.TAKEN_OVER: RunStatus.CANCELLED,
}


class Check(Value):
    """Whether something that was expected is seen on the screen, and the words on the screen that tell so."""

    expected: str
    verdict: Literal["pass", "fail", "unclear"]
    evidence: str


class SubtaskRun(Value):
    """What became of one subtask."""

    index: int
    text: str
    iterations: int
    result: str
    """What the decider said when it was done."""
    check: Check | None
    duration_ms: int


class Spent(Value):
    """What a run has used. ``usd`` is ``None`` when the model's price is not known."""

    steps: int = 0
    """Actions that were sent to the desktop."""
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0


class Run(Value):
    """One finished run, as ``run.json`` and the job's result hold it."""

    run_id: str
    job_id: str
    workflow: str
    task_name: str
    outcome: RunOutcome
    reason: str
    """One sentence; empty when it succeeded."""
    provider: str
    model: str
    display: str
    params: dict[str, str]
    """Sensitive values are masked."""
    extracts: dict[str, str]
    subtasks: tuple[SubtaskRun, ...]
    success_check: Check | None
    spent: Spent
    started_at: str
    duration_ms: int
    directory: str
    """The run's folder."""
    task: str = ""
    """The task's id; empty for a workflow's run, as are the next three."""
    status: RunStatus | None = None
    asked: tuple[Question, ...] = ()
    """What this run asks: it could not go on without."""
    open_questions: tuple[Question, ...] = ()
    """What the task was run without, and what it asks now."""
    reload: ReloadAccount | None = None
    """What was replayed of it, if anything was."""
    inputs: int = 0
    """How many things a person did on its display while they held it."""
    entry: str = ""
    """The id of the entry of reload that was made of it; empty for none."""
