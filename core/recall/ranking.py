"""How well a procedure answers a question, and how often such an answer is right (``docs/decisions/0095``).

The confidence is a logistic function of what can be seen of an answer. Its constants were fitted by
``bench/recall_fit.py`` on that half of the labelled questions that the benchmark does not report on.
"""

from __future__ import annotations

import math
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
    information: float = 0.0
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


FLOOR: Final = 0.25
"""What is less sure is no answer."""
BESIDE: Final = 0.05
"""The same for a result beside a better one."""
TIME_ALONE: Final = 0.95
"""What was done then is read off a clock."""
NEAR_ALONE: Final = 0.35
"""What is only near in meaning is not measured: each model is another one."""
OUTSIDE: Final = 0.5
"""By so much less sure is what was not done when it was said to have been."""
_BY_LETTERS: Final = (-3.39, 0.14, 0.86, 4.07, 1.89, -0.09, 1.48, 1.38)
"""The bias, and the weights of what ``features`` tells, where nothing knows what words mean."""
_BY_MEANING: Final = (-3.33, 0.94, -0.4, 1.87, 2.06, 0.53, 0.91, 1.16, 1.57)
"""The same where it is known."""


def features(fits: Sequence[Fit], total: int) -> list[tuple[float, ...]]:
    """What can be seen of each of the answers to a question, the best of which stands first, among so many."""
    scores = [fit.score for fit in fits]
    rivals = [max(scores[1:], default=0.0), *scores[:1] * (len(scores) - 1)][: len(scores)]
    return [_seen(fit, rival, total) for fit, rival in zip(fits, rivals, strict=True)]


def confidence(seen: Sequence[float]) -> float:
    """From 0 to 1, of what ``features`` tells."""
    bias, *weights = _BY_MEANING if len(seen) == len(_BY_MEANING) - 1 else _BY_LETTERS
    value = bias + sum(weight * each for weight, each in zip(weights, seen, strict=True))
    return round(1 / (1 + math.exp(-value)), 3)


def _seen(fit: Fit, rival: float, total: int) -> tuple[float, ...]:
    """What it is judged by, in the order of the weights.

    Coverage, at all and to the letter; the lead before the best other one; how far it stays behind; several hits; how
    much they tell together; how few there are to be mistaken for it; how near it is in meaning, if that is known.
    """
    lead = fit.score - rival
    behind = min(0.0, lead) / max(fit.score, rival, 0.01)
    seen = (fit.covered, fit.exact, lead, behind, float(fit.hits > 1), fit.information, total**-0.5)
    return seen if fit.alike is None else (*seen, fit.alike)
