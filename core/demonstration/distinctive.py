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
_LETTERS: Final = 3
_VOLATILE: Final = re.compile(
    r"\d{1,2}\s*:\s*\d{2}|\d+\s*%|\b\d+\s*(?:s|sec|seconds?|min|minutes?|h|hours?|days?)\b"
    r"|\b(?:ago|just now|today|loading|please wait|remaining|left|elapsed)\b"
    rf"|\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|…$|\.\.\.$|{'|'.join(IDENTIFIERS)}",
    re.IGNORECASE,
)


def is_volatile(text: str) -> bool:
    """Whether a text is another one next time, or tells nothing: a time, a date or its shape, a share, an id."""
    return _VOLATILE.search(text) is not None or is_shape(text)


def is_plainly_read(text: str) -> bool:
    """Whether a text looks like words: an icon beside a text is read as a sign or a capital before it."""
    return all(_PLAIN_WORD.fullmatch(word) and not _ICON.match(word) for word in text.split())


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
