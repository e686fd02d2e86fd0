"""The stem of an English word, so that "added" finds "adding": the algorithm of Porter (1980).

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, 130-137; without the later revisions, as
SQLite's own ``porter`` has it.
"""

from __future__ import annotations

import functools
import re
from typing import Final

_SHORTEST: Final = 3
_VOWELS: Final = frozenset("aeiou")
_LATIN: Final = re.compile(r"[a-z]+")
_RUNS: Final = re.compile(r"v+c+")
_STEP_2: Final = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "logi": "log", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3: Final = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4: Final = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
    "al", "er", "ic", "ou",
)  # fmt: skip


@functools.lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a word in lower case; a word that is not of the letters a to z alone is its own stem."""
    if len(word) < _SHORTEST or not _LATIN.fullmatch(word):
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2)
    word = _replaced(word, _STEP_3)
    return _without_e(_without_suffix(word))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if not word.endswith(("ed", "ing")):
        return word
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _has_vowel(word[: -len(ending)]):
            return _mended(word[: -len(ending)])
    return word


def _mended(word: str) -> str:
    """What is left without ``ed`` or ``ing``, made a stem again."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and word[-1] not in "lsz" and _shape(word)[-1] == "c":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _replaced(word: str, endings: dict[str, str]) -> str:
    if not word.endswith(tuple(endings)):
        return word
    ending = max((each for each in endings if word.endswith(each)), key=len)
    rest = word[: -len(ending)]
    return rest + endings[ending] if _measure(rest) else word


def _without_suffix(word: str) -> str:
    if not word.endswith(_STEP_4):
        return word
    ending = max((each for each in _STEP_4 if word.endswith(each)), key=len)
    rest = word[: -len(ending)]
    return rest if _measure(rest) > 1 and (ending != "ion" or rest.endswith(("s", "t"))) else word


def _without_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _measure(rest) > 1 or (_measure(rest) == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _shape(word: str) -> str:
    """Vowels and consonants: a y after a consonant is a vowel."""
    shape = ""
    for sign in word:
        is_vowel = sign in _VOWELS or (sign == "y" and shape[-1:] == "c")
        shape += "v" if is_vowel else "c"
    return shape


def _measure(word: str) -> int:
    return len(_RUNS.findall(_shape(word)))


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant, and the last is none of w, x, y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"
