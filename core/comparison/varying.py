"""Values that differ from run to run: dates, times, ids, and what the caller's patterns name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from core.errors import InvalidRequest
from core.text import IDENTIFIERS

_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_NAMED: Final = ("order", "id", "session", "receipt", "invoice", "ticket", "build", "run")
_RULES: Final = (
    *IDENTIFIERS,
    # Reading a picture loses spaces: none is needed in what is a date or a time without it.
    r"(?<!\d)\d{4}-\d\d?-\d\d?(?:[T ]?\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?",
    r"(?<!\d)\d{1,2}[./]\d{1,2}[./]\d{2,4}(?!\d)",
    rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|\.)? ?{_MONTH}\.?,? ?\d{{4}}(?!\d)",
    rf"\b{_MONTH}\.? ?\d{{1,2}}(?:st|nd|rd|th)?,? ?\d{{4}}(?!\d)",
    r"(?<!\d)\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[ap]m)?(?!\d)",
    r"\b\d+ ?(?:second|minute|hour|day|week|month)s? ?ago\b",
    r"\b\d+(?:[.,]\d+)? ?(?:ms|milliseconds?|secs?|seconds?)\b",
    *(rf"(?<=\b{word}){sign}[\w-]*\d[\w-]*" for word in _NAMED for sign in (": ?", " ", r"(?=\d)")),
    # What is counted with its kind before it, as of messages or users; a name of fewer digits may be a product's.
    r"\b[^\W\d_]{2,}[-_]?\d{4,}(?![\w-])",
    # A number with a word behind it is two that were read as one.
    r"# ?\d+(?=[^\W\d_]{3,}(?![\w-]))",
    r"# ?[\w-]*\d[\w-]*",
)
SIGN: Final = "\u2022"
"""What stands for a value that differs from run to run."""
_MOST_PATTERNS: Final = 50
_LONGEST: Final = 500

_ALIKE: Final = str.maketrans("01l|5", "oiiis")


def masking(patterns: Sequence[str] = ()) -> Callable[[str], str]:
    """A function that puts one sign in place of each varying value. Raises ``InvalidRequest`` for a wrong pattern."""
    if len(patterns) > _MOST_PATTERNS or any(len(each) > _LONGEST for each in patterns):
        raise InvalidRequest(f"At most {_MOST_PATTERNS} patterns of {_LONGEST} characters can name varying values.")
    rules: list[re.Pattern[str]] = []
    for each in (*patterns, *_RULES):
        try:
            rules.append(re.compile(each, re.IGNORECASE))
        except re.error as error:
            raise InvalidRequest(f"{each!r} is no regular expression: {error}.") from None

    def mask(text: str) -> str:
        for rule in rules:
            text = rule.sub(SIGN, text)
        return re.sub(rf"\s*{SIGN}\s*", SIGN, " ".join(text.split()))

    return mask


def folded(text: str) -> str:
    """The text without what reading confuses: case, spaces, punctuation, and letters that look alike."""
    return "".join(letter for letter in text.casefold() if letter.isalnum()).replace("rn", "m").translate(_ALIKE)
