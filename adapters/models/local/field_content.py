"""What a field holds, beside what was typed into it: by its exact text, or else by reading its picture enlarged."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from difflib import SequenceMatcher
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import cv2
import numpy as np

from adapters.video.text.ink import is_row_of_dots
from core.expectations.matching import canonical
from core.screens import Box, Picture
from core.text import letters_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.models.local.view import View
    from core.runs.ports import Eyes

_SCALES: Final = (2, 3)
_RIM: Final = 3
_MARGIN: Final = 12
_INK: Final = 40
_UNLIKE: Final = 0.5
"""Two texts that share less of their letters are no misreadings of each other."""
_CARET: Final = "|lI1i"
_FEW: Final = 3
_ALIKE: Final = 0.7
"""Of the ink of two marks, so much is common to marks of one sign."""
_RING: Final = 4
"""Pixels around a field in which its frame is."""
_OTHER: Final = 24
_DOTS: Final = frozenset("•*●.·∙◦⚫")
_ROUND: Final = frozenset("oO0")
"""What readers make of dots."""
_NUMBER: Final = re.compile(r"[-+]?\d[\d.,' \u00a0\u202f]*")


class Verdict(StrEnum):
    """How what a field holds compares with what was typed into it."""

    RIGHT = "right"
    CHANGED = "changed"
    """Read exactly: the same letters and digits, in the form that the program gave them."""
    WRONG = "wrong"
    EMPTY = "empty"
    """Its picture shows nothing at all."""
    DOUBTFUL = "doubtful"
    """It cannot be read for certain."""


class FieldContent(NamedTuple):
    """What a field holds, as far as it can be said."""

    verdict: Verdict
    text: str
    is_exact: bool = False
    """Whether it was read as the program has it, and not off its picture."""


def compared(wanted: str, text: str) -> FieldContent:
    """Compare with what was read exactly."""
    want, seen = _plain(wanted), _plain(text)
    if seen in (want, f"{want}\n"):
        return FieldContent(Verdict.RIGHT, text, is_exact=True)
    numbers = _number(want), _number(seen)
    if numbers[0] is not None and numbers[1] is not None:
        is_same = numbers[0] == numbers[1]
    else:
        is_same = letters(want) == letters(seen) != ""
    return FieldContent(Verdict.CHANGED if is_same else Verdict.WRONG, text, is_exact=True)


def seen_in(view: View, box: Box, wanted: str, eyes: Eyes) -> FieldContent:
    """Read the field alone at several sizes: right, or another text, only where all of them agree."""
    crop = _inside(view.bgr, box)
    if not has_ink(view, box):
        return FieldContent(Verdict.EMPTY, "")
    read = [_read(crop, scale, eyes) for scale in _SCALES]
    want = _strip_spaces(wanted)
    if all(_strip_spaces(each) in {want, *(want + sign for sign in _CARET)} for each in read):
        return FieldContent(Verdict.RIGHT, read[0])
    alike = max(SequenceMatcher(None, letters(wanted), letters(each)).ratio() for each in read)
    is_cut = any(len(letters(each)) > 2 and letters(each) in letters(wanted) for each in read)  # noqa: PLR2004 - a word
    agree = SequenceMatcher(None, letters(read[0]), letters(read[-1])).ratio() > 1 - _UNLIKE / 2
    is_other = agree and alike < _UNLIKE and not is_cut and all(letters(each) for each in read)
    return FieldContent(Verdict.WRONG if is_other and _is_latin(wanted) else Verdict.DOUBTFUL, read[0])


def is_framed_alike(before: View, after: View, box: Box) -> bool:
    """Whether the frame of a field, or of a place like it, looks as before: letters may touch it and hide its shape."""
    if before.whole != after.whole:
        return False
    outer, inner = box.grown(_RING, _RING), box.grown(-_RING, -_RING)
    top, left = max(outer.y, 0), max(outer.x, 0)
    around = slice(top, outer.y + outer.height), slice(left, outer.x + outer.width)
    differs = np.abs(before.bgr[around].astype(np.int16) - after.bgr[around]).max(axis=2) > _OTHER
    ring = np.ones(differs.shape, np.bool_)
    ring[inner.y - top : inner.y - top + inner.height, inner.x - left : inner.x - left + inner.width] = False
    return bool(ring.any() and differs[ring].mean() <= 1 - _ALIKE)


def content(view: View, box: Box) -> str:
    """What is read in a field, off the picture of the whole screen."""
    return " ".join(each.text for each in view.segments if box.contains(each.box.centre))


def is_hidden(view: View, box: Box) -> bool:
    """Whether a field shows dots in place of what it holds; one that was scrolled out of the picture shows nothing."""
    crop = _inside(view.bgr, box)
    if not crop.size:
        return False
    grey = np.asarray(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), np.uint8)
    if _are_unlike(grey):
        return False
    text = content(view, box)
    if any(sign.isalnum() and sign not in _ROUND for sign in text):
        return False
    signs = set(canonical(text).replace(" ", ""))
    return bool(signs and signs <= _DOTS) or is_row_of_dots(grey)


def has_ink(view: View, box: Box) -> bool:
    """Whether anything but one ground shows in a field, a caret apart."""
    crop = _inside(view.bgr, box).astype(np.int16)
    if crop.size == 0:
        return False
    ink = (np.abs(crop - np.median(crop.reshape(-1, 3), axis=0)).max(axis=2) > _INK).any(axis=0)
    columns = np.flatnonzero(ink)
    return bool(columns.size > _RIM and columns[-1] - columns[0] > _RIM)


def _are_unlike(grey: NDArray[np.uint8]) -> bool:
    """Whether most marks of a row begin otherwise than any other one does: letters, which need not be read for that."""
    if not grey.size:
        return False
    ink = np.abs(grey.astype(np.int16) - int(np.median(grey))) > _INK
    columns = np.flatnonzero(ink.any(axis=0))
    starts = columns[np.flatnonzero(np.diff(columns, prepend=-2) > 1)]
    if starts.size < _FEW:
        return False
    width = int(np.median(np.diff(np.append(starts, columns[-1] + 1))))
    padded = np.pad(ink, ((0, 0), (0, width)))
    marks = np.stack([padded[:, at : at + width] for at in starts])
    flat = marks.reshape(starts.size, -1).astype(np.int32)
    shared = flat @ flat.T
    sums = flat.sum(axis=1)
    alike = shared >= _ALIKE * (sums[:, None] + sums[None, :] - shared)
    return int(alike.sum(axis=1).max()) <= starts.size / 2


def _inside(bgr: NDArray[Any], box: Box) -> NDArray[Any]:
    return bgr[
        max(box.y + _RIM, 0) : max(box.y + box.height - _RIM, 0),
        max(box.x + _RIM, 0) : max(box.x + box.width - _RIM, 0),
    ]


def _read(crop: NDArray[Any], scale: int, eyes: Eyes) -> str:
    large = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    ground = [int(value) for value in np.median(crop.reshape(-1, 3), axis=0)]
    around = _MARGIN * scale
    framed = cv2.copyMakeBorder(large, around, around, around, around, cv2.BORDER_CONSTANT, value=ground)
    bgra = cv2.cvtColor(framed, cv2.COLOR_BGR2BGRA)
    picture = Picture(framed.shape[1], framed.shape[0], np.ascontiguousarray(bgra).tobytes(), 0.0)
    return " ".join(line.text for line in eyes.read(picture))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\u00a0", " "))


def _strip_spaces(text: str) -> str:
    return "".join(canonical(text).split())


def letters(text: str) -> str:
    """Its letters and digits alone, all small."""
    return letters_of(_plain(text))


def _number(text: str) -> Decimal | None:
    """The number that a text is, in any grouping; ``None`` for other texts, such as dates and names."""
    plain = text.strip().strip("€$£¥% ")
    if not _NUMBER.fullmatch(plain):
        return None
    head, mark, tail = re.fullmatch(r"(.*?)(?:([.,])(\d{1,2}))?", re.sub(r"['\s\u202f]", "", plain), re.DOTALL).groups()  # type: ignore[union-attr]
    whole = re.sub(r"[.,]", "", head)
    return Decimal(f"{whole}.{tail}" if mark else whole) if whole.strip("+-") else None


def _is_latin(text: str) -> bool:
    """Whether a reader of Latin letters can read it."""
    known = sum(1 for sign in text if sign.isascii() or "LATIN" in unicodedata.name(sign, ""))
    return known >= 0.8 * len(text)
