"""Where a wanted text stands among the segments of a screen: exactly, in another case, or with a reader's slips."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from adapters.desktop.eyesight.segments import Segment, Word, around
from core.expectations.matching import SOFT, canonical, near_words, same_words, tokens_of
from core.screens import Box

_LONGEST_JOIN: Final = 4
_LONG_ENOUGH: Final = 5
_SEVERAL: Final = 3
_STROKES: Final = "li|"
_ONE_LINE: Final = 1.6
"""What is higher than so many lines runs on in the next one."""
_SURE: Final = 0.5
"""Readings below this confidence name nothing."""
_NOTE: Final = re.compile(r"[\(\[][^\)\]]{0,30}[\)\]]")
"""What may follow a label: ``Name (optional)``."""
_SHORTCUT: Final = re.compile(r"(?:ctrl|alt|shift|cmd|strg|f\d{1,2})(?:\+\S+)?", re.IGNORECASE)
_OPENER: Final = frozenset("vV>\u203a»")
"""What readers make of the arrow that opens a list."""


class Likeness(IntEnum):
    """How well a text answers to what is wanted."""

    TOLERANT = 1
    FOLDED = 2
    EXACT = 3


@dataclass(frozen=True, slots=True)
class Match:
    """The wanted text at one place.

    ``whole`` says that nothing else stands in its segment; ``extra`` are the segment's other words.
    """

    box: Box
    likeness: Likeness
    segment: Segment
    whole: bool
    extra: tuple[Word, ...] = ()


def find(text: str, segments: Sequence[Segment]) -> list[Match]:
    """Every place that says the text, top to bottom; parts of words are none, nor is another number."""
    wanted = _Wanted(text)
    found = [match for segment in segments if segment.score >= _SURE for match in wanted.matches(segment)]
    several = wanted.over_several(segments)
    if not found:
        return list(several)
    # Of a button in each row, some may be read as one text and some as two.
    low = _ONE_LINE * min(match.box.height for match in found)
    return [*found, *(each for each in several if each.box.height <= low and not _is_among(each, found))]


def _is_among(match: Match, others: Sequence[Match]) -> bool:
    return any(match.box.overlap(other.box) for other in others)


def nearest(text: str, segments: Sequence[Segment]) -> str:
    """The text on the screen that is most like what was looked for, for an explanation; empty if none is."""
    words = tokens_of(canonical(text).casefold())

    def common(segment: Segment) -> float:
        seen = tokens_of(canonical(segment.text).casefold())
        hits = sum(any(word == other or near_words(word, other) for other in seen) for word in words)
        return hits / max(len(words), len(seen), 1)

    best = max(segments, key=common, default=None)
    return best.text if best is not None and common(best) > 0 else ""


class _Wanted:
    def __init__(self, text: str) -> None:
        self._text = canonical(text)
        self._tokens = tokens_of(self._text)
        self._joined = "".join(self._tokens)

    def matches(self, segment: Segment) -> Iterator[Match]:
        tokens = _tokens(segment)
        if not self._tokens:
            if canonical(segment.text) == self._text:
                yield Match(segment.box, Likeness.EXACT, segment, whole=True)
            return
        at = 0
        while at < len(tokens):
            end = self._end(tokens, at)
            likeness = _likeness(self._tokens, [token for token, _ in tokens[at:end]]) if end else None
            if likeness is None or end is None:
                at += 1
                continue
            used = {word for _, word in tokens[at:end]}
            words = [word for index, word in enumerate(segment.words) if index in used]
            extra = tuple(
                word for index, word in enumerate(segment.words) if index not in used and not _is_soft(word.text)
            )
            covers = all(index in used or _is_soft(word.text) for index, word in enumerate(segment.words))
            beside = [*tokens[:at], *tokens[end:]]
            partial = any(word in used and any(sign.isalnum() for sign in token) for token, word in beside)
            yield Match(around([word.box for word in words]), likeness, segment, covers and not partial, extra)
            at = end

    def _end(self, tokens: Sequence[tuple[str, int]], at: int) -> int | None:
        """Up to where the tokens from ``at`` on are as long as the wanted text."""
        length = 0
        for index in range(at, min(len(tokens), at + len(self._tokens) + _LONGEST_JOIN)):
            length += len(tokens[index][0])
            if index - at + 1 >= len(self._tokens) and length >= len(self._joined) - 1 - len(self._joined) // 8:
                return index + 1
            if length >= len(self._joined):
                return index + 1
        return None

    def over_several(self, segments: Sequence[Segment]) -> Iterator[Match]:
        """The text where it runs over neighbouring segments: a wrapped label, a wide gap inside it."""
        if len(self._tokens) < 2:  # noqa: PLR2004 - one word does not run on
            return
        for segment in segments:
            chain = self._chain((segment,), segments)
            if chain is not None:
                words = tuple(word for link in chain for word in link.words)
                whole = Segment(words, around([link.box for link in chain]), min(link.score for link in chain))
                yield Match(whole.box, Likeness.TOLERANT, whole, whole=True)

    def _chain(self, chain: tuple[Segment, ...], segments: Sequence[Segment]) -> tuple[Segment, ...] | None:
        said = [token for link in chain for token, _ in _tokens(link)]
        if len(said) >= len(self._tokens):
            return chain if len(chain) > 1 and _likeness(self._tokens, said) is not None else None
        if not said or len(chain) >= _LONGEST_JOIN or _likeness(self._tokens[: len(said)], said) is None:
            return None
        following = [each for each in segments if each not in chain and _follows(chain[-1].box, each.box)]
        return next((whole for each in following if (whole := self._chain((*chain, each), segments))), None)


def is_decoration(match: Match) -> bool:
    """Whether what else stands in the segment changes nothing: a note in brackets, a shortcut, an icon's misreading."""
    if not match.extra:
        # A part of one word: an address ends with anything.
        return match.whole
    before = [word for word in match.extra if word.box.x < match.box.x]
    after = [word for word in match.extra if word.box.x >= match.box.x]
    rest = " ".join(word.text for word in after)
    is_icon = len(before) <= 1 and all(len(word.text) == 1 and not word.text.isdigit() for word in before)
    is_note = not rest or _NOTE.fullmatch(rest) or _SHORTCUT.fullmatch(rest) or rest in _OPENER or not rest[0].isalnum()
    return is_icon and bool(is_note)


