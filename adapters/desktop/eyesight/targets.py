"""Eyes for targets: cuts anchors out of pictures and finds them again; see ``core.reload.ports.Targets``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from adapters.desktop.eyesight.comparing import (
    LOOSE,
    STRICT,
    Recorded,
    clipped,
    compared,
    decoded,
    encoded,
    may_be,
    part,
    whole,
)
from adapters.desktop.eyesight.likeness import ink_of, is_same, pixels_of
from adapters.desktop.eyesight.outlines import Outline, outline
from adapters.desktop.eyesight.redrawing import Screen, reads_now, redrawn
from adapters.desktop.eyesight.searching import places, twins
from adapters.desktop.eyesight.segments import around
from core.reload.entry import Anchor
from core.reload.ports import Found, Missing, Reader
from core.screens import Box, Picture, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]


_NEARBY: Final = 60
_ROW_EDGE: Final = 2
_LEAST_INK: Final = 24
"""Pixels: fewer are nothing to recognise anything by."""
_CELL: Final = (240, 160)
"""How far above and below a target's like that has none there can be what tells them apart."""
_ABOVE: Final = 0.6
"""What names a thing stands above it rather than below."""


def cut_out(pixels: Pixels, found: Outline, area: Box, ignore: Sequence[Box]) -> tuple[Box, Pixels] | None:
    """Its box in the picture, and its pixels with what is compared as opacity; ``None`` when there is nothing there.

    Args:
        pixels: the picture (height, width, 4).
        found: what stands there.
        area: the window's part of the picture.
        ignore: what may be different each time.

    """
    like = twins(pixels, found.core, area)
    cell = clipped(_cell(found.core, like, area), area) if like else None
    strict = _strict(pixels, found, area, cell)
    reach = _NEARBY
    while True:
        # Beyond its cell are others of its kind, which come and go.
        nearby = cell or clipped(found.core.grown(reach, reach), area) or found.core
        box = around([nearby, *strict])
        bgra = part(pixels, box).copy()
        _mark(bgra, box, nearby, strict, ignore)
        ink = ink_of(bgra) & (bgra[..., 3] > 0)
        if np.count_nonzero(ink) >= _LEAST_INK:
            return box, bgra
        if cell is not None or nearby == area:
            return None
        reach *= 2


def _strict(pixels: Pixels, found: Outline, area: Box, cell: Box | None) -> list[Box]:
    """Core, row and labels; all that is nearer than its like, when there is any in the window."""
    core = found.core
    boxes = [core, Box(x=area.x, y=core.y, width=area.width, height=core.height).grown(0, _ROW_EDGE), *found.labels]
    if cell is not None:
        boxes.append(cell)
    elif not ink_of(part(pixels, core)).any():
        boxes.append(core.grown(_NEARBY, _NEARBY))
    return [inside for box in boxes if (inside := clipped(box, area)) is not None]


def _cell(core: Box, like: Sequence[Box], area: Box) -> Box:
    """The part of the window that is nearer to the core than to its like."""
    beside = [twin for twin in like if twin.y < core.y + core.height and core.y < twin.y + twin.height]
    over = [twin for twin in like if twin.x < core.x + core.width and core.x < twin.x + twin.width]
    lefts = [core.x - twin.x - twin.width for twin in beside if twin.x < core.x]
    rights = [twin.x - core.x - core.width for twin in beside if twin.x > core.x]
    tops = [core.y - twin.y - twin.height for twin in over if twin.y < core.y]
    bottoms = [twin.y - core.y - core.height for twin in over if twin.y > core.y]
    left = max(min(lefts), 0) // 2 if lefts else area.width
    right = max(min(rights), 0) // 2 if rights else area.width
    gap = min((*tops, *bottoms), default=None)
    up = _CELL[0] if gap is None else max(round(_ABOVE * gap), 0)
    # What stands further below belongs to something else: a button below a form is none of its marks' business.
    down = _NEARBY if gap is None else max(round((1 - _ABOVE) * gap), 0)
    if gap is None and not beside:
        # Its like is neither beside nor above nor below: whatever is near tells them apart.
        left = right = up = down = _NEARBY
    up, down = min(up, _CELL[0]), min(down, _CELL[1])
    return Box(x=core.x - left, y=core.y - up, width=core.width + left + right, height=core.height + up + down)


