"""What is read off the screen for the checks: a value where it was typed, the address of a browser's page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from core.browsers import is_browser
from core.expectations.matching import SOFT, blurred, canonical
from core.reload.replays.pages import address_in
from core.screens import Box, Picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from core.reload.ports import Reader
    from core.screens import TextLine, Window

_PIXEL: Final = 4
_BAND: Final = 160
"""Pixels of a browser's window, from its top, among which its address stands."""


@dataclass
class Pages:
    """Reads the addresses that browsers show; only anew where the top of the window has changed.

    Args:
        reader: reads the lines.

    """

    reader: Reader
    _last: dict[int, tuple[Picture, str]] = field(default_factory=dict[int, "tuple[Picture, str]"])

    def address(self, window: Window, picture: Picture) -> str:
        """The address of the page in a window, empty for none and for no browser."""
        if not is_browser(window.application):
            return ""
        band = window.box.model_copy(update={"height": min(window.box.height, _BAND)})
        top = part_of(picture, band)
        last = self._last.get(window.id)
        if last is not None and last[0].bgra == top.bgra:
            return last[1]
        dx, dy = max(band.x, 0), max(band.y, 0)
        lines = [each.model_copy(update={"box": each.box.moved(dx, dy)}) for each in self.reader.read(top)]
        address = address_in(lines, window)
        self._last[window.id] = (top, address)
        return address


def reads(text: str, lines: Iterable[TextLine]) -> bool:
    """Whether the lines together hold the text: digits exactly, other letters as short-sighted readers see them."""
    said = " ".join(line.text for line in lines)
    if any(letter.isdigit() for letter in text):
        return _squeezed(text) in _squeezed(said)
    return blurred(canonical(text)) in blurred(canonical(said))


def lines_in(lines: Iterable[TextLine], box: Box) -> Sequence[TextLine]:
    """Those that begin in the box, or before it, and stand at its height; they may run on beyond it."""
    return [line for line in lines if line.box.overlap(box) and 2 * _common_height(line.box, box) >= line.box.height]


def part_of(picture: Picture, box: Box) -> Picture:
    """A part of a picture as a picture of its own; what reaches out of it is left out."""
    left, top = max(box.x, 0), max(box.y, 0)
    right, bottom = min(box.x + box.width, picture.width), min(box.y + box.height, picture.height)
    width, height = max(right - left, 0), max(bottom - top, 0)
    stride = picture.width * _PIXEL
    rows = (picture.bgra[y * stride + left * _PIXEL : y * stride + right * _PIXEL] for y in range(top, top + height))
    return Picture(width, height, b"".join(rows), picture.taken)


def _common_height(one: Box, other: Box) -> int:
    return min(one.y + one.height, other.y + other.height) - max(one.y, other.y)


def _squeezed(text: str) -> str:
    return "".join(sign for sign in canonical(text).casefold() if sign not in SOFT)
