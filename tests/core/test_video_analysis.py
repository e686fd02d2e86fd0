from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.analysis import (
    Analysis,
    AnalysisRequest,
    Event,
    EventKind,
    Evidence,
    Findings,
    Observation,
    Sighting,
    Verdict,
    VerdictResult,
    Video,
)
from core.errors import Conflict, InvalidReply, InvalidRequest
from core.jobs import Stage
from core.ports import FrameFolder, JobContext, KeptObservation, ValueT
from core.video_analysis import VideoAnalysis

VIDEO = Video(
    path="/videos/a.mp4",
    duration_ms=4000,
    width=1280,
    height=720,
    fps=25.0,
    codec="h264",
    size_bytes=9,
    sha256="a" * 64,
)
SEEN = Findings(
    timeline=(
        Event(t_ms=1200, kind=EventKind.APPEARED, text="Saved", confidence=0.99, description='"Saved" appeared.'),
    ),
    first_screen=("Profile",),
    sightings=(Sighting(text="Profile", t_ms=0), Sighting(text="Saved", t_ms=1200)),
)


class Context:
    """A job context of plain memory."""

    job_id = "job-1"

    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self.steps: list[str] = []

    def publish(self, stage: Stage, data: Mapping[str, Any]) -> None:  # noqa: ARG002 - the port's signature
        self.stages.append(stage)

    def raise_if_cancelled(self) -> None:
        """Nobody stops this job."""

    def extend_deadline(self, seconds: float) -> None:
        """It has all the time there is."""

    def report(self, stage: Stage, **data: int | str | None) -> None:  # noqa: ARG002 - the port's signature
        self.stages.append(stage)

    def step(self, name: str, result: type[ValueT], work: Callable[[], ValueT]) -> ValueT:
        self.steps.append(name)
        value = work()
        assert isinstance(value, result)
        return value


class Provider:
    """An analyser that answers with what it was given."""

    model = "m-1"

    def __init__(self, name: str, findings: Findings = SEEN, *, lack: str | None = None, fails: bool = False) -> None:
        self.name = name
        self.calls = 0
        self._findings = findings
        self._lack = lack
        self._fails = fails

    def unavailable(self) -> str | None:
        return self._lack

    def analyse(
        self, video: Video, expectations: Sequence[str], frames: FrameFolder, context: JobContext
    ) -> Findings:  # the port's signature; this one needs none of it
        del video, expectations, frames, context
        self.calls += 1
        if self._fails:
            raise InvalidReply("The model answered nonsense; try again.")
        return self._findings


class Folder:
    directory = Path("/videos/a.mp4.VaiderInteractions/frames")
    prefix = "01_"
    relative = "frames"


class Log:
    """One interaction, and the logs that it belongs to, in plain memory."""

    directory = Path("/videos/a.mp4.VaiderInteractions")
    frames = Folder()

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.answers: list[Analysis] = []
        self.failures: list[Mapping[str, Any]] = []

    def open(self, video: Video, request: AnalysisRequest, job_id: str) -> Log:
        del video, request, job_id
        return self

    def find(self, video: Video, request: AnalysisRequest, provider: str, model: str) -> Analysis | None:
        del video, request, model
        return next((answer for answer in self.answers if answer.provider == provider), None)

    def find_observation(self, video: Video, provider: str, model: str, settings: str) -> KeptObservation | None:
        del video, provider, model, settings

    def keep_observation(self, observation: Observation) -> None:
        del observation

    def log(self, event: str, *, level: str = "info", **fields: str | float | bool | None) -> None:
        del level, fields
        self.lines.append(event)

    def answer(self, analysis: Analysis) -> None:
        self.answers.append(analysis)

    def fail(self, error: Mapping[str, Any]) -> None:
        self.failures.append(error)


class Inspector:
    def inspect(self, path: Path) -> Video:
        return VIDEO.model_copy(update={"path": str(path)})


def analysis_of(
    *providers: Provider, log: Log | None = None, remember: Callable[[Analysis], None] = lambda _: None
) -> VideoAnalysis:
    return VideoAnalysis(
        analysers={provider.name: provider for provider in providers},
        preference=[provider.name for provider in providers],
        inspector=Inspector(),
        logs=log or Log(),
        remember=remember,
    )


def ask(*expectations: str, provider: str = "auto", use_cache: bool = True) -> AnalysisRequest:
    return AnalysisRequest(
        video_path="/videos/a.mp4", expectations=expectations, provider=provider, use_cache=use_cache
    )


def test_the_answer_holds_the_timeline_as_text_and_a_verdict_with_evidence() -> None:
    answer = analysis_of(Provider("local")).run(ask('"Saved" is shown'), Context())

    assert '[00:01.2] "Saved" appeared.' in answer.description
    assert answer.verdicts[0].verdict is VerdictResult.PASS
    assert answer.verdicts[0].evidence[0].t_ms == 1200
    assert (answer.provider, answer.model, answer.cached, answer.job_id) == ("local", "m-1", False, "job-1")


