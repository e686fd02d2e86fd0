"""Lines of text on the screen: what they say, where they stand, and how they looked."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import lies_in, overlap, same_row
from core.page_addresses import without_icon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box, Luma

_STROKES: Final = frozenset(
    "|lI!\u00a6\u2502\u2503[]()-_\u2014\u2013'`.,:;\u00b7\u2022\u00b0/\\\u25a1\u25a0\u2610\u2611\u25cb\u25cf"
)
_TWINS: Final = str.maketrans(
    {"O": "0", "o": "0", "l": "1", "I": "1", "|": "1", "!": "1", "\u2019": "'", "\u2018": "'", "\u201c": '"'}
)
"""Signs that a reader confuses from one look to the next."""
_MARKS: Final = re.compile(r"(?<!\d)(?:_|[^\w\s])+|(?:_|[^\w\s])+(?!\d)")
"""Dots and dashes, but for those inside numbers."""
_ADDRESS: Final = re.compile(
    r"(?:\S{1,2} ){0,5}>?((?:https?://)\S+|localhost(?::\d+)?(?:/\S*)?|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?/\S*"
    r"|\d{1,4}(?:\.\d{1,3}){3}(?::\d+(?:/\S*)?|/\S*))",
    re.IGNORECASE,
)
"""One word, with the signs before it that a browser draws there: arrows, a lock."""
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_ICON: Final = re.compile("(?:[\u25a0-\u25ff\u2610-\u2612\u2e80-\u9fff]\\s*)+(?=[^\\W\\d_\u2e80-\u9fff]{3})")
"""A sign drawn before a word in Latin letters: a box, a triangle, or what is read as one sign of Chinese."""
_SIGN: Final = re.compile(r"^[^\w\s] | [^\w\s]$")
_TWO_DOTS: Final = re.compile(r"(?<=\w)\.\.$")
"""Nobody writes two dots behind a word: they are three of which one was not read."""
_MASKED: Final = re.compile("[\u2022\u00b7\u25cf\u2219.*]{3,}")
_NUMBER: Final = re.compile(r"\d+")
_PALER: Final = 0.75
_POINTER: Final = 40
_BEFORE_LETTERS: Final = 5
"""Of the height of a line, a caret with the blank behind it is no wider than such a part."""
_JITTER: Final = 3
_CARET: Final = re.compile(r"(?<=\S)\s*[|│┃■█▮▌▉▊▋]$")


@dataclass(slots=True, eq=False)
class Line:
    """One line of text that stands, or stood, on the screen.

    Args:
        text: what it says.
        score: how sure the reader is, 0..1.
        box: where it stands now.
        patch: its brightness there when it was last looked at.
        t_ms: when it appeared; its text may have been read later.
        until_ms: when it was gone.
        frame: a picture that shows it.
        is_covered: whether the mouse pointer stood over it when it was read.
        false: whether it turned out to be no text at all.
        is_remainder: whether it is what is left of a longer line that something covers, word for word: it stands there,
            but is ``false`` as a change.
        moving: whether it was read where something was moving: it may be half of one text and half of another.
        field_box: the ground of the field in which it came, if that was there before it.
        is_focused: whether that field got the focus as it came: another border, or a caret behind its text.
        list_box: the ground of the field in which it came, if that was there before it and has the sign of a list.
        control_box: the ground of the button, or other control, on which it came and stands alone.
        came_at: where it stood when it appeared.
        been: where it stood before it moved, each place with the time in milliseconds at which it left it.

    """

    text: str
    score: float
    box: Box
    patch: Luma = field(repr=False)
    t_ms: int
    until_ms: int | None = None
    frame: str | None = None
    is_covered: bool = False
    false: bool = False
    is_remainder: bool = False
    moving: bool = False
    field_box: Box | None = None
    is_focused: bool = False
    list_box: Box | None = None
    control_box: Box | None = None
    came_at: Box = field(init=False)
    been: list[tuple[int, Box]] = field(init=False, default_factory=list["tuple[int, Box]"])

    def __post_init__(self) -> None:
        self.came_at = self.box

    def move(self, box: Box, t_ms: int) -> None:
        """Stand elsewhere from a moment on; a few pixels are no other place."""
        if max(abs(box[0] - self.box[0]), abs(box[1] - self.box[1])) > _JITTER:
            self.been.append((t_ms, self.box))
        self.box = box

    @property
    def contrast(self) -> int:
        """Of its strokes to their ground, 0..255; without a caret that stands before its first letter."""
        height, width = self.patch.shape[:2]
        letters = self.patch[:, height // _BEFORE_LETTERS :] if width > 2 * height else self.patch
        return int(np.ptp(letters)) if letters.size else 0

    @property
    def is_value(self) -> bool:
        """Whether it came at the left of a field, at its top or in its middle row; no button's label does."""
        if self.field_box is None:
            return False
        text, place = self.came_at, self.field_box
        before, behind = text[0] - place[0], place[0] + place[2] - text[0] - text[2]
        above, below = text[1] - place[1], place[1] + place[3] - text[1] - text[3]
        return abs(before - behind) > text[3] and (above <= text[3] or 2 * abs(above - below) <= text[3])

    def at(self, t_ms: int) -> Box:
        """Where it stood just before a moment."""
        return next((box for left_ms, box in self.been if left_ms >= t_ms), self.box)

    def control_at(self, box: Box) -> Box | None:
        """The ground of its control while it stood in a place."""
        if self.control_box is None:
            return None
        x, y, width, height = self.control_box
        control = (x + box[0] - self.came_at[0], y + box[1] - self.came_at[1], width, height)
        return control if lies_in(box, control) else None

    def move_back(self, box: Box) -> None:
        """Stand where it stood before its last move, which did not happen."""
        if self.box != box and self.been and self.been[-1][1] == box:
            self.been.pop()
        self.box = box


