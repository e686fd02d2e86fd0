"""Records a run while it goes on: rows in its folder, events to its viewers, both without sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from core.action_words import action_words
from core.actions import Action, Extract, shown
from core.jobs import Stage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.ports import JobContext
    from core.runs.deciding import Proposal, Result, Subtask
    from core.runs.planned import PlannedPart
    from core.runs.ports import RunFolder
    from core.runs.run import Check, Run
    from core.screens import Picture
    from core.secrets import Secrets

_LONGEST: Final = 4000
"""Letters of one text in an event; the run's folder keeps a little more than viewers need."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One decision: its place, the decider's observation, and its memory."""

    subtask: int
    iteration: int
    observation: str = ""
    memory: str = ""
    step: int | None = None
    """Which step of the plan it belongs to, from 0 on, if known."""

    @property
    def at(self) -> dict[str, int]:
        """Its place, as rows and events have it."""
        step = {} if self.step is None else {"step_idx": self.step}
        return {"subtask_idx": self.subtask, "iter": self.iteration, **step}


@dataclass
class Journal:
    """One run's rows and events. No row and no event contains a sensitive value.

    Args:
        folder: where the run is kept.
        context: publishes the events.
        secrets: the values to mask.

    """

    folder: RunFolder
    context: JobContext
    secrets: Secrets
    total: int = 0

    def started(self, name: str, description: str, plan: Sequence[PlannedPart], viewer: str | None) -> None:
        """The run begins; ``viewer`` is where its display can be watched."""
        self.total = len(plan)
        parts = [each._asdict() for each in plan]
        reported = {"task_name": name, "task_description_user": description, "subtask_total": self.total, "plan": parts}
        self._publish(Stage.REPLAY_STARTED, reported | {"directory": str(self.folder.directory), "viewer": viewer})

    def subtask(self, subtask: Subtask) -> None:
        """Record that a subtask begins."""
        self._publish(Stage.SUBTASK_STARTED, {"subtask_idx": subtask.index, "subtask_text": subtask.text})

    def screenshot(self, subtask: int, iteration: int, picture: Picture) -> str:
        """Keep the picture that the decider is about to see; returns the file's name."""
        return self.folder.screenshot(subtask, iteration, picture)

    def predicted(self, turn: Turn, proposal: Proposal) -> None:
        """Record the decider's proposal."""
        self._publish(Stage.PREDICTED_TOOL_CALL, turn.at | {"tool_call": proposal.tool_call})

    def acting(self, turn: Turn, action: Action) -> None:
        """Record that the action is about to be carried out."""
        self._publish(
            Stage.PIXEL_ACTION,
            turn.at | {"pixel_action": _pixel_action(turn, action), "words": action_words(shown(action))},
        )

    def acted(self, turn: Turn, action: Action, result: Result) -> None:
        """Record the action's result."""
        outcome = {"outcome": str(result.outcome), "evidence": result.evidence}
        row = {"tool_call": result.proposal.tool_call, "pixel_action": _pixel_action(turn, action)}
        self.folder.row({"type": "computer_use", **turn.at, **row, "task_memory": turn.memory, **outcome})
        self._publish(Stage.ACTION_RESULT, turn.at | outcome | {"words": action_words(shown(action))})

    def failed(self, turn: Turn, action: Action | None, error: str) -> None:
        """Record that the desktop failed, or that the decider's answer could not be used (``action`` is ``None``)."""
        row = {"error": error, "pixel_action": _pixel_action(turn, action) if action else None}
        self.folder.row({"type": "exec_error", **turn.at, **row, "task_memory": turn.memory})
        self._publish(Stage.EXEC_ERROR, turn.at | {"error": error})

    def extracted(self, turn: Turn, extract: Extract) -> None:
        """A value was read off the screen."""
        reported = {"variable_name": extract.variable_name, "query": extract.query, "value": extract.value}
        self.folder.row({"type": "extract", **turn.at, **reported, "task_memory": turn.memory})
        self._publish(Stage.EXTRACT_RESULT, turn.at | reported)

    def done(self, turn: Turn, result: str, check: Check | None, *, succeeded: bool) -> None:
        """Record that the decider finished a subtask, and what was seen of it."""
        seen = {"check": check.model_dump(mode="json")} if check is not None else {}
        self.folder.row({"type": "done", **turn.at, "result": result, "task_memory": turn.memory, **seen})
        self._publish(Stage.SUBTASK_DONE, turn.at | {"result": result, "succeeded": succeeded, **seen})

    def taken_over(self, reason: str, *, resumed: bool, held: bool = False, inputs: int = 0) -> None:
        """Record a takeover or its end; ``held``: from afar, with the number of ``inputs`` made meanwhile."""
        reported = {"reason": reason, "held": held} | ({"inputs": inputs} if held and resumed else {})
        self._publish(Stage.RESUMED if resumed else Stage.TAKEN_OVER, reported)

    def finished(self, run: Run) -> None:
        """Record that the run is over."""
        reported: dict[str, Any] = {
            "outcome": str(run.outcome),
            "reason": run.reason,
            "confirmed_by": run.confirmed_by,
            "directory": run.directory,
            "run_id": run.run_id,
        }
        reported |= {"duration_ms": run.duration_ms, "spent": run.spent.model_dump(mode="json")}
        self._publish(Stage.REPLAY_FINISHED, reported)

    def _publish(self, stage: Stage, data: Mapping[str, Any]) -> None:
        total = {"subtask_total": self.total} if "subtask_idx" in data else {}
        self.context.publish(stage, self.secrets.mask_json({**data, **total}, longest=_LONGEST))


def _pixel_action(turn: Turn, action: Action) -> dict[str, Any]:
    return shown(action) | {"observation": turn.observation, "task_memory": turn.memory}
