"""The rival of reload's matching: the rule that it started from, as it was written down, over a list in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from core.reload.offers import Question

OFFERED: Final = 0.7
AUTOMATIC: Final = 0.95
MOST: Final = 3


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What it compares."""

    trigger: tuple[str, str]
    grams: frozenset[str]
    windows: str

    @classmethod
    def of(cls, question: Question) -> Fingerprint:
        """Of a request and its context; words of less than three letters are not seen."""
        words = [word for word in question.request.lower().split() if len(word) > 2]
        grams = {" ".join(words[at : at + size]) for size in (2, 3) for at in range(len(words) - size + 1)}
        state = json.dumps(question.window_state, sort_keys=True, ensure_ascii=False)
        return cls(
            trigger=(question.trigger_type or "", question.trigger_target or ""),
            grams=frozenset(grams),
            windows=hashlib.sha256(state.encode()).hexdigest()[:16],
        )

    def similarity(self, other: Fingerprint) -> float:
        """0.5 for the trigger, 0.3 times the Jaccard index of the 2- and 3-grams, 0.2 for the windows."""
        union = len(self.grams | other.grams)
        jaccard = len(self.grams & other.grams) / union if union else 0.0
        return 0.5 * (self.trigger == other.trigger) + 0.3 * jaccard + 0.2 * (self.windows == other.windows)


class Rival:
    """Scores every entry at each question; the values of an entry are those it was recorded with.

    Args:
        entries: what was asked then, by any name.

    """

    def __init__(self, entries: Iterable[tuple[Any, Question]]) -> None:
        self._entries = [(name, Fingerprint.of(question)) for name, question in entries]

    def offers(self, question: Question) -> list[tuple[float, Any]]:
        """The best, their similarities before them."""
        asked = Fingerprint.of(question)
        scored = ((asked.similarity(entry), name) for name, entry in self._entries)
        return sorted((each for each in scored if each[0] >= OFFERED - 1e-9), key=lambda each: -each[0])[:MOST]
