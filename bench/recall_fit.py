"""Fits the constants of ``core/recall/confidence.py``, on the half that is not reported.

To be called by ``python -m bench.recall_fit``. Each question is asked once more of a memory that lacks what answers it:
questions without an answer that are as near to what was done as those with one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from adapters.embeddings.static import StaticWords
from bench.recall_set import NOW, ZONE, more_questions, procedures, questions
from core.recall.confidence import features
from core.recall.question import understood
from core.recall.search import told_of
from core.recall.spans import Clock
from storage.memories.memories import SqlMemories

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bench.recall_set import Asked
    from core.recall.words import Words

    Values = NDArray[np.float64]

MOST = 2
"""So many answers to each question are learned from."""
STRENGTH = 0.1
"""Of the ridge that keeps the weights small."""
TURNS = 50
PARTS = 10
"""Of the questions, each of which is told by what was learned from the others."""
UNANSWERED, REMOVED = 0.35, 0.2
"""How much a question counts that has no answer, and one whose answer was taken away: people ask mostly for what they
did."""
FLOORS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)


class Sample(NamedTuple):
    """The answers to a question."""

    asked: Asked
    weight: float
    seen: list[tuple[float, ...]]
    right: list[bool]


def samples(memories: SqlMemories, words: Words | None) -> list[Sample]:
    """Of each question, and of each with its answers taken away."""
    found: list[Sample] = []
    for asked in [each for each in (*questions(), *more_questions()) if each.is_for_fitting]:
        if understood(asked.query, Clock(NOW, ZONE)).is_about_time_alone:
            continue
        found.append(_sample(asked, memories, words, 1.0 if asked.answers else UNANSWERED))
        answers = [each for each in procedures() if each.id in asked.answers]
        for each in answers:
            memories.replace(each.video, [])
        if answers:
            found.append(_sample(asked, memories, words, REMOVED))
        for each in answers:
            memories.replace(each.video, [each])
    return found


def _sample(asked: Asked, memories: SqlMemories, words: Words | None, weight: float) -> Sample:
    question = understood(asked.query, Clock(NOW, ZONE))
    told = told_of(question, question.span, memories, memories.count(), words)
    right = [procedure.id in asked.answers for _, procedure in told]
    return Sample(asked, weight, features([fit for fit, _ in told]), right)


def fitted(found: Sequence[Sample]) -> Values:
    """The bias and the weights of a logistic function, by Newton's method."""
    rows = [
        (seen, right, each.weight)
        for each in found
        for seen, right in zip(each.seen[:MOST], each.right[:MOST], strict=True)
    ]
    values = np.array([(1.0, *seen) for seen, _, _ in rows])
    truth = np.array([right for _, right, _ in rows], dtype=float)
    share = np.array([weight for _, _, weight in rows])
    ridge = STRENGTH * np.diag([1e-6, *[1.0] * (values.shape[1] - 1)])
    weights = np.zeros(values.shape[1])
    for _ in range(TURNS):
        told = 1 / (1 + np.exp(-values @ weights))
        slope = values.T @ (share * (told - truth)) + ridge @ weights
        curve = (values * (share * told * (1 - told))[:, None]).T @ values + ridge
        weights -= np.linalg.solve(curve, slope)
    return weights


def crossed(found: Sequence[Sample]) -> list[tuple[Sample, list[float]]]:
    """How sure each answer is by the constants that were learned from other questions; of a procedure all at once."""

    def part(sample: Sample) -> int:
        return sum((sample.asked.answers or (sample.asked.query,))[0].encode()) % PARTS

    told: list[tuple[Sample, list[float]]] = []
    for place in range(PARTS):
        weights = fitted([each for each in found if part(each) != place])
        told += [
            (each, [float(1 / (1 + np.exp(-weights @ np.array([1.0, *seen])))) for seen in each.seen])
            for each in found
            if part(each) == place
        ]
    return told


def _report(told: Sequence[tuple[Sample, list[float]]]) -> None:
    """What each floor costs and saves."""
    can = [each for each in told if each[0].asked.answers and each[0].weight == 1.0]
    own, more = ([each for each in can if (each[0].asked in questions()) == is_own] for is_own in (True, False))
    never = [each for each in told if not each[0].asked.answers]
    gone = [each for each in told if each[0].weight == REMOVED]
    for floor in FLOORS:
        ranks = [np.mean([_reciprocal(sample, sure, floor) for sample, sure in group]) for group in (own, more)]
        false = [np.mean([max(sure, default=0.0) >= floor for _, sure in group]) for group in (never, gone)]
        print(f"floor {floor}: MRR {ranks[0]:.3f}, of the harder {ranks[1]:.3f}; ", end="")
        print(f"answered without an answer {false[0]:.2f}, its answer taken away {false[1]:.2f}")
    first = [(sure[0], sample.right[0], sample.weight) for sample, sure in told if sure]
    for low, high in ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.01)):
        inside = [each for each in first if low <= each[0] < high]
        total = sum(weight for _, _, weight in inside) or 1.0
        said, was = (sum(each[place] * each[2] for each in inside) / total for place in (0, 1))
        print(f"{low} to {high}: {len(inside)}, said {said:.2f}, right {was:.2f}")


def _reciprocal(sample: Sample, sure: Sequence[float], floor: float) -> float:
    if max(sure, default=0.0) < floor:
        return 0.0
    return next((1 / place for place, right in enumerate(sample.right, 1) if right), 0.0)


def main() -> None:
    """Print the constants, and what they would have said of questions that they were not learned from."""
    with tempfile.TemporaryDirectory() as folder:
        memories = SqlMemories(Path(folder) / "memory.db")
        for each in procedures():
            memories.replace(each.video, [each])
        for name, words in (("_BY_LETTERS", None), ("_BY_MEANING", StaticWords())):
            found = samples(memories, words)
            _report(crossed(found))
            print(f"{name}: Final = {tuple(fitted(found).round(2).tolist())}")
        memories.close()


if __name__ == "__main__":
    main()
