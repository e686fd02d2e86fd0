"""What may stand in a procedure for each word of a question, and how much it tells there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from core.memory_ports import Wanted
from core.recall.synonyms import synonyms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.memory_ports import Memories
    from core.recall.question import Asked, Question

_SIMILAR: Final = 40
_MOST_SIMILAR: Final = 6
_SHORTEST_MISSPELT: Final = 4
_LONG: Final = 8
_BEGINS: Final = 0.8
_CONTAINS: Final = 0.7
_MISSPELT: Final = 0.85
_RARE: Final = 0.02
_WEAK: Final = 0.35
_UNKNOWN: Final = 0.8
"""A word that nobody ever read weighs a little less than one that was read once: it may be the person's own."""


class Group(NamedTuple):
    """A word of the question and whatever may stand for it."""

    choices: Mapping[tuple[str, ...], float]
    """Terms that must follow one another, and how much they count: 1 is the word itself."""
    weight: float
    """How much it tells where it stands: more, the fewer procedures hold it."""
    documents: Mapping[tuple[str, ...], int]
    is_misspelt: bool
    """Nothing is written as it was asked for."""

    @property
    def wanted(self) -> list[Wanted]:
        """What can be looked for at all."""
        return [Wanted(terms, count) for terms, count in self.documents.items() if count]


def groups_of(question: Question, memories: Memories, total: int) -> list[Group]:
    """A group for each word of the question.

    Args:
        question: what is asked.
        memories: whose vocabulary is looked up.
        total: how many procedures there are.

    """
    known = synonyms()
    choices = [{asked.terms: 1.0} | known.get(asked.terms, {}) for asked in question.words]
    counts = memories.frequencies({term for each in choices for terms in each for term in terms})
    return [_group(asked, each, counts, memories, total) for asked, each in zip(question.words, choices, strict=True)]


def _group(
    asked: Asked, choices: dict[tuple[str, ...], float], counts: Mapping[str, int], memories: Memories, total: int
) -> Group:
    documents = {terms: min(counts.get(term, 0) for term in terms) for terms in choices}
    exact = documents[asked.terms]
    is_misspelt = False
    if len(asked.terms) == 1 and exact <= _RARE * total and not (asked.is_unspaced and exact):
        for term, (share, count, misspelt) in _similar(asked.terms[0], memories, is_known=exact > 0).items():
            is_misspelt = is_misspelt or (misspelt and not any(documents.values()))
            if choices.get((term,), 0) < share:
                choices[term,] = share
                documents[term,] = count
    return Group(choices, _weight(asked, choices, documents, total), documents, is_misspelt)


def _weight(
    asked: Asked, choices: Mapping[tuple[str, ...], float], documents: Mapping[tuple[str, ...], int], total: int
) -> float:
    best = max((share for terms, share in choices.items() if documents[terms]), default=0.0)
    count = sum(documents[terms] for terms, share in choices.items() if share == best) if best else 0
    rarity = math.log(1 + (total - min(total, count) + 0.5) / (min(total, count) + 0.5)) / math.log(2 * total + 2)
    return rarity * (_WEAK if asked.is_weak else 1.0) * (1.0 if best else _UNKNOWN)


def _similar(term: str, memories: Memories, *, is_known: bool) -> dict[str, tuple[float, int, bool]]:
    """Other terms that may be meant: how much each counts, how many hold it, and whether it is spelt in another way."""
    found: list[tuple[float, int, str, bool]] = []
    for other, count in memories.similar_terms(term, _SIMILAR).items():
        if other.startswith(term):
            share = _BEGINS * (0.5 + 0.5 * len(term) / len(other))
            found.append((share, count, other, False))
        elif is_known:
            continue
        elif term in other:
            found.append((_CONTAINS * (0.4 + 0.6 * len(term) / len(other)), count, other, False))
        elif share := _likeness(term, other):
            found.append((_MISSPELT * share, count, other, True))
    found.sort(reverse=True)
    return {other: (share, count, misspelt) for share, count, other, misspelt in found[:_MOST_SIMILAR]}


def _likeness(one: str, other: str) -> float:
    """How likely one is the other misspelt, 0 if not at all."""
    length = max(len(one), len(other))
    if min(len(one), len(other)) < _SHORTEST_MISSPELT - 1 or length < _SHORTEST_MISSPELT:
        return 0.0
    most = 2 if length >= _LONG else 1
    distance = edits(one, other, most)
    if distance > most:
        return 0.0
    return 1 - 0.6 * distance / length - (0.1 if one[0] != other[0] else 0.0)


def edits(one: Sequence[str], other: Sequence[str], most: int) -> int:
    """Letters to insert, leave out, replace or swap with their neighbour; more than ``most`` are not counted out."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, sign in enumerate(one, 1):
        current = [row]
        for column, against in enumerate(other, 1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (sign != against))
            if row > 1 and column > 1 and sign == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > most:
            return most + 1
        before, last = last, current
    return last[-1]
