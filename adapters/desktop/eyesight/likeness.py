"""A picture's pixels as arrays, where two pictures differ, and whether they show the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from core.screens import Box, Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]
    Mask = NDArray[np.uint8]


_FAINT: Final = 8
"""Steps of brightness that are how something was smoothed, and nothing that was drawn."""
_STRONG: Final = 0.4
"""Of the contrast: what changes by more is another letter, be it one pixel, as the dot that tells i from l."""
_STRONG_LIMITS: Final = (16, 48)
_SPECK: Final = 3
"""So many neighbouring pixels that are not faint are no speck."""
_RING: Final = 4
_CORNER: Final = 7
_RINGED: Final = 0.6
_LEAST_RINGED: Final = 18
"""A check box has no ring to spare: its tick is as near to its edge."""
_CARET_WIDTH: Final = 3
_CARET_HEIGHTS: Final = (11, 48)
_CARET_REACH: Final = 60
_INK: Final = 40
_THICK: Final = 4
_LONG: Final = 40
_HIGH: Final = 0.8
_CHANGED: Final = 32
_BLOCK: Final = 8
_BLOCK_CHANGED: Final = 0.1
_FEW_BLOCKS: Final = 4
_BORDER: Final = 20
_NEIGHBOURS: Final = np.ones((5, 5), np.uint8)
_STRAY: Final = 12
"""Pixels that may lie farther off, in all of a row."""


def change(one: Pixels, other: Pixels, opaque: NDArray[np.bool_] | None = None) -> Pixels:
    """By how much each pixel differs, 0..255: the channel that differs most."""
    blue, green, red, *_ = cv2.split(cv2.absdiff(one, other))
    by = cv2.max(cv2.max(blue, green), red)
    return np.asarray(by if opaque is None else cv2.bitwise_and(by, by, mask=opaque.view(np.uint8)), np.uint8)


def is_same(one: Pixels, other: Pixels, opaque: NDArray[np.bool_] | None = None) -> bool:
    """Whether every letter and sign is the same; a caret, or a ring around all of it, may be there or not.

    Args:
        one: (height, width, 4).
        other: of the same size.
        opaque: where it is compared; everywhere when left out.

    """
    by = change(one, other, opaque)
    if int(by.max(initial=0)) <= _FAINT:
        return True
    rest = _without_carets(_without_ring(by), one, other)
    if int(rest.max(initial=0)) <= _FAINT:
        return True
    contrast = int(np.ptp(one[..., :3].reshape(-1, 3).astype(np.int16), axis=0).max())
    if int(rest.max()) > min(max(_STRONG * contrast, _STRONG_LIMITS[0]), _STRONG_LIMITS[1]):
        return False
    return not _has_lump((rest > _FAINT).view(np.uint8), _SPECK)


def is_same_but_frames(one: Pixels, other: Pixels, opaque: NDArray[np.bool_]) -> bool:
    """Whether every letter is the same; borders, lines and carets may have changed."""
    mask = (change(one, other, opaque) > _CHANGED).view(np.uint8)
    if not mask.any():
        return True
    if np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((_THICK, _THICK), np.uint8))).any():
        return False
    high = max(round(_HIGH * mask.shape[0]), _CARET_HEIGHTS[0] + 2)
    lines = np.zeros_like(mask)
    for shape in ((high, 1), (1, _LONG)):
        if shape[0] <= mask.shape[0] and shape[1] <= mask.shape[1]:
            lines |= np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones(shape, np.uint8)), np.uint8)
    mask[np.asarray(cv2.dilate(lines, np.ones((3, 3), np.uint8))) > 0] = 0
    return not _has_lump(mask, _SPECK)


def resembles(one: Pixels, other: Pixels, opaque: NDArray[np.bool_]) -> bool:
    """Whether it may be the same but for how it was smoothed: each pixel is among its neighbours of the other.

    Borders do not count: where rows are no whole pixels high, those of equal rows differ.
    """
    for these, those in ((one, other), (other, one)):
        below = np.asarray(cv2.subtract(cv2.erode(those, _NEIGHBOURS), these), np.uint8)
        above = np.asarray(cv2.subtract(these, cv2.dilate(those, _NEIGHBOURS)), np.uint8)
        off = ((np.maximum(below, above)[..., :3].max(axis=2) > _CHANGED) & opaque).view(np.uint8)
        for line in ((1, _BORDER), (_BORDER, 1)):
            off -= np.asarray(cv2.morphologyEx(off, cv2.MORPH_OPEN, np.ones(line, np.uint8)), np.uint8)
        if np.count_nonzero(off) > _STRAY:
            return False
    return True


def alike(one: Pixels, other: Pixels, opaque: NDArray[np.bool_]) -> float:
    """Which share of the blocks of 8x8 pixels is the same, 0..1: the lower of all, and of those that hold something.

    1 when there is next to nothing to compare.
    """
    height, width = (side // _BLOCK * _BLOCK for side in opaque.shape)
    if not height or not width:
        return 1.0
    size = (width // _BLOCK, height // _BLOCK)

    def shares(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        floats = mask[:height, :width].astype(np.float32)
        return np.asarray(cv2.resize(floats, size, interpolation=cv2.INTER_AREA), np.float32)

    compared = shares(opaque) >= 0.5  # noqa: PLR2004 - half of the block
    differs = change(one, other, opaque) > _CHANGED
    if not differs.any():
        return 1.0
    same = shares(differs) <= _BLOCK_CHANGED
    holds = shares(ink_of(one) & opaque) > 0
    holding = compared & holds
    if np.count_nonzero(compared) < _FEW_BLOCKS:
        return 1.0
    every = float(same[compared].mean())
    return min(every, float(same[holding].mean())) if np.count_nonzero(holding) >= _FEW_BLOCKS else every


def ink_of(bgra: Pixels) -> NDArray[np.bool_]:
    """Where something is drawn: pixels that differ from their neighbours."""
    grey = np.asarray(cv2.cvtColor(bgra, cv2.COLOR_BGRA2GRAY), np.uint8)
    steps = np.asarray(cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)), np.uint8)
    return steps > 2 * _FAINT


def _without_ring(by: Pixels) -> Pixels:
    """Without a frame that is drawn, or is not any more, around all of it: who has the keyboard, where the mouse is."""
    height, width = by.shape
    if min(height, width) < _LEAST_RINGED:
        return by
    rows, columns = (by > _FAINT).mean(axis=1) >= _RINGED, (by > _FAINT).mean(axis=0) >= _RINGED
    rows[_RING:-_RING] = False
    columns[_RING:-_RING] = False
    sides = (rows[:_RING].any(), rows[-_RING:].any(), columns[:_RING].any(), columns[-_RING:].any())
    if not all(sides):
        return by
    rest = by.copy()
    rest[rows], rest[:, columns] = 0, 0
    for corner in (
        rest[:_CORNER, :_CORNER],
        rest[:_CORNER, -_CORNER:],
        rest[-_CORNER:, :_CORNER],
        rest[-_CORNER:, -_CORNER:],
    ):
        corner[:] = 0
    return rest


def _without_carets(by: Pixels, one: Pixels, other: Pixels) -> Pixels:
    """Without bars that are higher than the letters at both ends; two at most: where it was, and where it is."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats((by > _FAINT).view(np.uint8), connectivity=8)
    if not 1 < count <= 3:  # noqa: PLR2004 - the ground and two bars
        return by
    rest = by.copy()
    for index in range(1, count):
        x, y, width, height, area = (int(value) for value in np.asarray(stats)[index])
        is_bar = width <= _CARET_WIDTH and _CARET_HEIGHTS[0] <= height <= _CARET_HEIGHTS[1] and area >= width * height
        if is_bar and all(_stands_out(pixels, x, y, width, height) for pixels in (one, other)):
            rest[np.asarray(labels) == index] = 0
    return rest


