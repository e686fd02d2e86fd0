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
from core.screens import Picture

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.models.local.view import View
    from core.runs.ports import Eyes
    from core.screens import Box

_SCALES: Final = (2, 3)
_RIM: Final = 3
_MARGIN: Final = 12
_INK: Final = 40
_UNLIKE: Final = 0.5
"""Two texts that share less of their letters are no misreadings of each other."""
_CARET: Final = "|lI1i"
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


class Held(NamedTuple):
    """What a field holds, as far as it can be said."""

    verdict: Verdict
    text: str
    is_exact: bool = False
    """Whether it was read as the program has it, and not off its picture."""


def compared(wanted: str, text: str) -> Held:
    """Compare with what was read exactly."""
    want, seen = _plain(wanted), _plain(text)
    if seen in (want, f"{want}\n"):
        return Held(Verdict.RIGHT, text, is_exact=True)
    numbers = _number(want), _number(seen)
    if numbers[0] is not None and numbers[1] is not None:
        is_same = numbers[0] == numbers[1]
    else:
        is_same = _letters(want) == _letters(seen) != ""
    return Held(Verdict.CHANGED if is_same else Verdict.WRONG, text, is_exact=True)


def seen_in(view: View, box: Box, wanted: str, eyes: Eyes) -> Held:
    """Read the field alone at several sizes: right, or another text, only where all of them agree."""
    crop = _inside(view.bgr, box)
    if not has_ink(view, box):
        return Held(Verdict.EMPTY, "")
    read = [_read(crop, scale, eyes) for scale in _SCALES]
    want = _squeezed(wanted)
    if all(_squeezed(each) in {want, *(want + sign for sign in _CARET)} for each in read):
        return Held(Verdict.RIGHT, read[0])
    alike = max(SequenceMatcher(None, _letters(wanted), _letters(each)).ratio() for each in read)
    is_cut = any(len(_letters(each)) > 2 and _letters(each) in _letters(wanted) for each in read)  # noqa: PLR2004 - a word
    agree = SequenceMatcher(None, _letters(read[0]), _letters(read[-1])).ratio() > 1 - _UNLIKE / 2
    is_other = agree and alike < _UNLIKE and not is_cut and all(_letters(each) for each in read)
    return Held(Verdict.WRONG if is_other and _is_latin(wanted) else Verdict.DOUBTFUL, read[0])


def is_hidden(view: View, box: Box, text: str) -> bool:
    """Whether a field shows dots in place of what it holds; ``text`` is what was read in it."""
    if any(sign.isalnum() and sign not in _ROUND for sign in text):
        return False
    grey = np.asarray(cv2.cvtColor(_inside(view.bgr, box), cv2.COLOR_BGR2GRAY), np.uint8)
    signs = set(canonical(text).replace(" ", ""))
    return bool(signs and signs <= _DOTS) or (grey.size > 0 and is_row_of_dots(grey))


def has_ink(view: View, box: Box) -> bool:
    """Whether anything but one ground shows in a field, a caret apart."""
    crop = _inside(view.bgr, box).astype(np.int16)
    if crop.size == 0:
        return False
    ink = (np.abs(crop - np.median(crop.reshape(-1, 3), axis=0)).max(axis=2) > _INK).any(axis=0)
    columns = np.flatnonzero(ink)
    return bool(columns.size > _RIM and columns[-1] - columns[0] > _RIM)


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


def _squeezed(text: str) -> str:
    return "".join(canonical(text).split())


def _letters(text: str) -> str:
    return "".join(sign for sign in _plain(text).casefold() if sign.isalnum())


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
