"""Finding a step's target: by its words, its anchor, its fallback, by waiting, and by scrolling there and back."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final, TypeVar

from adapters.models.local.anchors import find_anchor
from adapters.models.local.grounding import Grounding, ground, place_of
from adapters.models.local.phrases import parse
from adapters.models.local.situation import Impossible, Unsure
from core.actions import Scroll
from core.screens import Box, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from adapters.models.local.grounding import Place
    from adapters.models.local.situation import Situation
    from adapters.models.local.view import View
    from adapters.models.local.vocabulary import Role
    from core.runs.deciding import Decision
    from core.workflows.workflow import Step

Found = TypeVar("Found")

_SHORT: Final = 1.0
_NOTCHES: Final = 5
_MOST_NOTCHES: Final = 40
_MOST_SCROLLS: Final = 8
_SCREENFUL: Final = 0.6
"""How much of the screen a scroll may move on, so that nothing is passed unseen."""
_SAID: Final = 4


def target(situation: Situation, step: Step, *, default: Role | None = None) -> Generator[Decision, None, Place]:
    """Where the step acts.

    Raises ``Unsure`` when several places are equally good, ``Impossible`` when none is found.
    """
    return (yield from place(situation, step.target.primary, step, default=default))


def place(
    situation: Situation, words: str, step: Step, *, default: Role | None = None
) -> Generator[Decision, None, Place]:
    """The same for other words than the target's, e.g. where a drag ends."""
    is_target = words == step.target.primary
    fallback = step.target.fallback if is_target else None

    def direct() -> Place | None:
        return _decided(situation.view, words, step if is_target else None, situation, default)

    def otherwise() -> Place | None:
        return direct() or (_decided(situation.view, fallback, None, situation, default) if fallback else None)

    found = yield from situation.wait_for(direct, seconds=min(_SHORT, situation.patience))
    found = found or otherwise()
    if found is None and parse(words).is_findable:
        found = yield from seek(situation, direct)
        found = found or (yield from situation.wait_for(otherwise, seconds=situation.patience - _SHORT))
    if found is None:
        raise Impossible(f'To "{step.intent}", {words} was looked for: {_reason(situation.view, words, default)}.')
    return found


def seek(situation: Situation, seen: Callable[[], Found | None]) -> Generator[Decision, None, Found | None]:
    """Scroll down, and then up, until something is seen; where it is not, scroll back to where it began."""
    for at in _scrolling_points(situation.view):
        moved = 0
        for sign in (1, -1):
            notches = _NOTCHES
            for _ in range(_MOST_SCROLLS):
                before = situation.view
                yield from _scroll(situation, sign * notches, at)
                if not situation.eyes.changes(before.picture, situation.view.picture):
                    break
                moved += sign * notches
                found = seen()
                if found is not None:
                    return found
                notches = _stride(before, situation.view, notches)
        if moved:
            yield from _scroll(situation, -moved, at)
            return seen()
    return None


def _scroll(situation: Situation, notches: int, at: Point) -> Generator[Decision, None, None]:
    while notches:
        part = max(-100, min(100, notches))
        yield from situation.do(Scroll(action="scroll", notches=part, at=at), note="Scrolling to find it")
        notches -= part


def _decided(view: View, words: str, step: Step | None, situation: Situation, default: Role | None) -> Place | None:
    """What the words say, or the anchor where they say nothing or too much. Raises ``Unsure``."""
    grounding = ground(parse(words), view, default=default)
    if grounding.place is not None:
        return grounding.place
    anchored = _anchored(step, situation, grounding)
    if anchored is not None:
        return anchored
    if grounding.rivals:
        raise Unsure(_question(words, grounding))
    return None


def _anchored(step: Step | None, situation: Situation, grounding: Grounding) -> Place | None:
    """The recorded picture's place; it may choose between rivals, but not against them."""
    if step is None:
        return None
    found = find_anchor(step.additional_args.get("anchor"), situation.briefing.folder, situation.view)
    if found is None:
        return None
    if grounding.rivals:
        near = [rival for rival in grounding.rivals if rival.box.contains(found) or rival.words.contains(found)]
        return near[0] if len(near) == 1 else None
    return place_of(Box(x=found.x, y=found.y, width=1, height=1))


def _question(words: str, grounding: Grounding) -> str:
    spots = [f"at ({rival.point.x}, {rival.point.y})" for rival in grounding.rivals[:_SAID]]
    more = f" and {len(grounding.rivals) - _SAID} more" if len(grounding.rivals) > _SAID else ""
    return (
        f"{words} is on the screen {len(grounding.rivals)} times, {' and '.join(spots)}{more}: which one is meant? "
        'Say so in the step\'s target, e.g. by "second" or by the words next to it.'
    )


def _reason(view: View, words: str, default: Role | None) -> str:
    found = ground(parse(words), view, default=default)
    seen = ", ".join(f'"{segment.text}"' for segment in view.segments[:_SAID])
    return f"{found.reason or 'it is not seen'} (the screen begins with {seen})" if seen else "the screen shows no text"


def _scrolling_points(view: View) -> list[Point]:
    """Where the wheel is turned: in the middle of the window in front, off all fields; then in its largest frame."""
    window = next((window for window in view.windows if window.focused), None)
    area = window.box if window is not None else view.whole
    small = [shape.box for shape in view.shapes if shape.box.height < area.height // 4]
    spots = [
        Point(x=area.x + round(area.width * across), y=area.y + round(area.height * down))
        for down in (0.5, 0.6, 0.4, 0.7, 0.3)
        for across in (0.5, 0.4, 0.6, 0.9, 0.1)
    ]
    free = [spot for spot in spots if not any(box.contains(spot) for box in small)]
    points = (free or spots)[:1]
    frames = [shape.box for shape in view.shapes if shape.box.height >= area.height // 4]
    inner = [box for box in frames if not box.contains(points[0]) and area.contains(box.centre)]
    return points + [box.centre for box in inner[-1:]]


def _stride(before: View, after: View, notches: int) -> int:
    """How many notches move on by most of a screen, by how far the last ones moved the text."""
    earlier = {line.text: line.box.y for line in before.lines}
    shifts = [abs(line.box.y - earlier[line.text]) for line in after.lines if line.text in earlier]
    shift = median(shift for shift in shifts if shift) if any(shifts) else 0
    if not shift:
        return notches
    return max(1, min(_MOST_NOTCHES, round(notches * _SCREENFUL * after.whole.height / shift)))
