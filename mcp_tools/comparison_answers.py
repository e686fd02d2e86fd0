"""A comparison of two runs as a tool result, never larger than was asked for."""

from collections.abc import Sequence
from typing import Final

from mcp.types import CallToolResult
from pydantic import BaseModel

from core.comparison.sentences import lines
from core.comparison.values import Comparison, Difference
from core.jobs import Job, JobState
from mcp_tools.answers import DATA_NOTE, fitting
from mcp_tools.failures import failure_of_job
from mcp_tools.handles import Handle, clipped, handle, middle_out, result

_PLANS: Final = ((50, 400), (30, 300), (16, 240), (8, 160), (4, 120), (1, 100))
"""How many differences, and characters of a sentence, from everything down to the bare minimum."""


class ShortDifference(BaseModel):
    """One thing that is not as in the good run."""

    kind: str
    good_ms: int
    bad_ms: int
    description: str


class CompareAnswer(Handle):
    """What `compare_videos` answers. All but the first two fields are there when they mean something."""

    same: bool | None = None
    differences: list[ShortDifference] | None = None
    differences_left_out: int | None = None
    varying: list[str] | None = None
    unclear: list[str] | None = None
    warnings: list[str] | None = None


def compare_answer(job: Job, max_tokens: int) -> CallToolResult:
    """The result for a comparison within ``max_tokens``."""
    if job.state in {JobState.FAILED, JobState.CANCELLED}:
        return failure_of_job(job.error, job.id)
    if job.state is not JobState.DONE or job.result is None:
        return handle(job)
    comparison = Comparison.model_validate(job.result)
    return fitting((_attempt(job, comparison, most, words) for most, words in _PLANS), max_tokens)


def _attempt(job: Job, comparison: Comparison, most: int, words: int) -> CallToolResult:
    first, last = middle_out(comparison.differences, most)
    shown = [*first, *last]
    answered = CompareAnswer(
        job_id=job.id,
        state=job.state,
        next_step=None if comparison.same else "see a difference by look with compare_with, at its moments",
        same=comparison.same,
        differences=[_short(each, words) for each in shown] or None,
        differences_left_out=len(comparison.differences) - len(shown) or None,
        varying=_sentences(comparison.varying, most // 4, words),
        unclear=_sentences(comparison.unclear, most // 4, words),
        warnings=[clipped(each, words) for each in comparison.warnings] or None,
    )
    further = most // 4
    kept = {"differences": tuple(shown)}
    kept |= {name: getattr(comparison, name)[:further] for name in ("varying", "unclear")}
    said = [clipped(line, words + 30) for line in lines(comparison.model_copy(update=kept))]
    return result("\n".join([*said, DATA_NOTE]), answered)


def _short(each: Difference, words: int) -> ShortDifference:
    said = clipped(each.description, words)
    return ShortDifference(kind=each.kind, good_ms=each.good_ms, bad_ms=each.bad_ms, description=said)


def _sentences(differences: Sequence[Difference], most: int, words: int) -> list[str] | None:
    return [clipped(each.description, words) for each in differences[:most]] or None
