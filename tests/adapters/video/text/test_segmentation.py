"""A line that is read anew in pieces, or with its neighbour, is no other line: its letters decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.frame import around, window
from adapters.video.motion.changes import BLOCK
from adapters.video.motion.settled import Look, Settled
from adapters.video.text.ink import tight
from adapters.video.text.lines import Line
from adapters.video.text.segmentation import divided
from tests.fakes.videos.drawn_screens import picture, write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.video.frame import Box, Frame
    from tests.fakes.videos.drawn_screens import Draw

SIZE = (400, 80)
FORMAT, TOOLS = (20, 20, 70, 40), (100, 20, 70, 40)


def drawn(scene: Callable[[Draw], None]) -> Frame:
    return picture(lambda canvas, _: scene(canvas), 1000, size=SIZE)


def read(frame: Frame, text: str, *places: Box) -> Line:
    box = tight(frame.luma, around(places))
    return Line(text, 0.99, box, frame.luma[window(box)].copy(), frame.t_ms)


def came(before: Frame, after: Frame) -> list[Settled]:
    height, width = before.luma.shape
    blocks = np.ones((height // BLOCK, width // BLOCK), np.bool_)
    return [
        Settled(
            t_ms=1000,
            seen_ms=1000,
            rest_ms=1000,
            frame=Look(after, after.luma, None, None),
            blocks=blocks,
            before=before.luma,
            before_box=(0, 0, width, height),
            stood_ms=0,
            uncovered=(),
            solid=np.zeros(blocks.shape, np.float32),
            since=np.full(blocks.shape, 1000, np.int64),
            first=False,
        )
    ]


def names(canvas: Draw, *, lit: bool) -> None:
    if lit:
        canvas.rectangle((14, 20, 84, 60), fill="#3584e4")
    write(canvas, 24, 30, "Format", colour="#ffffff" if lit else "#303030")
    write(canvas, 104, 30, "Tools", colour="#303030")


def texts(lines: Sequence[Line]) -> list[str]:
    return [line.text for line in lines]


@pytest.mark.parametrize("reading", ["Tools", "Format Tools", "Fornat Tools"])
def test_a_row_of_which_a_part_is_lit_stands_however_it_is_read(reading: str) -> None:
    before, after = drawn(lambda canvas: names(canvas, lit=False)), drawn(lambda canvas: names(canvas, lit=True))
    known = [read(before, "Format", FORMAT), read(before, "Tools", TOOLS)]
    wide = Line(reading, 0.99, around(line.box for line in known), after.luma, 1000)
    new, standing = divided([wide], known, came(before, after))
    assert (new, texts(standing)) == ([], ["Format", "Tools"])


def test_what_is_typed_on_is_another_text() -> None:
    before, after = (drawn(lambda canvas, said=said: write(canvas, 24, 30, said)) for said in ("Harb", "Harbour"))
    new, standing = divided(
        [read(after, "Harbour", FORMAT, TOOLS)], [read(before, "Harb", FORMAT)], came(before, after)
    )
    assert (texts(new), standing) == (["Harbour"], [])


def test_what_is_typed_on_and_read_in_two_pieces_is_another_text() -> None:
    before, after = (drawn(lambda canvas, said=said: write(canvas, 24, 30, said)) for said in ("> ls", "> ls recipes"))
    known = [read(before, "> ls", FORMAT)]
    pieces = [Line("> l", 0.99, known[0].box, after.luma, 1000), read(after, "ls recipes", FORMAT, TOOLS)]
    new, standing = divided(pieces, known, came(before, after))
    assert (sorted(texts(new)), standing) == (["> l", "ls recipes"], [])


def test_what_is_left_when_the_rest_is_deleted_is_another_text() -> None:
    before, after = (drawn(lambda canvas, said=said: write(canvas, 24, 30, said)) for said in ("Copper pan", "Copper"))
    new, standing = divided(
        [read(after, "Copper", FORMAT)], [read(before, "Copper pan", FORMAT, TOOLS)], came(before, after)
    )
    assert (texts(new), standing) == (["Copper"], [])


@pytest.mark.parametrize(("old", "new"), [("Row 27", "Row 28"), ("Row 15", "Row 16"), ("10.8 kg", "10.3 kg")])
def test_a_number_that_changes_by_one_digit_is_another(old: str, new: str) -> None:
    before, after = (drawn(lambda canvas, said=said: write(canvas, 24, 30, said)) for said in (old, new))
    found, standing = divided(
        [read(after, new, FORMAT, TOOLS)], [read(before, old, FORMAT, TOOLS)], came(before, after)
    )
    assert (texts(found), standing) == ([new], [])


def test_what_is_read_from_the_middle_of_a_row_on_goes_on_from_its_begin() -> None:
    before, after = (
        drawn(lambda canvas, said=said: write(canvas, 24, 30, said)) for said in ("boats > ls", "boats > ls new")
    )
    known = [read(before, "boats > ls", FORMAT, TOOLS)]
    end = read(after, "ls new", (86, 20, 120, 40))
    new, standing = divided([end], known, came(before, after))
    assert (texts(new), standing, new[0].box[0]) == (["boats > ls new"], [], known[0].box[0])
