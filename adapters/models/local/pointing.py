"""From a place on a picture to the words by which the local decider finds that place again: grounding, turned around.

Nothing is named that grounding would not find at just that place of the same picture.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from adapters.desktop.eyesight.segments import Segment, around
from adapters.desktop.eyesight.shapes import is_round, is_set
from adapters.models.local.controls import button_around
from adapters.models.local.frames import known
from adapters.models.local.grounding import ground
from adapters.models.local.icon_phrases import has_pointer, icon_phrase
from adapters.models.local.phrases import parse
from adapters.video.text.ink import is_row_of_dots
from core.demonstration.distinctive import is_volatile
from core.demonstration.looks import Look, Moment
from core.demonstration.screen_texts import is_masked, is_plain_label, is_quotable, is_sentence
from core.plans.phrasing import ORDINALS, marks
from core.screens import Box, Point
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.models.local.view import View
    from core.analysis import Region

_SURE: Final = 0.8
_NEAR: Final = 14
"""So many texts around a place may name what is there."""
_REACH: Final = 3
_SLACK: Final = 4
_PART: Final = 3
_BLANK: Final = 0.9
"""No blank between two words of a text is wider, in its heights."""
_BUTTON: Final = 3.2
"""No button is higher than so many heights of its words."""
_HINT: Final = 0.6
"""A label that is farther from its field, in its heights, names it less than the hint that stands in it."""
_FARTHER: Final = 10
"""By so many heights a sentence is farther from the field that it explains than a label would be."""
_LINES: Final = 3.2
"""A field of one line is no higher than so many heights of what stands in it."""
_RIM: Final = 6
"""Of a field's height, so much may be its border."""
_POINTER: Final = 8
"""Pixels from its middle to its side."""
_CARET: Final = re.compile(r"(?<=\S)\s*[|│┃]$")


def look_at(moment: Moment, views: Sequence[View]) -> Look:
    """What was done something to.

    Args:
        moment: when and where.
        views: at the moment's times, in order.

    """
    point = Point(x=moment.x, y=moment.y)
    earlier, before, after, later = views
    if moment.row is not None:
        if not any(has_pointer(point, view) for view in (before, after)):
            return Look()
        return Look(phrase=_icon(point, [_row_of(moment.row, view) for view in (before, earlier)], moment.names))
    clicked = None
    if not moment.types:
        clicked = _merge_clicks(_clicked(point, before), _clicked(point, earlier), before)
        if clicked is not None and clicked.mark is not None:
            state = is_set(after.grey, clicked.mark)
            return Look(phrase=clicked.phrase, label=clicked.label, mark=clicked.kind, is_set=state)
        if clicked is not None and clicked.phrase.startswith("the "):
            return Look(phrase=clicked.phrase, label=clicked.label)
    field = next(
        (found for view in (before, earlier, after) if (found := _field(point, view, after)) is not None), None
    )
    look = Look()
    if field is not None:
        phrase, label, holds = field
        after, later = (_close_up(holds, view) for view in (after, later))
        held = [_content(view, holds) for view in (before, after, later)]
        look = Look(
            field=phrase,
            label=label,
            before=held[0],
            after=held[1],
            later=held[2],
            masked=is_masked(held[1]) or any(_hides(view, holds, point) for view in (after, later)),
            caret=_ends_in_caret(after, holds),
            several_lines=any(holds.height > _LINES * each.box.height for each in _inside(after, holds)),
        )
    return look._replace(phrase=clicked.phrase, label=look.label or clicked.label) if clicked is not None else look


def _row_of(row: Region, view: View) -> View:
    """A look with nothing but some rows, which are read alone."""
    return view.only(Box(x=0, y=row[1], width=view.whole.width, height=row[3]))


def _icon(point: Point, views: Sequence[View], names: Sequence[str]) -> str:
    """The words for the icon there, in the first look that shows it: the pointer may hide it in the others."""
    return next((found for view in views if (found := icon_phrase(point, view, names))), "")


class _Clicked(NamedTuple):
    phrase: str
    label: str
    kind: str = ""
    mark: Box | None = None


def _merge_clicks(now: _Clicked | None, earlier: _Clicked | None, view: View) -> _Clicked | None:
    """What was clicked, as it could be read before the pointer stood on it; but only if that still stood there."""
    if earlier is None or now == earlier:
        return now
    if now is None:
        # The pointer hides a letter or two: the rest of the line still says so.
        parts = earlier.label.split()
        said = " ".join(segment.text for segment in view.segments)
        return earlier if any(part in said for part in parts if len(part) >= _PART) else None
    return earlier if now.label in earlier.label else now


