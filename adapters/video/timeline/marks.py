"""Small things that changed their look as a whole where a pointer rests, or below their name: switches, boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap, overlap
from adapters.video.timeline.deeds import BOX, LEGIBLE, ROW, beside, click_at, name_above
from adapters.video.timeline.resting import EARLY_MS
from adapters.video.timeline.sentences import marked
from core.analysis import Action, Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.timeline.resting import Rest

_AGAIN_MS: Final = 350
"""What changes so soon after the pointer came, or as it goes, may only be lit by it."""


def changed_marks(
    marks: Sequence[tuple[int, Box]], lines: Sequence[Line], rests: Sequence[Rest]
) -> Iterator[tuple[Event, list[Action]]]:
    """Each mark that was clicked: in the row of the pointer, or under it, when that has rested; else below its name."""
    if not rests:
        yield from ((event, []) for event in _ticked_alone(marks, lines))
    for t_ms, box in marks:
        for rest in rests:
            if not rest.t_ms + EARLY_MS <= t_ms <= rest.until_ms:
                continue
            is_under, is_brief = _is_under(box, rest.tip), t_ms < rest.t_ms + _AGAIN_MS
            if not (is_under or _is_beside(box, rest.tip)) or ((is_under or is_brief) and not _stays(box, rest, marks)):
                continue
            row = [line for line, at in beside(rest.tip, lines, t_ms) if gap(box, at)[0] <= ROW * at[3]]
            label = row[0] if row and row[0].score >= LEGIBLE else None
            label = name_above(box, t_ms, lines) if is_under and not row else label
            if label is not None:
                # Under the pointer no words say what was clicked.
                yield _marked(t_ms, box, label.text), [click_at(t_ms, rest)] if is_under and not row else []
                break


def _ticked_alone(marks: Sequence[tuple[int, Box]], lines: Sequence[Line]) -> Iterator[Event]:
    """Small squares that changed once, right below words that begin where they do: boxes of a form."""
    for t_ms, box in marks:
        is_square = max(box[2:]) <= BOX and sum(overlap(box, other) > 0 for _, other in marks) == 1
        name = name_above(box, t_ms, lines) if is_square else None
        if name is not None:
            yield _marked(t_ms, box, name.text)


def _marked(t_ms: int, box: Box, label: str) -> Event:
    return Event(t_ms=t_ms, kind=EventKind.CHANGED, region=box, confidence=0.8, description=marked(label))


def _stays(box: Box, rest: Rest, marks: Sequence[tuple[int, Box]]) -> bool:
    """Whether it does not change back when the pointer goes, as what that lights up does."""
    return not any(abs(t_ms - rest.until_ms) <= _AGAIN_MS and overlap(box, place) for t_ms, place in marks)


def _is_under(box: Box, tip: tuple[int, int]) -> bool:
    return not any(gap(box, (*tip, 1, 1)))


def _is_beside(box: Box, tip: tuple[int, int]) -> bool:
    """Whether it stands in the row of the pointer and is no part of it: an arrow lies below its tip, to the right."""
    return 2 * gap(box, (*tip, 1, 1))[1] <= box[3] and box[1] < tip[1] and (box[0] < tip[0] or box[0] > tip[0] + box[2])
