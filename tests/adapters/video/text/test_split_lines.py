"""A label and the field beside it that were found as one line."""

from __future__ import annotations

import pytest

from adapters.video.text.field_borders import split_at_fields
from tests.fakes.videos.drawn_screens import Draw, picture, write

LINE = (16, 24, 260, 28)


def label_and_value(canvas: Draw, *, field: bool = True, value: str = "Aurora") -> None:
    write(canvas, 20, 29, "Name of it", size=14)
    if field:
        canvas.rectangle((120, 22, 380, 54), outline="#404040", width=2)
    write(canvas, 128, 29, value, size=14)


@pytest.mark.parametrize("value", ["Aurora", "", "lilt"])
def test_they_are_parted_at_the_side_of_the_field(value: str) -> None:
    luma = picture(lambda canvas, _: label_and_value(canvas, value=value), 0, size=(420, 80)).luma

    label, rest = split_at_fields(luma, LINE)
    assert (label[0], label[0] + label[2]) == (16, 120)
    assert 120 < rest[0] < 128
    assert rest[0] + rest[2] == LINE[0] + LINE[2]


@pytest.mark.parametrize("kind", ["no field", "a caret", "a filled button", "an underline", "a lit bar"])
def test_nothing_else_parts_a_line(kind: str) -> None:
    def scene(canvas: Draw, _: int) -> None:
        if kind == "a filled button":
            canvas.rectangle((120, 22, 380, 54), fill="#2050c0")
        if kind == "an underline":
            canvas.line((18, 50, 400, 50), fill="#404040", width=2)
            canvas.line((120, 26, 120, 46), fill="#404040")
        if kind == "a lit bar":
            # Dark rows right above and below it, and a stroke that almost reaches them.
            canvas.rectangle((0, 0, 420, 25), fill="#303030")
            canvas.rectangle((0, 51, 420, 80), fill="#303030")
            canvas.line((120, 28, 120, 48), fill="#303030", width=2)
        label_and_value(canvas, field=False)
        if kind == "a caret":
            canvas.line((122, 24, 122, 50), fill="#202020", width=2)

    luma = picture(scene, 0, size=(420, 80)).luma
    assert split_at_fields(luma, LINE) == [LINE]
