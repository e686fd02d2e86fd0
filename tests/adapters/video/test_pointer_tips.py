"""Where a mouse pointer points that is no arrow."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from adapters.video.motion.changes import changed_blocks
from adapters.video.motion.pointer import Pointer
from adapters.video.observation import Watch
from tests.fakes.videos.drawn_screens import Draw, draw, picture, write

if TYPE_CHECKING:
    from adapters.video.frame import Frame


@pytest.mark.parametrize(("wide", "high"), [(7, 17), (9, 19), (8, 16)])
def test_a_text_cursor_points_with_its_middle(wide: int, high: int) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        way = min(max((t - 400) / 800, 0), 1)
        x, y = 500 - 200 * way, 400 - 150 * way
        for row in (y - high // 2, y + high // 2):
            canvas.line((x - wide // 2, row, x + wide // 2, row), fill="black")
        canvas.line((x, y - high // 2, x, y + high // 2), fill="black")

    watch = Watch()
    for frame in draw(scene, 2000):
        watch.feed(frame)
    tip = watch.path[-1][1]
    assert tip is not None
    assert max(abs(tip[0] - 300), abs(tip[1] - 250)) <= 2


@pytest.mark.parametrize(("down", "is_pointer"), [(0, False), (12, True)])
def test_what_moves_along_its_row_alone_is_not_painted_out(down: int, *, is_pointer: bool) -> None:
    """The cursor of a terminal does; below it come letters."""
    pointer, frames = Pointer(), [_picture(step, down) for step in range(7)]
    clear = frames[0].luma
    for before, after in pairwise(frames):
        motion = changed_blocks(before.luma, after.luma)
        assert motion is not None
        clear = pointer.clear(before.luma, clear, after.luma, motion)

    assert (pointer.hole is not None) is is_pointer
    assert (clear is not frames[-1].luma) is is_pointer


def _picture(step: int, down: int) -> Frame:
    def scene(canvas: Draw, _: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        x, y = 100 + 60 * step, 200 + down * step
        canvas.rectangle((x, y, x + 10, y + 20), outline="black", width=2)

    return picture(scene, 40 * step)
