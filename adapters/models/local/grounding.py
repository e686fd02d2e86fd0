"""Where on a screen a phrase points to, also by what stands beside it: one place, several equally good, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.models.local.controls import (
    button_around,
    fields_of,
    fits,
    icons_beside,
    is_area,
    marks_of,
    row_marks,
)
from adapters.models.local.finding import Likeness, Match, find, is_decoration, nearest
from adapters.models.local.phrases import LABELLED, Constraint, Phrase, Relation, Role
from core.demonstration.distinctive import plain_part
from core.screens import Box, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.models.local.view import View
    from core.accessibility import Element


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
    """The nearest, or all that are as near."""
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


_FIELDS: Final = frozenset({Role.FIELD, Role.AREA, Role.DROPDOWN})
_MARKED: Final = frozenset({Role.CHECKBOX, Role.RADIO})
_OTHER_COLOUR: Final = 60
_TALLER: Final = 1.2
_INSET: Final = 12


@dataclass(frozen=True, slots=True)
class Place:
    """What was found: where to act, the box of the control or the text, and the words that named it.

    ``holds`` is the box of a field, in which what is typed must show; ``None`` when it is no field. ``element`` is what
    its program says of it, where it was found by that.
    """

    point: Point
    box: Box
    words: Box
    holds: Box | None = None
    element: Element | None = None


@dataclass(frozen=True, slots=True)
class Grounding:
    """One place in ``place``; else ``rivals`` that are equally good; else ``reason`` says why nothing was found."""

    place: Place | None = None
    rivals: tuple[Place, ...] = ()
    reason: str = ""


def ground(phrase: Phrase, view: View, *, default: Role | None = None) -> Grounding:
    """Find what a phrase means.

    Args:
        phrase: what is looked for.
        view: where.
        default: the role when the phrase names none, e.g. a field for what is typed.

    """
    role = phrase.role or default
    if not phrase.text:
        return _without_text(phrase, view)
    matches = find(phrase.text, view.segments)
    usable = [match for match in matches if _is_usable(match, role, view)]
    if not usable:
        return Grounding(reason=_unseen(phrase.text, matches, view))
    candidates = [candidate for match in usable for candidate in _candidates(match, role, phrase.beside, view)]
    if not candidates:
        return Grounding(reason=f'"{phrase.text}" is seen, but no {role} that belongs to it')
    for constraint in phrase.constraints:
        candidates, why = satisfying(candidates, constraint, view, keeps_all=bool(phrase.ordinal))
        if not candidates:
            return Grounding(reason=f'"{phrase.text}" is seen, but {why}')
    open_ones = [each for each in candidates if not _is_behind(each.box, view)]
    if not open_ones:
        return Grounding(reason=f'"{phrase.text}" is seen, but it is covered: a dialog stands in front of it')
    return _chosen(phrase, _best(open_ones, role), view)


def place_of(box: Box) -> Place:
    """The middle of a box."""
    return Place(box.centre, box, box)


def _without_text(phrase: Phrase, view: View) -> Grounding:
    if phrase.role in LABELLED and phrase.constraints:
        return _in_a_row(phrase, view)
    if phrase.role is Role.ICON and phrase.constraints:
        return _icon_beside(phrase, view)
    if phrase.edge is not None:
        whole = view.whole
        x = round(_INSET + phrase.edge[0] * (whole.width - 1 - 2 * _INSET))
        y = round(_INSET + phrase.edge[1] * (whole.height - 1 - 2 * _INSET))
        return Grounding(place_of(Box(x=x, y=y, width=1, height=1)))
    return Grounding(reason="the words name nothing that can be looked for")


def _in_a_row(phrase: Phrase, view: View) -> Grounding:
    """A check box that has no label but the text of its row."""
    constraint = phrase.constraints[0]
    references = find(constraint.of.text, view.segments)
    if not references:
        return Grounding(reason=f'no "{constraint.of.text}" is seen')
    boxes: list[Box] = []
    for reference in references:
        if phrase.role in _MARKED:
            boxes += [box for box in row_marks(reference.segment.box, view) if box not in boxes]
        else:
            row = reference.segment.box
            label = Match(row, Likeness.EXACT, reference.segment, whole=True)
            boxes += [box for box in fields_of(label, view, Relation.RIGHT) if box not in boxes]
    places = [Place(box.centre, box, box, None if phrase.role in _MARKED else box) for box in boxes]
    if not places:
        return Grounding(reason=f'no {phrase.role} is seen in the row of "{constraint.of.text}"')
    return _ordered(places, phrase)


def _icon_beside(phrase: Phrase, view: View) -> Grounding:
    """An icon, which has no words, by a text in its row: those that stand there are counted from the left."""
    constraint = phrase.constraints[0]
    references = _references(constraint, view)
    if not references:
        return Grounding(reason=f'no "{constraint.of.text}" is seen')
    boxes: list[Box] = []
    for reference in references:
        icons = icons_beside(reference, view)
        boxes += [box for box in _on_side(icons, reference, phrase) if box not in boxes]
    if not boxes:
        return Grounding(reason=f'no icon is seen {constraint.relation} "{constraint.of.text}"')
    return _ordered([place_of(box) for box in boxes], phrase)


def _on_side(icons: Sequence[Box], reference: Box, phrase: Phrase) -> list[Box]:
    """Those that the relation means; of several on one side without a number the one next to the text."""
    relation = phrase.constraints[0].relation
    if relation is Relation.RIGHT:
        right = [box for box in icons if box.centre.x > reference.x + reference.width]
        return right if phrase.ordinal else right[:1]
    if relation is Relation.LEFT:
        left = [box for box in icons if box.centre.x < reference.x]
        return left if phrase.ordinal else left[-1:]
    return list(icons)


def _is_usable(match: Match, role: Role | None, view: View) -> bool:
    """Whether the words stand for themselves: "Save" is not "Save as template", but may be a link in a sentence."""
    if match.whole or is_decoration(match) or _is_stamped(match):
        return True
    if role in (Role.TAB, Role.MENU) and all(word.text.strip("()").isdigit() for word in match.extra):
        return True
    if role in (Role.BUTTON, *_FIELDS, *_MARKED):
        return False
    if role is Role.ROW or role is Role.LABEL:
        return True
    return bool(match.extra) and _is_coloured(match, view)


def _is_stamped(match: Match) -> bool:
    """Whether nothing stands behind the words but when it was: each run has another time there."""
    words = [word.text for word in match.segment.words]
    begun = len(words) - len(match.extra)
    is_behind = bool(match.extra) and tuple(match.extra) == tuple(match.segment.words[begun:])
    return is_behind and plain_part(match.segment.text) == " ".join(words[:begun])


def _is_coloured(match: Match, view: View) -> bool:
    """Whether the words have another colour than the rest of their line, as a link in a text has."""
    own = view.ink(match.box)
    rest = [view.ink(word.box) for word in match.extra if len(word.text) > 1]
    return (
        bool(rest)
        and all(max(abs(a - b) for a, b in zip(own, other, strict=True)) > _OTHER_COLOUR for other in rest[:1])
        and (
            sum(max(abs(a - b) for a, b in zip(own, other, strict=True)) > _OTHER_COLOUR for other in rest)
            > len(rest) / 2
        )
    )


def _candidates(match: Match, role: Role | None, beside: Relation | None, view: View) -> list[Candidate]:
    if role in _FIELDS:
        fields = fields_of(match, view, beside)
        own = button_around(match.segment.box, view) if role is Role.DROPDOWN and beside is None else None
        if own is not None:
            # What it holds names it, and no field below; a label in a frame of its own has its list beside it.
            fields = [box for box in fields if abs(box.centre.y - own.centre.y) <= own.height // 2] or [own]
        areas = [box for box in fields if is_area(box, match)]
        return [Candidate(match, box, role is not Role.AREA or box in areas) for box in fields]
    if role in _MARKED:
        marks = marks_of(match, view)
        return [Candidate(match, box, fits=True) for box in marks] or [Candidate(match, match.box, fits=False)]
    return [Candidate(match, match.box, fits(role, match, view))]


def _is_behind(box: Box, view: View) -> bool:
    return view.modal is not None and not view.modal.contains(box.centre)


def _best(candidates: Sequence[Candidate], role: Role | None) -> list[Candidate]:
    """Those that agree with the role; of them those with the most exact words."""
    best = [each for each in candidates if each.fits] or list(candidates)
    whole = [each for each in best if each.match.whole] or best
    likeness = max(each.match.likeness for each in whole)
    best = [each for each in whole if each.match.likeness is likeness]
    if role is Role.HEADING and len(best) > 1:
        tall = sorted(best, key=lambda each: -each.match.segment.box.height)
        if tall[0].match.segment.box.height >= _TALLER * tall[1].match.segment.box.height:
            return tall[:1]
    return best


def _chosen(phrase: Phrase, candidates: Sequence[Candidate], view: View) -> Grounding:
    places: list[Place] = []
    for each in candidates:
        holds = each.box if phrase.role in _FIELDS or each.box != each.match.box else None
        place = Place(each.box.centre, each.box, each.match.box, holds)
        if not any(other.box.contains(place.point) or place.box.contains(other.point) for other in places):
            places.append(place)
    if phrase.edge is not None and len(places) > 1:
        places = [place for place in places if _is_at(place, phrase.edge, view)] or places
    return _ordered(places, phrase)


def _ordered(places: Sequence[Place], phrase: Phrase) -> Grounding:
    rows: list[list[Place]] = []
    for place in sorted(places, key=lambda each: each.box.centre.y):
        if rows and place.box.centre.y - rows[-1][0].box.centre.y < max(rows[-1][0].box.height, 8) / 2:
            rows[-1].append(place)
        else:
            rows.append([place])
    ordered = [place for row in rows for place in sorted(row, key=lambda each: each.box.x)]
    if phrase.ordinal:
        at = phrase.ordinal - 1 if phrase.ordinal > 0 else len(ordered) + phrase.ordinal
        if not 0 <= at < len(ordered):
            what = f'"{phrase.text}"' if phrase.text else f"such an {phrase.role}"
            return Grounding(reason=f"{what} is seen {len(ordered)} times, not {abs(phrase.ordinal)}")
        return Grounding(ordered[at])
    return Grounding(ordered[0]) if len(ordered) == 1 else Grounding(rivals=tuple(ordered))


def _is_at(place: Place, edge: tuple[float, float], view: View) -> bool:
    whole = view.whole
    x, y = place.point.x / whole.width, place.point.y / whole.height
    return all(
        wanted == 0.5 or (share < 0.5) == (wanted == 0.0)  # noqa: PLR2004 - the middle, or one half
        for wanted, share in zip(edge, (x, y), strict=True)
    )


def _unseen(text: str, matches: Sequence[Match], view: View) -> str:
    if matches:
        return f'"{text}" is seen only as a part of "{matches[0].segment.text}"'
    likest = nearest(text, view.segments)
    return f'"{text}" is not seen' + (f'; the nearest is "{likest}"' if likest else "")
