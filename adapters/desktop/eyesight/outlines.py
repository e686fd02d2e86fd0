"""What stands at a point of the screen: a button, a field, a text, an icon; and what names it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.desktop.eyesight.comparing import clipped, part
from adapters.desktop.eyesight.likeness import ink_of
from adapters.desktop.eyesight.segments import Segment, around, segments_of
from adapters.desktop.eyesight.shapes import marks_in_row, shapes_of
from core.screens import Box, Point, TextLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

LARGEST: Final = (1000, 120)
SMALLEST: Final = (12, 12)
_REACH: Final = (1000, 70)
"""How far from the point is looked for the sides of what stands there."""
_EDGE: Final = (4, 3)
"""Of ground around letters, so that one more at either end is noticed."""
_MARK_REACH: Final = 2.2
_ICON: Final = 120
_ICON_GAPS: Final = np.ones((5, 5), np.uint8)
_ICON_NEAR: Final = 6
_NOTHING: Final = 32
_COVERED: Final = 0.7
_LABEL_HEIGHTS: Final = 1.6
_LABEL_LEAST: Final = 26
_CAPTION: Final = 12
_TOUCHING: Final = 3
_CENTRED: Final = 0.12


@dataclass(frozen=True, slots=True)
class Outline:
    """The box of what was found, the words in it, and the texts above or below that name it."""

    core: Box
    words: str
    labels: tuple[Box, ...]


def outline(pixels: Pixels, target: Point | Box, area: Box, lines: Sequence[TextLine]) -> Outline:
    """What stands there.

    Args:
        pixels: the picture (height, width, 4).
        target: a point in the area, or the box itself.
        area: the window's part of the picture.
        lines: what was read in the picture.

    """
    point = target.centre if isinstance(target, Box) else target
    band = clipped(Box(x=area.x, y=point.y - _REACH[1], width=area.width, height=2 * _REACH[1]), area) or area
    segments = _segments(pixels, band, lines)
    if isinstance(target, Box):
        core = _sized(clipped(target, area) or target, point, area, largest=(area.width, area.height))
        return Outline(core, words_in(core, segments), ())
    core, is_text = _core(pixels, point, area, segments)
    core = _sized(core, point, area)
    inside = [segment for segment in segments if _lies_in(segment.box, core)]
    is_named = is_text or (len(inside) == 1 and _is_centred(inside[0].box, core))
    return Outline(core, words_in(core, segments), () if is_named else _labels(core, segments))


def words_in(core: Box, segments: Sequence[Segment]) -> str:
    """What was read in a box, row by row."""
    return " ".join(segment.text for segment in segments if _lies_in(segment.box, core))


def _segments(pixels: Pixels, band: Box, lines: Sequence[TextLine]) -> list[Segment]:
    near = [
        line.model_copy(update={"box": line.box.moved(-band.x, -band.y)}) for line in lines if band.overlap(line.box)
    ]
    grey = np.asarray(cv2.cvtColor(part(pixels, band), cv2.COLOR_BGRA2GRAY), np.uint8)
    return [_moved(segment, band.x, band.y) for segment in segments_of(near, grey)]


def _moved(segment: Segment, x: int, y: int) -> Segment:
    return type(segment)(segment.words, segment.box.moved(x, y), segment.score)


def _core(pixels: Pixels, point: Point, area: Box, segments: Sequence[Segment]) -> tuple[Box, bool]:
    """The box of what stands at the point, and whether that is a text by itself."""
    text = next((each.box for each in segments if each.box.grown(*_EDGE).contains(point)), None)
    reach = Box(x=point.x - _REACH[0], y=point.y - _REACH[1], width=2 * _REACH[0], height=2 * _REACH[1])
    near = clipped(reach, area) or area
    control = _control(pixels, point, near, segments)
    if control is not None and (text is None or _has_to_itself(control, text, segments)):
        return control, False
    if text is not None:
        mark = _mark_before(pixels, text, near)
        return around([text.grown(*_EDGE), *([mark.grown(2, 2)] if mark is not None else [])]), True
    if control is not None:
        return control, False
    return _icon(pixels, point, near), False


def _control(pixels: Pixels, point: Point, near: Box, segments: Sequence[Segment]) -> Box | None:
    """The smallest rectangle around the point that is a control's, none that reaches out of what is looked at."""
    texts = [segment.box.moved(-near.x, -near.y) for segment in segments if near.overlap(segment.box)]
    bgr = np.asarray(cv2.cvtColor(part(pixels, near), cv2.COLOR_BGRA2BGR), np.uint8)
    for shape in shapes_of(bgr, texts):
        box = shape.box.moved(near.x, near.y)
        is_sized = all(
            low <= side <= high for low, side, high in zip(SMALLEST, (box.width, box.height), LARGEST, strict=True)
        )
        if is_sized and box.contains(point) and box.grown(1, 1).overlap(near) == (box.width + 2) * (box.height + 2):
            return box
    return None


