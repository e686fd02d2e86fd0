"""How often an answer that looks like this one is right, measured: ``docs/decisions/0095``.

A logistic function of what can be seen of an answer. Its constants were fitted by ``bench/recall_fit.py`` on that half
of the labelled questions that the benchmark does not report on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.recall.ranking import Fit

FLOOR: Final = 0.25
"""What is less sure is no answer."""
BESIDE: Final = 0.05
"""The same of what is told beside a better one."""
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
    seen = (fit.covered, fit.exact, lead, behind, float(fit.hits > 1), fit.told, total**-0.5)
    return seen if fit.alike is None else (*seen, fit.alike)
