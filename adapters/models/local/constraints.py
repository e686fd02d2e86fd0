"""Which of several things stands so to another: in its row, next to it, below it, inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.models.local.finding import find
from adapters.models.local.vocabulary import Relation, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.models.local.finding import Match
    from adapters.models.local.phrases import Constraint
    from adapters.models.local.view import View
    from core.screens import Box

_SAME_ROW: Final = 0.75
_NEAREST: Final = 0.7
"""The nearest has at most this share of the next one's distance, or nothing is decided."""
_FAR: Final = 25


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may be meant: the words that name it, the box to act on, and whether the role agrees."""

    match: Match
    box: Box
    fits: bool


def satisfying(
    candidates: Sequence[Candidate], constraint: Constraint, view: View, *, keeps_all: bool = False
) -> tuple[list[Candidate], str]:
    """The candidates for which it holds, and why there are none.

    ``keeps_all`` keeps all that stand in that direction, for an ordinal to choose from; else the nearest is meant.
    """
    if constraint.relation is Relation.IN:
        return _inside(candidates, constraint, view)
    references = _references(constraint, view)
    if not references:
        return [], f'no "{constraint.of.text}" is seen'
    found: list[Candidate] = []
    for reference in references:
        standing = _standing(candidates, constraint.relation, reference, keeps_all=keeps_all)
        found += [each for each in standing if each not in found]
    where = f'{constraint.relation} "{constraint.of.text}"'
    return found, "" if found else f"none of them stands {where}"


def _references(constraint: Constraint, view: View) -> list[Box]:
    matches = find(constraint.of.text, view.segments)
    whole = [match for match in matches if match.whole] or matches
    best = max((match.likeness for match in whole), default=None)
    boxes = [match.box for match in whole if match.likeness is best]
    ordinal = constraint.of.ordinal
    if ordinal and boxes:
        at = ordinal - 1 if ordinal > 0 else len(boxes) + ordinal
        return boxes[at : at + 1] if at >= 0 else []
    return boxes


def _standing(
    candidates: Sequence[Candidate], relation: Relation, reference: Box, *, keeps_all: bool
) -> list[Candidate]:
    others = [each for each in candidates if each.match.box != reference]
    if relation is Relation.ROW:
        return [each for each in others if _in_row(each.box, reference)]
    if relation is Relation.NEAR:
        level = [each for each in others if _in_row(each.box, reference)]
        return _nearest(level or others, lambda each: _distance(each.box, reference), is_near=not level)
    if relation in (Relation.RIGHT, Relation.LEFT):
        sign = 1 if relation is Relation.RIGHT else -1
        level = [
            each
            for each in others
            if _in_row(each.box, reference) and sign * (each.box.centre.x - reference.centre.x) > 0
        ]
        return level if keeps_all else _nearest(level, lambda each: _distance(each.box, reference), is_near=False)
    sign = 1 if relation is Relation.BELOW else -1
    there = [each for each in others if sign * (each.box.centre.y - reference.centre.y) > max(reference.height, 1) / 2]
    return there if keeps_all else _nearest(there, lambda each: _distance(each.box, reference))


def _nearest(
    candidates: Sequence[Candidate], distance: Callable[[Candidate], float], *, is_near: bool = True
) -> list[Candidate]:
    """The nearest, or all that cannot be told from it."""
    ordered = sorted(candidates, key=distance)
    if not ordered:
        return []
    least = distance(ordered[0])
    if is_near and least > _FAR * max(ordered[0].box.height, 1):
        return []
    return [each for each in ordered if distance(each) * _NEAREST <= least]


def _distance(first: Box, second: Box) -> float:
    """Between the nearest edges; across counts a little less than down, and at least a little."""
    across = max(first.x - second.x - second.width, second.x - first.x - first.width, 0)
    down = max(first.y - second.y - second.height, second.y - first.y - first.height, 0)
    return max(1.0, float((across**2 + (2 * down) ** 2) ** 0.5))


def _in_row(box: Box, reference: Box) -> bool:
    return abs(box.centre.y - reference.centre.y) <= _SAME_ROW * max(
        min(box.height, 2 * reference.height), reference.height
    )


def _inside(candidates: Sequence[Candidate], constraint: Constraint, view: View) -> tuple[list[Candidate], str]:
    """In the window of that title, or in the smallest frame that holds the title and a candidate."""
    title = constraint.of.text
    windows = [window for window in view.windows if title.casefold() in window.title.casefold()]
    if windows:
        shown = [each for each in candidates if view.window_at(each.box) in windows]
        if shown or constraint.of.role is Role.WINDOW:
            return shown, "" if shown else f'it is not seen in the window "{title}"'
    references = _references(constraint, view)
    if not references:
        return [], f'no "{title}" is seen'
    found: list[Candidate] = []
    for reference in references:
        frames = [shape.box for shape in view.shapes if _holds(shape.box, reference)]
        for frame in frames:
            inside = [each for each in candidates if _holds(frame, each.box) and each.match.box != reference]
            if inside:
                found += [each for each in inside if each not in found]
                break
    if len(candidates) == 1 and not found:
        return list(candidates), ""
    return found, "" if found else f'it is not seen together with "{title}"'


def _holds(frame: Box, box: Box) -> bool:
    return frame.contains(box.centre) and frame.width * frame.height > 1.5 * box.width * box.height
