"""The answer to "how did I do that?": what was remembered that fits, best first, and nothing where nothing does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from core.memory import Procedure, RecallAnswer, Recalled
from core.recall.confidence import FLOOR, OUTSIDE, TIME_ALONE, confidence, features
from core.recall.groups import groups_of
from core.recall.question import understood
from core.recall.ranking import ranked
from core.recall.spans import Clock
from core.recall.terms import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime, tzinfo

    from core.memory import RecallRequest
    from core.memory_ports import Memories
    from core.recall.question import Question
    from core.recall.ranking import Fit
    from core.recall.spans import Span

_CANDIDATES: Final = 120
_READ: Final = 60
"""So many of the best are read whole at most: to drop repetitions, and those that lack what was quoted."""
_NEWER: Final = 0.4
"""How much worse, as a share of the best, a newer one may fit and still come first, at the greatest bias."""
_NUMBERS: Final = re.compile(r"\d+")
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

    """

    def __init__(
        self,
        memories: Memories,
        *,
        now: Callable[[], datetime],
        zone: Callable[[], tzinfo],
        video_url: Callable[[Procedure], str | None],
    ) -> None:
        self._memories = memories
        self._clock = lambda: Clock(now(), zone())
        self._video_url = video_url

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

    def _of_time(self, span: Span | None, limit: int) -> RecallAnswer:
        """What was done then, or lately, the newest first."""
        since, until = (span.since, span.until) if span else (None, None)
        newest = self._memories.newest(min(_READ, 4 * limit), since=since, before=until)
        answers = [_Answer(each, TIME_ALONE) for each in _newest_alone(newest)[:limit]]
        return RecallAnswer(results=tuple(map(self._recalled, answers)), message=None if answers else _IDLE)

    def _answers(self, question: Question, span: Span | None, total: int, request: RecallRequest) -> list[_Answer]:
        groups = groups_of(question, self._memories, total)
        fits = ranked(groups, self._memories.find([group.wanted for group in groups], span, _CANDIDATES))[:_READ]
        procedures = self._memories.read([fit.number for fit in fits])
        pairs = [(fit, procedures[fit.number]) for fit in fits if fit.number in procedures]
        told = _without_repeats([pair for pair in pairs if _says(pair[1], question.quotes)])
        return _newer_first(_sure(told), request.recency_bias)[: request.limit]

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


def _key(procedure: Procedure) -> tuple[object, ...]:
    """The same for what was done twice in the same way."""
    return (procedure.applications, tuple(step.text for step in procedure.steps))


def _newest_alone(procedures: Sequence[Procedure]) -> list[Procedure]:
    """Each undertaking once; the newest stand first."""
    return list({_key(each): each for each in reversed(procedures)}.values())[::-1]


def _without_repeats(pairs: Sequence[tuple[Fit, Procedure]]) -> list[tuple[Fit, Procedure]]:
    """Of what was done twice in the same way the newest, in the place of the best."""
    newest: dict[tuple[object, ...], tuple[Fit, Procedure]] = {}
    for pair in pairs:
        key = _key(pair[1])
        if key not in newest or newest[key][0].number < pair[0].number:
            newest[key] = pair
    return list(newest.values())


def _says(procedure: Procedure, quotes: Sequence[str]) -> bool:
    """Whether all that was quoted stands in it."""
    if not quotes:
        return True
    parts = (
        procedure.summary,
        *(f"{step.text}\n{step.application}\n{step.window}" for step in procedure.steps),
        *procedure.applications,
        *procedure.titles,
        *procedure.texts,
    )
    text = "\n".join(map(folded, parts))
    return all(quote in text for quote in quotes)


def _sure(told: Sequence[tuple[Fit, Procedure]]) -> list[tuple[float, _Answer]]:
    """Those that are sure enough to be told, with their scores."""
    scores = [fit.score for fit, _ in told]
    found: list[tuple[float, _Answer]] = []
    for place, (fit, procedure) in enumerate(told):
        rival = max((score for other, score in enumerate(scores[:2]) if other != place), default=0.0)
        sure = confidence(features(fit, rival))
        if sure >= FLOOR:
            found.append((fit.score, _Answer(procedure, sure)))
    return found


def _newer_first(sure: Sequence[tuple[float, _Answer]], bias: float) -> list[_Answer]:
    """The newest first of those that fit nearly as well as the best; the rest as well as they fit."""
    enough = max((score for score, _ in sure), default=0.0) * (1 - _NEWER * bias * bias)
    near = [answer for score, answer in sure if score >= enough]
    if bias:
        near.sort(key=lambda answer: answer.procedure.started_at, reverse=True)
    return near + [answer for score, answer in sure if score < enough]
