"""The words of a schedule, taken apart: times, dates, numbers, ordinals and words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum, auto

from core.errors import InvalidRequest

MOST_CHARACTERS = 2000
_NOON = 12
_PATTERN = re.compile(
    r"""
      (?P<date>\d{4}-\d{1,2}-\d{1,2})(?:t(?=\d))?
    | (?P<offset>[+-]\d{2}:?\d{2}(?!\d))
    | (?P<clock>(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?::(?P<second>\d{2}))?(?!\d)\s*(?P<half>[ap]\.?\s?m\b\.?)?)
    | (?P<bare>(?P<bare_hour>\d{1,2})\s*(?P<bare_half>[ap]\.?\s?m\b\.?))
    | (?P<mark>:\d{2}(?!\d))
    | (?P<ordinal>\d{1,2}(?:st|nd|rd|th)\b)
    | (?P<number>\d+(?![\w.:]))
    | (?P<word>[^\W\d_]+(?:'[^\W\d_]+)?)
    | (?P<dash>[-\u2013\u2014])
    | (?P<comma>[,&]|\+(?!\d))
    | (?P<other>\S[^\s,]*)
    """,
    re.VERBOSE,
)
_SAID_ONLY = frozenset({"the", "o'clock", "oclock", "sharp", "exactly", "please", "run", "hrs", "uhr"})
_NUMBERS = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(),  # noqa: SIM905 - read as a sentence
        1,
    )
} | {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "sixty": 60, "ninety": 90}
_CLOCK_WORDS = {"noon": 12 * 60, "midday": 12 * 60, "midnight": 0}


class Kind(Enum):
    """What a token is; ``value`` is a number for each but words, dates and offsets."""

    DATE = auto()
    OFFSET = auto()
    CLOCK = auto()
    """``value``: seconds after midnight."""
    MARK = auto()
    """``:15``, a minute of some hour."""
    ORDINAL = auto()
    NUMBER = auto()
    WORD = auto()
    DASH = auto()
    AND = auto()
    OTHER = auto()


@dataclass(frozen=True)
class Token:
    """One of them; ``text`` is as it was written, in lower case."""

    kind: Kind
    text: str
    value: int = 0


def tokens(text: str) -> list[Token]:
    """The tokens of a schedule's words. Words that say nothing are left out; ``and``, ``or`` and commas are one kind.

    Raises:
        InvalidRequest: the text is too long, or has an hour or a minute that no clock shows.

    """
    if len(text) > MOST_CHARACTERS:
        raise InvalidRequest(f"A schedule has at most {MOST_CHARACTERS:,} characters, this has {len(text):,}.")
    lowered = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")
    found = (_token(match) for match in _PATTERN.finditer(lowered.strip().rstrip(".!")))
    return [token for token in found if token.kind is not Kind.WORD or token.text not in _SAID_ONLY]


_NUMBERED = {"mark": Kind.MARK, "ordinal": Kind.ORDINAL, "number": Kind.NUMBER}
_PLAIN = {"date": Kind.DATE, "offset": Kind.OFFSET, "dash": Kind.DASH, "comma": Kind.AND}
_DIGITS = 9


def _token(match: re.Match[str]) -> Token:
    kind, text = match.lastgroup, match[0].strip()
    if match["clock"]:
        return _clock(text, match["hour"], match["minute"], match["second"], match["half"])
    if match["bare"]:
        return _clock(text, match["bare_hour"], "0", None, match["bare_half"])
    if match["word"]:
        return _word(text)
    if found := match["mark"] or match["ordinal"] or match["number"]:
        return Token(_NUMBERED[kind or ""], text[:_DIGITS], int(found.strip(":stndrh")[:_DIGITS]))
    return Token(_PLAIN.get(kind or "", Kind.OTHER), match["date"] or text)


def _word(text: str) -> Token:
    if text in _NUMBERS:
        return Token(Kind.NUMBER, text, _NUMBERS[text])
    if text in _CLOCK_WORDS:
        return Token(Kind.CLOCK, text, _CLOCK_WORDS[text] * 60)
    return Token(Kind.AND if text == "and" else Kind.WORD, text)


def _clock(text: str, hour: str, minute: str, second: str | None, half: str | None) -> Token:
    hours, minutes, seconds = int(hour), int(minute), int(second or 0)
    wrong = minutes > 59 or seconds > 59 or (hours > 23 if not half else not 1 <= hours <= _NOON)  # noqa: PLR2004 - a clock's
    if wrong:
        raise InvalidRequest(f'No clock shows "{text}"; write a time such as 9:00, 17:30 or 5pm.')
    if half:
        hours = hours % _NOON + (_NOON if half[0] == "p" else 0)
    return Token(Kind.CLOCK, text, (hours * 60 + minutes) * 60 + seconds)
