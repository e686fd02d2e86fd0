"""How far a job is, for whoever shows it: a share of the whole, and a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.jobs import Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.jobs import JobEvent

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
