"""A question about what was done, taken apart: what is asked for, when it was, and what must be said to the letter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from core.recall.stop_words import STOP_WORDS, WEAK_WORDS
from core.recall.synonyms import longest_phrase, synonyms
from core.recall.terms import folded, is_unspaced, word_terms, words_of
from core.recall.time_words import find_span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.recall.spans import Clock, Span

_QUOTED: Final = re.compile(
    '"([^"]{1,200})"|“([^”]{1,200})[”"]|„([^“”"]{1,200})[“”"]|«([^»]{1,200})»|「([^」]{1,200})」|『([^』]{1,200})』'
    "|`([^`]{1,200})`|(?<!\\w)'([^']{2,200})'(?!\\w)"
)
_MOST_WORDS: Final = 24
_MOST_QUOTES: Final = 5
_SHORTENED: Final = re.compile("(?<=\\w)['\N{RIGHT SINGLE QUOTATION MARK}](?:s|d|m|t|re|ve|ll)\\b", re.IGNORECASE)


class Asked(NamedTuple):
    """A word of the question."""

    terms: tuple[str, ...]
    """More than one for phrases that have synonyms."""
    said: tuple[str, ...] = ()
    """In lower case, as it was written."""
    written: str = ""
    """In lower case, where it may be misspelt: not for phrases, and not for scripts without spaces."""
    is_weak: bool = False
    """It is said of nearly everything."""


class Question(NamedTuple):
    """What was asked."""

    words: tuple[Asked, ...]
    quotes: tuple[str, ...]
    """As ``folded``; each must stand in an answer."""
    span: Span | None

    @property
    def is_about_time_alone(self) -> bool:
        """Whether nothing is asked for but what was done."""
        return not self.words and not self.quotes


def understood(query: str, clock: Clock) -> Question:
    """The question that a text asks; any text asks one."""
    quotes: list[str] = []

    def quoted(found: re.Match[str]) -> str:
        text = next(group for group in found.groups() if group is not None)
        if folded(text) and len(quotes) < _MOST_QUOTES:
            quotes.append(folded(text))
        return f" {text} " if not folded(text) else " \n "

    rest = _QUOTED.sub(quoted, query)
    span, rest = find_span(rest, clock)
    words = list(_words(_SHORTENED.sub("", rest)))
    words += [asked for quote in quotes for asked in _words(quote, is_quoted=True)]
    return Question(tuple(dict.fromkeys(words))[:_MOST_WORDS], tuple(quotes), span)


def _words(text: str, *, is_quoted: bool = False) -> Iterator[Asked]:
    """The words that say something; phrases that have synonyms as one."""
    known = synonyms()
    written = list(words_of(text))
    place = 0
    while place < len(written):
        for length in range(min(longest_phrase(), len(written) - place), 1, -1):
            terms = tuple(term for word in written[place : place + length] for term in word_terms(word))
            if not is_quoted and terms in known:
                yield Asked(terms, tuple(map(str.casefold, written[place : place + length])))
                place += length
                break
        else:
            yield from _word(written[place], is_quoted=is_quoted)
            place += 1


def _word(word: str, *, is_quoted: bool) -> Iterator[Asked]:
    lower = word.casefold()
    if lower in STOP_WORDS and not is_quoted:
        return
    if is_unspaced(word):
        terms = tuple(term for term in word_terms(word) if len(term) > 1) or word_terms(word)
        for term in terms:
            yield Asked((term,), (term,))
        return
    terms = word_terms(word)
    yield Asked(terms[:1], (lower,), lower, is_weak=lower in WEAK_WORDS)