@known
def _close_up(field: Box, view: View) -> View:
    """A look with nothing but a field and its edges, so that what stands there is read alone, and at once."""
    return view.only(field.grown(_SLACK, _SLACK))


def _near(point: Point, view: View) -> list[Segment]:
    found = [segment for segment in view.segments if segment.score >= _SURE and is_quotable(segment.text)]
    # A time of day is another one at the next run.
    found = [segment for segment in found if not is_volatile(segment.text.rstrip(".\u2026"))]
    return sorted(found, key=lambda segment: _distance(segment.box, point))[:_NEAR]


def _field(point: Point, view: View, after: View) -> tuple[str, str, Box] | None:
    """The field at a point: by the label right at it, by a hint in it that is no value, by a label farther off.

    An empty one that none of them names is that above the text below it.
    """
    named = _fields(point, view, after, "the {} field")
    above = [] if named else _fields(point, view, after, "the field above {}")
    found = named or [each for each in above if not _content(view, each[-1])]
    return min(found, key=lambda each: each[0])[1:] if found else None


def _fields(point: Point, view: View, after: View, form: str) -> list[tuple[float, str, str, Box]]:
    """The field at a point by each text near it that names it: how far that is, the phrase, the text, the place."""
    found: list[tuple[float, str, str, Box]] = []
    for segment in (each for near in _near(point, view) for each in (*_joined(near, view), near)):
        for phrase in _phrases(segment, form, view):
            place = ground(parse(phrase), view).place
            if place is None or place.holds is None or not place.holds.contains(point):
                continue
            inside = place.holds.contains(segment.box.centre)
            # A hint goes when something is typed; what stays in the field is a value and names nothing.
            is_value = inside and segment.text in _content(_close_up(place.holds, after), place.holds)
            if not is_value and not _is_listed_beside(segment, place.holds, view):
                gap = _gap(segment.box, place.holds) / max(segment.box.height, 1)
                gap = min(gap, _HINT / 2) if is_plain_label(segment.text) else gap
                gap += _FARTHER if is_sentence(segment.text) or _is_aside(segment.box, place.holds) else 0
                found.append((_HINT if inside else gap, phrase, segment.text, place.holds))
            break
    return found


def _is_aside(text: Box, field: Box) -> bool:
    """Whether a text above a field begins elsewhere than that: the label of something else up there."""
    is_above = text.y + text.height <= field.y + field.height // 4
    return is_above and abs(text.x - field.x) > text.height


def _is_listed_beside(segment: Segment, field: Box, view: View) -> bool:
    """Whether it is one of several texts in a column beside a high field, as a bar of links: a label is alone there."""
    box = segment.box
    return not field.contains(box.centre) and any(
        each is not segment
        and abs(each.box.x - box.x) <= box.height // 2
        and field.y <= each.box.centre.y <= field.y + field.height
        and field.y <= box.centre.y <= field.y + field.height
        for each in view.segments
    )


def _clicked(point: Point, view: View) -> _Clicked | None:
    """A button, check box or radio button that the point is on, or a text."""
    for segment in _near(point, view)[:_REACH]:
        whole = _words_of_button(point, segment, view)
        if whole is not None:
            return whole
        for text in (*_joined(segment, view), segment):
            found = _named(point, text, view)
            if found is not None:
                return found
    return None


def _named(point: Point, text: Segment, view: View) -> _Clicked | None:
    """The button or mark of a text, or the text itself, if the point is on it."""
    button = button_around(text.box, view)
    if button is not None and button.grown(1, 1).contains(point):
        found = _at(_phrases(text, "the {} button", view), button, view)
        if found is not None:
            return _Clicked(found, text.text)
    marked = _marked(point, text, view)
    if marked is not None:
        return marked
    box = text.box.grown(_SLACK, _SLACK)
    found = _at(_phrases(text, "{}", view), box, view) if box.contains(point) else None
    return _Clicked(found, text.text) if found is not None else None


def _words_of_button(point: Point, segment: Segment, view: View) -> _Clicked | None:
    """A button whose words stand so far apart that they are read as several texts."""
    for shape in view.shapes:
        box = shape.box
        words = sorted(_inside(view, box), key=lambda each: each.box.x)
        if not box.contains(point) or segment not in words or box.height > _BUTTON * segment.box.height:
            continue
        text = " ".join(each.text for each in words)
        quoted = marks(text) if 1 < len(words) <= _REACH and is_quotable(text) else None
        phrase = f"the {quoted} button"
        place = ground(parse(phrase), view).place if quoted is not None else None
        if place is not None and box.contains(place.point):
            return _Clicked(phrase, text)
    return None


