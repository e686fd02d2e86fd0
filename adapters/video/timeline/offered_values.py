"""Values that a browser offers below a field: a click on one is told by what came in the field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.analysis import ActionKind, EventKind
from core.text import is_begun_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.timeline.deeds import Deed
    from core.analysis import Action, Event

_EARLY_MS: Final = 1500
_LATE_MS: Final = 300
_BELOW: Final = 3
"""Heights of what was typed at most to what was offered for it, with the frame of both."""


def without_offers(deeds: Sequence[Deed], events: Sequence[Event]) -> list[Deed]:
    """The deeds without the clicks on what was offered; what came of them has no other cause."""
    filled = [event for event in events if event.kind is EventKind.TYPED and event.until_ms is None]
    return [deed for deed in deeds if not any(_takes(deed.action, event) for event in filled)]


def _takes(click: Action, filled: Event) -> bool:
    """Whether a click is on the words that came in the field above it just then."""
    place, field = click.region, filled.region
    is_then = -_EARLY_MS <= click.t_ms - filled.t_ms <= _LATE_MS
    if click.kind is not ActionKind.CLICK or place is None or field is None or not is_then:
        return False
    is_below = 0 < place[1] + place[3] - field[1] - field[3] <= _BELOW * field[3] and place[1] > field[1]
    return is_below and is_begun_as(click.target or "", filled.text or "")
