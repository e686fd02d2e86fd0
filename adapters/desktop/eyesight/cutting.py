"""Which part of the screen tells a target from everything else: itself, its row, its label, and what is nearby."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.desktop.eyesight.anchors import LOOSE, STRICT, clipped, part
from adapters.desktop.eyesight.likeness import ink_of
from adapters.desktop.eyesight.searching import twins
from adapters.desktop.eyesight.segments import around
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.desktop.eyesight.outlines import Outline

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
