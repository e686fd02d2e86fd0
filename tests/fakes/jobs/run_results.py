"""A finished run and a finished lesson, as a job's result holds them."""

from typing import Any

from core.runs.run import Check, Run, RunOutcome, Spent, SubtaskRun
from core.tasks.ports import Learned
from core.tasks.questions import Question, QuestionState


def run_result(outcome: RunOutcome = RunOutcome.SUCCEEDED, **changes: Any) -> dict[str, Any]:
    """One subtask that saved a note."""
    seen = Check(expected='"Saved" is shown', verdict="pass", evidence='"Saved" at (10, 20)')
    run = Run(
        run_id="20261121T120000Z-1",
        job_id="job-1",
        workflow="/workflows/note",
        task_name="Save a note",
        outcome=outcome,
        reason="" if outcome is RunOutcome.SUCCEEDED else "It was not seen.",
        provider="local",
        model="grounding-1",
        display="private",
        params={"name": "Ada"},
        extracts={"extract_0": "1042"},
        subtasks=(SubtaskRun(index=0, text="Save it.", iterations=2, result="saved", check=seen, duration_ms=900),),
        success_check=seen,
        spent=Spent(steps=3),
        started_at="2026-11-21T12:00:00.000+00:00",
        duration_ms=1900,
        directory="/workflows/note/.replay/20261121T120000Z-1",
    )
    return run.model_copy(update=changes).model_dump(mode="json")


def learned_result(job_id: str = "job-1", **changes: Any) -> dict[str, Any]:
    """A task with two open questions."""
    asked = (
        Question(id="who-gets-it-0a1b2c", text="Who gets it?", state=QuestionState.OPEN, required=True, line=5),
        Question(id="when-3d4e5f", text="When?", state=QuestionState.OPEN, line=6),
    )
    learned = Learned(
        task="send-it",
        title="Send it",
        folder="/tasks/send-it",
        created=True,
        version=1,
        recordings=("1795290511-fine.mp4",),
        questions=asked,
        provider="local",
        provider_reason="auto chose local",
        model="reader-1",
        job_id=job_id,
        duration_ms=2100,
        usage={},
        warnings=("A frame was dark.",),
    )
    return learned.model_copy(update=changes).model_dump(mode="json")
