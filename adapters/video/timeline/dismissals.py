"""Menus that are closed without a choice: what a click opened goes, while the pointer stays, and all is as before.

A second click on the same place does that, or a key, as Escape: which of the two cannot be seen. A message that goes by
itself stands elsewhere, or is one line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, overlap
from adapters.video.text.lines import similarity
from adapters.video.timeline.deeds import Deed
from core.analysis import Action, ActionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.timeline.resting import Rest

_CLICKS: Final = {ActionKind.CLICK, ActionKind.RIGHT_CLICK}
_EARLY_MS: Final = 100
_OPENS_MS: Final = 300
"""In that time a menu is drawn; what stood for less cannot be read."""
_TOGETHER_MS: Final = 200
_NEAR: Final = 60
"""Pixels between the pointer and a menu."""
_FOLLOWS_MS: Final = 500
"""What comes so soon, before or after, was chosen."""
_ENTRIES: Final = 2
_MOST: Final = 0.6
"""Of what came with the click is the menu's: what it covers in part is read anew."""
_LARGE: Final = 0.4
"""Of what the screen shows: a page is larger."""
_SAME: Final = 0.75
_READ_ANEW: Final = 0.1
"""Of a menu's letters: of what stood under it, so many may be read otherwise when it is gone."""
_CONFIDENCE: Final = 0.6


def dismissals(deeds: Sequence[Deed], lines: Sequence[Line], rests: Sequence[Rest]) -> Iterator[Deed]:
    """One for each click whose menu closed in that way."""
    for deed in deeds:
        if deed.action.kind not in _CLICKS or deed.action.target is None:
            continue
        menu = _menu(deed.action.t_ms, lines)
        if menu and _is_dismissed(deed, menu, deeds, lines, rests):
            yield Deed(_dismissal(deed.action, menu), ())


def _menu(opened_ms: int, lines: Sequence[Line]) -> list[Line]:
    """The lines that came with a click and went together; none where most of them stayed."""
    came = [line for line in lines if -_EARLY_MS <= line.t_ms - opened_ms <= _OPENS_MS]
    gone = [line for line in came if line.until_ms is not None]
    groups = [[one for one in gone if abs(_until(one) - _until(line)) <= _TOGETHER_MS] for line in gone]
    menu = max(groups, key=len) if groups else []
    is_menu = len(menu) >= max(_ENTRIES, _MOST * len(came)) and min(map(_until, menu)) - opened_ms >= _OPENS_MS
    return menu if is_menu else []


def _is_dismissed(
    deed: Deed, menu: Sequence[Line], deeds: Sequence[Deed], lines: Sequence[Line], rests: Sequence[Rest]
) -> bool:
    opened_ms, closed_ms, place = deed.action.t_ms, max(map(_until, menu)), _place(menu)
    stays = any(
        rest.t_ms - _EARLY_MS <= opened_ms <= rest.until_ms
        and closed_ms < rest.until_ms
        and max(gap(place, (*rest.tip, 1, 1))) <= _NEAR
        for rest in rests
    )
    acts = any(opened_ms < other.action.t_ms <= closed_ms + _FOLLOWS_MS for other in deeds if other is not deed)
    if not stays or acts:
        return False
    before = [line for line in lines if line.t_ms < opened_ms - _EARLY_MS and _stands(line, opened_ms - _EARLY_MS)]
    shown = around([place, *(line.at(opened_ms) for line in before)])
    comes = (line for line in lines if closed_ms - _FOLLOWS_MS <= line.t_ms <= closed_ms + _FOLLOWS_MS)
    new = [line for line in comes if not any(_is_same(line, other, opened_ms) for other in before)]
    is_small = place[2] * place[3] <= _LARGE * shown[2] * shown[3]
    return is_small and _letters(new) <= _READ_ANEW * _letters(menu)


def _letters(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _until(line: Line) -> int:
    return line.until_ms or line.t_ms


def _stands(line: Line, t_ms: int) -> bool:
    return line.until_ms is None or line.until_ms > t_ms


def _place(menu: Sequence[Line]) -> Box:
    return around(line.came_at for line in menu)


def _is_same(line: Line, earlier: Line, t_ms: int) -> bool:
    """Whether it is what stood there before: an edge of the menu may have hidden a letter."""
    is_there = bool(overlap(line.came_at, earlier.at(t_ms)))
    return is_there and (similarity(line.text, earlier.text) >= _SAME or line.text in earlier.text)


def _dismissal(click: Action, menu: Sequence[Line]) -> Action:
    return Action(
        t_ms=max(map(_until, menu)),
        kind=ActionKind.DISMISS,
        target=click.target,
        region=_place(menu),
        confidence=_CONFIDENCE,
        description=f'Closed what "{click.target}" had opened, without a choice.',
    )
