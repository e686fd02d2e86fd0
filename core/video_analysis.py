"""The use case: a video and a question in, an honest answer out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from core.analysis import Analysis, AnalysisRequest, Findings, Verdict, Video
from core.errors import Internal, InvalidRequest, VaiderError
from core.expectations import check_expectations, demand_evidence, judge_all, read_sidecar
from core.jobs import Stage
from core.narrative import narrate
from core.provider_choice import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.ports import Analyser, Interaction, InteractionLogs, JobContext, VideoInspector


class VideoAnalysis:
    """Answers an ``AnalysisRequest``, whichever front end it came from.

    Args:
        analysers: by name, as ``provider`` spells it.
        preference: the names that ``auto`` tries in order; the last one is expected to be always available.
        inspector: looks at the file before anything is decoded.
        logs: where requests, answers and pictures are kept.
        remember: is told of each new answer about a video that stays where it is; raises nothing.

    """

    def __init__(
        self,
        *,
        analysers: Mapping[str, Analyser],
        preference: Sequence[str],
        inspector: VideoInspector,
        logs: InteractionLogs,
        remember: Callable[[Analysis], None] = lambda _analysis: None,
    ) -> None:
        self._analysers = analysers
        self._preference = preference
        self._inspector = inspector
        self._logs = logs
        self._remember = remember

    @property
    def providers(self) -> Mapping[str, str | None]:
        """Each provider and what it lacks, ``None`` for those that can be used now."""
        return {name: analyser.unavailable() for name, analyser in self._analysers.items()}

    def check(self, request: AnalysisRequest) -> None:
        """Refuse at once what is plainly wrong, before a job is made of it. Raises ``CallerError``."""
        check_expectations(request.expectations)
        path = Path(request.video_path)
        if not path.is_absolute():
            raise InvalidRequest(f"video_path must be absolute, {request.video_path!r} is not.")
        self._choose(request.provider)

    def run(self, request: AnalysisRequest, context: JobContext) -> Analysis:
        """Answer; blocks until done. Raises any ``VaiderError``."""
        started = time.monotonic()
        self.check(request)
        analyser, reason = self._choose(request.provider)
        video = context.step("inspect", Video, lambda: self._inspector.inspect(Path(request.video_path)))
        request = _with_sidecar(request)
        if request.use_cache:
            kept = self._logs.find(video, request, analyser.name, analyser.model)
            if kept is not None:
                return kept.model_copy(
                    update={"cached": True, "job_id": context.job_id, "duration_ms": _since(started)}
                )
        interaction = self._logs.open(video, request, context.job_id)
        try:
            analysis = self._answer(video, request, analyser, interaction, context)
            analysis = analysis.model_copy(update={"provider_reason": reason, "duration_ms": _since(started)})
            interaction.answer(analysis)
        except VaiderError as error:
            interaction.log("internal.error.handled", level="warning", code=error.code, error=error.message)
            interaction.fail(error.to_json())
            raise
        except Exception as error:
            interaction.log("internal.error.unhandled", level="error", error=type(error).__name__)
            interaction.fail(Internal("The analysis failed by a fault of Vaider's; server.log names it.").to_json())
            raise
        interaction.log("agent.response.sent", status_code=200, duration_ms=analysis.duration_ms)
        if not request.uploaded:
            self._remember(analysis)
        return analysis

    def _answer(
        self,
        video: Video,
        request: AnalysisRequest,
        analyser: Analyser,
        interaction: Interaction,
        context: JobContext,
    ) -> Analysis:
        interaction.log("internal.validation.success", provider=analyser.name, model=analyser.model)
        asked = time.monotonic()
        interaction.log("remote.request.start", provider=analyser.name)
        findings = analyser.analyse(video, request.expectations, interaction.frames, context)
        interaction.log("remote.request.success", provider=analyser.name, duration_ms=_since(asked))
        context.report(Stage.VERIFYING)
        return Analysis(
            description=narrate(findings, video),
            duration_ms=0,
            video=video,
            first_screen=findings.first_screen,
            timeline=findings.timeline,
            verdicts=_verdicts(request.expectations, findings, video),
            provider=analyser.name,
            provider_reason="",
            model=analyser.model,
            cached=False,
            interactions_dir=str(interaction.directory),
            job_id=context.job_id,
            usage=findings.usage,
            warnings=findings.warnings,
        )

    def _choose(self, provider: str) -> tuple[Analyser, str]:
        return choose(provider, self._analysers, self._preference)


def _with_sidecar(request: AnalysisRequest) -> AnalysisRequest:
    """The request, with the expectations of the file beside the video when the caller named none."""
    path = Path(request.video_path)
    if request.expectations or request.uploaded or not path.name:
        return request
    return request.model_copy(update={"expectations": read_sidecar(path)})


def _verdicts(expectations: Sequence[str], findings: Findings, video: Video) -> tuple[Verdict, ...]:
    if findings.sightings is None:
        return demand_evidence(findings.verdicts, video)
    return judge_all(expectations, findings, video)


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
