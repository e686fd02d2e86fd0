"""Where a mouse pointer points that is no arrow."""

from __future__ import annotations

import pytest

from adapters.video.observation import Watch
from tests.fakes.videos.drawn_screens import Draw, draw, write


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
