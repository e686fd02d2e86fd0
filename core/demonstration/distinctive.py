"""Which texts tell one screen from others, and stand there again when the same is done anew."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.demonstration.screen_texts import is_masked, is_shape
from core.text import IDENTIFIERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.demonstration.screen_texts import Seen

_PLAIN_WORD: Final = re.compile(
    r"[(\"'\u201c\u2018#$\u20ac\u00a3]*[^\W_](?:[\w'\u2019@&%+=/-]|\.(?!\.)|(?<=\d)[,:](?=\d)|\(\w+\))*[.,:;!?)\"'\u201d\u2019%]*"
    r"|[-\u2013\u2014&+=|]"
)
"""A comma between two letters is a full stop that was read wrong."""
_ICON: Final = re.compile(r"[A-Z]{2}[a-z]{3}")
_EDGES: Final = "()[]|:;,-\u2013\u2014&+= "
"""Of a part of a line they belong to what is left out."""
_LETTERS: Final = 3
_PASSING: Final = re.compile(
    r"\d+\s*%|\b(?:ago|just now|today|loading|please wait|remaining|left|elapsed)\b|…$|\.\.\.$", re.IGNORECASE
)
"""A share, or words of something that goes on."""
_STAMP: Final = re.compile(
    r"\d{1,2}\s*:\s*\d{2}|\b\d+(?:[.,]\d+)?\s*(?:s|sec|seconds?|min|minutes?|h|hours?|days?)\b"
    r"|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.? \d{1,2}(?:st|nd|rd|th)?\b|\b\d{1,2}(?:st|nd|rd|th)\b"
    rf"|\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|{'|'.join(IDENTIFIERS)}",
    re.IGNORECASE,
)
"""A time, a duration, a date, an id."""


def is_volatile(text: str) -> bool:
    """Whether a text is another one next time, or tells nothing: a time, a date or its shape, a share, an id."""
    return _PASSING.search(text) is not None or _STAMP.search(text) is not None or is_shape(text)


def is_plainly_read(text: str) -> bool:
    """Whether a text looks like words: an icon beside a text is read as a sign or a capital before it."""
    return all(_PLAIN_WORD.fullmatch(word) and not _ICON.match(word) for word in text.split())


def plain_part(text: str) -> str:
    """Its longest run of words that were read plainly and are the same next time; empty for what goes on."""
    if _PASSING.search(text):
        return ""
    runs: list[list[str]] = [[]]
    for piece in _STAMP.sub(" \0 ", text).split():
        is_word = piece != "\0" and is_plainly_read(piece)
        runs[-1:] = [[*runs[-1], piece]] if is_word else [runs[-1], []]
    parts = [" ".join(run) for run in runs]
    longest = max(parts, key=lambda part: sum(map(str.isalpha, part)))
    return text if longest == text else longest.strip(_EDGES)


def is_distinctive(one: Seen, said: Sequence[str]) -> bool:
    """Whether a text tells one screen from others: words that were read plainly, and none of those that were said."""
    if not one.is_quotable or is_volatile(one.text) or is_masked(one.text):
        return False
    if not is_plainly_read(one.text):
        return False
    if sum(sign.isalpha() for sign in one.text) < _LETTERS:
        return False
    return _words(one.text) not in {_words(each) for each in said}


def _words(text: str) -> str:
    """The words alone; a tab's title has the sign that closes it behind."""
    return " ".join(re.findall(r"\w+", text.casefold())).removesuffix(" x")