def address_of(text: str) -> str | None:
    """The address of a page, if the line says nothing else."""
    whole = _ADDRESS.fullmatch(text)
    return without_icon(whole[1]) if whole else None


def clean(text: str) -> str:
    """Without the caret that a field may show behind its text; empty for what is a stroke and not a text."""
    text = _CARET.sub("", unicodedata.normalize("NFKC", text).strip()).strip()
    icon = _ICON.match(text)
    text = _TWO_DOTS.sub("...", text[icon.end() :] if icon else text)
    return "" if set(strip_spaces(text)) <= _STROKES else text


def is_masked(text: str) -> bool:
    """Whether it is a row of dots or stars, as of a hidden password."""
    return _MASKED.fullmatch(strip_spaces(unicodedata.normalize("NFKC", text))) is not None


def without_sign(text: str) -> str:
    """The words without the sign of an icon before or behind them."""
    return _SIGN.sub("", text)


def strip_spaces(text: str) -> str:
    """Without spaces: readers disagree about narrow ones."""
    return "".join(text.split())


def without_numbers(text: str) -> str:
    """What stands around its numbers, without spaces."""
    return _NUMBER.sub("#", strip_spaces(text))


def digits(text: str) -> str:
    """Its digits alone."""
    return "".join(sign for sign in text if sign.isdecimal())


def alike(one: str, other: str) -> bool:
    """Whether the two are the same but for what readers confuse: spaces, accents, case of twins, 0 and O, 1 and l."""
    return one == other or folded(one) == folded(other)


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """The text without what readers confuse."""
    bare = _MARKS.sub("", text)
    plain = (strip_spaces(bare) or strip_spaces(text)).translate(_TWINS).casefold()
    return plain if plain.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFD", plain))


def similarity(one: str, other: str) -> float:
    """0 for nothing in common, 1 for the same."""
    return SequenceMatcher(None, strip_spaces(one), strip_spaces(other), autojunk=False).ratio()


def is_read_again(line: Line, again: Line) -> bool:
    """Whether it is another reading of one text; what a field asks for when it is empty may be its value, but paler."""
    return alike(again.text, line.text) and again.contrast >= _PALER * line.contrast


def is_one_line(one: Box, other: Box) -> bool:
    """Whether both begin and end at one place, but for what a pointer may hide: else one is read with its neighbour."""
    ends = abs(one[0] - other[0]), abs(one[0] + one[2] - other[0] - other[2])
    return overlap(one, other) > 0 and same_row(one, other) and max(ends) <= _POINTER


def in_order(lines: Sequence[Line]) -> list[Line]:
    """Top to bottom, and left to right where they stand side by side."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box[1] + line.box[3] / 2):
        if rows and same_row(rows[-1][0].box, line.box):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.box[0])]
