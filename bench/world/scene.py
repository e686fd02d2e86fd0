"""What the truth of a session knows about a quoted text: whether it stood, came, went or only moved around a moment."""

import bisect
import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from bench.world.ledger import same_row
from bench.world.truth import Stay, Truth, clicked_words
from core.analysis import Region

IN_TIME_MS: Final = 700
NEARLY_MS: Final = 2000
ALIKE: Final = 80.0
"""Percent of the signs in common from which a reading is partly right."""
SETTLED_MS: Final = 150
DRAWN: Final = 0.4
"""The share of a place that pictures take where its letters are theirs: there are gaps between icons."""
SHORT: Final = 3
"""A text of fewer signs has to be a whole word: it stands by chance in many others."""
_MARKER: Final = re.compile(r"(?:[\u2022\u25e6\u25aa\u2023\u00b7\u25cb\u25cf\u25a0]|\d{1,2}[.)])\s+")
"""Before an item of a list; it is drawn by the browser, and no text of the page."""
APART: Final = re.compile(r"(?<!\S)[^\w\s]{1,2}(?!\S)")
"""A sign that stands apart from words: a page and a program draw icons, separators and the marks of required fields so,
of which their truth knows nothing. A terminal's truth knows each sign."""
_ELIDED: Final = re.compile(r"\s*(?:\.{3}|\u2026)$")
"""Where a narrow place cuts a text, of which truth knows more."""
_NO_TEXT: Final = {"So", "Cf"}
"""Icons that a font draws, as the arrow of a sorted column, and signs without any width."""
_SIGNS: Final = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\u2212", "''\"\"---")


class Sight(IntEnum):
    """How well a quoted text fits what the truth knows, worst first."""

    NEVER = 0
    """It did not stand there."""
    STOOD = 1
    """It stood there, and neither came nor went."""
    MOVED = 2
    """It stood elsewhere before."""
    ALIKE = 3
    """Something like it came or went then."""
    NEARLY = 4
    """It came or went, somewhat earlier or later."""
    EXACT = 5


@lru_cache(maxsize=100_000)
def plain(text: str) -> str:
    """A text without its blanks, cases and icons; its signs count."""
    spelled = unicodedata.normalize("NFKC", text).translate(_SIGNS).casefold()
    return "".join(sign for sign in spelled if not sign.isspace() and unicodedata.category(sign) not in _NO_TEXT)


@lru_cache(maxsize=100_000)
def holds(text: str, found: str) -> bool:
    """Whether a plain text stands in another from the beginning of a word to the end of one."""
    whole, ends = plain(text), _ends_of_words(text)
    at = whole.find(found)
    while at >= 0:
        if at in ends and at + len(found) in ends:
            return len(found) >= SHORT or found in {plain(word) for word in text.split()}
        at = whole.find(found, at + 1)
    return False


@lru_cache(maxsize=100_000)
def _ends_of_words(text: str) -> frozenset[int]:
    """The places in the plain text before and after each word and sign."""
    ends, at = {0}, 0
    for part in re.findall(r"\w+|[^\w\s]", text):
        ends |= {at, at + len(plain(part))}
        at += len(plain(part))
    return frozenset(ends)


class Turn(NamedTuple):
    """A line that came or went, between two moments."""

    since_ms: int
    t_ms: int
    stay: Stay


