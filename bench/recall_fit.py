"""Fits the constants of ``core/recall/confidence.py``, on the half that is not reported.

To be called by ``python -m bench.recall_fit``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.recall_set import NOW, ZONE, procedures, questions
from core.recall.confidence import features
from core.recall.question import understood
from core.recall.search import told_of
from core.recall.spans import Clock
from storage.memories import SqlMemories

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST = 5
"""So many answers to each question are learned from."""
STRENGTH = 0.1
"""Of the ridge that keeps the weights small."""
TURNS = 50


def samples(memories: SqlMemories) -> tuple[list[tuple[float, ...]], list[bool]]:
    """What is seen of each answer, and whether it is right."""
    seen: list[tuple[float, ...]] = []
    right: list[bool] = []
    for asked in questions():
        question = understood(asked.query, Clock(NOW, ZONE))
        if not asked.is_for_fitting or question.is_about_time_alone:
            continue
        told = told_of(question, question.span, memories, memories.count())
        seen += features([fit for fit, _ in told])[:MOST]
        right += [procedure.id in asked.answers for _, procedure in told[:MOST]]
    return seen, right


def fitted(seen: Sequence[Sequence[float]], right: Sequence[bool]) -> NDArray[np.float64]:
    """The bias and the weights of a logistic function, by Newton's method."""
    values = np.column_stack([np.ones(len(seen)), np.array(seen)])
    truth = np.array(right, dtype=float)
    ridge = STRENGTH * np.diag([1e-6, *[1.0] * (values.shape[1] - 1)])
    weights = np.zeros(values.shape[1])
    for _ in range(TURNS):
        told = 1 / (1 + np.exp(-values @ weights))
        slope = values.T @ (told - truth) + ridge @ weights
        curve = (values * (told * (1 - told))[:, None]).T @ values + ridge
        weights -= np.linalg.solve(curve, slope)
    return weights


def main() -> None:
    """Print the constants."""
    with tempfile.TemporaryDirectory() as folder:
        memories = SqlMemories(Path(folder) / "memory.db")
        for each in procedures():
            memories.replace(each.video, [each])
        bias, *weights = fitted(*samples(memories)).round(2).tolist()
        memories.close()
    print(f"_BIAS: Final = {bias}\n_WEIGHTS: Final = {tuple(weights)}")


if __name__ == "__main__":
    main()
