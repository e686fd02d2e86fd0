"""What may stand in a procedure for each word of a question, and how much it tells there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from core.recall.ports import Wanted
from core.recall.spelling import counted, joined, meant
from core.recall.synonyms import synonyms
from core.recall.terms import word_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.recall.ports import Memories
    from core.recall.question import Asked, Question
    from core.recall.spelling import Choice
    from core.recall.words import Words

_RARE: Final = 0.02
"""A word that fewer procedures hold may be one that was cut short or misspelt."""
_WEAK: Final = 0.35
_UNKNOWN: Final = 0.8
"""A word that was never read weighs a little less than one that was read once: it may be the person's own."""
_FEWEST: Final = 50
"""Among fewer procedures a word tells as much as among so many: which words are rare cannot be seen of a few."""
_JOINED: Final = 0.8
_NEAR: Final = 0.4
"""As near in meaning a word must be at least to be looked for too; 1 is the same."""
_NEAR_SHARE: Final = 0.5
"""How much it counts then, times its nearness."""


class Group(NamedTuple):
    """A word of the question and whatever may stand for it."""

    choices: Mapping[Choice, float]
    """Terms that must follow one another, and how much they count: 1 is the word itself."""
    weight: float
    """How much it tells where it stands: more, the fewer procedures hold it."""
    documents: Mapping[Choice, int]
    """In how many procedures each choice occurs at most."""

    @property
    def wanted(self) -> list[Wanted]:
        """What can be looked for at all."""
        return [Wanted(terms, count) for terms, count in self.documents.items() if count]


def groups_of(question: Question, memories: Memories, total: int, words: Words | None = None) -> list[Group]:
    """A group for each word of the question.

    Args:
        question: what is asked.
        memories: whose vocabulary is looked up.
        total: how many procedures there are.
        words: what words mean, if that is known.

    """
    known = synonyms()
    choices = [{asked.terms: 1.0} | known.get(asked.terms, {}) for asked in question.words]
    for each, term in zip(choices, joined([asked.written for asked in question.words]), strict=True):
        if term:
            each.setdefault((term,), _JOINED)
    if words is not None:
        for asked, each in zip(question.words, choices, strict=True):
            if asked.written and not asked.is_weak:
                _add_near(asked.written, each, words)
    counts = memories.frequencies({term for each in choices for terms in each for term in terms})
    return [
        _group(asked, each, counted(each, counts), memories, total)
        for asked, each in zip(question.words, choices, strict=True)
    ]


def _add_near(word: str, choices: dict[Choice, float], words: Words) -> None:
    for other, likeness in words.near(word):
        if likeness >= _NEAR:
            choices.setdefault(word_terms(other), _NEAR_SHARE * likeness)


def _group(
    asked: Asked, choices: dict[Choice, float], documents: dict[Choice, int], memories: Memories, total: int
) -> Group:
    exact = documents[asked.terms]
    if len(asked.terms) == 1 and exact <= _RARE * total and (asked.written or not exact):
        others = meant(asked.written or asked.terms[0], asked.terms[0], memories, is_known=exact > 0)
        for terms, (share, count) in others.items():
            if choices.get(terms, 0.0) < share:
                choices[terms] = share
                documents[terms] = count
    return Group(choices, _weight(choices, documents, total, is_weak=asked.is_weak), documents)


def _weight(choices: Mapping[Choice, float], documents: Mapping[Choice, int], total: int, *, is_weak: bool) -> float:
    best = max((share for terms, share in choices.items() if documents[terms]), default=0.0)
    count = min(total, sum(documents[terms] for terms, share in choices.items() if share == best)) if best else 0
    of = max(total, _FEWEST)
    # Of a word that one procedure alone holds it is 1, however many there are.
    rarity = math.log(1 + (of - count + 0.5) / (count + 0.5)) / math.log(1 + (of - 0.5) / 1.5)
    return rarity * (_WEAK if is_weak else 1.0) * (1.0 if best else _UNKNOWN)