class Scene:
    """The truth of one session, to be asked about moments."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth

    def of_coming(self, text: str, begin: float, end: float) -> Sight:
        """How well a text fits what came between two moments."""
        return self._sight(text, begin, end, self._came, after=True)

    def of_going(self, text: str, begin: float, end: float) -> Sight:
        """How well a text fits what went between two moments."""
        return self._sight(text, begin, end, self._went, after=False)

    def is_bar(self, text: str, begin: float, end: float) -> bool:
        """Whether a text belongs to the window's frame or the browser's bars."""
        found = plain(text)
        bars = (plain(bar.text) for bar in self.truth.bars if _overlaps(bar, begin - NEARLY_MS, end + NEARLY_MS))
        return any(
            (len(found) >= SHORT and found in bar)
            or fuzz.ratio(found, bar) >= ALIKE
            or (len(found) > 3 and fuzz.partial_ratio(found, bar) >= ALIKE)
            for bar in bars
            if bar and len(bar) * 2 > len(found)
        )

    def changed_share(self, begin: float, end: float) -> float:
        """How much of the screen's letters came or went between two moments."""
        came = sum(len(turn.stay.text) for turn in _within(self._came, begin, end))
        went = sum(len(turn.stay.text) for turn in _within(self._went, begin, end))
        stood = sum(len(stay.text) for stay in self.truth.texts if stay.stands(begin) and stay.stands(end))
        return max(came, went) / max(stood + max(came, went), 1)

    def is_picture(self, region: Region | None, begin: float, end: float) -> bool:
        """Whether a place was a picture, or a row of icons, and no text."""
        pictures = [stay for stay in self.truth.pictures if _overlaps(stay, begin, end)]
        if region is None or any(2 * shared(stay.at(begin), region) > _area(region) for stay in self._at(begin)):
            return False
        return sum(shared(stay.at(begin), region) for stay in pictures) > DRAWN * _area(region)

    def has_moving(self, region: Region | None, begin: float, end: float) -> bool:
        """Whether something was animated at a place."""
        stays = [stay for stay in self.truth.moving if _overlaps(stay, begin, end)]
        return region is not None and any(shared(stay.at(begin), region) > 0 for stay in stays)

    def has_news(self, region: Region | None, begin: float, end: float) -> bool:
        """Whether a text came or went at a place."""
        changed = [*_within(self._came, begin, end), *_within(self._went, begin, end)]
        return region is not None and any(shared(turn.stay.box, region) > 0 for turn in changed)

    def has_shift(self, begin: float, end: float) -> bool:
        """Whether lines moved together between two moments."""
        return any(shift.t_ms <= end and shift.until_ms >= begin for shift in self.truth.shifts)

    def has_action(self, kinds: Iterable[str], begin: float, end: float) -> bool:
        """Whether something of these kinds was done between two moments."""
        actions = [action for action in self.truth.actions if action.kind in kinds]
        return any(action.t_ms <= end and (action.until_ms or action.t_ms) >= begin for action in actions)

    def was_clicked(self, words: str, begin: float, end: float) -> bool:
        """Whether these words were clicked between two moments, with the time that an answer takes."""
        clicks = [each for each in self.truth.actions if each.kind in {"click", "choose"} and each.target]
        return any(
            begin - IN_TIME_MS <= each.t_ms <= end + IN_TIME_MS
            and plain(words) in {plain(each.target), plain(clicked_words(self.truth, each))}
            for each in clicks
        )

    @cached_property
    def _came(self) -> list[Turn]:
        """What came, and what came back from under something."""
        came = [Turn(*stay.begins, stay) for stay in self.truth.texts if stay.t_ms > 0]
        back = [Turn(*time.ends, stay) for stay in self.truth.texts for time in stay.covered if time.ends is not None]
        return sorted([*came, *back], key=lambda turn: turn.t_ms)

    @cached_property
    def _went(self) -> list[Turn]:
        """What went, and what something came to stand over."""
        went = [Turn(*stay.ends, stay) for stay in self.truth.texts if stay.ends is not None]
        under = [Turn(*time.begins, stay) for stay in self.truth.texts for time in stay.covered if time.t_ms > 0]
        return sorted([*went, *under], key=lambda turn: turn.t_ms)

    def _sight(self, text: str, begin: float, end: float, turns: list[Turn], *, after: bool) -> Sight:
        return max(self._sight_of(said, begin, end, turns, after=after) for said in self._known_of(text))

    def _known_of(self, text: str) -> Iterable[str]:
        """The text, and what of it truth can know where that is less."""
        yield text
        item = _MARKER.sub("", text, count=1) if _MARKER.match(text) else text
        words = item if self.truth.kind == "terminal" else APART.sub("", item)
        yield from {each for each in (item, words) if each != text and plain(each)}

    def _sight_of(self, text: str, begin: float, end: float, turns: list[Turn], *, after: bool) -> Sight:
        found = plain(text)
        in_time = _within(turns, begin - IN_TIME_MS, end + IN_TIME_MS)
        if any(self._shows(found, turn, after=after) for turn in in_time):
            return Sight.EXACT
        nearly = _within(turns, begin - NEARLY_MS, end + NEARLY_MS)
        if any(self._shows(found, turn, after=after) for turn in nearly):
            return Sight.NEARLY
        rows = (row for turn in in_time for row in (turn.stay.text, *self._rows(turn, after=after)))
        return Sight.ALIKE if any(_is_alike(found, plain(row)) for row in rows) else self._standing(found, begin, end)

    def _standing(self, found: str, begin: float, end: float) -> Sight:
        best = Sight.NEVER
        for stay in self.truth.texts:
            if _overlaps(stay, begin - IN_TIME_MS, end + IN_TIME_MS) and (
                holds(stay.text, found) or _is_alike(found, plain(stay.text))
            ):
                moved = any(begin - IN_TIME_MS <= t <= end + IN_TIME_MS for t, _ in stay.moves)
                best = max(best, Sight.MOVED if moved else Sight.STOOD)
        if best is Sight.NEVER:
            rows = (row for t in (begin, end) for row in self._rows_at(t))
            return Sight.STOOD if any(holds(row, found) or _is_alike(found, plain(row)) for row in rows) else best
        return best

    def _shows(self, found: str, turn: Turn, *, after: bool) -> bool:
        """Whether the text stands in this line, or in its row and not without it."""
        stay = turn.stay
        own = plain(stay.text)
        if holds(stay.text, found):
            return True
        if stay.cut and len(own) > 3 and found.startswith(own):
            return True
        begun = _ELIDED.sub("", found)
        if self.truth.kind != "terminal" and SHORT <= len(begun) < len(found) and own.startswith(begun):
            return True
        whole, without = self._rows(turn, after=after)
        return holds(whole, found) and not holds(without, found)

    def _rows(self, turn: Turn, *, after: bool) -> tuple[str, str]:
        """The row of a line just after it came or just before it went, with it and without it."""
        stay = turn.stay
        t = turn.t_ms + SETTLED_MS if after else turn.t_ms - 1
        if not stay.stands(t):
            t = turn.t_ms if after else stay.t_ms
        return self._row_of(id(stay), stay, t)

    def _row_of(self, key: int, stay: Stay, t: float) -> tuple[str, str]:
        known = self._known.get((key, t))
        if known is None:
            box = stay.at(t)
            row = [each for each in self._at(t) if same_row(each.at(t), box)]
            row.sort(key=lambda each: each.at(t)[0])
            known = _joined(row), _joined(each for each in row if each is not stay)
            self._known[(key, t)] = known
        return known

    @cached_property
    def _known(self) -> dict[tuple[int, float], tuple[str, str]]:
        return {}

    def _at(self, t: float) -> list[Stay]:
        return [stay for stay in self.truth.texts if stay.stands(t)]

    def _rows_at(self, t: float) -> Iterable[str]:
        left = self._at(t)
        while left:
            first = left[0]
            row = [each for each in left if each is first or same_row(each.at(t), first.at(t))]
            left = [each for each in left if each not in row]
            yield _joined(sorted(row, key=lambda each: each.at(t)[0]))