def test_what_is_remembered_is_each_new_answer_about_a_video_that_stays() -> None:
    log, reported = Log(), list[Analysis]()
    analysis = analysis_of(Provider("local"), log=log, remember=reported.append)
    answer = analysis.run(ask(), Context())
    analysis.run(ask(), Context())
    analysis.run(ask(use_cache=False).model_copy(update={"uploaded": True}), Context())

    assert reported == [answer]


def test_auto_takes_the_first_provider_that_can_be_used_and_says_so_in_few_words() -> None:
    gemini = Provider("gemini", lack="no key; set GOOGLE_API_KEY.")
    local = Provider("local")

    answer = analysis_of(gemini, local).run(ask(), Context())

    assert answer.provider == "local"
    # What the others lack is the same in every answer; the doctor says it once.
    assert answer.provider_reason == "auto chose local"


def test_a_failing_provider_is_never_silently_replaced_by_another() -> None:
    log = Log()
    gemini, local = Provider("gemini", fails=True), Provider("local")

    with pytest.raises(InvalidReply):
        analysis_of(gemini, local, log=log).run(ask(), Context())

    assert local.calls == 0
    assert log.failures[0]["code"] == "invalid_reply"


def test_the_same_question_is_answered_from_the_log_until_it_shall_be_asked_anew() -> None:
    log = Log()
    provider = Provider("local")
    analysis = analysis_of(provider, log=log)
    analysis.run(ask(), Context())

    again = analysis.run(ask(), Context())
    anew = analysis.run(ask(use_cache=False), Context())

    assert (again.cached, anew.cached, provider.calls) == (True, False, 2)


def test_a_models_pass_without_a_moment_becomes_unclear() -> None:
    claimed = Findings(
        verdicts=(
            Verdict(expectation="it worked", verdict=VerdictResult.PASS, reason="I think so."),
            Verdict(
                expectation="it was saved",
                verdict=VerdictResult.PASS,
                reason="The toast says so.",
                evidence=(Evidence(t_ms=1200, quote="Saved"),),
            ),
        )
    )

    answer = analysis_of(Provider("gemini", claimed)).run(ask("it worked", "it was saved"), Context())

    assert [verdict.verdict for verdict in answer.verdicts] == [VerdictResult.UNCLEAR, VerdictResult.PASS]


@pytest.mark.parametrize(
    ("request_", "error", "hint"),
    [
        (AnalysisRequest(video_path="a.mp4"), InvalidRequest, "absolute"),
        (ask(provider="gemni"), InvalidRequest, "Did you mean 'gemini'?"),
        (ask(provider="gemini"), Conflict, "no key"),
        (ask("x" * 100_000), InvalidRequest, "character"),
    ],
    ids=["relative path", "misspelt provider", "provider without a key", "huge expectation"],
)
def test_what_is_plainly_wrong_is_refused_before_any_work(
    request_: AnalysisRequest, error: type[Exception], hint: str
) -> None:
    provider = Provider("gemini", lack="no key")

    with pytest.raises(error, match=hint):
        analysis_of(provider, Provider("local")).admit(request_, "job-1")

    assert provider.calls == 0


def test_two_requests_ask_the_same_when_bytes_expectations_and_provider_are_the_same() -> None:
    analysis = analysis_of(Provider("local"), Provider("other"))

    def question(request: AnalysisRequest) -> str | None:
        return analysis.admit(request, "job-1").question

    asked = ask('"Saved" is shown')
    elsewhere = asked.model_copy(update={"video_path": "/uploads/b.mp4", "uploaded": True, "metadata": {"build": 7}})
    assert question(asked) == question(elsewhere) == question(ask('"Saved" is shown', provider="local"))
    others = [ask(), ask('"Saved" is gone'), ask('"Saved" is shown', provider="other")]
    assert len({question(each) for each in [asked, *others]}) == 4
    assert question(ask('"Saved" is shown', use_cache=False)) is None


def test_what_is_kept_already_is_answered_before_a_job_is_made_of_it() -> None:
    log = Log()
    provider = Provider("local")
    analysis = analysis_of(provider, log=log)
    assert analysis.admit(ask(), "job-1").answer is None
    analysis.run(ask(), Context())

    answer = analysis.admit(ask(), "job-2").answer

    assert answer is not None
    assert (answer.cached, answer.job_id, provider.calls) == (True, "job-2", 1)
    assert analysis.admit(ask(use_cache=False), "job-3").answer is None


def test_the_file_beside_the_video_says_what_to_expect_when_the_caller_does_not(tmp_path: Path) -> None:
    (tmp_path / "a.mp4.expect.txt").write_text('# after the form\n"Saved" is shown\n', encoding="utf-8")
    analysis = analysis_of(Provider("local"))
    beside = AnalysisRequest(video_path=str(tmp_path / "a.mp4"))

    def asked(request: AnalysisRequest) -> list[str]:
        return [verdict.expectation for verdict in analysis.run(request, Context()).verdicts]

    assert asked(beside) == ['"Saved" is shown']
    said = beside.model_copy(update={"expectations": ('"Profile" is shown',), "use_cache": False})
    assert asked(said) == ['"Profile" is shown']
    uploaded = beside.model_copy(update={"uploaded": True, "use_cache": False})
    assert asked(uploaded) == []
