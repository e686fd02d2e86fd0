"""Clicks on icons, which have no words: the step by a text in the icon's row, where a look at it found one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.analysis import ActionKind, EventKind
from core.demonstration.looks import is_nameless, look_of
from core.demonstration.shown import known
from core.steps import Step

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from core.analysis import Action, Event, Region
    from core.demonstration.looks import LooksByTime

_ENTERED: Final = frozenset({ActionKind.TYPE, ActionKind.CHOOSE})
_AT_ONCE_MS: Final = 1000
_NEAR: Final = 12
"""Pixels: an icon is higher than the words of its row."""


def icon_clicks(
    actions: Sequence[Action], timeline: Sequence[Event], looks: LooksByTime, leading: Collection[int]
) -> dict[int, Step]:
    """The steps of the clicks on icons that were found again, by the index of their action.

    None of those that lead into a field, which may show arrows then, and none beside which another row went: the
    pointer stood elsewhere.
    """
    found: dict[int, Step] = {}
    for at, action in enumerate(actions):
        phrase = look_of(looks, action.t_ms).phrase if is_nameless(action) and at not in leading else ""
        gone = [event for event in timeline if event.cause == at and event.kind is EventKind.VANISHED]
        is_there = all(_is_in_row(event.region, action.region) for event in gone)
        if phrase and is_there and not any(_is_focused(action, one) for one in actions[at + 1 : at + 2]):
            found[at] = known(action.t_ms, action.t_ms, Step.of("CLICK", phrase))
    return found


def _is_focused(click: Action, following: Action) -> bool:
    """Whether what is typed or chosen next goes into the row of the click, or is typed at once: it opened a field."""
    is_at_once = following.kind is ActionKind.TYPE and following.t_ms - click.t_ms <= _AT_ONCE_MS
    return following.kind in _ENTERED and (is_at_once or _is_in_row(following.region, click.region))


def _is_in_row(place: Region | None, point: Region | None) -> bool:
    """Whether a point is in the rows of a place, or a little beside them."""
    if place is None or point is None:
        return True
    return place[1] - _NEAR <= point[1] <= place[1] + place[3] + _NEAR
