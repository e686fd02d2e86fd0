"""Reads a request as plain tokens, without its politeness. Nothing here knows grammar."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

_SPACES: Final = re.compile(r"\s+")
_QUOTES: Final = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb`", '"') | dict.fromkeys("\u2018\u2019", "'")
)
_TOKEN: Final = re.compile(r"\w(?:[\w.@:/%+'~-]*\w)?|\S")
_OPENING: Final = re.compile(
    r"(?:please|hey|hi|hello|ok(?:ay)?|bitte|por favor|s'il (?:te|vous) pla[iî]t|per favore"
    r"|(?:can|could|would|will) you)(?:\s*[,!:]\s*|\s+)",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"(?:,\s*|(?<=[.!?])\s*|\s+)"
    r"(?:please|thanks(?: a lot)?|thank you|thx|cheers|bitte|danke|por favor|gracias|merci)[.!]*$",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"(?:can|could|would|will) you\b", re.IGNORECASE)
_RELATIVE_DAYS: Final = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|(?:this|next|last) (?:week|weekend|month|year|quarter|morning|evening"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|heute|morgen|gestern|hoy|mañana|ayer|aujourd'hui|demain|hier)\b",
    re.IGNORECASE,
)


class Token(NamedTuple):
    """A word, a number, an address, or one punctuation mark."""

    text: str
    start: int
    end: int
    """Where it stands in the text, in characters."""


def squeezed(text: str) -> str:
    """The text without regard to Unicode composition, white space and the final full stop."""
    text = _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip()
    return text.rstrip(".!…").rstrip() or text


def spoken(text: str) -> str:
    """What is asked for: one kind of quotation marks, without politeness at its ends and the final full stop.

    A question mark is dropped only behind "could you …": "delete the file?" asks something else.
    """
    text = unicodedata.normalize("NFC", _SPACES.sub(" ", text)).translate(_QUOTES).strip()
    is_request = False
    while (opening := _OPENING.match(text)) is not None and opening.end() < len(text):
        is_request = is_request or _ASKS.match(text) is not None
        text = text[opening.end() :]
    shorter = ""
    while shorter != text:
        shorter = text
        text = _CLOSING.sub("", text.rstrip(".!… ")).rstrip()
        if is_request:
            text = text.rstrip("? ")
    return text


def tokens(text: str) -> list[Token]:
    """Its tokens in order; only white space is left out."""
    return [Token(found.group(), found.start(), found.end()) for found in _TOKEN.finditer(text)]


def words(text: str) -> list[str]:
    """Its words, without regard to case and punctuation."""
    return [token.text.casefold() for token in tokens(text) if token.text[:1].isalnum()]


def relative_day(text: str) -> str:
    """The first words that mean another day each time they are said; empty when there are none."""
    found = _RELATIVE_DAYS.search(text)
    return found.group() if found is not None else ""
