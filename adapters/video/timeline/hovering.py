"""What changes because the pointer comes, passes or goes: what it lights up, and the tooltips that it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap
from adapters.video.timeline.resting import BRIEF_MS, EARLY_MS, LOST_MS
from core.analysis import Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.timeline.resting import Rest

TOOLTIP: Final = 60
"""Pixels: what says what a thing does opens no farther from the pointer."""
TOUCHES: Final = 12
_LARGE: Final = 250_000
"""Square pixels: no pointer lights so much; a page that takes other colours does."""
_PASSED_MS: Final = 350
"""What is lit so long before the pointer came to a place, or after it went, may be lit by it."""


def is_more_than_light(event: Event, rest: Rest, rests: Sequence[Rest]) -> bool:
    """Whether it cannot be the pointer's mere coming, which lights up a button and opens what it says of itself."""
    if event.kind is EventKind.NAVIGATED:
        return True
    if event.text is None:
        return event.region is not None and event.region[2] * event.region[3] >= _LARGE
    is_far = event.kind is not EventKind.APPEARED or distance(event, rest) > TOOLTIP
    return is_far or is_entered(event, rests) or _is_closed_under(event, rest)


def is_entered(event: Event, rests: Sequence[Rest]) -> bool:
    """Whether the pointer comes to rest in it while it is there, as in a menu; a tooltip goes before."""
    if event.region is None or event.until_ms is None:
        return False
    during = [rest for rest in rests if event.t_ms < rest.t_ms <= event.until_ms]
    stays = (rest for rest in during if rest.until_ms - rest.t_ms >= BRIEF_MS or rest.until_ms >= event.until_ms)
    return any(not any(gap(event.region, (*rest.tip, 1, 1))) for rest in stays)


def _is_closed_under(event: Event, rest: Rest) -> bool:
    """Whether it goes while the pointer stays where it was: what the pointer's coming opens goes with that."""
    return event.until_ms is not None and event.until_ms + LOST_MS < rest.until_ms


def is_lit_on_leaving(event: Event, rest: Rest) -> bool:
    """Whether it may be the row that lights up as the pointer goes there: seen one picture before that."""
    return not (event.text or event.before) and rest.until_ms - event.t_ms <= EARLY_MS


def is_lit_on_way(event: Event, rests: Sequence[Rest]) -> bool:
    """Whether it changed where the pointer passed then."""
    near = (rest for rest in rests if rest.t_ms - _PASSED_MS <= event.t_ms <= rest.until_ms + _PASSED_MS)
    return any(distance(event, rest) <= TOUCHES for rest in near)


def distance(event: Event, rest: Rest) -> int:
    """How many pixels lie between the pointer and what changed; a tooltip's if that has no place."""
    return max(gap(event.region, (*rest.tip, 1, 1))) if event.region else TOOLTIP
