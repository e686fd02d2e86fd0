"""The words for an icon, which has none: by a text in its row, so that grounding finds it at just that place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.models.local.controls import icons_beside
from adapters.models.local.finding import find
from adapters.models.local.grounding import ground
from adapters.models.local.phrases import parse
from core.plans.phrasing import ORDINALS, marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.models.local.view import View
    from core.screens import Box, Point

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

    Else alone in its row, or from the text before it or behind it.
    """
    quoted = marks(name)
    if quoted is None:
        return
    row = [each.box for each in view.segments if abs(each.box.centre.y - text.centre.y) <= text.height / 2]
    if all(box.x + box.width <= icon.x for box in row if box.width > box.height):
        yield f"the last icon in the row of {quoted}"
        yield f"the second to last icon in the row of {quoted}"
    yield f"the icon in the row of {quoted}"
    yield f"the icon to the right of {quoted}"
    yield f"the last icon to the left of {quoted}"
    yield from (f"the {ordinal} icon to the right of {quoted}" for ordinal in ORDINALS[: len(icons)])
    yield from (f"the {ordinal} icon in the row of {quoted}" for ordinal in ORDINALS[: len(icons)])
