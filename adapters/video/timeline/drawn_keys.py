"""Keys that are drawn on the screen, as those of a calculator, and clicked one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.timeline.deeds import click_at, click_on
from adapters.video.timeline.resting import BRIEF_MS
from core.analysis import EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.lines import Line
    from adapters.video.timeline.resting import Rest
    from core.analysis import Action, Event

_HAND_MS: Final = 100
_LONG_MS: Final = 350
_FEWEST_KEYS: Final = 2


def keys_of(event: Event, lines: Sequence[Line], rests: Sequence[Rest]) -> list[Action]:
    """The clicks on keys that are drawn on the screen, where a pointer went from one to the next while a text grew."""
    if event.kind is not EventKind.TYPED or event.until_ms is None:
        return []
    there = [rest for rest in rests if event.t_ms - _LONG_MS <= rest.t_ms <= event.until_ms]
    there = [rest for rest in there if rest.until_ms - rest.t_ms >= BRIEF_MS]
    named = [(rest, click_on(rest.t_ms + _HAND_MS, rest, lines, inside=True)) for rest in there]
    if sum(click is not None for _, click in named) < _FEWEST_KEYS:
        return []
    # The sign on a key may be no word.
    return [click or click_at(rest.t_ms + _HAND_MS, rest) for rest, click in named if click or _is_long(rest)]


def _is_long(rest: Rest) -> bool:
    return rest.until_ms - rest.t_ms >= _LONG_MS
