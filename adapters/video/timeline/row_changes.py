"""What changes in the row in which the pointer stands, beside it: a row that is deleted, and those that move up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.timeline.hovering import TOUCHES, distance
from core.analysis import EventKind

if TYPE_CHECKING:
    from adapters.video.timeline.resting import Rest
    from core.analysis import Event

_ROW: Final = 40
"""Pixels: no row of a list is much higher above the middle of its icons."""
_KINDS: Final = {EventKind.VANISHED, EventKind.CHANGED}


def is_gone(event: Event, rest: Rest) -> bool:
    """Whether the text of the pointer's row went, of which the pointer hides no letter."""
    if event.kind is not EventKind.VANISHED or event.region is None or distance(event, rest) <= TOUCHES:
        return False
    _, y, _, height = event.region
    return y - height / 2 <= rest.tip[1] <= y + 1.5 * height


def begins_in_row(effect: Event, rest: Rest) -> bool:
    """Whether what changed begins in the pointer's row, beside it: a row that goes, and those below that move up."""
    if effect.region is None or effect.kind not in _KINDS or not any(map(str.isalpha, effect.text or "")):
        return False
    x, y, width, _ = effect.region
    return not x <= rest.tip[0] <= x + width and y - _ROW / 2 <= rest.tip[1] <= y + _ROW
