"""Compares what was read with what was there, forgiving the slips of reading but never a digit."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

ALIKE = 0.85
"""The share of characters in common from which two spellings are the same words read twice."""
SHORT = 3
"""Words of fewer letters are no evidence for or against anything."""


def squash(text: str) -> str:
    """Letters and digits alone, in lower case: readers lose blanks and dots, and nobody minds."""
    return "".join(re.findall(r"[^\W_]", text.casefold()))


def contains(text: str, words: str) -> bool:
    """Whether ``words`` stand in ``text``: exactly, or alike with all the same digits in the same order."""
    hay, needle = squash(text), squash(words)
    if needle in hay:
        return True
    digits = _digits(needle)
    matcher = SequenceMatcher(b=needle, autojunk=False)
    for size in range(len(needle) - 1, len(needle) + 2):
        for start in range(max(0, len(hay) - size) + 1):
            window = hay[start : start + size]
            matcher.set_seq1(window)
            if matcher.quick_ratio() >= ALIKE and _digits(window) == digits and matcher.ratio() >= ALIKE:
                return True
    return False


def unseen(quotes: Iterable[str], vocabulary: Iterable[str]) -> list[str]:
    """The quoted words that stood in no line of the vocabulary."""
    lines = [squash(line) for line in vocabulary]
    seen = "|".join(lines)
    words = (word for quote in quotes for word in quote.split() if len(squash(word)) >= SHORT)
    return [word for word in words if squash(word) not in seen and not any(contains(line, word) for line in lines)]


def recall(read: Iterable[str], truth: Iterable[str]) -> tuple[int, int]:
    """How many words of the truth were read exactly (case and all, ends trimmed), and how many there are.

    Each word that was read counts once; words glued together do not count.
    """
    pool: dict[str, int] = {}
    for word in (trim(word) for line in read for word in line.split()):
        pool[word] = pool.get(word, 0) + 1
    found = 0
    wanted = [word for word in map(trim, truth) if word]
    for word in wanted:
        if pool.get(word, 0) > 0:
            pool[word] -= 1
            found += 1
    return found, len(wanted)


def trim(word: str) -> str:
    """The word without what is no letter or digit at its ends."""
    return re.sub(r"^\W+|\W+$", "", word)


def _digits(text: str) -> str:
    return "".join(re.findall(r"\d", text))
