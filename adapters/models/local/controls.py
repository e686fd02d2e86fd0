"""From words to what they name: the field beside a label, the box to tick, the button around a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from adapters.desktop.eyesight.icons import icons_in_row
from adapters.desktop.eyesight.shapes import Shape, holding, marks_in_row
from adapters.desktop.eyesight.switches import switches_in_row
from adapters.models.local.frames import GRID, NARROWEST, is_column_head, is_frame, known, texts_in
from adapters.models.local.phrases import Relation, Role
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.models.local.finding import Match
    from adapters.models.local.view import View

_FIELD_HEIGHTS: Final = (0.65, 3.2)
"""Of a field of one line, in heights of its label's line."""
_TALLEST: Final = 18.0
_FLOATING: Final = 5.5
"""A field whose label floats above its value is not higher, in heights of that label."""
_FAR_RIGHT: Final = 14.0
_FAR_BELOW: Final = 1.4
_ADJACENT: Final = 1.5
_ALIGNED: Final = 1.2
_CLEARLY: Final = 1.6
"""So many times farther is clearly farther."""
_ROW_REACH: Final = 14
_ROW_GAP: Final = 4
_UNDER: Final = 2
"""Heights of a label between it and a mark below it, at most."""
_CLOSER: Final = 0.6
_TEXTS: Final = 12
_CENTRED: Final = 0.12
_OFF_CENTRE: Final = 1.25
"""An icon beside a button's text moves it by no more, in heights of the text; a value stands at its field's left."""
_TWIN: Final = 3
"""Pixels by which the fields of one form may differ in their place across and their size."""
_OTHER_GROUND: Final = 6


