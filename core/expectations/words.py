"""From a sentence to symbols. Every word must be known, as part of a phrase or as one that changes nothing."""

from __future__ import annotations

import itertools
import re
from collections import ChainMap
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from core.expectations.claims import NotUnderstood
from core.expectations.vocabulary import KIND, LONGEST_PHRASE, PHRASES, UNITS, UNSCOPED, Mark
from core.text import APOSTROPHES, QUOTES, is_apostrophe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from core.expectations.vocabulary import Meaning


@dataclass(frozen=True)
class Symbol:
    """A quoted text, a phrase or a number, and how it stood in the sentence."""

    mark: Mark
    value: Any
    said: str


_CONTRACTED = {"won't": "will not", "can't": "can not", "cannot": "can not", "shan't": "shall not"}
_QUOTES = QUOTES | {"\u201d": "\u201d", "»": "«", "\u2039": "\u203a", "「": "」"}
"""Each opening quotation mark, and what closes it."""

_PIECE = re.compile(
    r"(?P<clock>[0-9]{1,4}:[0-5][0-9](?:\.[0-9]+)?)(?!\w)|(?P<number>[0-9]{1,9}(?:[.,][0-9]{1,9})?)\s*(?P<unit>[a-z]+\b)?"
    r"|(?P<comma>[,;:.!?\u2013\u2014]+|-(?=\s))|(?P<word>[^\W\d_]+(?:['\u2019-][^\W\d_]+)*)|(?P<other>\S)",
    re.IGNORECASE,
)

Piece = Symbol | str
"""A symbol, or a word that is still to be looked up."""


@dataclass(frozen=True)
class Words:
    """What a sentence consists of."""

    symbols: list[Symbol]
    kinds: tuple[str, ...]
    """What its texts are said to stand on: button, toast."""
    unknown: tuple[str, ...]
    """Words and numbers that no rule knows."""


def read(sentence: str, more: Mapping[tuple[str, ...], Meaning] = MappingProxyType({})) -> Words:
    """Take a sentence apart. ``more`` are phrases that are known besides the vocabulary's, and before them.

    Raises:
        NotUnderstood: a quotation that is empty or does not end.

    """
    pieces = list(_pieces(sentence))
    known = ChainMap(dict(more), PHRASES)
    symbols: list[Symbol] = []
    kinds: list[str] = []
    unknown: list[str] = []
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        if isinstance(piece, Symbol):
            symbols.append(piece)
            at += 1
            continue
        words = _longest_phrase(pieces, at, known) or (piece,)
        at += len(words)
        mark, value = known.get(words, (None, UNSCOPED))
        if mark is not None:
            symbols.append(Symbol(mark, value, " ".join(words)))
        elif value == KIND:
            kinds += words
        elif value == UNSCOPED:
            unknown.append(" ".join(words))
    return Words(symbols, tuple(kinds), tuple(unknown))


def _longest_phrase(
    pieces: Sequence[Piece], at: int, known: Mapping[tuple[str, ...], Meaning]
) -> tuple[str, ...] | None:
    words = list(itertools.takewhile(lambda piece: isinstance(piece, str), pieces[at : at + LONGEST_PHRASE]))
    lengths = range(len(words), 0, -1)
    return next((phrase for length in lengths if (phrase := tuple(map(str, words[:length]))) in known), None)


def no_rule(unknown: Sequence[str]) -> str:
    """Says that there are words which no rule knows."""
    shown = ", ".join(f'"{word[:40]}"' for word in dict.fromkeys(unknown[:6]))
    more = f" and {len(unknown) - 6} more" if len(unknown) > 6 else ""  # noqa: PLR2004 - as many as a reader takes in
    return f"there is no rule for {shown}{more} here; only what a quoted text does, when and how often can be judged"


def _pieces(sentence: str) -> Iterator[Piece]:
    """Quotes, durations, numbers and commas as symbols; words in lower case, contractions written out."""
    at = 0
    while at < len(sentence):
        if sentence[at].isspace():
            at += 1
            continue
        if sentence[at] in _QUOTES:
            text, at = _quoted(sentence, at)
            yield Symbol(Mark.QUOTE, text, text)
            continue
        match = _PIECE.match(sentence, at)
        if match is not None:
            yield from _from_match(match)
        at = match.end() if match else at + 1


def sentences(text: str) -> Sequence[str]:
    """The parts of a text between full stops, semicolons and line ends that stand outside quotations.

    Left out are parts that say nothing, and marks that quote nothing: that of "users'", and one without a partner.
    """
    said = [""]
    at = 0
    while at < len(text):
        sign, following = text[at], text[at + 1 : at + 2]
        after = at + 1
        if sign in APOSTROPHES and text[at - 1 : at].isalnum():
            said[-1] += sign if following.isalnum() else ""
        elif sign in _QUOTES:
            end = _end_of_quotation(text, at)
            after = at + 1 if end is None else end + 1
            said[-1] += "" if end is None else text[at:after]
        elif sign in ";\n\r" or (sign in ".!?" and not following.strip()):
            said.append("")
        else:
            said[-1] += sign
        at = after
    return [part.strip() for part in said if any(sign.isalpha() or sign in _QUOTES for sign in part)]


def _quoted(sentence: str, at: int) -> tuple[str, int]:
    """The quoted text that begins here, and where the sentence goes on."""
    end = _end_of_quotation(sentence, at)
    if end is None:
        raise NotUnderstood(f"the quotation that begins with {sentence[at : at + 20]} does not end")
    text = re.sub(rf"\\([{re.escape(_QUOTES[sentence[at]])}\\])", r"\1", sentence[at + 1 : end])
    if not text.strip():
        raise NotUnderstood("it quotes an empty text, which is everywhere and nowhere")
    return text, end + 1


def _end_of_quotation(sentence: str, at: int) -> int | None:
    """Where the mark is that closes the quotation which begins here."""
    closing = _QUOTES[sentence[at]]
    end = at + 1
    while end < len(sentence):
        following = sentence[end + 1 : end + 2]
        if sentence[end] == "\\" and following and following in f"{closing}\\":
            end += 2
            continue
        if sentence[end] in closing and not is_apostrophe(sentence, end):
            return end
        end += 1
    return None


def _from_match(match: re.Match[str]) -> Iterator[Piece]:
    if match["clock"]:
        minutes, seconds = match["clock"].split(":")
        yield Symbol(Mark.DURATION, int(minutes) * 60_000 + round(float(seconds) * 1000), match[0])
    elif match["number"]:
        yield from _number(match["number"].replace(",", "."), (match["unit"] or "").lower())
    elif match["comma"]:
        yield Symbol(Mark.COMMA, None, match[0])
    else:
        word = (match["word"] or match["other"]).lower().replace("\u2019", "'")
        word = _CONTRACTED.get(word, word)
        yield from re.sub("n't$", " not", word).split()


def _number(number: str, unit: str) -> Iterator[Piece]:
    factor = next((factor for names, factor in UNITS.items() if unit in names.split("|")), None)
    if factor is not None:
        yield Symbol(Mark.DURATION, round(float(number) * factor), f"{number} {unit}")
        return
    yield Symbol(Mark.NUMBER, int(number), number) if number.isdigit() else number
    if unit:
        yield unit