def _tokens(segment: Segment) -> list[tuple[str, int]]:
    """The segment's tokens, each with the index of its word."""
    return [(token, at) for at, word in enumerate(segment.words) for token in tokens_of(canonical(word.text))]


def _is_soft(text: str) -> bool:
    return all(sign in SOFT for sign in canonical(text))


def _likeness(wanted: Sequence[str], seen: Sequence[str]) -> Likeness | None:
    if list(wanted) == list(seen):
        return Likeness.EXACT
    has_digits = any(sign.isdigit() for sign in "".join(wanted))
    want, got = "".join(wanted), "".join(seen)
    if want == got and not has_digits:
        return Likeness.EXACT
    if [each.casefold() for each in wanted] == [each.casefold() for each in seen]:
        return Likeness.FOLDED
    if not has_digits and want.casefold() == got.casefold():
        return Likeness.FOLDED
    others = [(a, b) for a, b in zip(wanted, seen, strict=False) if not _same(a, b)]
    if len(wanted) == len(seen) and (not others or _is_slip(wanted, others)):
        return Likeness.TOLERANT
    is_tolerable = same_words(want, got) or _is_but_for_last_stroke(want.casefold(), got.casefold())
    return Likeness.TOLERANT if is_tolerable and not has_digits else None


def _is_slip(wanted: Sequence[str], others: Sequence[tuple[str, str]]) -> bool:
    """Whether in a text of several words one has a letter more, less or otherwise: what else says the same is rare."""
    return len(wanted) >= _SEVERAL and len(others) == 1 and near_words(*others[0], short_too=False)


def _is_but_for_last_stroke(want: str, got: str) -> bool:
    """Whether only one has a last letter that is a bare stroke: readers take it for a caret, and a caret for it."""
    longer, shorter = (want, got) if len(want) > len(got) else (got, want)
    return len(want) >= _LONG_ENOUGH and longer[:-1] == shorter and longer[-1] in _STROKES


def _same(want: str, got: str) -> bool:
    return same_words(want, got) or _plain(want) == _plain(got) != ""


def _plain(text: str) -> str:
    """Without accents: readers see dirt as accents ("Tíme") and accents as dirt."""
    if any(sign.isdigit() for sign in text):
        return ""
    return "".join(sign for sign in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(sign))


def _follows(first: Box, second: Box) -> bool:
    height = max(min(first.height, second.height), 1)
    shares_row = min(first.y + first.height, second.y + second.height) - max(first.y, second.y) >= height / 2
    if shares_row:
        return 0 <= second.x - (first.x + first.width) <= 2 * height
    shares_column = min(first.x + first.width, second.x + second.width) - max(first.x, second.x) > 0
    return shares_column and -height / 2 <= second.y - (first.y + first.height) <= 0.6 * height
