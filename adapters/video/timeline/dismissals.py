"""Menus that are closed without a choice: what a click opened goes, while the pointer stays and nothing else comes.

A second click on the same place does that, or a key, as Escape: which of the two cannot be seen. A message that goes by
itself stands elsewhere, or is one line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap
from adapters.video.timeline.deeds import Deed
from core.analysis import Action, ActionKind, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.timeline.resting import Rest
    from core.analysis import Event

_CLICKS: Final = {ActionKind.CLICK, ActionKind.RIGHT_CLICK}
_COMES: Final = {EventKind.APPEARED, EventKind.CHANGED, EventKind.NAVIGATED, EventKind.SCROLLED}
_EARLY_MS: Final = 100
_OPEN_MS: Final = 300
"""What stood for less cannot be read."""
_NEAR: Final = 60
"""Pixels between the pointer and a menu."""
_FOLLOWS_MS: Final = 500
"""What comes so soon, before or after, was chosen."""
_CONFIDENCE: Final = 0.6


def dismissals(deeds: Sequence[Deed], events: Sequence[Event], rests: Sequence[Rest]) -> Iterator[Deed]:
    """One for each click whose menu closed in that way."""
    for deed in deeds:
        if deed.action.kind not in _CLICKS or deed.action.target is None:
            continue
        for at in deed.effects:
            if _is_dismissed(deed, events[at], deeds, events, rests):
                yield Deed(_dismissal(deed.action, events[at]), ())
                break


def _is_dismissed(
    deed: Deed, menu: Event, deeds: Sequence[Deed], events: Sequence[Event], rests: Sequence[Rest]
) -> bool:
    opened_ms, closed_ms, place = deed.action.t_ms, menu.until_ms, menu.region
    if menu.kind is not EventKind.APPEARED or closed_ms is None or closed_ms - menu.t_ms < _OPEN_MS or place is None:
        return False
    if " \u00b7 " not in (menu.text or ""):
        return False
    stays = any(
        rest.t_ms - _EARLY_MS <= opened_ms <= rest.until_ms
        and closed_ms < rest.until_ms
        and max(gap(place, (*rest.tip, 1, 1))) <= _NEAR
        for rest in rests
    )
    acts = any(opened_ms < other.action.t_ms <= closed_ms + _FOLLOWS_MS for other in deeds if other is not deed)
    comes = any(abs(event.t_ms - closed_ms) <= _FOLLOWS_MS and event.kind in _COMES for event in events)
    return stays and not acts and not comes


def _dismissal(click: Action, menu: Event) -> Action:
    return Action(
        t_ms=menu.until_ms or menu.t_ms,
        kind=ActionKind.DISMISS,
        target=click.target,
        region=menu.region,
        confidence=_CONFIDENCE,
        description=f'Closed what "{click.target}" had opened, without a choice.',
    )
