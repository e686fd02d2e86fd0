"""The answer to "how did I do that?": the procedures that fit, each once, best first; nothing where nothing does."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from core.memory import Procedure, RecallAnswer, Recalled, RecallRequest
from core.recall.groups import Group, groups_of
from core.recall.ports import Clock, Memories, Span, Words
from core.recall.question import Question, understood
from core.recall.ranking import BESIDE, FLOOR, NEAR_ALONE, OUTSIDE, TIME_ALONE, Fit, confidence, features, ranked
from core.recall.terms import STOP_WORDS, WEAK_WORDS, folded, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime, tzinfo

    from core.recall.meaning import Meaning, Near


_CANDIDATES: Final = 64
_READ_FITS: Final = 30
"""So many of the best are read whole at most, to drop repetitions."""
_ALIKE: Final = 2.0
"""How much nearness in meaning counts beside the share of the words that it holds."""
_MOST_WORDS: Final = 150
_MEANT: Final = 16
"""So many of the best are compared by meaning: of the labelled questions none gains by more."""
_READ_QUOTED: Final = 200
"""The same if those are dropped that lack what was quoted."""


def search_results(
    question: Question, span: Span | None, memories: Memories, total: int, words: Words | None = None
) -> list[tuple[Fit, Procedure]]:
    """What fits, the best first.

    Args:
        question: what is asked; it holds words.
        span: in which it began; ``None`` is at any time.
        memories: what is remembered.
        total: how many there are.
        words: what words mean, if that is known.

    """
    groups = groups_of(question, memories, total, words)
    fits = ranked(groups, memories.find([group.wanted for group in groups], span, _CANDIDATES))
    fits = fits[: _READ_QUOTED if question.quotes else _READ_FITS]
    procedures = memories.read([fit.number for fit in fits])
    pairs = [(fit, procedures[fit.number]) for fit in fits if fit.number in procedures]
    pairs = _without_repeats([pair for pair in pairs if _says(pair[1], question.quotes)])
    return pairs if words is None else _by_meaning(question, groups, pairs, words)


def key_of(procedure: Procedure) -> tuple[object, ...]:
    """The same for what was done twice in the same way."""
    return (procedure.applications, tuple(step.text for step in procedure.steps))


def newest_alone(procedures: Sequence[Procedure]) -> list[Procedure]:
    """Each procedure once; the newest first."""
    return list({key_of(each): each for each in reversed(procedures)}.values())[::-1]


def _by_meaning(
    question: Question, groups: Sequence[Group], pairs: Sequence[tuple[Fit, Procedure]], words: Words
) -> list[tuple[Fit, Procedure]]:
    """The best ranked anew by what they hold and by how near they are in meaning; the others behind them."""
    best = pairs[:_MEANT]
    asked: dict[str, float] = {}
    for each, group in zip(question.words, groups, strict=True):
        for word in each.said:
            asked[word] = asked.get(word, 0.0) + group.weight / len(each.said)
    alike = words.alike(asked, [_words_of(procedure) for _, procedure in best])
    ranked = [
        (fit._replace(alike=likeness, score=fit.score + _ALIKE * likeness), procedure)
        for (fit, procedure), likeness in zip(best, alike, strict=True)
    ]
    ranked.sort(key=lambda pair: (-pair[0].score, -pair[0].number))
    least = min((fit.score for fit, _ in ranked), default=0.0)
    return ranked + [(fit._replace(alike=0.0, score=min(fit.score, least)), each) for fit, each in pairs[_MEANT:]]


def _words_of(procedure: Procedure) -> list[str]:
    """The words that say something, as often as they stand there."""
    parts = (procedure.summary, *(step.text for step in procedure.steps), *procedure.titles, *procedure.texts)
    reported = islice((word.casefold() for part in parts for word in words_of(part)), _MOST_WORDS)
    return [word for word in reported if word not in STOP_WORDS and word not in WEAK_WORDS]


def _without_repeats(pairs: Sequence[tuple[Fit, Procedure]]) -> list[tuple[Fit, Procedure]]:
    """Of what was done twice in the same way the newest, in the place of the best."""
    newest: dict[tuple[object, ...], tuple[Fit, Procedure]] = {}
    for pair in pairs:
        key = key_of(pair[1])
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

    def to_recalled(self, procedure: Procedure, confidence: float) -> Recalled:
        """A procedure as an answer tells it."""
        return self._recalled(_Answer(procedure, confidence))

    def _of_time(self, span: Span | None, limit: int) -> RecallAnswer:
        """What was done then, or lately, the newest first."""
        since, until = (span.since, span.until) if span else (None, None)
        newest = self._memories.newest(min(_READ, 4 * limit), since=since, before=until)
        answers = [_Answer(each, TIME_ALONE) for each in newest_alone(newest)[:limit]]
        return RecallAnswer(results=tuple(map(self._recalled, answers)), message=None if answers else _IDLE)

    def _answers(self, question: Question, span: Span | None, total: int, request: RecallRequest) -> list[_Answer]:
        sure = _sure(search_results(question, span, self._memories, total, self._words), total)
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


def _sure(reported: Sequence[tuple[Fit, Procedure]], total: int) -> list[tuple[float, _Answer]]:
    """The results that are confident enough, with their scores; none unless one is confident by itself."""
    sure = [confidence(seen) for seen in features([fit for fit, _ in reported], total)]
    # A question of one word that several procedures hold means any of them: each is unsure, and yet they answer.
    if max(sure, default=0.0) < FLOOR and not any(fit.exact >= _WHOLE for fit, _ in reported):
        return []
    return [
        (fit.score, _Answer(procedure, each))
        for (fit, procedure), each in zip(reported, sure, strict=True)
        if each >= BESIDE
    ]


def _fused(
    sure: Sequence[tuple[float, _Answer]], near: Sequence[tuple[Near, Procedure]]
) -> list[tuple[float, _Answer]]:
    """Those that fit by their words and those that are near in meaning, by the sum of their reciprocal ranks.

    A result by nearness alone has to be nearer than nearly all others, because something is always the nearest.
    """
    answers = {answer.procedure.id: answer for _, answer in sure}
    reported = {key_of(answer.procedure): answer.procedure.id for _, answer in sure}
    scores = {answer.procedure.id: 1 / (_RANKS + place) for place, (_, answer) in enumerate(sure)}
    for place, (each, procedure) in enumerate(near):
        is_near = each.deviations >= _NEAR
        if reported.setdefault(key_of(procedure), procedure.id) != procedure.id:
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
