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

FLOOR: Final = 0.3
"""What is less sure is no answer."""
TIME_ALONE: Final = 0.95
"""What was done then is read off a clock."""
OUTSIDE: Final = 0.5
"""By so much less sure is what was not done when it was said to have been."""
_BIAS: Final = -6.0
_WEIGHTS: Final = (5.0, 1.5, 2.0, 4.0)


def features(fit: Fit, rival: float) -> tuple[float, ...]:
    """What can be seen of an answer.

    Args:
        fit: how well it answers.
        rival: the score of the best other one.

    """
    margin = (fit.score - rival) / max(fit.score, rival)
    return (fit.covered, fit.exact, math.log(fit.hits), margin)


def confidence(seen: Sequence[float]) -> float:
    """From 0 to 1, of what ``features`` tells."""
    value = _BIAS + sum(weight * each for weight, each in zip(_WEIGHTS, seen, strict=True))
    return round(1 / (1 + math.exp(-value)), 3)