def _has_to_itself(control: Box, text: Box, segments: Sequence[Segment]) -> bool:
    """Whether a rectangle is the control of that text, and no card that holds others too."""
    others = [each for each in segments if control.contains(each.box.centre) and each.box != text]
    return control.contains(text.centre) and (not others or control.height <= 3 * text.height)


def _mark_before(pixels: Pixels, text: Box, near: Box) -> Box | None:
    """The check box or radio button that a text belongs to."""
    left = max(text.x - round(_MARK_REACH * text.height), near.x)
    strip = Box(x=left, y=text.y, width=text.x - left, height=text.height)
    if strip.width < SMALLEST[0]:
        return None
    seen = clipped(strip.grown(0, 2), near) or strip
    grey = np.asarray(cv2.cvtColor(part(pixels, seen), cv2.COLOR_BGRA2GRAY), np.uint8)
    found = marks_in_row(grey, 0, seen.width, 0, seen.height)
    return found[-1].moved(seen.x, seen.y) if found else None


def _icon(pixels: Pixels, point: Point, near: Box) -> Box:
    """What is drawn at the point, as far as it hangs together; else a small square around it."""
    nothing = Box(x=point.x - _NOTHING // 2, y=point.y - _NOTHING // 2, width=_NOTHING, height=_NOTHING)
    seen = clipped(Box(x=point.x - _ICON, y=point.y - _ICON, width=2 * _ICON, height=2 * _ICON), near) or near
    drawn = np.asarray(cv2.dilate(ink_of(part(pixels, seen)).view(np.uint8), _ICON_GAPS), np.uint8)
    labels, stats = cv2.connectedComponentsWithStats(drawn, connectivity=8)[1:3]
    x, y = point.x - seen.x, point.y - seen.y
    around_point = np.asarray(labels)[
        max(y - _ICON_NEAR, 0) : y + _ICON_NEAR + 1, max(x - _ICON_NEAR, 0) : x + _ICON_NEAR + 1
    ]
    for index in sorted(set(around_point[around_point > 0].tolist())):
        left, top, width, height = (int(value) for value in np.asarray(stats)[index, :4])
        if width <= _ICON and height <= _ICON:
            return Box(x=seen.x + left, y=seen.y + top, width=width, height=height)
    return nothing


def _sized(core: Box, point: Point, area: Box, largest: tuple[int, int] = LARGEST) -> Box:
    """No smaller and no larger than a core may be, around the point, in the area."""
    width, height = (
        min(max(side, low), high) for side, low, high in zip((core.width, core.height), SMALLEST, largest, strict=True)
    )
    x, y = core.x - max(width - core.width, 0) // 2, core.y - max(height - core.height, 0) // 2
    if width < core.width:
        x = min(max(point.x - width // 2, core.x), core.x + core.width - width)
    if height < core.height:
        y = min(max(point.y - height // 2, core.y), core.y + core.height - height)
    return clipped(Box(x=x, y=y, width=width, height=height), area) or core


def _lies_in(text: Box, core: Box) -> bool:
    return text.overlap(core) >= _COVERED * text.width * text.height


def _is_centred(text: Box, core: Box) -> bool:
    return abs(text.centre.x - core.centre.x) <= max(_CENTRED * core.width, 3)


def _labels(core: Box, segments: Sequence[Segment]) -> tuple[Box, ...]:
    """The text right above, and the one right below that is a caption."""
    found: list[Box] = []
    for segment in segments:
        box = segment.box
        if box.x >= core.x + core.width or core.x >= box.x + box.width:
            continue
        above, below = core.y - box.y - box.height, box.y - core.y - core.height
        if -_TOUCHING <= above <= max(_LABEL_HEIGHTS * box.height, _LABEL_LEAST) or -_TOUCHING <= below <= _CAPTION:
            found.append(box.grown(*_EDGE))
    return tuple(found)
