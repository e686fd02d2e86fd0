"""The entries of a list that a dropdown has opened, found by what came on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.models.local.accessible_entry import option_at
from core.actions import Click, Key, Type, Wait

if TYPE_CHECKING:
    from collections.abc import Generator

    from adapters.models.local.grounding import Place
    from adapters.models.local.situation import Situation
    from adapters.models.local.view import View
    from core.runs.deciding import Decision
    from core.screens import Box, Point

_OPENS_SECONDS: Final = 0.6
"""Within it a list has opened, or closed."""
_MOVES_SECONDS: Final = 0.1
"""A list that is still unfolding has moved its entries by then."""


def choose(
    situation: Situation, place: Place, value: str, first: View, *, by_keys: bool, note: str
) -> Generator[Decision, None, None]:
    """Choose from a list that was opened: the entry that its program names, the one that is in view, or by keys.

    Args:
        situation: what is seen.
        place: of the dropdown, which may show the words, too.
        value: the words of the entry.
        first: the look before it was opened.
        by_keys: whether only letters and Enter are tried.
        note: what is done, for the record.

    """
    option = option_at(situation, place.element, value) if place.element is not None else None
    own = place.holds or place.box
    if option is not None:
        yield from situation.do(Click(action="left_click", at=option.point), note=note)
    elif by_keys or not (yield from _clicked(situation, value, own, first, note)):
        yield from situation.do(Type(text=value), Key(keys=("enter",)), note=note)


def _clicked(situation: Situation, value: str, own: Box, first: View, note: str) -> Generator[Decision, None, bool]:
    """Click the one entry with these words, and see the list close; whether that was done.

    A list that asks a server what fits the letters takes Enter for the entry that it shows first, whichever that is.
    """
    found = yield from situation.wait_for(lambda: _seen(situation, value, own, first), seconds=_OPENS_SECONDS)
    while found is not None:
        yield from situation.do(Wait(seconds=_MOVES_SECONDS), note="Waiting for the list")
        before, found = found, _seen(situation, value, own, first)
        if found == before:
            break
    if found is None:
        return False
    yield from situation.do(Click(action="left_click", at=found), note=note)
    is_gone = yield from situation.wait_for(
        lambda: True if _seen(situation, value, own, first) is None else None, seconds=_OPENS_SECONDS
    )
    return is_gone is True


def _seen(situation: Situation, value: str, own: Box, first: View) -> Point | None:
    changes = situation.eyes.changes(first.picture, situation.view.picture)
    said = [each.box for each in situation.view.segments if each.text == value]
    came = [box for box in said if not own.contains(box.centre) and any(box.overlap(each) for each in changes)]
    return came[0].centre if len(came) == 1 else None
