"""The use case: a video and a question in, an honest answer out."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.analysis import Analysis, AnalysisRequest, Findings, Observation, Verdict, Video
from core.artefacts import only_in
from core.causes import why
from core.demonstration.written_trace import written_trace
from core.errors import CallerError, Cancelled, Internal, InvalidRequest, StorageFailed, TimedOut, VaiderError
from core.expectations import check_expectations, demand_evidence, judge_all, read_sidecar
from core.jobs import Stage
from core.narrative import narrate
from core.provider_choice import choose
from core.traces import TraceReading, with_events

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.ports import Analyser, Interaction, InteractionLogs, JobContext, TraceReader, VideoInspector


class Admitted(NamedTuple):
    """A request that was looked at before a job is made of it."""

    request: AnalysisRequest
    question: str | None
    """What is asked about which bytes: requests with the same one have the same answer. ``None``: to be asked anew."""
    answer: Analysis | None
    """The answer, when it is known without watching the video."""


class _AnalysisCall(NamedTuple):
    video: Video
    request: AnalysisRequest
    analyser: Analyser
    reason: str
    """Why it is this analyser."""
    job_id: str
    reading: TraceReading = TraceReading()
    """What its test's record tells."""


class VideoAnalysis:
    """Answers an ``AnalysisRequest``, whichever front end it came from.

    Args:
        analysers: by name, as ``provider`` spells it.
        preference: the names that ``auto`` tries in order; the last one is expected to be always available.
        inspector: looks at the file before anything is decoded.
        traces: finds and reads the records of tests; without it none is.
        logs: where requests, answers and pictures are kept.
        remember: called with each new answer about a video that is not an upload; raises nothing.
        seen_with: of the analysers that leave the verdicts to the core, the settings that change what they see; what
            they saw is kept for further questions.

    """

    def __init__(
        self,
        *,
        analysers: Mapping[str, Analyser],
        preference: Sequence[str],
        inspector: VideoInspector,
        traces: TraceReader | None = None,
        logs: InteractionLogs,
        remember: Callable[[Analysis], None] = lambda _analysis: None,
        seen_with: Mapping[str, str] | None = None,
    ) -> None:
        self._analysers = analysers
        self._preference = preference
        self._inspector = inspector
        self._traces = traces
        self._logs = logs
        self._remember = remember
        self._seen_with = seen_with or {}

    @property
    def providers(self) -> Mapping[str, str | None]:
        """Each provider and what it lacks, ``None`` for those that can be used now."""
        return {name: analyser.unavailable() for name, analyser in self._analysers.items()}

    def check(self, request: AnalysisRequest) -> None:
        """Refuse at once what is wrong without a look at the file. Raises ``CallerError``."""
        check_expectations(request.expectations)
        path = Path(request.video_path)
        if not path.is_absolute():
            raise InvalidRequest(f"video_path must be absolute, {request.video_path!r} is not.")
        self._choose(request.provider)

    def admit(self, request: AnalysisRequest, job_id: str) -> Admitted:
        """Refuse what can be refused before a job is made of it, and answer what is known already.

        Takes 0.3 s and what it takes to read the file once; nothing when the same file was looked at before.

        Args:
            request: what is asked.
            job_id: of the job that the answer would belong to.

        Raises:
            CallerError: a malformed question, an unknown provider, no file, no video, one over the limits.

        """
        started = time.monotonic()
        self.check(request)
        analyser, reason = self._choose(request.provider)
        video = self._inspect(request)
        request = request.model_copy(update={"video_path": video.path})
        asked = _AnalysisCall(video, _with_sidecar(request), analyser, reason, job_id)
        if not request.use_cache:
            return Admitted(request, None, None)
        trace = [video.trace.sha256] if video.trace else []
        parts = (video.sha256, analyser.name, analyser.model, trace, *asked.request.expectations)
        question = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        answer = self._kept(asked, started)
        if answer is None and video.trace is None:
            answer = self._judged(asked, started)
        return Admitted(request, question, answer)

    def run(self, request: AnalysisRequest, context: JobContext) -> Analysis:
        """Answer; blocks until done. Raises any ``VaiderError``."""
        started = time.monotonic()
        self.check(request)
        analyser, reason = self._choose(request.provider)
        video = context.step("inspect", Video, lambda: self._inspect(request))
        request = request.model_copy(update={"video_path": video.path})
        asked = _AnalysisCall(video, _with_sidecar(request), analyser, reason, context.job_id)
        if request.use_cache and (kept := self._kept(asked, started)) is not None:
            return kept
        if video.trace is not None:
            asked = asked._replace(reading=context.step("trace", TraceReading, lambda: self._read(video, context)))
        if request.use_cache and (judged := self._judged(asked, started)) is not None:
            return judged
        interaction = self._logs.open(video, asked.request, context.job_id)
        try:
            analysis = self._answer(asked, interaction, context)
            analysis = analysis.model_copy(update={"duration_ms": _since(started)})
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

    def _inspect(self, request: AnalysisRequest) -> Video:
        """The video with its trace: of a trace that lies beside its video, that one, unless it is broken."""
        path = Path(request.video_path)
        if not request.uploaded and path.is_dir():
            path = only_in(path)
        if self._traces is None:
            return self._inspector.inspect(path)
        video: Video | None = None
        if not request.uploaded and (beside := self._traces.video_of(path)) is not None:
            with contextlib.suppress(CallerError):
                video = self._inspector.inspect(beside)
        video = video or self._inspector.inspect(path)
        return video.model_copy(update={"trace": self._traces.find(video)})

    def _read(self, video: Video, context: JobContext) -> TraceReading:
        """What the trace tells; what is wrong with it does not keep the video from being watched."""
        trace = video.trace
        if trace is None or self._traces is None:
            return TraceReading()
        try:
            return TraceReading(trace=self._traces.read(video, trace, context))
        except (Cancelled, TimedOut):
            raise
        except VaiderError as error:
            name = Path(trace.path).name
            return TraceReading(warning=f"{name} is left out: {error.message.replace(trace.path, name)}")

    def _answer(self, asked: _AnalysisCall, interaction: Interaction, context: JobContext) -> Analysis:
        video, analyser = asked.video, asked.analyser
        interaction.log("internal.validation.success", provider=analyser.name, model=analyser.model)
        begun = time.monotonic()
        interaction.log("remote.request.start", provider=analyser.name)
        findings = analyser.analyse(video, asked.request.expectations, interaction.frames, context)
        interaction.log("remote.request.success", provider=analyser.name, duration_ms=_since(begun))
        settings = self._seen_with.get(analyser.name)
        if settings is not None and findings.sightings is not None:
            seen = {"video_sha256": video.sha256, "provider": analyser.name, "model": analyser.model}
            interaction.keep_observation(Observation(**seen, settings=settings, findings=findings))
        context.report(Stage.VERIFYING)
        return _analysis(asked, findings, interaction)

    def _kept(self, asked: _AnalysisCall, started: float) -> Analysis | None:
        """The kept answer to the same question."""
        kept = self._logs.find(asked.video, asked.request, asked.analyser.name, asked.analyser.model)
        if kept is None:
            return None
        return kept.model_copy(update={"cached": True, "job_id": asked.job_id, "duration_ms": _since(started)})

    def _judged(self, asked: _AnalysisCall, started: float) -> Analysis | None:
        """An answer judged from what was seen in the same bytes before."""
        video, request, analyser = asked.video, asked.request, asked.analyser
        settings = self._seen_with.get(analyser.name)
        if settings is None:
            return None
        seen = self._logs.find_observation(video, analyser.name, analyser.model, settings)
        if seen is None:
            return None
        try:
            interaction = seen.open(video, request, asked.job_id)
            analysis = _analysis(asked, seen.observation.findings, interaction)
            analysis = analysis.model_copy(update={"cached": True, "duration_ms": _since(started)})
            interaction.answer(analysis)
        except StorageFailed:
            # Its folder cannot be written any more: another place is found for an answer that is watched anew.
            return None
        interaction.log("agent.response.sent", status_code=200, duration_ms=analysis.duration_ms, watched=False)
        return analysis

    def seen(self, video: Video, provider: str) -> Findings | None:
        """What that provider saw in the same bytes before, with these settings; ``None`` where it is not kept."""
        analyser, settings = self._analysers.get(provider), self._seen_with.get(provider)
        if analyser is None or settings is None:
            return None
        kept = self._logs.find_observation(video, analyser.name, analyser.model, settings)
        return kept.observation.findings if kept is not None else None

    def _choose(self, provider: str) -> tuple[Analyser, str]:
        return choose(provider, self._analysers, self._preference)


def _analysis(asked: _AnalysisCall, findings: Findings, interaction: Interaction) -> Analysis:
    trace = asked.reading.trace
    if trace is not None:
        trace = with_events(trace, findings.timeline)
    elif (written := written_trace(findings, asked.video)) is not None:
        trace = written.trace
        findings = written.findings
    reason = why(trace, findings.timeline, findings.first_frame) if trace is not None else None
    return Analysis(
        description=narrate(findings, asked.video, trace, reason),
        duration_ms=0,
        video=asked.video,
        first_screen=findings.first_screen,
        timeline=findings.timeline,
        actions=findings.actions,
        verdicts=_verdicts(asked.request.expectations, findings, asked.video),
        trace=trace,
        why=reason,
        provider=asked.analyser.name,
        provider_reason=asked.reason,
        model=asked.analyser.model,
        cached=False,
        interactions_dir=str(interaction.directory),
        job_id=asked.job_id,
        usage=findings.usage,
        warnings=(*findings.warnings, *([asked.reading.warning] if asked.reading.warning else [])),
    )


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
