"""From a question to the procedures that fit it, each once, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.recall.groups import groups_of
from core.recall.ranking import ranked
from core.recall.terms import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.memory import Procedure
    from core.memory_ports import Memories
    from core.recall.question import Question
    from core.recall.ranking import Fit
    from core.recall.spans import Span

_CANDIDATES: Final = 64
_READ: Final = 30
"""So many of the best are read whole at most, to drop repetitions."""
_READ_QUOTED: Final = 200
"""The same if those are dropped that lack what was quoted."""


def told_of(question: Question, span: Span | None, memories: Memories, total: int) -> list[tuple[Fit, Procedure]]:
    """What fits, the best first.

    Args:
        question: what is asked; it holds words.
        span: in which it began; ``None`` is at any time.
        memories: what is remembered.
        total: how many there are.

    """
    groups = groups_of(question, memories, total)
    fits = ranked(groups, memories.find([group.wanted for group in groups], span, _CANDIDATES))
    fits = fits[: _READ_QUOTED if question.quotes else _READ]
    procedures = memories.read([fit.number for fit in fits])
    pairs = [(fit, procedures[fit.number]) for fit in fits if fit.number in procedures]
    return _without_repeats([pair for pair in pairs if _says(pair[1], question.quotes)])


def key_of(procedure: Procedure) -> tuple[object, ...]:
    """The same for what was done twice in the same way."""
    return (procedure.applications, tuple(step.text for step in procedure.steps))


def newest_alone(procedures: Sequence[Procedure]) -> list[Procedure]:
    """Each undertaking once; the newest stand first."""
    return list({key_of(each): each for each in reversed(procedures)}.values())[::-1]


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
