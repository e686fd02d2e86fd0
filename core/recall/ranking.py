"""How well a procedure answers: which words of the question it holds, where, and how close together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.recall.groups import Group
    from core.recall.ports import Found

_FIELD_SHARES: Final = (1.0, 0.9, 0.85, 0.7)
"""Of the summary, the steps, the places and the texts beside."""
_AGAIN: Final = 0.04
"""More for each further field that holds a word."""
_CLOSE: Final = 0.12
"""More for two words of the question that follow one another, as a share of the lesser."""


class Fit(NamedTuple):
    """How a procedure answers a question."""

    number: int
    score: float
    covered: float
    """The share of the question's words that it holds, by how much they tell; 0 to 1."""
    exact: float
    """The same of those that it holds as they were asked."""
    hits: int
    """How many words of the question it holds."""
    best_field: int
    """The field that held the most of them, as numbered by ``Fields``."""
    told: float = 0.0
    """How much the words tell that it holds, all together; 1 is a word that one procedure alone holds."""
    alike: float | None = None
    """How near it is in meaning, from -1 to 1; ``None`` where nothing knows what words mean."""


def ranked(groups: Sequence[Group], found: Sequence[Found]) -> list[Fit]:
    """How well each answers, the best first; of equals the newest."""
    total = sum(group.weight for group in groups)
    if not total:
        return []
    fits = [_fit(groups, each, total) for each in found]
    return sorted((fit for fit in fits if fit.hits), key=lambda fit: (-fit.score, -fit.number))


def _fit(groups: Sequence[Group], found: Found, total: float) -> Fit:
    fields = [field.split() for field in found.fields]
    held = [set(field) for field in fields]
    padded = [f" {field} " for field in found.fields]
    score = covered = exact = 0.0
    hits = 0
    by_field = [0.0] * len(fields)
    holding: list[tuple[str, ...] | None] = []
    for group in groups:
        best, share, terms, places = _best(group, held, padded)
        holding.append(terms)
        if terms is None:
            continue
        hits += 1
        score += group.weight * best
        covered += group.weight * share
        exact += group.weight * (share == 1.0)
        for place in places:
            by_field[place] += group.weight * share
    score += _closeness(groups, holding, padded)
    best_field = max(range(len(fields)), key=lambda place: by_field[place])
    return Fit(found.number, score / total, covered / total, exact / total, hits, best_field, covered)


def _best(
    group: Group, held: Sequence[set[str]], padded: Sequence[str]
) -> tuple[float, float, tuple[str, ...] | None, list[int]]:
    """How much the best choice of a group counts, its share, its terms, and the fields that hold it."""
    best: tuple[float, float, tuple[str, ...] | None, list[int]] = (0.0, 0.0, None, [])
    for terms, share in group.choices.items():
        if len(terms) == 1:
            places = [place for place, field in enumerate(held) if terms[0] in field]
        else:
            phrase = f" {' '.join(terms)} "
            places = [place for place, field in enumerate(padded) if phrase in field]
        if places:
            counts = share * (max(_FIELD_SHARES[place] for place in places) + _AGAIN * (len(places) - 1))
            if counts > best[0]:
                best = (counts, share, terms, places)
    return best


def _closeness(groups: Sequence[Group], holding: Sequence[tuple[str, ...] | None], padded: Sequence[str]) -> float:
    more = 0.0
    for place in range(len(groups) - 1):
        one, other = holding[place], holding[place + 1]
        if one is not None and other is not None:
            phrase = f" {' '.join((*one, *other))} "
            if any(phrase in field for field in padded):
                more += _CLOSE * min(groups[place].weight, groups[place + 1].weight)
    return more