def _marked(point: Point, segment: Segment, view: View) -> _Clicked | None:
    squares, circles = (_phrases(segment, f"the {{}} {kind}", view) for kind in ("check box", "radio button"))
    for square, circle in zip(squares, circles, strict=True):
        place = ground(parse(square), view).place
        if place is None or place.box == place.words or is_set(view.grey, place.box) is None:
            continue
        if place.box.grown(_SLACK, _SLACK).contains(point) or place.words.grown(_SLACK, _SLACK).contains(point):
            has_circle = is_round(view.grey, place.box)
            kind = "radio button" if has_circle else "check box"
            return _Clicked(circle if has_circle else square, segment.text, kind, place.box)
    return None


def _at(phrases: Iterator[str], box: Box, view: View) -> str | None:
    """The first phrase whose place is in the box."""
    for phrase in phrases:
        place = ground(parse(phrase), view).place
        if place is not None and box.contains(place.point):
            return phrase
    return None


def _joined(segment: Segment, view: View) -> list[Segment]:
    """The text of which a segment is a part, if it was taken apart at a wide blank."""
    height = segment.box.height
    row = [each for each in view.segments if abs(each.box.centre.y - segment.box.centre.y) <= height / 3]
    row.sort(key=lambda each: each.box.x)
    run = [segment]
    for each in row[row.index(segment) + 1 :]:
        if each.box.x - run[-1].box.x - run[-1].box.width > _BLANK * height:
            break
        run.append(each)
    for each in reversed(row[: row.index(segment)]):
        if run[0].box.x - each.box.x - each.box.width > _BLANK * height:
            break
        run.insert(0, each)
    words = tuple(word for each in run for word in each.words)
    whole = Segment(words, around([each.box for each in run]), min(each.score for each in run))
    return [whole] if len(run) > 1 and is_quotable(whole.text) else []


def _phrases(segment: Segment, form: str, view: View) -> Iterator[str]:
    """The thing by its text alone, by its row, and by its number."""
    quoted = marks(segment.text)
    if quoted is None:
        return
    plain = form.format(quoted)
    texts = [each.text for each in view.segments]
    if texts.count(segment.text) <= 1:
        yield plain
        return
    row = [
        each
        for each in view.segments
        if each is not segment and abs(each.box.centre.y - segment.box.centre.y) <= segment.box.height / 2
    ]
    own = (each for each in row if texts.count(each.text) == 1 and each.score >= _SURE and is_quotable(each.text))
    middle, much = segment.box.centre.y, segment.box.height / 4
    names = sorted(own, key=lambda each: (abs(each.box.centre.y - middle) > much, each.box.x))
    for each in names[:2]:
        yield f"{plain} in the row of {marks(each.text)}"
    article, bare = ("the ", plain[4:]) if plain.startswith("the ") else ("", plain)
    yield from (f"{article}{ordinal} {bare}" for ordinal in ORDINALS[: texts.count(segment.text)])
    yield plain


def _inside(view: View, box: Box) -> list[Segment]:
    return [each for each in view.segments if box.contains(each.box.centre)]


def _content(view: View, box: Box) -> str:
    """What a field shows."""
    return _CARET.sub("", one_line(" ".join(each.text for each in _inside(view, box))))


def _hides(view: View, box: Box, pointer: Point) -> bool:
    """Whether there is nothing but a row of dots in a field: too small, often, to be read as any text."""
    if any(sign.isalnum() for sign in _content(view, box)):
        return False
    inset = max(box.height // _RIM, 2)
    left, right = box.x + inset, box.x + box.width - inset
    # The pointer may still stand behind them.
    ends = (right, pointer.x - _POINTER) if left < pointer.x < right else (right,)
    rows = slice(max(box.y + inset, 0), box.y + box.height - inset)
    return any(is_row_of_dots(view.grey[rows, max(left, 0) : end]) for end in ends if end > left)


def _ends_in_caret(view: View, box: Box) -> bool:
    inside = _inside(view, box)
    return bool(inside) and view.has_caret(max(inside, key=lambda each: (each.box.y, each.box.x)).box)


def _distance(box: Box, point: Point) -> float:
    across = max(box.x - point.x, point.x - box.x - box.width, 0)
    down = max(box.y - point.y, point.y - box.y - box.height, 0)
    return float(np.hypot(across, down))


def _gap(label: Box, field: Box) -> float:
    across = max(field.x - label.x - label.width, label.x - field.x - field.width, 0)
    down = max(field.y - label.y - label.height, label.y - field.y - field.height, 0)
    return float(max(across, down))
