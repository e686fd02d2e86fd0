"""Fits the constants of ``core/recall/ranking.py``, on the half that is not reported.

To be called by ``python -m bench.recall_fit``. Each question is asked once more of a memory that lacks what answers it:
questions without an answer that are as near to what was done as those with one. And they are asked of memories of a few
procedures, which may hold the answer or not: everybody has such a memory in the first hour.
"""

import random
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adapters.embeddings import StaticWords
from bench.recall_set import NOW, ZONE, Asked, more_questions, procedures, questions
from core.memory import Procedure
from core.recall.ports import Clock, Words
from core.recall.question import understood
from core.recall.ranking import FLOOR, features
from core.recall.recall import search_results
from storage.memories.memories import SqlMemories

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
FEW = (1, 2, 3, 5, 10)
"""Procedures of the small memories."""
OTHERS = 12
"""So many questions that it does not answer are asked of a small memory for each of its procedures; half of them are
about the same applications."""
FEW_SHARE = 0.05
"""How much a question to a small memory counts: it is asked of one of each size, and a memory is small for a day."""
FLOORS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)


class Sample(NamedTuple):
    """The answers to a question."""

    asked: Asked
    weight: float
    seen: list[tuple[float, ...]]
    right: list[bool]
    size: int
    """How many procedures the memory holds."""
    is_kept: bool
    """Whether what answers it is among them."""


def samples(memories: SqlMemories, words: Words | None) -> list[Sample]:
    """Of each question, and of each with its answers taken away."""
    found: list[Sample] = []
    for asked in _asked():
        found.append(_sample(asked, memories, words, 1.0 if asked.answers else UNANSWERED))
        answers = [each for each in procedures() if each.id in asked.answers]
        for each in answers:
            memories.replace(each.video, [])
        if answers:
            found.append(_sample(asked, memories, words, REMOVED))
        for each in answers:
            memories.replace(each.video, [each])
    return found


def small_samples(memories: SqlMemories, words: Words | None) -> list[Sample]:
    """Of memories of a few procedures, each procedure in one memory of each size; the memories are empty again."""
    chance = random.Random(5)
    found: list[Sample] = []
    asked = _asked()
    answers = {id_ for each in asked for id_ in each.answers}
    for size in FEW:
        mixed = [each for each in procedures() if each.id in answers]
        chance.shuffle(mixed)
        for place in range(0, len(mixed), size):
            kept = mixed[place : place + size]
            for each in kept:
                memories.replace(each.video, [each])
            found += [_sample(each, memories, words, share) for each, share in _asked_of(kept, asked, chance)]
            for each in kept:
                memories.replace(each.video, [])
    return found


def _asked() -> list[Asked]:
    """The questions of the half that is for fitting that are about more than a time."""
    every = [each for each in (*questions(), *more_questions()) if each.is_for_fitting]
    return [each for each in every if not understood(each.query, Clock(NOW, ZONE)).is_about_time_alone]


def _asked_of(
    kept: Sequence[Procedure], asked: Sequence[Asked], chance: random.Random
) -> Generator[tuple[Asked, float]]:
    """What a small memory is asked, and how much each counts: all that it answers, and some that it does not."""
    ids = {each.id for each in kept}
    places = {each.applications for each in kept}
    near = {each.id for each in procedures() if each.applications in places}
    others = [each for each in asked if ids.isdisjoint(each.answers)]
    beside = [each for each in others if not near.isdisjoint(each.answers)]
    for each in asked:
        if not ids.isdisjoint(each.answers):
            yield each, FEW_SHARE
    for some in (beside, others):
        for each in chance.sample(some, min(len(some), OTHERS * len(kept) // 2)):
            yield each, FEW_SHARE * (REMOVED if each.answers else UNANSWERED)


def _sample(asked: Asked, memories: SqlMemories, words: Words | None, weight: float) -> Sample:
    question = understood(asked.query, Clock(NOW, ZONE))
    size = memories.count()
    reported = search_results(question, question.span, memories, size, words)
    right = [procedure.id in asked.answers for _, procedure in reported]
    is_kept = any(memories.get(each) is not None for each in asked.answers)
    return Sample(asked, weight, features([fit for fit, _ in reported], size), right, size, is_kept)


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
        reported = 1 / (1 + np.exp(-values @ weights))
        slope = values.T @ (share * (reported - truth)) + ridge @ weights
        curve = (values * (share * reported * (1 - reported))[:, None]).T @ values + ridge
        weights -= np.linalg.solve(curve, slope)
    return weights


def crossed(found: Sequence[Sample]) -> list[tuple[Sample, list[float]]]:
    """How sure each answer is by the constants that were learned from other questions; of a procedure all at once."""

    def part(sample: Sample) -> int:
        return sum((sample.asked.answers or (sample.asked.query,))[0].encode()) % PARTS

    reported: list[tuple[Sample, list[float]]] = []
    for place in range(PARTS):
        weights = fitted([each for each in found if part(each) != place])
        reported += [
            (each, [float(1 / (1 + np.exp(-weights @ np.array([1.0, *seen])))) for seen in each.seen])
            for each in found
            if part(each) == place
        ]
    return reported


def _report(reported: Sequence[tuple[Sample, list[float]]]) -> None:
    """What each floor costs and saves, of the whole memory and of the small ones; and how sure it was."""
    for is_small in (False, True):
        print("of small memories" if is_small else "of all procedures")
        some = [each for each in reported if (each[0].size in FEW) == is_small]
        for floor in FLOORS:
            print(f"floor {floor}: {_format_results_at(some, floor)}")
        _print_sureness(some)
    for size in FEW:
        some = [each for each in reported if each[0].size == size]
        print(f"{size} procedures, floor {FLOOR}: {_format_results_at(some, FLOOR)}")
        _print_sureness(some)


def _format_results_at(reported: Sequence[tuple[Sample, list[float]]], floor: float) -> str:
    own = questions()
    can = [each for each in reported if each[0].is_kept]
    easy, harder = (
        np.mean([_reciprocal(*each, floor) for each in can if (each[0].asked in own) == is_own])
        for is_own in (True, False)
    )
    never, gone = (
        np.mean([max(sure, default=0.0) >= floor for sample, sure in reported if is_wanted(sample)])
        for is_wanted in (_is_of_nothing, _is_not_kept)
    )
    return f"MRR {easy:.3f}, of the harder {harder:.3f}; answered without an answer {never:.2f}, not kept {gone:.2f}"


def _is_of_nothing(sample: Sample) -> bool:
    return not sample.asked.answers


def _is_not_kept(sample: Sample) -> bool:
    return bool(sample.asked.answers) and not sample.is_kept


def _print_sureness(reported: Sequence[tuple[Sample, list[float]]]) -> None:
    first = [(sure[0], sample.right[0], sample.weight) for sample, sure in reported if sure]
    for low, high in ((0.0, 0.25), (0.25, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.01)):
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
        few = SqlMemories(Path(folder) / "few.db")
        for name, words in (("_BY_LETTERS", None), ("_BY_MEANING", StaticWords())):
            found = samples(memories, words) + small_samples(few, words)
            _report(crossed(found))
            print(f"{name}: Final = {tuple(fitted(found).round(2).tolist())}")
        few.close()
        memories.close()


if __name__ == "__main__":
    main()
