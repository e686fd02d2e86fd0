"""The words for an icon, which has none: by a text in its row, so that grounding finds it at just that place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.models.local.controls import icons_beside
from adapters.models.local.finding import find
from adapters.models.local.grounding import ground
from adapters.models.local.phrases import parse
from core.plans.phrasing import ORDINALS, marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.models.local.view import View
    from core.screens import Box, Point

_BEFORE: Final = 6
_WIDE: Final = 20
_HIGH: Final = 24
"""Pixels: what a pointer covers, from so far above and left of its tip."""
_JITTER: Final = 2
_PLAIN: Final = 40
"""Levels: where nothing is drawn, all places look alike."""
_EQUAL: Final = 40
"""The mean of the squared differences between two pictures of one icon in a codec, at most."""
_LEAST: Final = 6
"""Pixels: a button around a small icon is larger than it."""
_MIDDLE: Final = 0.4
"""Of its size: farther from its middle an icon is not clicked, but one of two that were found as one."""


def icon_phrase(point: Point, view: View, names: Sequence[str]) -> str:
    """The words for the icon at a point; empty where there is none, or none that is found again.

    Args:
        point: where it was clicked.
        view: a look in which it can be seen.
        names: texts that its row alone has, in the order in which they are tried.

    """
    for name in names:
        for match in find(name, view.segments):
            icons = icons_beside(match.segment.box, view)
            own = next((box for box in icons if _is_in_middle(point, box)), None)
            found = own is not None and _found(own, _phrases(own, icons, match.segment.box, name, view), view)
            if found:
                return found
    return ""


def has_pointer(point: Point, view: View) -> bool:
    """Whether something may stand over the icon at a point: whether no equal icon of its column looks just like it.

    When rows move, an icon seems to go from one place to another, as a pointer does.
    """
    left, top = max(point.x - _BEFORE, 0), max(point.y - _BEFORE, 0)
    # The dots of a palette's colours are others in each row.
    strip = cv2.blur(view.bgr[:, max(left - _JITTER, 0) : left + _WIDE + _JITTER], (3, 3)).astype(np.float32)
    begin = min(left, _JITTER)
    patch = np.ascontiguousarray(strip[top : top + _HIGH, begin : begin + _WIDE])
    if patch.shape[:2] != (_HIGH, _WIDE) or float(np.ptp(patch)) < _PLAIN:
        return True
    unlike = cv2.matchTemplate(strip, patch, cv2.TM_SQDIFF) / patch.size
    unlike[max(top - _HIGH // 2, 0) : top + _HIGH // 2] = np.inf
    return float(unlike.min()) > _EQUAL


def _is_in_middle(point: Point, icon: Box) -> bool:
    across, down = abs(point.x - icon.centre.x), abs(point.y - icon.centre.y)
    return across <= max(_MIDDLE * icon.width, _LEAST) and down <= max(_MIDDLE * icon.height, _LEAST)


def _found(icon: Box, phrases: Iterator[str], view: View) -> str:
    for phrase in phrases:
        place = ground(parse(phrase), view).place
        if place is not None and icon.contains(place.point):
            return phrase
    return ""


def _phrases(icon: Box, icons: Sequence[Box], text: Box, name: str, view: View) -> Iterator[str]:
    """Counted from the end of a row that ends with icons, also where it is the only one: a film may hide others.

    Else alone in its row, or from the text next to it: what stands between may be of another card.
    """
    quoted = marks(name)
    if quoted is None:
        return
    row = [each.box for each in view.segments if abs(each.box.centre.y - text.centre.y) <= text.height / 2]
    words = [box for box in row if box.width > box.height and box != text]
    if all(box.x + box.width <= icon.x for box in (*words, text)):
        yield f"the last icon in the row of {quoted}"
        yield f"the second to last icon in the row of {quoted}"
    yield f"the icon in the row of {quoted}"
    if any(min(text.x, icon.x) < box.centre.x < max(text.x, icon.x) for box in words):
        return
    yield f"the icon to the right of {quoted}"
    yield f"the last icon to the left of {quoted}"
    yield from (f"the {ordinal} icon to the right of {quoted}" for ordinal in ORDINALS[: len(icons)])
