"""The answer to "how did I do that?": what was remembered that fits, best first, and nothing where nothing does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from core.memory import Procedure, RecallAnswer, Recalled
from core.recall.confidence import BESIDE, FLOOR, NEAR_ALONE, OUTSIDE, TIME_ALONE, confidence, features
from core.recall.question import understood
from core.recall.search import key_of, newest_alone, told_of
from core.recall.spans import Clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime, tzinfo

    from core.memory import RecallRequest
    from core.recall.meaning import Meaning, Near
    from core.recall.ports import Memories
    from core.recall.question import Question
    from core.recall.ranking import Fit
    from core.recall.spans import Span
    from core.recall.words import Words

_READ: Final = 60
_NEWER: Final = 0.4
"""How much worse, as a share of the best, a newer one may fit and still come first, at the greatest bias."""
_RANKS: Final = 10
"""How little the first places stand out when ranks are fused."""
_WHOLE: Final = 0.999
"""What holds so much of a question as it was asked holds all of it."""
_NEAR: Final = 3.0
"""Standard deviations from the mean; of a hundred that mean other things, hardly one is as near."""
_NOTHING: Final = (
    "Nothing that was remembered answers this. Ask with words that stood on the screen, the application's name, or the "
    "time; what was done while the recorder was off is not remembered."
)
_EMPTY: Final = "Nothing is remembered yet: start the recorder, or import a video."
_NOT_THEN: Final = "Nothing was remembered of that time that answers this; what is told was done at another time."
_IDLE: Final = "Nothing is remembered of that time."


class _Answer(NamedTuple):
    procedure: Procedure
    confidence: float


class Recall:
    """Answers requests out of the memories.

    Args:
        memories: what is remembered.
        now: the moment, aware.
        zone: of the person who asks, in which "yesterday" is meant.
        video_url: where a procedure's stretch can be played; ``None`` once its video is gone.
        meaning: what is near in meaning, if the user switched a model on.
        words: what words mean, if that is known here.

    """

    def __init__(
        self,
        memories: Memories,
        *,
        now: Callable[[], datetime],
        zone: Callable[[], tzinfo],
        video_url: Callable[[Procedure], str | None],
        meaning: Meaning | None = None,
        words: Words | None = None,
    ) -> None:
        self._memories = memories
        self._clock = lambda: Clock(now(), zone())
        self._video_url = video_url
        self._meaning = meaning
        self._words = words

    def recall(self, request: RecallRequest) -> RecallAnswer:
        """What fits, best first; an empty answer says why. Raises ``StorageFailed``."""
        question = understood(request.query, self._clock())
        total = self._memories.count()
        if not total:
            return RecallAnswer(results=(), message=_EMPTY)
        if question.is_about_time_alone:
            return self._of_time(question.span, request.limit)
        found = self._answers(question, question.span, total, request)
        message = None
        if not found and question.span is not None:
            others = self._answers(question, None, total, request)
            found = [_Answer(each.procedure, round(each.confidence * OUTSIDE, 3)) for each in others]
            message = _NOT_THEN
        if not found:
            return RecallAnswer(results=(), message=_NOTHING)
        return RecallAnswer(results=tuple(map(self._recalled, found)), message=message)

    def understood(self, query: str) -> Question:
        """What a query asks for, now."""
        return understood(query, self._clock())

    def told(self, procedure: Procedure, confidence: float) -> Recalled:
        """A procedure as an answer tells it."""
        return self._recalled(_Answer(procedure, confidence))

    def _of_time(self, span: Span | None, limit: int) -> RecallAnswer:
        """What was done then, or lately, the newest first."""
        since, until = (span.since, span.until) if span else (None, None)
        newest = self._memories.newest(min(_READ, 4 * limit), since=since, before=until)
        answers = [_Answer(each, TIME_ALONE) for each in newest_alone(newest)[:limit]]
        return RecallAnswer(results=tuple(map(self._recalled, answers)), message=None if answers else _IDLE)

    def _answers(self, question: Question, span: Span | None, total: int, request: RecallRequest) -> list[_Answer]:
        sure = _sure(told_of(question, span, self._memories, total, self._words), total)
        if self._meaning is not None and not question.quotes:
            self._meaning.catch_up_aside()
            near = self._meaning.near(request.query, span)
            procedures = self._memories.read([each.number for each in near])
            sure = _fused(sure, [(each, procedures[each.number]) for each in near if each.number in procedures])
        return _newer_first(sure, request.recency_bias)[: request.limit]

    def _recalled(self, answer: _Answer) -> Recalled:
        procedure = answer.procedure
        return Recalled(
            id=procedure.id,
            timestamp=procedure.started_at,
            duration_seconds=(procedure.end_ms - procedure.start_ms) / 1000,
            confidence=answer.confidence,
            summary=procedure.summary,
            steps=tuple(step.text for step in procedure.steps),
            video_url=self._video_url(procedure),
            video_start_ms=procedure.start_ms,
            video_end_ms=procedure.end_ms,
            source=procedure.source,
            video=procedure.video,
            applications=procedure.applications,
            windows=procedure.titles,
            inferred=procedure.inferred,
        )


def _sure(told: Sequence[tuple[Fit, Procedure]], total: int) -> list[tuple[float, _Answer]]:
    """Those that are sure enough to be told, with their scores; where none is by itself, none is."""
    sure = [confidence(seen) for seen in features([fit for fit, _ in told], total)]
    # Whoever asks for a single word of several procedures means any of them: each is unsure, and yet they answer.
    if max(sure, default=0.0) < FLOOR and not any(fit.exact >= _WHOLE for fit, _ in told):
        return []
    return [
        (fit.score, _Answer(procedure, each))
        for (fit, procedure), each in zip(told, sure, strict=True)
        if each >= BESIDE
    ]


def _fused(
    sure: Sequence[tuple[float, _Answer]], near: Sequence[tuple[Near, Procedure]]
) -> list[tuple[float, _Answer]]:
    """Those that fit by their words and those that are near in meaning, by the sum of their reciprocal ranks.

    Only what is nearer than nearly all others is told for that alone: something is always the nearest.
    """
    answers = {answer.procedure.id: answer for _, answer in sure}
    told = {key_of(answer.procedure): answer.procedure.id for _, answer in sure}
    scores = {answer.procedure.id: 1 / (_RANKS + place) for place, (_, answer) in enumerate(sure)}
    for place, (each, procedure) in enumerate(near):
        is_near = each.deviations >= _NEAR
        if told.setdefault(key_of(procedure), procedure.id) != procedure.id:
            continue
        if procedure.id not in answers and not is_near:
            continue
        before = answers.get(procedure.id, _Answer(procedure, 0.0))
        answers[procedure.id] = _Answer(procedure, max(before.confidence, NEAR_ALONE if is_near else 0.0))
        scores[procedure.id] = scores.get(procedure.id, 0.0) + 1 / (_RANKS + place)
    return sorted(((score, answers[id_]) for id_, score in scores.items()), key=lambda each: -each[0])


def _newer_first(sure: Sequence[tuple[float, _Answer]], bias: float) -> list[_Answer]:
    """The newest first of those that fit nearly as well as the best; the rest as well as they fit."""
    enough = max((score for score, _ in sure), default=0.0) * (1 - _NEWER * bias**3)
    near = [answer for score, answer in sure if score >= enough]
    if bias:
        near.sort(key=lambda answer: answer.procedure.started_at, reverse=True)
    return near + [answer for score, answer in sure if score < enough]
