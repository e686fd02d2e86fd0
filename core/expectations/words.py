"""From a sentence to symbols. Every word must be known, as part of a phrase or as one that changes nothing."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.expectations.claims import NotUnderstood
from core.expectations.vocabulary import KIND, LONGEST_PHRASE, PHRASES, UNITS, UNSCOPED, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Symbol:
    """A quoted text, a phrase or a number, and how it stood in the sentence."""

    mark: Mark
    value: Any
    said: str


_CONTRACTED = {"won't": "will not", "can't": "can not", "cannot": "can not", "shan't": "shall not"}
_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "«": "»",
    "»": "«",
    "\u2039": "\u203a",  # single guillemets
    "「": "」",
}
"""Each opening quotation mark, and what closes it."""

_APOSTROPHES = "'\u2019"
_PIECE = re.compile(
    r"(?P<clock>[0-9]{1,4}:[0-5][0-9](?:\.[0-9]+)?)(?!\w)|(?P<number>[0-9]{1,9}(?:[.,][0-9]{1,9})?)\s*(?P<unit>[a-z]+\b)?"
    r"|(?P<comma>[,;:.!?\u2013\u2014]+|-(?=\s))|(?P<word>[^\W\d_]+(?:['\u2019-][^\W\d_]+)*)|(?P<other>\S)",
    re.IGNORECASE,
)

Piece = Symbol | str
"""A symbol, or a word that is still to be looked up."""


def read(sentence: str) -> tuple[list[Symbol], tuple[str, ...]]:
    """The symbols of a sentence, and the kinds of things (button, toast) that its texts are said to stand on.

    Raises:
        NotUnderstood: an unknown word or number, or a quotation that does not end.

    """
    pieces = list(_pieces(sentence))
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
        words = _longest_phrase(pieces, at) or (piece,)
        at += len(words)
        mark, value = PHRASES.get(words, (None, UNSCOPED))
        if mark is not None:
            symbols.append(Symbol(mark, value, " ".join(words)))
        elif value == KIND:
            kinds += words
        elif value == UNSCOPED:
            unknown.append(" ".join(words))
    if unknown:
        raise NotUnderstood(_unknown_words(unknown))
    return symbols, tuple(kinds)


def _longest_phrase(pieces: Sequence[Piece], at: int) -> tuple[str, ...] | None:
    words = list(itertools.takewhile(lambda piece: isinstance(piece, str), pieces[at : at + LONGEST_PHRASE]))
    lengths = range(len(words), 0, -1)
    return next((phrase for length in lengths if (phrase := tuple(map(str, words[:length]))) in PHRASES), None)


def _unknown_words(unknown: list[str]) -> str:
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


def _quoted(sentence: str, at: int) -> tuple[str, int]:
    """The quoted text that begins here, and where the sentence goes on."""
    closing = _QUOTES[sentence[at]]
    end = at + 1
    while end < len(sentence):
        following = sentence[end + 1 : end + 2]
        if sentence[end] == "\\" and following and following in f"{closing}\\":
            end += 2
            continue
        is_apostrophe = sentence[end] in _APOSTROPHES and following.isalnum()
        if sentence[end] in closing and not is_apostrophe:
            text = re.sub(rf"\\([{re.escape(closing)}\\])", r"\1", sentence[at + 1 : end])
            if not text.strip():
                raise NotUnderstood("it quotes an empty text, which is everywhere and nowhere")
            return text, end + 1
        end += 1
    raise NotUnderstood(f"the quotation that begins with {sentence[at : at + 20]} does not end")


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