def _within(turns: Sequence[Turn], begin: float, end: float) -> list[Turn]:
    """The turns of some that may have been between two moments."""
    first = bisect.bisect_left(turns, begin, key=lambda turn: turn.t_ms)
    return [turn for turn in itertools.islice(turns, first, None) if turn.since_ms <= end]


def shared(first: Region, second: Region) -> int:
    """Pixels that two boxes share."""
    across = min(first[0] + first[2], second[0] + second[2]) - max(first[0], second[0])
    down = min(first[1] + first[3], second[1] + second[3]) - max(first[1], second[1])
    return max(across, 0) * max(down, 0)


def _area(box: Region) -> int:
    return box[2] * box[3]


def _joined(stays: Iterable[Stay]) -> str:
    return " ".join(stay.text for stay in stays)


def _is_alike(found: str, text: str) -> bool:
    """Whether most signs agree; a short text inside a longer reading is no evidence for it."""
    if min(len(found), len(text)) < 3:
        return False
    if len(text) < len(found):
        return fuzz.ratio(found, text) >= ALIKE
    return fuzz.partial_ratio(found, text) >= ALIKE


def _overlaps(stay: Stay, begin: float, end: float) -> bool:
    return stay.t_ms <= end and (stay.until_ms is None or stay.until_ms >= begin)
