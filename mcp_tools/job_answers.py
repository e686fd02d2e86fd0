"""What a model is told about a job, whatever its kind: be it done, under way, failed or cancelled."""

from mcp.types import CallToolResult

from core.jobs import Job, JobState
from mcp_tools.answers import JobAnswer, answer
from mcp_tools.failures import failure_of_job
from mcp_tools.handles import GateQuestion, handle
from mcp_tools.learning_answers import LearnAnswer, learn_answer
from mcp_tools.reload_answers import ReloadAnswer, is_reload, reload_answer
from mcp_tools.run_answers import RunAnswer, run_answer


class StatusAnswer(JobAnswer, RunAnswer, LearnAnswer, ReloadAnswer):
    """What `job_status` answers: what the tool would have answered that began the job."""


def told(job: Job, max_tokens: int, question: GateQuestion | None = None) -> CallToolResult:
    """The result within ``max_tokens``; ``question`` is what a run asks that the user could not be asked."""
    if is_reload(job):
        return reload_answer(job, max_tokens, question)
    if job.kind == "replay":
        return run_answer(job, max_tokens, question)
    if job.kind == "learning":
        return learn_answer(job, max_tokens)
    if job.state in {JobState.FAILED, JobState.CANCELLED}:
        return failure_of_job(job.error, job.id)
    return answer(job, max_tokens) if job.kind == "analysis" else handle(job)
