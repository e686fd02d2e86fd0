"""The use case: two videos are watched, as far as they were not, and what differs is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from core.analysis import AnalysisRequest
from core.comparison.comparing import compare
from core.comparison.values import Seen
from core.comparison.varying import masking
from core.looking import analysis_of
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.analysis import Analysis, Sighting
    from core.comparison.values import CompareRequest, Comparison, Pictures
    from core.jobs import Job, Stage
    from core.ports import JobContext, Jobs

KIND: Final = "comparison"

ValueT = TypeVar("ValueT", bound=Value)


class Watching(Protocol):
    """What is needed of ``core.video_analysis.VideoAnalysis``."""

    def admit(self, request: AnalysisRequest, job_id: str) -> Any:
        """Refuse what can be refused. Raises ``CallerError``."""
        ...


class Watcher(Protocol):
    """The same where a video is watched."""

    def run(self, request: AnalysisRequest, context: JobContext) -> Analysis:
        """Answer; blocks until done. Raises any ``VaiderError``."""
        ...


class ComparisonJobs:
    """The one way in for each front end of a process that has an engine.

    Args:
        watching: looks at both files on a thread.
        jobs: the engine.

    """

    def __init__(self, watching: Watching, jobs: Jobs) -> None:
        self._watching = watching
        self._jobs = jobs

    async def submit(self, request: CompareRequest) -> Job:
        """The job that answers. Raises ``CallerError`` for what can be refused at once."""
        await asyncio.to_thread(self._admit, request)
        return await self._jobs.submit(KIND, request)

    def _admit(self, request: CompareRequest) -> None:
        masking(request.varying)
        for each in (request.good, request.bad):
            self._watching.admit(each, "")


def request_of(job: Job) -> AnalysisRequest:
    """How the video of an analysis is watched again: it is not, where what it showed was kept. Raises ``NotFound``."""
    analysis = analysis_of(job)
    asked = AnalysisRequest.model_validate(job.request)
    return asked.model_copy(update={"expectations": (), "provider": analysis.provider, "use_cache": True})


class VideoComparison:
    """Answers a ``CompareRequest``.

    Args:
        analysis: watches the videos.
        sightings: what was kept of all that one showed.
        pictures: holds the pixels of two side by side; ``None`` where that cannot be done.

    """

    def __init__(
        self,
        analysis: Watcher,
        sightings: Callable[[Analysis], tuple[Sighting, ...] | None],
        pictures: Callable[[Seen, Seen], Pictures | None],
    ) -> None:
        self._analysis = analysis
        self._sightings = sightings
        self._pictures = pictures

    def run(self, request: CompareRequest, context: JobContext) -> Comparison:
        """Answer; blocks until done. Raises any ``VaiderError``."""
        once_more = _Anew(context)
        good, bad = (self._analysis.run(each, once_more) for each in (request.good, request.bad))
        context.raise_if_cancelled()
        runs = Seen(good, self._sightings(good)), Seen(bad, self._sightings(bad))
        return compare(*runs, self._pictures(*runs), request.varying)


class _Anew:
    """The job's context for each of two analyses: no step is kept, since a resumed job finds their answers instead."""

    def __init__(self, context: JobContext) -> None:
        self._context = context
        self.job_id = context.job_id

    def report(self, stage: Stage, **data: int | str | None) -> None:
        # What is found belongs to one of the two videos, and viewers know one.
        del data
        self._context.report(stage)

    def publish(self, stage: Stage, data: Mapping[str, Any]) -> None:
        """Tell nobody."""

    def raise_if_cancelled(self) -> None:
        self._context.raise_if_cancelled()

    def extend_deadline(self, seconds: float) -> None:
        self._context.extend_deadline(seconds)

    def step(self, name: str, result: type[ValueT], work: Callable[[], ValueT]) -> ValueT:
        del name, result
        return work()
