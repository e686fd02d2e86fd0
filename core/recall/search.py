"""From a question to the procedures that fit it, each once, best first."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from core.recall.groups import groups_of
from core.recall.ranking import ranked
from core.recall.stop_words import STOP_WORDS, WEAK_WORDS
from core.recall.terms import folded, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.memory import Procedure
    from core.recall.groups import Group
    from core.recall.ports import Memories
    from core.recall.question import Question
    from core.recall.ranking import Fit
    from core.recall.spans import Span
    from core.recall.words import Words

_CANDIDATES: Final = 64
_READ: Final = 30
"""So many of the best are read whole at most, to drop repetitions."""
_ALIKE: Final = 2.0
"""How much nearness in meaning counts beside the share of the words that it holds."""
_MOST_WORDS: Final = 150
_MEANT: Final = 16
"""So many of the best are compared by meaning: of the labelled questions none gains by more."""
_READ_QUOTED: Final = 200
"""The same if those are dropped that lack what was quoted."""


def told_of(
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
    fits = fits[: _READ_QUOTED if question.quotes else _READ]
    procedures = memories.read([fit.number for fit in fits])
    pairs = [(fit, procedures[fit.number]) for fit in fits if fit.number in procedures]
    pairs = _without_repeats([pair for pair in pairs if _says(pair[1], question.quotes)])
    return pairs if words is None else _by_meaning(question, groups, pairs, words)


def key_of(procedure: Procedure) -> tuple[object, ...]:
    """The same for what was done twice in the same way."""
    return (procedure.applications, tuple(step.text for step in procedure.steps))


def newest_alone(procedures: Sequence[Procedure]) -> list[Procedure]:
    """Each undertaking once; the newest stand first."""
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
    alike = words.alike(asked, [_told_words(procedure) for _, procedure in best])
    ranked = [
        (fit._replace(alike=likeness, score=fit.score + _ALIKE * likeness), procedure)
        for (fit, procedure), likeness in zip(best, alike, strict=True)
    ]
    ranked.sort(key=lambda pair: (-pair[0].score, -pair[0].number))
    least = min((fit.score for fit, _ in ranked), default=0.0)
    return ranked + [(fit._replace(alike=0.0, score=min(fit.score, least)), each) for fit, each in pairs[_MEANT:]]


def _told_words(procedure: Procedure) -> list[str]:
    """The words that say something, as often as they stand there."""
    parts = (procedure.summary, *(step.text for step in procedure.steps), *procedure.titles, *procedure.texts)
    told = islice((word.casefold() for part in parts for word in words_of(part)), _MOST_WORDS)
    return [word for word in told if word not in STOP_WORDS and word not in WEAK_WORDS]


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
