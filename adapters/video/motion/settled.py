"""What the search for changes hands on: looks at the screen, places that came to rest, and what kept moving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import gap, window
from adapters.video.motion.changes import pixel_box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box, Frame, Luma
    from adapters.video.motion.changes import Blocks, Scroll
    from adapters.video.motion.left_places import LeftPlace

TOGETHER_MS: Final = 90
"""What begins so soon after the other begins with it."""
_TOGETHER_PIXELS: Final = 24


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A frame, and how it looks without the mouse pointer.

    Args:
        frame: as it was recorded.
        luma: its brightness without the pointer.
        hole: where the pointer was painted out.
        covered_box: the same place when nobody knows what lies under it.

    """

    frame: Frame
    luma: Luma
    hole: Box | None
    covered_box: Box | None

    @property
    def t_ms(self) -> int:
        """When it was shown."""
        return self.frame.t_ms

    def paint_out(self, bgr: NDArray[np.uint8]) -> None:
        """Take the pointer out of the frame's colour picture, in place; what it hid is painted grey."""
        if self.hole is None:
            return
        grey = (self.luma[window(self.hole)].astype(np.float32) - 16) * (255 / 219)
        bgr[window(self.hole)] = np.clip(grey, 0, 255).astype(np.uint8)[:, :, None]


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A place whose new state can be read.

    Args:
        t_ms: when the change began.
        seen_ms: when ``frame`` was shown.
        frame: the picture of the settled state.
        before: the brightness of the state before, around the change.
        before_box: which part of the picture that is.
        stood_ms: since when that state stood there.
        uncovered: places that the mouse pointer has left, where what was read before may be wrong.
        rest_ms: when it last moved.
        blocks: which blocks differ from the state before.
        solid: mean change of each block's brightness, 0..255; near 0 where only fine strokes changed place.
        since: when each block began to change, in milliseconds.
        first: whether this is (part of) the first screen of the clip.
        scroll: how its content moved meanwhile, if it moved as a whole.
        moving: whether it had not come to rest: its picture may be half of one state and half of the next.
        gone_ms: when it went, where it only stood for a frame; it is read, but it is no state of the screen.

    """

    t_ms: int
    seen_ms: int
    rest_ms: int
    frame: Look
    blocks: Blocks
    before: Luma
    before_box: Box
    stood_ms: int
    uncovered: tuple[LeftPlace, ...]
    solid: NDArray[np.float32]
    since: NDArray[np.int64]
    first: bool
    scroll: Scroll | None = None
    moving: bool = False
    gone_ms: int | None = None

    @property
    def box(self) -> Box:
        """The rectangle around the change, in pixels."""
        return pixel_box(self.blocks, self.frame.luma)


@dataclass(slots=True, eq=False)
class ContinuousMotion:
    """A place that kept moving from ``t_ms`` until ``until_ms``; what stood there was last read at ``read_ms``."""

    t_ms: int
    until_ms: int
    box: Box
    blocks: Blocks
    read_ms: int = 0


def grouped(settled: Sequence[Settled]) -> list[list[Settled]]:
    """What began together and lies together is one thing: the parts of a dialog, the words of a message."""
    groups: list[list[Settled]] = []
    for one in sorted(settled, key=lambda one: one.t_ms):
        near = [group for group in groups if any(_belongs(one, other) for other in group)]
        merged = [one, *(other for group in near for other in group)]
        groups = [group for group in groups if group not in near] + [merged]
    return sorted(groups, key=lambda group: (group[0].seen_ms, min(one.t_ms for one in group)))


def _belongs(one: Settled, other: Settled) -> bool:
    if one.frame is not other.frame:
        return False
    if one.scroll is not None and one.scroll is other.scroll:
        return True
    return abs(one.t_ms - other.t_ms) <= TOGETHER_MS and max(gap(one.box, other.box)) <= _TOGETHER_PIXELS
