"""What a field holds, as it was read: apart from the icons and the caret in it, which are read as signs of its text."""

from __future__ import annotations

import difflib
import re
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from core.demonstration.typed_texts import CARETS
from core.text import ICON_LETTERS

_ALIKE: Final = 0.6
_NEARLY: Final = 0.9
_SIGNS_A_SLIP: Final = 8
_SLIPS: Final = 80.0
"""Of a hundred: so much of a text is read alike elsewhere."""
_DRAWN: Final = re.compile(r"(?<=\S)\s*[\u00d7\u2190-\u27bf]+$|(?<=[0-9A-Za-z])\s[\u2e80-\u9fff]$")
"""Crosses, arrows and marks, as of what empties a field: no keyboard has them; a spin button is read as Chinese."""


def as_typed(held: str, typed: str, before: str) -> str:
    """What a field holds without its icons and the caret.

    Args:
        held: as it was read afterwards.
        typed: as it was read while the letters came, without the icon.
        before: what the field held first, as its hint, read with the same icon.

    """
    words = without_icon(held, before).split(" ")
    if len(words) > 1 and _is_icon(words[0]) and " ".join(words[1:]).startswith(typed):
        words = words[1:]
    while len(words) > 1 and len(words[-1]) == 1 and not words[-1].isalnum() and not typed.endswith(words[-1]):
        words = words[:-1]
    if words[-1] in ICON_LETTERS and " ".join(words[:-1]) == typed:
        words = words[:-1]
    value = " ".join(words)
    return typed if value[:-1] == typed and value[-1:] in CARETS else value


def without_icon(text: str, before: str) -> str:
    """A text without the sign that stood before the hint of its field too, and without drawn signs behind it."""
    text = _DRAWN.sub("", text)
    sign, _, rest = text.partition(" ")
    return rest if rest and _is_icon(sign) and before.startswith(f"{sign} ") else text


def has_icon_letter(text: str) -> bool:
    """Whether it may begin with the icon of its field: a magnifying glass is read as a Q, a cross as an X."""
    return text[:1] in ICON_LETTERS and text[1:2] == " "


def is_alike(value: str, later: str) -> bool:
    """Whether two readings may be of one text."""
    return difflib.SequenceMatcher(None, value, later, autojunk=False).ratio() >= _ALIKE


def agrees(held: str, typed: str) -> bool:
    """Whether what a field holds begins with what was typed, or is it but for a few signs that were read otherwise."""
    slips = max(1, len(typed) // _SIGNS_A_SLIP)
    return held.startswith(typed) or Levenshtein.distance(held, typed, score_cutoff=slips) <= slips


def in_whole_words(text: str, line: str) -> str:
    """A text as it stands in its row, with the rest of the words of which it has a part; a caret is none."""
    found = re.search(rf"\w*{re.escape(text)}\w*", line)
    whole = found[0] if found is not None else text
    return text if whole[:-1] == text and whole[-1] in CARETS else whole


def differs(held: str, typed: str) -> bool:
    """Whether a letter or digit of what a field holds is another one than was read while it was typed, or a word more.

    A pointer that rests in a field, and its grip, are read as a word behind what was typed.
    """
    more = held.removeprefix(typed) if held.startswith(typed) else ""
    has_word = more.startswith(" ") and bool(letters_of(more))
    return has_word or not letters_of(held).startswith(letters_of(typed))


def is_slip(text: str, row: str) -> bool:
    """Whether a text stands in its row, too, but with another letter or digit."""
    own, others = letters_of(text), letters_of(row)
    is_long = 100 * len(others) >= _SLIPS * len(own)
    return is_long and own not in others and fuzz.partial_ratio(own, others) >= _SLIPS


def letters_of(text: str) -> str:
    """Its letters and digits alone, in small letters."""
    return "".join(filter(str.isalnum, text)).casefold()


def added_behind(held: str, before: str, typed: str) -> bool:
    """Whether a field holds what it held before, but for slips of its reader, and behind it what was typed."""
    kept = held.removesuffix(typed)
    return bool(before and typed) and kept != held and _ratio(kept.strip(), before) >= _NEARLY


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio()


def _is_icon(word: str) -> bool:
    return len(word) == 1
