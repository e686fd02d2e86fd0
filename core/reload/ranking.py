"""Ranks recorded requests by how near they are to what is asked: by the words they share, and by what words mean."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.recall.words import Words
    from core.reload.ports import Nearby

_LIKE: Final = 0.5
"""A word whose meaning is nearer than that may stand for the asked one when entries are looked up."""
_MOST_LIKE: Final = 6


class Ranked(NamedTuple):
    """An entry and how near it is."""

    similarity: float
    """0 to 1: half of it is the share of words that both have, rare words counting more; half the meaning."""
    entry_id: str
    wording: int
    """The index of its wording that is nearest."""


def expanded(asked: Sequence[str], meanings: Words | None) -> dict[str, float]:
    """The words to look up: those of the request with 1, and words of like meaning with their likeness."""
    found = dict.fromkeys(asked, 1.0)
    if meanings is None:
        return found
    for word in dict.fromkeys(asked):
        for other, likeness in list(meanings.near(word))[:_MOST_LIKE]:
            if likeness >= _LIKE:
                found[other] = max(found.get(other, 0.0), likeness)
    return found


def ranked(asked: Sequence[str], nearby: Sequence[Nearby], meanings: Words | None) -> list[Ranked]:
    """All of them, the nearest first; a word that few of them have counts more.

    Args:
        asked: the words of the request.
        nearby: what was found by them.
        meanings: what words mean; without them only the words that both have count.

    """
    wordings = [(each.entry_id, at, words) for each in nearby for at, words in enumerate(each.wordings) if words]
    if not wordings:
        return []
    frequencies = Counter(word for _, _, words in wordings for word in set(words))

    def weight(word: str) -> float:
        return math.log(1 + len(wordings) / (0.5 + frequencies[word]))

    weights = {word: weight(word) for word in asked}
    meant = meanings.alike(weights, [words for _, _, words in wordings]) if meanings is not None else ()
    said = set(asked)
    wanted = sum(weight(word) for word in said)
    best: dict[str, Ranked] = {}
    for place, (entry_id, at, words) in enumerate(wordings):
        whole = sum(weight(word) for word in set(words))
        shared = sum(weight(word) for word in set(words) & said)
        similarity = 2 * shared / (whole + wanted)
        if meant:
            similarity = 0.5 * similarity + 0.5 * max(0.0, meant[place])
        if entry_id not in best or similarity > best[entry_id].similarity:
            best[entry_id] = Ranked(similarity, entry_id, at)
    return sorted(best.values(), key=lambda each: -each.similarity)
