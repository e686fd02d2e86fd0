"""Finds the mouse pointer by what it does, and paints it out, so that nothing it crosses or rests upon seems to change.

What it does: the same small picture leaves one place and stands in another.
A pointer whose shape changes over a button or a field is followed: where it left, and one small thing came elsewhere,
that thing is the pointer. What it hides is remembered from before it came; where that changed under it, the hole is
closed from its edges and told as a ``covered_box``, because text read there may be wrong.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from adapters.video.frame import gap, grown, overlap, window
from adapters.video.motion.arrows import find_arrow
from adapters.video.motion.changes import changed_blocks, difference, islands, pixel_box, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.changes import Blocks

_SIDE: Final = 40
_LEAST_PIXELS: Final = 14
_LEVEL: Final = 24
_CLOSE: Final = 26.0
"""Mean difference (of 255) up to which two pictures of a pointer are the same one, blurred by a codec."""
_SHAPES: Final = 6
_RADIUS: Final = 2
_NEAR: Final = 12
_SAME_FORM: Final = 0.4
_BLOCK_FILL: Final = 0.72
"""Arrows, hands and beams leave much of their rectangle free; the block cursor of a terminal does not."""
_SEARCHED: Final = 60_000
_SMALL_AREAS: Final = 6
_GLIDES: Final = 3
_LITTLE: Final = 80
"""Blocks that change when a pointer moves: its old and new place, and a button that lights up."""
_REACH: Final = 120
"""A pointer that takes another shape on its way comes no farther from one picture to the next."""
_TRAIL: Final = 6
"""So many pictures ago a pointer on its way stood clear of where it is now."""


@dataclass(slots=True, eq=False)
class _Shape:
    patch: NDArray[np.int16]
    mask: Blocks
    is_arrow: bool = False

    @property
    def size(self) -> tuple[int, int]:
        return self.mask.shape[0], self.mask.shape[1]


class Pointer:
    """Feed it every picture that differs from the one before; it returns the picture without the pointer."""

    def __init__(self) -> None:
        self._shapes: list[_Shape] = []
        self._shape: _Shape | None = None
        self._at: tuple[int, int] | None = None
        self._under: Luma | None = None
        self._glides = 0
        self._in_doubt = False
        self._trail: deque[Luma] = deque(maxlen=_TRAIL)
        self.uncovered: list[Box] = []
        """Places that it has left, where what was read while it stood there may be wrong; the caller empties it."""

    @property
    def box(self) -> Box | None:
        """Where it stands, if that is known."""
        if self._at is None or self._shape is None:
            return None
        height, width = self._shape.size
        return *self._at, width, height

    @property
    def tip(self) -> tuple[int, int] | None:
        """The pixel that it points at: an arrow's corner, a hand's finger, the middle of what is narrow.

        ``None`` while it may be something else, as the caret of a terminal: what is no arrow counts once it has glided
        askew a few times, which no caret does; what was found elsewhere while much changed, once it glides again.
        """
        if self._at is None or self._shape is None or self._in_doubt or not self._is_one:
            return None
        (x, y), (height, width) = self._at, self._shape.size
        if self._shape.is_arrow:
            return x + _RADIUS, y + _RADIUS
        is_beam = 2 * (width - 2 * _RADIUS) < height - 2 * _RADIUS
        return (x + width // 2, y + height // 2) if is_beam else (x + width // 3, y + _RADIUS)

    @property
    def _is_one(self) -> bool:
        """Whether it has the form of an arrow or has glided askew often enough."""
        return self._shape is not None and (self._shape.is_arrow or self._glides >= _GLIDES)

    @property
    def hole(self) -> Box | None:
        """Where it is painted out: its place, once it is no block cursor of a terminal."""
        return self.box if self._is_one else None

    @property
    def covered_box(self) -> Box | None:
        """The same, while what lies under it is not known."""
        return self.hole if self._under is None else None

    def clear(self, before: Luma, before_clear: Luma, luma: Luma, motion: Blocks) -> Luma:
        """Take the next picture and return it without the pointer; ``before_clear`` is what was returned last."""
        self._follow(before, before_clear, luma, motion)
        self._trail.append(before)
        return self.painted_out(luma)

    def painted_out(self, luma: Luma) -> Luma:
        """The picture without the pointer where it stands now."""
        box = self.hole
        if box is None or self._shape is None:
            return luma
        clear = luma.copy()
        # A pixel around: the edges of a pointer are blended with what lies under it.
        hole = spread(self._shape.mask, _RADIUS)
        there = clear[window(box)]
        hole = hole[: there.shape[0], : there.shape[1]]
        under = _closed(there, hole) if self._under is None else _tinted(self._under, there, hole)
        there[hole] = under[hole]
        return clear

    def _follow(self, before: Luma, before_clear: Luma, luma: Luma, motion: Blocks) -> None:
        is_there = self._at is not None and self._shape is not None and _fits(self._shape, luma, *self._at)
        if is_there:
            self._check_under(before, luma)
            if not self._in_doubt:
                return
        every = [pixel_box(island, luma) for island in islands(motion)]
        small = _small(every)
        if is_there:
            if not self._is_elsewhere(before, luma, small):
                return
            self._leave()
        old = self.box
        wide = [box for box in every if box not in small and box[2] * box[3] <= _SEARCHED]
        near = [] if old is None else [grown(old, _NEAR, _NEAR, luma)]
        found = self._search(luma, [*small, *near, *wide]) or self._arrow(luma, [*small, *near])
        if found is None and old is not None:
            found = self._reshaped(before_clear, luma, small, old)
        elif found is None:
            found = self._discover(before, luma, small) or self._discover_gliding(luma, every)
        elif old is None:
            self._admit_departure(before, luma, small, found)
        if found is not None and old is None and self._trail:
            self._admit_start(self._trail[0], luma, found)
        self._move(found, before_clear, luma, motion)

    def _is_elsewhere(self, before: Luma, luma: Luma, small: list[Box]) -> bool:
        """Whether a pointer moves, while what was taken for it as much changed stays where it is."""
        found, box = self._search(luma, small) or self._discover(before, luma, small), self.box
        if found is None or box is None:
            return False
        height, width = found[0].size
        return not overlap(box, (found[1], found[2], width, height))

    def _leave(self) -> None:
        """What was taken for it is something else: what was read there may be wrong."""
        if self.box is not None:
            self.uncovered.append(self.box)
        self._at, self._shape, self._under = None, None, None

    def _check_under(self, before: Luma, luma: Luma) -> None:
        """Forget what lies under it when its surroundings changed."""
        box, shape = self.box, self._shape
        if box is None or shape is None:
            return
        wide = grown(box, 4, 4, luma)
        moved = difference(before[window(wide)], luma[window(wide)]) > _LEVEL
        if int(moved.sum()) >= _LEAST_PIXELS:
            self._under = None

    def _search(self, luma: Luma, areas: list[Box]) -> tuple[_Shape, int, int] | None:
        for shape in self._shapes:
            for area in areas:
                place = _find(shape, luma, grown(area, 2, 2, luma))
                if place is not None:
                    return shape, *place
        return None

    def _arrow(self, luma: Luma, areas: list[Box]) -> tuple[_Shape, int, int] | None:
        """A pointer of the usual form, wherever it came from."""
        for area in areas[:_SMALL_AREAS]:
            found = find_arrow(luma, grown(area, _NEAR, _NEAR, luma))
            if found is None:
                continue
            arrow, x, y = found
            place = (x - _RADIUS, y - _RADIUS, arrow.mask.shape[1] + 2 * _RADIUS, arrow.mask.shape[0] + 2 * _RADIUS)
            if grown(place, 0, 0, luma) != place:
                continue
            shape = _Shape(
                luma[window(place)].astype(np.int16), np.pad(arrow.mask.astype(np.bool_), _RADIUS), is_arrow=True
            )
            self._keep(shape)
            return shape, place[0], place[1]
        return None

    def _discover(self, before: Luma, luma: Luma, areas: list[Box]) -> tuple[_Shape, int, int] | None:
        """The same small picture, gone in one place and come in another."""
        tiny = [area for area in areas if max(area[2:]) <= _SIDE + 8]
        for left in tiny:
            shape = _cut(before, luma, left)
            if shape is None or not _stands_out(shape[0]) or _fits(shape[0], luma, *shape[1:]):
                continue
            for came in tiny:
                place = None if came == left else _find(shape[0], luma, grown(came, 2, 2, luma))
                if place is not None and _is_what_came(shape[0], before, luma, place):
                    self.uncovered.append((shape[1], shape[2], shape[0].mask.shape[1], shape[0].mask.shape[0]))
                    self._keep(shape[0])
                    return shape[0], *place
        return None

    def _discover_gliding(self, luma: Luma, every: list[Box]) -> tuple[_Shape, int, int] | None:
        """The same, against an earlier picture: what glides overlaps the place where it stood a frame ago."""
        if len(self._trail) < _TRAIL or not every or any(max(box[2:]) > 2 * _SIDE for box in every):
            return None
        return self._discover(self._trail[0], luma, _small_changes(self._trail[0], luma))

    def _admit_departure(self, before: Luma, luma: Luma, areas: list[Box], found: tuple[_Shape, int, int]) -> None:
        """It stood somewhere unnoticed until now: tell where."""
        height, width = found[0].size
        for area in areas:
            left = _cut(before, luma, area)
            if left is None or not _stands_out(left[0]):
                continue
            box = (left[1], left[2], left[0].size[1], left[0].size[0])
            if not overlap(box, (found[1], found[2], width, height)):
                self.uncovered.append(box)

    def _reshaped(self, before_clear: Luma, luma: Luma, areas: list[Box], old: Box) -> tuple[_Shape, int, int] | None:
        """The one small thing that came near the place that it left."""
        came = [_cut(luma, before_clear, area) for area in areas if max(gap(area, old)) <= _REACH]
        shapes = [one for one in came if one is not None and _stands_out(one[0])]
        if len(shapes) != 1 or 3 * shapes[0][0].size[0] < 2 * old[3]:
            return None
        self._keep(shapes[0][0])
        return shapes[0]

    def _admit_start(self, earlier: Luma, luma: Luma, found: tuple[_Shape, int, int]) -> None:
        """It stood elsewhere before it began to glide: tell where."""
        height, width = found[0].size
        for area in _small_changes(earlier, luma):
            place = _find(found[0], earlier, grown(area, 2, 2, luma))
            if place is not None and not overlap((*place, width, height), (found[1], found[2], width, height)):
                self.uncovered.append((*place, width, height))

    def _move(self, found: tuple[_Shape, int, int] | None, before_clear: Luma, luma: Luma, motion: Blocks) -> None:
        old = self.box
        if old is not None and self._under is None:
            self.uncovered.append(old)
        if found is None:
            self._at, self._shape = None, None
            return
        self._count_glide(old, found, is_calm=int(motion.sum()) <= _LITTLE)
        self._shape, self._at = found[0], (found[1], found[2])
        box = self.box
        if box is not None:
            known = not any(overlap(box, one) for one in self.uncovered)
            known = known and not _stirred_around(before_clear, luma, box, old)
            self._under = before_clear[window(box)].copy() if known else None
            self._shapes.sort(key=lambda shape: shape is not self._shape)

    def _count_glide(self, old: Box | None, found: tuple[_Shape, int, int], *, is_calm: bool) -> None:
        if old is None:
            self._in_doubt = not found[0].is_arrow
            return
        step = abs(found[1] - old[0]), abs(found[2] - old[1])
        if not is_calm:
            self._in_doubt = self._in_doubt or max(step) > _NEAR
        elif 0 < max(step) <= _REACH:
            self._in_doubt = False
            self._glides += min(step) > 0

    def _keep(self, shape: _Shape) -> None:
        self._shapes = [shape, *self._shapes[: _SHAPES - 1]]


def _small_changes(before: Luma, luma: Luma) -> list[Box]:
    motion = changed_blocks(before, luma)
    return [] if motion is None else _small([pixel_box(island, luma) for island in islands(motion)])


def _small(boxes: list[Box]) -> list[Box]:
    return [box for box in boxes if max(box[2:]) <= 3 * _SIDE]


def _cut(shown: Luma, hidden: Luma, area: Box) -> tuple[_Shape, int, int] | None:
    """The small thing that ``shown`` has in the area and ``hidden`` has not, and its place."""
    x, y, _, _ = area
    change = shown[window(area)].astype(np.int16) - hidden[window(area)]
    # A button that lights up under the pointer shifts as a whole; the pointer is what differs from that.
    odd = np.abs(change - np.median(change)) > _LEVEL
    rows, columns = np.flatnonzero(odd.any(axis=1)), np.flatnonzero(odd.any(axis=0))
    if odd.sum() < _LEAST_PIXELS:
        return None
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    if max(bottom - top, right - left) > _SIDE:
        return None
    place = (x + left - _RADIUS, y + top - _RADIUS, right - left + 2 * _RADIUS, bottom - top + 2 * _RADIUS)
    if grown(place, 0, 0, shown) != place:
        return None
    mask = np.pad(odd[top:bottom, left:right], _RADIUS)
    return _Shape(shown[window(place)].astype(np.int16), mask), place[0], place[1]


def _stands_out(shape: _Shape) -> bool:
    """Whether it is a thing on a ground, and not the ground that another thing left behind."""
    inner = shape.mask[_RADIUS:-_RADIUS, _RADIUS:-_RADIUS]
    if inner.mean() > _BLOCK_FILL:
        return False
    ground = np.median(shape.patch[~shape.mask])
    return float(np.abs(shape.patch - ground)[shape.mask].mean()) >= 2 * _LEVEL


def _stirred_around(before_clear: Luma, luma: Luma, box: Box, old: Box | None) -> bool:
    """Whether the ground changed in the moment the pointer came: then what lies under it did so, too."""
    wide = grown(box, 6, 6, luma)
    changed = difference(before_clear[window(wide)], luma[window(wide)]) > 2 * _LEVEL
    for one in (box, old):
        if one is not None:
            x, y = one[0] - wide[0], one[1] - wide[1]
            changed[max(y, 0) : max(y + one[3], 0), max(x, 0) : max(x + one[2], 0)] = False
    return int(changed.sum()) >= _LEAST_PIXELS


def _fits(shape: _Shape, luma: Luma, x: int, y: int) -> bool:
    height, width = shape.size
    there = luma[max(y, 0) : y + height, max(x, 0) : x + width]
    if there.shape != shape.mask.shape:
        return False
    return float(np.abs(there - shape.patch)[shape.mask].mean()) <= _CLOSE and _is_visible(shape, there)


def _is_what_came(shape: _Shape, before: Luma, luma: Luma, place: tuple[int, int]) -> bool:
    """Whether what is new at that place has the form of the shape, and is not part of something larger."""
    box = (*place, shape.size[1], shape.size[0])
    came = difference(before[window(box)], luma[window(box)]) > _LEVEL
    return float((came & shape.mask).sum()) >= _SAME_FORM * float((came | shape.mask).sum())


def _is_visible(shape: _Shape, there: NDArray[Any]) -> bool:
    """Whether the shape stands out from what is around it: in a black bar one finds any black shape."""
    ground = np.median(there[~shape.mask])
    return float(np.abs(there.astype(np.int16) - ground)[shape.mask].mean()) >= 2 * _LEVEL


def _find(shape: _Shape, luma: Luma, area: Box) -> tuple[int, int] | None:
    """Where the shape stands in the area, best place first."""
    height, width = shape.size
    there = luma[window(area)]
    if there.shape[0] < height or there.shape[1] < width:
        return None
    squares = cv2.matchTemplate(there, shape.patch.astype(np.uint8), cv2.TM_SQDIFF, mask=shape.mask.view(np.uint8))
    x, y = cv2.minMaxLoc(squares)[2]
    place = area[0] + int(x), area[1] + int(y)
    return place if _fits(shape, luma, *place) else None


def _tinted(under: Luma, there: Luma, hole: Blocks) -> Luma:
    """What lay under the pointer, in the tint that its surroundings have now: a button lights up under a pointer."""
    under = under[: there.shape[0], : there.shape[1]]
    change = there.astype(np.int16) - under
    shift = np.median(change[~hole]) if not hole.all() else 0
    return np.clip(under + shift, 0, 255).astype(np.uint8)


def _closed(patch: Luma, hole: Blocks) -> Luma:
    """The hole filled with the brightness most common around it."""
    edge = patch[~hole]
    return np.full_like(patch, np.median(edge) if edge.size else 128)
