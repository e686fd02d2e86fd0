"""What was done, with the events that it caused; and the lines of text that it can be said with."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap, lies_in
from adapters.video.text.lines import similarity, without_sign
from adapters.video.timeline.pointed_words import columns_beside, opens_menu, pointed_words
from adapters.video.timeline.resting import STILL
from core.analysis import Action, ActionKind
from core.text import ICON_LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.timeline.resting import Rest
    from core.analysis import Event

TOGETHER_MS: Final = 150
_LATE_MS: Final = 350
ROW: Final = 6
"""A box or a sign stands no farther from its label than so many of its heights."""
_BEFORE: Final = 2
"""A pointer in front of words, as on an icon or a box, is no farther from them than so many of their heights."""
LEGIBLE: Final = 0.8
_SAME: Final = 0.75
"""So alike are two readings of one line."""
_SLIP: Final = 0.6
_DOUBTED: Final = 0.93
_LETTER: Final = 1.4
"""Of its height a letter is no wider: of a place that is wider not all was read."""
_APART: Final = 12
"""Keys stand no farther from each other than so many heights of their signs."""
_KEYS: Final = 2
"""So many other signs stand alone beside a key."""
BOX: Final = 24
"""Pixels: no box that is ticked is larger."""


@dataclass(frozen=True, slots=True)
class Deed:
    """An action, and the indices of the events that followed from it."""

    action: Action
    effects: tuple[int, ...]


def with_last_effects(deeds: Sequence[Deed], events: Sequence[Event]) -> list[Deed]:
    """The deeds, in order of time; what comes right after the effects of a click, and before the next, is one too."""
    explained = {at for deed in deeds for at in deed.effects}
    done: list[Deed] = []
    for deed, following in itertools.zip_longest(deeds, deeds[1:]):
        late: list[int] = []
        if deed.action.kind is ActionKind.CLICK and deed.effects:
            last_ms = max(events[at].t_ms for at in deed.effects)
            until_ms = min(last_ms + _LATE_MS, following.action.t_ms if following else math.inf)
            late = [at for at, one in enumerate(events) if one.text and last_ms < one.t_ms <= until_ms]
        done.append(replace(deed, effects=(*deed.effects, *(at for at in late if at not in explained))))
    return done


def click_on(
    t_ms: int, rest: Rest, lines: Sequence[Line], *, inside: bool = False, opened: Box | None = None
) -> Action | None:
    """The click, if there are words to say on what; else it may have been anything.

    Args:
        t_ms: when it was.
        rest: where the pointer stood.
        lines: all that stood on the screen.
        inside: only on words that it stood in, not beside.
        opened: where something came with it.

    """
    tip = (*rest.tip, 1, 1)
    near = [
        (line, box)
        for line, box in beside(rest.tip, lines, t_ms)
        if line.score >= LEGIBLE and box[0] - rest.tip[0] <= _BEFORE * box[3]
    ]
    is_on_words = bool(near) and max(gap(near[0][1], tip)) <= STILL
    control = None if is_on_words else control_under(rest.tip, lines, t_ms)
    near = [control] if control is not None else near
    if not near or _is_being_written(near[0][0], lines):
        return None
    line, box = _read_before(*near[0], rest, lines)
    columns = columns_beside(box, (at for _, at in standing(lines, t_ms)))
    pointed = _pointed(line, box, rest.tip, columns, opened)
    words, place = pointed or (line.text, box)
    words = without_sign(words)
    if words in ICON_LETTERS and not _has_keys(place, lines, t_ms):
        return None
    is_on = max(gap(place, tip)) <= STILL and pointed is not None and place[2] <= _LETTER * place[3] * len(words)
    # Of a bar that holds several names one is meant.
    is_in = is_on or (control is not None and pointed == (line.text, box))
    if inside and not is_in:
        return None
    return click_on_words(t_ms, words, place, (0.9 if is_in else 0.6) * min(line.score, 1.0), beside=not is_in)


def _pointed(
    line: Line, box: Box, tip: tuple[int, int], columns: Sequence[int], opened: Box | None
) -> tuple[str, Box] | None:
    is_bar, is_beside = opens_menu(line.text.split(), box, opened), max(gap(box, (*tip, 1, 1))) > 0
    return pointed_words(line, box, tip[0], columns, single=is_bar, beside=is_beside)


def control_under(tip: tuple[int, int], lines: Sequence[Line], t_ms: int) -> tuple[Line, Box] | None:
    """The words of the button on which the pointer stands, or at whose edge, and where they stand."""
    near: list[tuple[int, Line, Box]] = []
    for line, box in standing(lines, t_ms):
        control = line.control_at(box)
        away = math.inf if control is None else max(gap(control, (*tip, 1, 1)))
        if away <= STILL and line.score >= LEGIBLE:
            near.append((int(away), line, box))
    return min(near, key=lambda one: one[0])[1:] if near else None


def click_on_words(t_ms: int, words: str, place: Box, sure: float, *, beside: bool = False) -> Action:
    """The click on words, or beside them."""
    return Action(
        t_ms=t_ms,
        kind=ActionKind.CLICK,
        target=words,
        region=place,
        confidence=round(sure, 3),
        description=f'Clicked {"beside " if beside else ""}"{words}".',
    )


def _read_before(line: Line, box: Box, rest: Rest, lines: Sequence[Line]) -> tuple[Line, Box]:
    """A line that came with the pointer as it was read before, in the same place: a pointer hides letters."""
    for before, at in standing(lines, rest.t_ms) if line.t_ms >= rest.t_ms else ():
        is_there = lies_in(box, at) and lies_in(at, box)
        alike = similarity(before.text, line.text)
        # Of a short word that was read better one letter may be another now.
        is_slip = len(before.text) == len(line.text) and alike >= _SLIP and line.score < _DOUBTED < before.score
        if before.score >= LEGIBLE and ((is_there and alike >= _SAME) or (lies_in(at, box) and is_slip)):
            return before, at
    return line, box


def _is_being_written(line: Line, lines: Sequence[Line]) -> bool:
    """Whether it is a part of a text that grows in its place: what stands behind it is a caret and no pointer."""
    there = [other for other in lines if _begins_at(other, line.box)]
    came = any(other.until_ms == line.t_ms and _goes_on(other, line) for other in there)
    return came and any(other.t_ms == line.until_ms and _goes_on(line, other) for other in there)


def _begins_at(line: Line, box: Box) -> bool:
    return max(abs(line.came_at[0] - box[0]), abs(line.came_at[1] - box[1])) <= box[3] // 2


def _goes_on(line: Line, later: Line) -> bool:
    """Whether the later text is the same with more behind it; the last sign may be read with the caret."""
    return len(later.text) > len(line.text) and later.text.startswith(line.text[:-1])


def _has_keys(box: Box, lines: Sequence[Line], t_ms: int) -> bool:
    """Whether other signs stand alone near it that are no icons, as on a keypad."""
    near = [line for line, at in standing(lines, t_ms) if max(gap(at, box)) <= _APART * box[3]]
    return len({line.text for line in near if len(line.text) == 1} - ICON_LETTERS) >= _KEYS


def click_at(t_ms: int, rest: Rest) -> Action:
    """The click on what has no words beside it, as an icon."""
    x, y = rest.tip
    return Action(
        t_ms=t_ms,
        kind=ActionKind.CLICK,
        target=None,
        region=(x, y, 1, 1),
        confidence=0.5,
        description=f"Clicked at ({x}, {y}).",
    )


def with_right_button(click: Action) -> Action:
    """The same, of what opened a menu where the pointer stood."""
    said = click.description.replace("Clicked", "Right-clicked", 1)
    return click.model_copy(update={"kind": ActionKind.RIGHT_CLICK, "description": said})


def beside(tip: tuple[int, int], lines: Sequence[Line], t_ms: int) -> list[tuple[Line, Box]]:
    """The lines at the pointer or in its row just before a moment, and where they stood; the nearest first."""
    near: list[tuple[int, int, Line, Box]] = []
    for line, box in standing(lines, t_ms):
        across, down = gap(box, (*tip, 1, 1))
        if 2 * down <= box[3] and across <= ROW * box[3]:
            near.append((across + down, box[2] * box[3], line, box))
    return [(line, box) for *_, line, box in sorted(near, key=lambda one: one[:2])]


def standing(lines: Iterable[Line], t_ms: int, before_ms: int = TOGETHER_MS) -> Iterator[tuple[Line, Box]]:
    """What stood just before a moment, and where."""
    for line in lines:
        if line.t_ms < t_ms and (line.until_ms is None or line.until_ms >= t_ms - before_ms):
            yield line, line.at(t_ms)


def name_above(box: Box, t_ms: int, lines: Iterable[Line]) -> Line | None:
    """The one text right above a box, which begins where that does."""
    above = [
        line
        for line, at in standing(lines, t_ms)
        if abs(at[0] - box[0]) <= at[3] and 0 <= box[1] - at[1] - at[3] <= 2 * at[3] and line.score >= LEGIBLE
    ]
    return above[0] if len(above) == 1 and any(map(str.isalpha, above[0].text)) else None