def _mark(bgra: Pixels, box: Box, nearby: Box, strict: Sequence[Box], ignore: Sequence[Box]) -> None:
    alpha = bgra[..., 3]
    alpha[:] = 0
    for part_of, opacity in ((nearby, LOOSE), *((each, STRICT) for each in strict), *((each, 0) for each in ignore)):
        left, top = max(part_of.x - box.x, 0), max(part_of.y - box.y, 0)
        right, bottom = part_of.x + part_of.width - box.x, part_of.y + part_of.height - box.y
        if right > left and bottom > top:
            alpha[top:bottom, left:right] = opacity


_TWICE: Final = Missing("it is there more than once")
_SHOWN: Final = 60
_ELSEWHERE: Final = 0.7
"""How much of what stands nearby has to come along when a target has moved."""


class ScreenTargets:
    """Implements ``core.reload.ports.Targets``; keeps no state, and is safe to share between threads."""

    def cut(
        self, picture: Picture, target: Point | Box, within: Box, *, ignore: Sequence[Box], reader: Reader
    ) -> Anchor | None:
        """The anchor of what is at a point, or of a region; what tells it from its like is part of the picture."""
        area = clipped(within, whole(picture))
        point = target.centre if isinstance(target, Box) else target
        if area is None or not area.contains(point):
            return None
        pixels = pixels_of(picture)
        found = outline(pixels, target, area, reader.read(picture))
        crop = cut_out(pixels, found, area, ignore)
        if crop is None:
            return None
        box, bgra = crop
        core = Box(x=found.core.x - box.x, y=found.core.y - box.y, width=found.core.width, height=found.core.height)
        if not part(bgra[..., 3], core).any():
            # All of it may be different the next time: a field that holds a value.
            return None
        return Anchor(
            image=encoded(bgra),
            core=core,
            point=Point(x=point.x - box.x, y=point.y - box.y),
            place=Point(x=point.x - within.x, y=point.y - within.y),
            words=found.words,
        )

    def find(
        self, anchor: Anchor, picture: Picture, within: Box, *, reader: Reader, far: bool = True
    ) -> Found | Missing:
        """Where it is now: at the same place of the window, else anywhere in it."""
        recorded = Recorded.of(anchor)
        area = clipped(within, whole(picture))
        if recorded is None or area is None:
            return Missing("its picture cannot be read" if recorded is None else "its window is not on the screen")
        pixels = pixels_of(picture)
        here = Point(x=within.x + anchor.place.x - anchor.point.x, y=within.y + anchor.place.y - anchor.point.y)
        why = compared(recorded, pixels, area, here)
        if why is None:
            return _found(anchor, here, "same_place")
        if not far:
            return Missing(why)
        screen = Screen(picture, pixels, area, reader)
        found = self._elsewhere(anchor, recorded, pixels, area) or redrawn(anchor, recorded, screen)
        if isinstance(found, Missing) and found != _TWICE and (now := reads_now(anchor, here, screen)):
            return Missing(f'it reads "{now[:_SHOWN]}" now')
        return found

    def _elsewhere(self, anchor: Anchor, recorded: Recorded, pixels: Pixels, area: Box) -> Found | Missing | None:
        likely = places(recorded, pixels, area)
        there = [place for place in likely if compared(recorded, pixels, area, place, nearby=0.0) is None]
        if not there:
            return None
        # What stands around does not choose among equals: rows that are the same have different neighbours.
        if len(there) > 1 or any(may_be(recorded, pixels, area, place) for place in likely if place != there[0]):
            return _TWICE
        is_there = compared(recorded, pixels, area, there[0], nearby=_ELSEWHERE) is None
        return _found(anchor, there[0], "moved") if is_there else None

    def crop(self, picture: Picture, box: Box) -> str:
        """That part of a picture, as ``Anchor.image``; empty when the box is not in the picture."""
        inside = clipped(box, whole(picture))
        if inside is None:
            return ""
        bgra = part(pixels_of(picture), inside).copy()
        bgra[..., 3] = 255
        return encoded(bgra)

    def same(self, image: str, picture: Picture, box: Box) -> bool:
        """Whether that part of the picture looks like ``image``."""
        one, inside = decoded(image), clipped(box, whole(picture))
        if one is None or inside != box or one.shape[:2] != (box.height, box.width):
            return False
        return is_same(one, part(pixels_of(picture), box), one[..., 3] > 0)


def _found(anchor: Anchor, origin: Point, how: Literal["same_place", "moved"]) -> Found:
    core = Box(
        x=origin.x + anchor.core.x, y=origin.y + anchor.core.y, width=anchor.core.width, height=anchor.core.height
    )
    point = Point(x=origin.x + anchor.point.x, y=origin.y + anchor.point.y)
    return Found(point, how, core)
