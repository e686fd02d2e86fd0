"""Where a text that was read once stands on other screens, too: its place looks there as it did then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.decoding.screens import Screen
    from core.comparison.values import ReadPlace

CELL: Final = 4
"""Pixels of a cell's side: what a codec does to an edge is lost in its mean."""
CHANGES: Final = 28
"""Of 255, in one colour: so much a screen changes that is not the same any more; codecs' noise stays below."""


def standing(screens: Sequence[Screen], places: Sequence[ReadPlace]) -> list[dict[str, Any]]:
    """``core.comparison.values.Standing`` as JSON: the screens that look in a place as the one did that it was read on.

    The time in which it was read is left out.
    """
    found: list[dict[str, Any]] = []
    for number, place in enumerate(places):
        known = [each for each in screens if _covers(place, each.middle)]
        area = _inside(place)
        if not known or area is None:
            continue
        look = max(known, key=lambda each: each.until_ms - each.t_ms).cells[area].astype(np.int16)
        found += [
            {"text": number, "t_ms": each.t_ms, "until_ms": each.until_ms}
            for each in screens
            if not _covers(place, each.middle) and np.abs(each.cells[area] - look).max() <= CHANGES
        ]
    return found


def _covers(place: ReadPlace, t_ms: int) -> bool:
    return place.t_ms <= t_ms and (place.until_ms is None or t_ms < place.until_ms)


def _inside(place: ReadPlace) -> tuple[slice, slice] | None:
    """The cells that lie in a place as a whole."""
    x, y, width, height = place.region
    left, top = -(-x // CELL), -(-y // CELL)
    right, bottom = (x + width) // CELL, (y + height) // CELL
    return (slice(top, bottom), slice(left, right)) if right > left and bottom > top else None
