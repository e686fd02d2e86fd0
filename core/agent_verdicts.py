"""The use case: an agent looked at pictures itself, and says what was left unclear."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

from core.looking import LookRequest, Still, analysis_of, judged, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from core.analysis import Evidence
    from core.jobs import Job
    from core.looking import AgentVerdict, Looking


class AmendedJobs(Protocol):
    """What is needed of the engine."""

    async def get(self, job_id: str) -> Job:
        """The job as it is now."""
        ...

    async def amend(self, job_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Job:
        """Change the result of a job that is done, in one transaction."""
        ...


class KeepPictures(Protocol):
    """Keeps the pictures that prove a verdict."""

    def __call__(self, folder: Path, job_id: str, stills: Sequence[Still], given: AgentVerdict) -> Sequence[Evidence]:
        """Put them into the interaction folder, and note the verdict. Raises ``StorageFailed``."""
        ...


class AgentVerdicts:
    """Keeps what agents judged, with the pictures of the moments that they name.

    Args:
        jobs: whose results have the verdicts.
        looking: takes the pictures.
        keep: where they are put.

    """

    def __init__(self, jobs: AmendedJobs, looking: Looking, keep: KeepPictures) -> None:
        self._jobs = jobs
        self._looking = looking
        self._keep = keep

    async def judge(self, job_id: str, given: AgentVerdict) -> Job:
        """The job with the verdict. Raises any ``CallerError``, and ``StorageFailed``."""
        job = await self._jobs.get(job_id)
        evidence = await asyncio.to_thread(self._evidence, job, given)

        def change(result: Mapping[str, Any]) -> Mapping[str, Any]:
            analysis = analysis_of(job.model_copy(update={"result": dict(result)}))
            return judged(analysis, given, evidence).model_dump(mode="json")

        return await self._jobs.amend(job_id, change)

    def _evidence(self, job: Job, given: AgentVerdict) -> Sequence[Evidence]:
        from pathlib import Path  # noqa: PLC0415 - for this alone

        analysis = analysis_of(job)
        place_of(analysis, given)
        stills = [still for at in given.at for still in self._looking.look(LookRequest(at=at), [job])]
        return self._keep(Path(analysis.interactions_dir), job.id, stills, given)
