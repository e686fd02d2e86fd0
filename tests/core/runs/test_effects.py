"""A caret that blinks is no effect of an action; nearly everything else is."""

from __future__ import annotations

import pytest

from core.runs.effects import more_than_caret
from core.screens import Box

CARET = Box(x=100, y=50, width=1, height=16)


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ([], False),
        ([CARET], False),
        ([Box(x=100, y=50, width=2, height=40)], False),
        ([Box(x=100, y=50, width=4, height=64)], False),
        ([CARET, Box(x=100, y=90, width=1, height=16)], True),
        ([Box(x=100, y=50, width=7, height=16)], True),
        ([Box(x=100, y=50, width=16, height=1)], True),
        ([Box(x=100, y=50, width=2, height=2)], True),
        ([Box(x=100, y=0, width=2, height=700)], True),
    ],
)
def test_only_one_slim_upright_bar_is_taken_for_a_caret(changes: list[Box], *, more: bool) -> None:
    assert more_than_caret(changes) is more
