"""Clocks: what goes on at an even pace, or as much as the time that passed, is no event."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from adapters.video.frame import overlap
from adapters.video.text.lines import without_numbers
from adapters.video.timeline.chains import line_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.screen import Draft

_MOST_MS: Final = 3000
"""By no more than so much a clock goes on at once."""
_CLOCK: Final = re.compile(r"\d{1,2}(?:\s*:\s*\d{2}){1,2}(?:\.\d{1,3})?")
_TICK: Final = 1.5
_STEADY_TICKS: Final = 4
_PACE: Final = 0.06


def ticks(drafts: Sequence[Draft], frame_ms: float) -> set[int]:
    """Ids of the drafts in which nothing but a clock went on."""
    found: set[int] = set()
    steady: dict[int, list[Draft]] = {}
    for draft in drafts:
        if line_of(draft) is None or not draft.match.changed:
            continue
        old, new = draft.match.changed[0]
        if without_numbers(old.text) != without_numbers(new.text):
            continue
        if _went_on(old.text, new.text, draft.t_ms - old.t_ms):
            found.add(id(draft))
            continue
        run = steady.pop(id(old), [])
        steady[id(new)] = [*run, draft]
        if _is_steady(steady[id(new)], frame_ms):
            found.update(id(one) for one in steady[id(new)])
    return found


def hands(drafts: Sequence[Draft], frame_ms: float) -> set[int]:
    """Ids of the drafts in which a place without text changed at an even pace: a clock's hand, a lamp that blinks."""
    places: list[list[Draft]] = []
    for draft in drafts:
        if draft.match.says_anything or draft.scroll:
            continue
        place = next((one for one in places if overlap(one[-1].box, draft.box)), None)
        if place is None:
            places.append([draft])
        else:
            place.append(draft)
    runs = [one[at : at + _STEADY_TICKS] for one in places for at in range(len(one) - _STEADY_TICKS + 1)]
    return {id(draft) for run in runs if _is_steady(run, frame_ms) for draft in run}


def _went_on(old: str, new: str, stood_ms: int) -> bool:
    """Whether a time of day, a timer or a countdown went on: by one step, or by as much as it had stood."""
    before, after = _CLOCK.search(old), _CLOCK.search(new)
    if before is None or after is None or old[: before.start()] != new[: after.start()]:
        return False
    step = abs(_units(after[0]) - _units(before[0]))
    # What is not yet known is whether the last unit is a minute or a second.
    return step <= _TICK or step <= _TICK + min(stood_ms, _MOST_MS) / 1000


def _units(clock: str) -> float:
    """How many of the last full unit it shows: minutes of 14:05, seconds of 14:05:09.5."""
    total = 0.0
    for part in clock.split(":"):
        total = 60 * total + float(part)
    return total


def _is_steady(run: Sequence[Draft], frame_ms: float) -> bool:
    """Whether it went on at the same pace, as a stopwatch does and no person who clicks."""
    if len(run) < _STEADY_TICKS:
        return False
    waits = [after.t_ms - before.t_ms for before, after in itertools.pairwise(run)]
    return max(waits) - min(waits) <= max(_PACE * max(waits), 1.1 * frame_ms)