def fields_of(match: Match, view: View, beside: Relation | None) -> list[Box]:
    """The fields that the label may belong to: one, or several that are equally near, or none."""
    label = match.segment.box if match.whole else match.box
    height = label.height
    candidates = [_with_selected(shape.box, view) for shape in view.shapes if _is_field(shape, view, label)]
    within = [box for box in candidates if _holds(box, label) and not is_button(label, view)]
    heads = [box for box in within if _is_head_of_row(box, candidates, view) or is_column_head(box, view)]
    candidates = [box for box in candidates if box not in heads]
    within = [box for box in within if box not in heads]
    if within and beside is None:
        return within[:1]
    right = min((box for box in candidates if _is_right(label, box, view)), key=lambda box: box.x, default=None)
    below = min((box for box in candidates if _is_below(label, box, view)), key=lambda box: box.y, default=None)
    if beside is not None:
        chosen = {
            Relation.RIGHT: right,
            Relation.BELOW: below,
            Relation.LEFT: max(
                (box for box in candidates if _is_right(box, label, view)), key=lambda box: box.x, default=None
            ),
            Relation.ABOVE: max(
                (box for box in candidates if _is_below(box, label, view)), key=lambda box: box.y, default=None
            ),
        }.get(beside)
        return [chosen] if chosen is not None else []
    if right is None or below is None:
        return [box for box in (right, below) if box is not None]
    if right.x - label.x - label.width <= _ADJACENT * height and abs(right.centre.y - label.centre.y) <= height // 4:
        return [right]
    across = max(right.x - label.x - label.width, height // 4)
    down = max(below.y - label.y - label.height, height // 4)
    if across > _CLEARLY * down:
        return [below]
    return [right] if down > _CLEARLY * across else [right, below]


def marks_of(match: Match, view: View) -> list[Box]:
    """The check box, radio button or switch of a label: the one on its left, unless the row has them on the right.

    Where the row has none, the one right below its beginning. None where that is unknown: the one beside it may be its
    neighbour's.
    """
    label = match.box
    row = _row_around(label, match.segment.box.height, view)
    at = next((index for index, each in enumerate(row) if each.text and each.box.overlap(label)), None)
    if at is None:
        return []
    if all(each.text for each in row):
        return _marks_below(label, view)
    sides = [side for side in (at - 1, at + 1) if 0 <= side < len(row) and not row[side].text]
    own = [side for side in sides if _has_no_other(row, side, at)] or _by_habit(row, sides, at)
    return [row[own[0]].box] if len(own) == 1 else []


def _marks_in_row(view: View, left: int, right: int, top: int, bottom: int) -> list[Box]:
    """Check boxes, radio buttons and switches between two columns of a row."""
    switches = switches_in_row(view.grey, left, right, top, bottom)
    marks = marks_in_row(view.grey, left, right, top, bottom)
    # A knob is a circle itself.
    return [*switches, *(mark for mark in marks if not any(mark.overlap(switch) for switch in switches))]


def _marks_below(label: Box, view: View) -> list[Box]:
    """The mark right below the beginning of a label, where no text beside it can be its own."""
    high, end = label.height, label.y + label.height
    for top in range(end, end + _UNDER * high, max(high // 4, 1)):
        marks = _marks_in_row(view, label.x - high, label.x + _ROW_REACH * high, top, top + high)
        own = [mark for mark in marks if abs(mark.x - label.x) <= high // 2]
        if own:
            row = (each.box for each in view.segments if abs(each.box.centre.y - own[0].centre.y) <= high / 2)
            beside = [box for box in row if own[0].width < box.x - own[0].x <= own[0].width + _ROW_GAP * high]
            return own if len(own) == 1 and not beside else []
    return []


class _Element(NamedTuple):
    """A text or, without one, a mark."""

    box: Box
    text: str


def _has_no_other(row: Sequence[_Element], mark: int, label: int) -> bool:
    """Whether no other text stands at a mark's other side."""
    beyond = 2 * mark - label
    return not 0 <= beyond < len(row) or not row[beyond].text


def _by_habit(row: Sequence[_Element], sides: Sequence[int], label: int) -> list[int]:
    """Marks come first where the row begins with one, last where it ends with one; else the clearly nearer is meant."""
    begins, ends = not row[0].text, not row[-1].text
    if begins != ends:
        return [side for side in sides if (side < label) == begins]
    return [side for side in sides if _gap(row, side, label) < _CLOSER * _gap(row, 2 * side - label, side)]


def _gap(row: Sequence[_Element], one: int, other: int) -> int:
    left, right = row[min(one, other)].box, row[max(one, other)].box
    return max(right.x - left.x - left.width, 1)


def _row_around(label: Box, height: int, view: View) -> list[_Element]:
    """The texts and marks of a label's row, from left to right, as far as they follow each other closely."""
    reach = _ROW_REACH * height
    marks = _marks_in_row(view, label.x - reach, label.x + label.width + reach, label.y, label.y + label.height)
    level = [
        each
        for each in view.segments
        if abs(each.box.centre.y - label.centre.y) <= height / 2 and abs(each.box.centre.x - label.centre.x) <= reach
    ]
    elements = [_Element(each.box, each.text) for each in level if len(each.text) > 1]
    elements += [_Element(mark, "") for mark in marks if not any(_covers(each.box, mark) for each in elements)]
    elements.sort(key=lambda each: each.box.centre.x)
    groups: list[list[_Element]] = [[]]
    for at, each in enumerate(elements):
        if at and _gap(elements, at - 1, at) > _ROW_GAP * height:
            groups.append([])
        groups[-1].append(each)
    own = [group for group in groups if any(each.text and each.box.overlap(label) for each in group)]
    return own[0] if own else []


def _covers(text: Box, mark: Box) -> bool:
    """Whether a mark is a part of a text: a letter, and not the box before it."""
    return (
        text.x + text.height // 2 < mark.x + mark.width
        and mark.x < text.x + text.width - text.height // 2
        and (text.overlap(mark) > mark.width * mark.height // 2)
    )


def row_marks(reference: Box, view: View) -> list[Box]:
    """Every check box, radio button and switch in the row of a text."""
    area = view.window_at(reference)
    box = area.box if area is not None else view.whole
    found = _marks_in_row(view, box.x, box.x + box.width, reference.y, reference.y + reference.height)
    return [mark for mark in found if not any(each.box.overlap(mark) and len(each.text) > 1 for each in view.segments)]


@known
def icons_beside(reference: Box, view: View) -> list[Box]:
    """Every icon in the row of a text, from left to right: also a sign that was read alone, and no check box."""
    texts, boxes = [each.box for each in view.segments if len(each.text) > 1], row_marks(reference, view)
    icons = icons_in_row(view.bgr, reference, texts)
    return [icon for icon in icons if not any(icon.overlap(box) for box in boxes)]


def is_button(text: Box, view: View) -> bool:
    """Whether a text stands in the middle of a rectangle of its own."""
    return button_around(text, view) is not None


@known
def button_around(text: Box, view: View) -> Box | None:
    """The rectangle in whose middle the text stands, if it has one to itself."""
    for shape in holding(view.shapes, text, slack=6):
        box = shape.box
        if box.height > _FIELD_HEIGHTS[1] * text.height:
            return None
        if any(not text.contains(each.centre) for each in texts_in(box, view)):
            return None
        off = abs(box.centre.x - text.centre.x)
        margin = (box.width - text.width) / 2
        is_centred = off <= max(_CENTRED * box.width, 3)
        if is_centred and (margin >= text.height / 2 or _has_other_ground(shape, view)):
            return box
        return None
    return None


def is_area(box: Box, match: Match) -> bool:
    """Whether a field is made for several lines."""
    return box.height > 1.7 * match.segment.box.height


def fits(role: Role | None, match: Match, view: View) -> bool:
    """Whether what stands around a text agrees with the role that was named."""
    if role is Role.BUTTON:
        return is_button(match.segment.box if match.whole else match.box, view)
    if role is Role.LINK:
        return not is_button(match.box, view)
    return True


def _is_field(shape: Shape, view: View, label: Box) -> bool:
    box = shape.box
    if box.height < _FIELD_HEIGHTS[0] * label.height or box.height > _TALLEST * label.height:
        return False
    if box.width < NARROWEST * label.height or box.width * box.height >= view.whole.width * view.whole.height // 2:
        return False
    texts = texts_in(box, view)
    is_other = len(texts) > _TEXTS or (box.contains(label.centre) and not _is_own(label, texts, box))
    if is_other or is_frame(box, view):
        return False
    if len(texts) != 1 or not is_button(texts[0], view) or _is_narrow_field(box, texts[0], view):
        return True
    return _is_filled_field(shape, texts[0], view, label)


def _is_filled_field(shape: Shape, text: Box, view: View, label: Box) -> bool:
    """Whether a box that could be a button for its one text is a field: by where that begins, or by its column."""
    column = [other for other in view.shapes if _is_twin(other, shape)]
    if any(other.box.contains(label.centre) for other in (shape, *column)):
        # Cells of a table, each with a label.
        return False
    return _is_at_left(shape.box, text) or any(_is_surely_field(other.box, view) for other in column)


def _is_twin(one: Shape, other: Shape) -> bool:
    """Whether two boxes stand one above the other, with one size and colour."""
    a, b = one.box, other.box
    near = max(abs(a.x - b.x), abs(a.width - b.width), abs(a.height - b.height)) <= _TWIN
    return one is not other and near and _is_of_colour(one.colour, other.colour)


def _is_surely_field(box: Box, view: View) -> bool:
    """Whether a box is empty, or its one text begins at its left."""
    texts = texts_in(box, view)
    return not texts or (len(texts) == 1 and (_is_at_left(box, texts[0]) or not is_button(texts[0], view)))


def _is_at_left(box: Box, text: Box) -> bool:
    """Whether a text stands where values begin, and not in the middle."""
    return box.centre.x - text.centre.x > _OFF_CENTRE * text.height


def _is_own(label: Box, texts: Sequence[Box], box: Box) -> bool:
    """Whether a label in a box is that box's own: its hint, or what floats above the one line of its value.

    A text above it, or several below, belong to something else: then the box is a frame around labels and fields.
    """
    others = [each for each in texts if not each.overlap(label)]
    rows = [each for each in others if abs(each.centre.y - label.centre.y) > label.height / 2]
    if any(each.centre.y < label.centre.y for each in rows):
        return False
    return not rows or box.height <= _FLOATING * label.height


def _is_narrow_field(box: Box, text: Box, view: View) -> bool:
    """Whether a box whose text fills it is of its surroundings' colour: a full field and no button."""
    shape = next((each for each in view.shapes if each.box == box), None)
    margin = (box.width - text.width) / 2
    return shape is not None and margin < text.height / 2 and not _has_other_ground(shape, view)


def _is_head_of_row(box: Box, candidates: Sequence[Box], view: View) -> bool:
    """Whether a box is a cell in a column of a table, and a field stands in its row."""
    in_column = any(
        each.box.x == box.x
        and each.box.width == box.width
        and min(abs(each.box.y - box.y - box.height), abs(box.y - each.box.y - each.box.height)) <= GRID
        for each in view.shapes
    )
    return in_column and any(_is_right(box, each, view) for each in candidates)


@known
def _with_selected(box: Box, view: View) -> Box:
    """The whole field where a selected text, on a ground of its own, takes up its beginning."""
    for each in view.segments:
        text, end = each.box, each.box.x + each.box.width
        is_beside = abs(end - box.x) <= GRID and box.y <= text.centre.y <= box.y + box.height
        if is_beside and view.ground(text) != view.ground(Box(x=text.x, y=box.y - GRID, width=text.width, height=2)):
            left = text.x - GRID // 2
            return Box(x=left, y=box.y, width=box.x + box.width - left, height=box.height)
    return box


def _has_other_ground(shape: Shape, view: View) -> bool:
    box = shape.box
    y, x = min(max(box.centre.y, 0), view.whole.height - 1), max(box.x - 4, 0)
    outside = view.bgr[y, x]
    return not _is_of_colour((int(outside[0]), int(outside[1]), int(outside[2])), shape.colour)


def _is_of_colour(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= _OTHER_GROUND


def _holds(box: Box, label: Box) -> bool:
    return box.contains(label.centre) and box.x <= label.x + label.height // 2


def _is_right(label: Box, box: Box, view: View) -> bool:
    """Whether the second stands right of the first, in its row, with no text in between."""
    start, end = label.x + label.width, box.x
    middle = label.centre.y
    is_level = box.y - 3 <= middle <= box.y + box.height + 3 or label.y <= box.centre.y <= label.y + label.height
    if not is_level or not -label.height // 3 <= end - start <= _FAR_RIGHT * label.height:
        return False
    return not any(
        start <= each.box.centre.x <= end
        and abs(each.box.centre.y - middle) <= label.height
        and any(sign.isalnum() for sign in each.text)
        for each in view.segments
    )


def _is_below(label: Box, box: Box, view: View) -> bool:
    """Whether the second stands right under the first, at its left edge or around its middle."""
    gap = box.y - label.y - label.height
    if not -label.height / 2 <= gap <= _FAR_BELOW * label.height:
        return False
    starts_there = abs(box.x - label.x) <= _ALIGNED * label.height
    if not starts_there and not box.x <= label.centre.x <= box.x + box.width:
        return False
    return not any(
        label.y + label.height <= each.box.centre.y <= box.y
        and min(each.box.x + each.box.width, box.x + box.width) > max(each.box.x, box.x)
        for each in view.segments
    )
