"""What may stand in a procedure for each word of a question (misspelt, joined, a synonym), and how much it tells."""

from __future__ import annotations

import math
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final, NamedTuple

from core.recall.ports import Memories, Wanted, Words
from core.recall.synonyms import synonyms
from core.recall.terms import word_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from core.recall.question import QueryTerm, Question


Choice = tuple[str, ...]
MOST: Final = 6
_LISTED: Final = 100
_BEGINS, _CONTAINS, _MISSPELT, _SPLIT, _LONGER = 0.8, 0.7, 0.85, 0.8, 0.55
"""How much it counts that a term begins with the word, contains it, is spelt nearly so, is it in two, or begins it."""
_SHORTEST: Final = 3
_LONG: Final = 8
_LONGEST: Final = 20
_SHORTEST_HALF: Final = 2
_SHORTEST_HEAD: Final = 5


def meant(word: str, term: str, memories: Memories, *, is_known: bool) -> dict[Choice, tuple[float, int]]:
    """What else of the vocabulary a word may mean: how much each counts, and how many procedures hold it.

    Args:
        word: in lower case.
        term: of the word.
        memories: whose vocabulary is asked.
        is_known: the term itself occurs, so that it is not misspelt.

    """
    found: dict[Choice, tuple[float, int]] = {
        (other,): (_BEGINS * (0.5 + 0.5 * len(term) / len(other)), count)
        for other, count in memories.longer_terms(term, _LISTED).items()
    }
    if not is_known and len(word) <= _LONGEST:
        near = list(_by_one_letter(word, memories))
        if not near:
            near += _alike(term, memories)
        for choice, share, count in (*near, *_in_two(word, memories)):
            if found.get(choice, (0.0,))[0] < share:
                found[choice] = (share, count)
    found.pop((term,), None)
    best = sorted(found.items(), key=lambda each: each[1], reverse=True)
    return dict(best[:MOST])


def _alike(term: str, memories: Memories) -> Iterator[tuple[Choice, float, int]]:
    """Terms that contain it, or are two letters away: inserted, left out, replaced, or swapped with a neighbour."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - 25 ms, at the first misspelt word

    for other, count in memories.similar_terms(term, _LISTED).items():
        length = max(len(term), len(other))
        most = 2 if length >= _LONG else 1
        if term in other:
            yield (other,), _CONTAINS * (0.4 + 0.6 * len(term) / len(other)), count
        elif length > _SHORTEST and (distance := OSA.distance(term, other, score_cutoff=most)) <= most:
            yield (other,), _misspelt(term, other, distance), count


def _misspelt(one: str, other: str, distance: int) -> float:
    return _MISSPELT * (1 - 0.6 * distance / max(len(one), len(other)) - (0.1 if one[:1] != other[:1] else 0.0))


def _by_one_letter(word: str, memories: Memories) -> Iterator[tuple[Choice, float, int]]:
    """Words that are one letter, or two that changed places, away; of very short ones only the latter."""
    if not (word.isascii() and word.isalpha()) or len(word) < _SHORTEST:
        return
    heads = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    others = {head + tail[1] + tail[0] + tail[2:] for head, tail in heads if len(tail) > 1}
    if len(word) > _SHORTEST:
        others |= {head + tail[1:] for head, tail in heads if tail}
        others |= {head + sign + tail[1:] for head, tail in heads if tail for sign in ascii_lowercase}
        others |= {head + sign + tail for head, tail in heads for sign in ascii_lowercase}
    terms = {other: word_terms(other)[0] for other in others - {word} if other}
    counts = memories.frequencies(set(terms.values()))
    for other, term in terms.items():
        if term in counts:
            yield (term,), _misspelt(word, other, 1), counts[term]


def _in_two(word: str, memories: Memories) -> Iterator[tuple[Choice, float, int]]:
    """``pgdump`` as ``pg dump``; and the longest known beginning, as ``virtual`` of ``virtualenv``."""
    if not (word.isascii() and word.isalnum()) or len(word) < 2 * _SHORTEST_HALF + 1:
        return
    halves = [
        (word_terms(word[:place])[0], word_terms(word[place:])[0], place)
        for place in range(_SHORTEST_HALF, len(word) - _SHORTEST_HALF + 1)
    ]
    counts = memories.frequencies({half for one, other, _ in halves for half in (one, other)})
    for one, other, _ in halves:
        if one in counts and other in counts:
            yield (one, other), _SPLIT, min(counts[one], counts[other])
    for one, _, place in reversed(halves):
        if one in counts and place >= _SHORTEST_HEAD:
            yield (one,), _LONGER * place / len(word), counts[one]
            return


def joined(words: Sequence[str]) -> list[str]:
    """The term of each word together with the next one: what is asked for as two may be written as one."""
    following = [*words[1:], ""]
    return [word_terms(one + other)[0] if one and other else "" for one, other in zip(words, following, strict=False)]


def counted(choices: Mapping[Choice, float], counts: Mapping[str, int]) -> dict[Choice, int]:
    """In how many procedures each occurs at most."""
    return {terms: min(counts.get(term, 0) for term in terms) for terms in choices}


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
    asked: QueryTerm, choices: dict[Choice, float], documents: dict[Choice, int], memories: Memories, total: int
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
