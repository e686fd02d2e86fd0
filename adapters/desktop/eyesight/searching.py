"""Where on the screen something may be that looks like a recorded target: places to be compared closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.desktop.eyesight.comparing import Recorded, clipped, part
from adapters.desktop.eyesight.likeness import ink_of
from core.screens import Box, Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

_HALF: Final = 2
_MARGINS: Final = (12, 24, 48, 96)
_LEAST_INK: Final = 60
_MOST: Final = 40
_UNLIKE: Final = 0.9
"""Of the variation in the picture: what differs by more is something else."""
_LEAST_UNLIKE: Final = 64.0
_STEPS: Final = 2
_TWIN: Final = 0.88
_MAYBE_TWIN: Final = 0.5
_LEAST_VARIATION: Final = 4.0


def places(recorded: Recorded, pixels: Pixels, area: Box) -> list[Point]:
    """Where the top left corner of the recorded picture may be, the likeliest first, each once."""
    box = _distinctive_box(recorded)
    if box.width > area.width or box.height > area.height:
        return []
    wanted = part(recorded.bgra, box)
    grey, mask = _grey(wanted), (wanted[..., 3] > 0).astype(np.uint8) * 255
    screen = _grey(part(pixels, area))
    found: list[Point] = []
    for x, y in _coarse(screen, grey, mask):
        exact = _fine(screen, grey, mask, x, y)
        origin = Point(x=area.x + exact[0] - box.x, y=area.y + exact[1] - box.y)
        if origin not in found:
            found.append(origin)
    return found


def twins(pixels: Pixels, core: Box, area: Box) -> list[Box]:
    """What looks nearly as the core does elsewhere in the window."""
    screen, wanted = _grey(part(pixels, area)), _grey(part(pixels, core))
    if min(wanted.shape) < 2 * _HALF or float(wanted.std()) < _LEAST_VARIATION:
        return []
    scores = np.asarray(cv2.matchTemplate(_halved(screen), _halved(wanted), cv2.TM_CCOEFF_NORMED), np.float32)
    found: list[Box] = []
    for x, y, _ in _peaks(-np.nan_to_num(scores), _halved(wanted).shape, -_MAYBE_TWIN):
        left, top = max(_HALF * x - _STEPS, 0), max(_HALF * y - _STEPS, 0)
        near = screen[top : _HALF * y + core.height + _STEPS, left : _HALF * x + core.width + _STEPS]
        if near.shape[0] < core.height or near.shape[1] < core.width:
            continue
        _, best, _, (column, row) = cv2.minMaxLoc(cv2.matchTemplate(near, wanted, cv2.TM_CCOEFF_NORMED))
        twin = Box(x=area.x + left + column, y=area.y + top + row, width=core.width, height=core.height)
        if best >= _TWIN and not twin.overlap(core):
            found.append(twin)
    return found


def _distinctive_box(recorded: Recorded) -> Box:
    """The core and so much around it that there is something to be seen."""
    width, height = recorded.size
    picture = Box(x=0, y=0, width=width, height=height)
    for margin in _MARGINS:
        box = clipped(recorded.core.grown(margin, margin), picture) or picture
        if np.count_nonzero(ink_of(part(recorded.bgra, box))) >= _LEAST_INK:
            return box
    return picture


def _coarse(screen: Pixels, grey: Pixels, mask: Pixels) -> list[tuple[int, int]]:
    small, wanted = _halved(screen), _halved(grey)
    opaque = (_halved(mask) == 255).astype(np.float32)  # noqa: PLR2004 - all four pixels of it
    count = float(opaque.sum())
    if not count:
        return []
    off = np.asarray(
        cv2.matchTemplate(small.astype(np.float32), wanted.astype(np.float32), cv2.TM_SQDIFF, mask=opaque), np.float32
    )
    variation = float(wanted[opaque > 0].std()) ** 2
    worst = max(_UNLIKE * variation, _LEAST_UNLIKE)
    return [(_HALF * x, _HALF * y) for x, y, _ in _peaks(off / count, wanted.shape, worst)]


def _fine(screen: Pixels, grey: Pixels, mask: Pixels, x: int, y: int) -> tuple[int, int]:
    left, top = max(x - _STEPS, 0), max(y - _STEPS, 0)
    seen = screen[top : y + grey.shape[0] + _STEPS, left : x + grey.shape[1] + _STEPS]
    if seen.shape[0] < grey.shape[0] or seen.shape[1] < grey.shape[1]:
        return x, y
    off = cv2.matchTemplate(
        seen.astype(np.float32), grey.astype(np.float32), cv2.TM_SQDIFF, mask=(mask > 0).astype(np.float32)
    )
    row, column = divmod(int(np.asarray(off).argmin()), off.shape[1])
    return left + column, top + row


def _peaks(off: NDArray[np.float32], shape: tuple[int, ...], worst: float) -> list[tuple[int, int, float]]:
    """The lowest places, none closer to a lower one than half of the shape."""
    found: list[tuple[int, int, float]] = []
    high, wide = max(shape[0] // 2, 2), max(shape[1] // 2, 2)
    rest = off.copy()
    while len(found) < _MOST:
        y, x = divmod(int(rest.argmin()), rest.shape[1])
        value = float(rest[y, x])
        if not value <= worst:
            break
        found.append((x, y, value))
        rest[max(y - high, 0) : y + high + 1, max(x - wide, 0) : x + wide + 1] = np.inf
    return found


def _halved(grey: Pixels) -> Pixels:
    size = (max(grey.shape[1] // _HALF, 1), max(grey.shape[0] // _HALF, 1))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)


def _grey(pixels: Pixels) -> Pixels:
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2GRAY), np.uint8)
