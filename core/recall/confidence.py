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
TIME_ALONE: Final = 0.95
"""What was done then is read off a clock."""
NEAR_ALONE: Final = 0.35
"""What is only near in meaning is not measured: each model is another one."""
OUTSIDE: Final = 0.5
"""By so much less sure is what was not done when it was said to have been."""
_BIAS: Final = -1.95
_WEIGHTS: Final = (0.21, 1.54, 6.57, 2.29, 0.95)


def features(fits: Sequence[Fit]) -> list[tuple[float, ...]]:
    """What can be seen of each of the answers to a question, the best of which stands first."""
    scores = [fit.score for fit in fits]
    rivals = [max(scores[1:], default=0.0), *scores[:1] * (len(scores) - 1)][: len(scores)]
    return [_seen(fit, rival) for fit, rival in zip(fits, rivals, strict=True)]


def confidence(seen: Sequence[float]) -> float:
    """From 0 to 1, of what ``features`` tells."""
    value = _BIAS + sum(weight * each for weight, each in zip(_WEIGHTS, seen, strict=True))
    return round(1 / (1 + math.exp(-value)), 3)


def _seen(fit: Fit, rival: float) -> tuple[float, ...]:
    """Coverage, to the letter and at all; the lead before the best other one; how far it stays behind; several hits."""
    lead = fit.score - rival
    return (fit.covered, fit.exact, lead, min(0.0, lead) / max(fit.score, rival), float(fit.hits > 1))
