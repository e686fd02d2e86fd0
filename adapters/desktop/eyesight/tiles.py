"""Where lines of text stand on a whole screen, worked out tile by tile, and for no tile twice.

The network's map of lines is put together from tiles before anybody looks for lines in it, so that a line across the
border of two tiles is one line, and so that the map depends on the pixels of the picture alone: looking at what
changed gives the same as looking at everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import cv2
import numpy as np

from adapters.desktop.eyesight.memory import Memory
from adapters.video.ocr.detection import lines_in

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from adapters.video.boxes import Box

    Map = NDArray[np.uint8]
    """How likely each pixel of a picture is a line's inside: 0..255."""

_STEP: Final = 32
"""The network takes multiples of so many pixels."""
_MARGIN: Final = 32
"""What the network is shown around a tile, to see a line at its border as it sees one elsewhere."""
_WIDEST: Final = 320
_HIGHEST: Final = 192
"""Of a tile. Smaller ones cost more for their margins, larger ones when a word changes. In a picture drawn smaller
lines would be found in less than half of the time, but in a terminal's dense small text not all of them."""
_KEPT: Final = 1024
"""Tiles, 64 MB: six screens of 3840x2160, fifty of 1280x720."""
_BLANK: Final = 8
"""What differs by less than this (of 255) within a tile cannot be read."""
_NEARBY: Final = np.ones((49, 49), np.uint8)
"""As far as a line's inside can be from its next stroke, in letters of 100 pixels."""
_CERTAIN: Final = 255


class LineMapper(Protocol):
    """The network that finds lines."""

    def line_map(self, bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
        """How likely each pixel is a line's inside, 0..1; may be called by several threads."""
        ...


@dataclass(frozen=True, slots=True)
class _Tile:
    """One tile of a grid: the part of the map that it fills, and the pixels that the network is shown for it."""

    x: int
    y: int
    width: int
    height: int
    shown: tuple[slice, slice]
    missing: tuple[int, int, int, int]
    """How many pixels lack above, below, left and right, beyond the picture's edges."""


class TiledMap:
    """The map of lines of one screen after another."""

    def __init__(self, network: LineMapper, workers: Executor) -> None:
        self._network = network
        self._workers = workers
        self._maps: Memory[Hashable, Map] = Memory(_KEPT)
        self._grid: Sequence[_Tile] = ()
        self._keys: list[Hashable] = []
        self._size = (0, 0)

    def keys(self, pixels: NDArray[np.uint8], changed: NDArray[np.bool_] | None) -> tuple[Hashable, ...]:
        """What identifies each tile of the picture; together they identify the picture.

        ``changed`` says which pixels are not those of the picture before; ``None`` when all may be others.
        """
        height, width = pixels.shape[:2]
        if (width, height) != self._size:
            self._size, self._grid, changed = (width, height), _grid(width, height), None
        if changed is None:
            self._keys = [_key(tile, pixels) for tile in self._grid]
        else:
            for index, tile in enumerate(self._grid):
                if changed[tile.shown].any():
                    self._keys[index] = _key(tile, pixels)
        return (self._size, *self._keys)

    def boxes(self, pixels: NDArray[np.uint8]) -> list[Box]:
        """Boxes around the lines of the picture that ``keys`` was last asked for, row by row."""
        asked = ((key, (tile, pixels)) for key, tile in zip(self._keys, self._grid, strict=True))
        maps = self._maps.work_out(asked, self._look, self._workers)
        last = self._grid[-1]
        whole = np.zeros((last.y + last.height, last.x + last.width), np.uint8)
        for key, tile in zip(self._keys, self._grid, strict=True):
            whole[tile.y : tile.y + tile.height, tile.x : tile.x + tile.width] = maps[key]
        found = lines_in(whole, whole.shape[1], whole.shape[0], certain=_CERTAIN)
        cut = [(x, y, min(width, self._size[0] - x), min(height, self._size[1] - y)) for x, y, width, height in found]
        return [box for box in cut if min(box[2:]) > 0]

    def _look(self, asked: tuple[_Tile, NDArray[np.uint8]]) -> Map:
        tile, pixels = asked
        shown = np.ascontiguousarray(pixels[tile.shown][:, :, :3])
        if np.ptp(shown.reshape(-1, 3), axis=0).max() < _BLANK:
            return np.zeros((tile.height, tile.width), np.uint8)
        padded = np.asarray(cv2.copyMakeBorder(shown, *tile.missing, cv2.BORDER_REPLICATE), np.uint8)
        certainty = np.where(_near_ink(padded), self._network.line_map(padded), 0)
        inner = certainty[_MARGIN : _MARGIN + tile.height, _MARGIN : _MARGIN + tile.width]
        return np.rint(np.clip(inner, 0, 1) * _CERTAIN).astype(np.uint8)


def _near_ink(bgr: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where there is anything to be seen nearby: on a plain ground the network finds what is not there."""
    contrast = cv2.subtract(cv2.dilate(bgr, _NEARBY), cv2.erode(bgr, _NEARBY))
    return np.asarray(contrast).max(axis=2) >= _BLANK


def _key(tile: _Tile, pixels: NDArray[np.uint8]) -> Hashable:
    # 64 bits that differ from process to process: nobody can draw two screens that are taken for one.
    return tile.missing, tile.width, tile.height, hash(pixels[tile.shown].tobytes())


def _grid(width: int, height: int) -> Sequence[_Tile]:
    return [
        _Tile(
            x,
            y,
            wide,
            high,
            (
                slice(max(y - _MARGIN, 0), min(y + high + _MARGIN, height)),
                slice(max(x - _MARGIN, 0), min(x + wide + _MARGIN, width)),
            ),
            (
                max(_MARGIN - y, 0),
                max(y + high + _MARGIN - height, 0),
                max(_MARGIN - x, 0),
                max(x + wide + _MARGIN - width, 0),
            ),
        )
        for y, high in _parts(height, _HIGHEST)
        for x, wide in _parts(width, _WIDEST)
    ]


def _parts(length: int, most: int) -> list[tuple[int, int]]:
    """Starts and lengths of equal parts, whole steps each, that cover the length."""
    steps = -(-length // _STEP)
    parts = -(-steps * _STEP // most)
    each = -(-steps // parts) * _STEP
    return [(start, each) for start in range(0, length, each)]