def _stands_out(pixels: Pixels, x: int, y: int, width: int, height: int) -> bool:
    """Whether no letter reaches as high and as low as the bar."""
    left = max(x - _CARET_REACH, 0)
    crop = pixels[y : y + height, left : x + width + _CARET_REACH, :3].max(axis=2).astype(np.int16)
    ink = np.abs(crop - int(np.median(crop))) > _INK
    ink[:, max(x - 1 - left, 0) : x + width + 1 - left] = False
    ink[:, ink.all(axis=0)] = False
    return not ink[0].any() and not ink[-1].any()


def _has_lump(mask: Mask, least: int) -> bool:
    if int(np.count_nonzero(mask)) < least:
        return False
    stats = np.asarray(cv2.connectedComponentsWithStats(mask, connectivity=8)[2])
    return bool((stats[1:, cv2.CC_STAT_AREA] >= least).any())


_LEVEL: Final = 5
"""How much a channel must change (of 255) to be seen. Grabs have no noise: paler than this is what no eye sees."""


def pixels_of(picture: Picture) -> NDArray[np.uint8]:
    """(height, width, 4) in the order blue, green, red, unused; a view, not a copy."""
    return np.frombuffer(picture.bgra, np.uint8).reshape(picture.height, picture.width, 4)


def unlike(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which pixels are not the same to the bit; both pictures have one size."""
    return before.view(np.uint32)[:, :, 0] != after.view(np.uint32)[:, :, 0]


def differences(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> Sequence[Box]:
    """Where two pictures of one size visibly differ.

    Blocks of 8x8 pixels that differ are one box when they touch, and so are boxes that touch; each is then drawn close
    around the pixels that differ, so that a caret is as thin as it is.
    """
    rows = np.flatnonzero(unlike(before, after).any(axis=1))
    if not rows.size:
        return ()
    top, bottom = int(rows[0]) // _BLOCK * _BLOCK, int(rows[-1]) + 1
    change = cv2.absdiff(before[top:bottom], after[top:bottom])
    alike = cv2.inRange(change, (0, 0, 0, 0), (_LEVEL, _LEVEL, _LEVEL, 255))
    hot = np.asarray(cv2.bitwise_not(alike), np.uint8)
    return [_close(hot, blocks, top) for blocks in _apart(_blocks(hot))]


def _blocks(hot: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = (-(-side // _BLOCK) for side in hot.shape)
    whole = np.zeros((height * _BLOCK, width * _BLOCK), np.uint8)
    whole[: hot.shape[0], : hot.shape[1]] = hot
    # The mean of 64 pixels, of which one is 255, is 4.
    means = cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA)
    return (np.asarray(means) > 0).view(np.uint8)


def _apart(blocks: NDArray[np.uint8]) -> list[tuple[int, int, int, int]]:
    """Rectangles (x, y, width, height) around the blocks that touch, joined until no two rectangles touch."""
    while True:
        stats = cv2.connectedComponentsWithStats(blocks, connectivity=8)[2][1:]
        boxes = [(int(x), int(y), int(width), int(height)) for x, y, width, height, _ in stats]
        filled = blocks.copy()
        for x, y, width, height in boxes:
            filled[y : y + height, x : x + width] = 1
        if np.array_equal(filled, blocks):
            return sorted(boxes, key=lambda box: (box[1], box[0]))
        blocks = filled


def _close(hot: NDArray[np.uint8], blocks: tuple[int, int, int, int], top: int) -> Box:
    x, y, width, height = (side * _BLOCK for side in blocks)
    left, above, wide, high = cv2.boundingRect(hot[y : y + height, x : x + width])
    return Box(x=x + left, y=top + y + above, width=wide, height=high)
