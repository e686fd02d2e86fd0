"""What names a field: the label that belongs to it, or else what it asked for."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.video.text.labels import name_of
from adapters.video.text.lines import Line

FIELD = (300, 200, 240, 30)


def line(
    text: str, x: int, y: int, *, dark: int = 30, high: int = 14, field: tuple[int, int, int, int] | None = None
) -> Line:
    patch = np.full((high, 8 * len(text)), 235, np.uint8)
    patch[4:10, ::3] = dark
    return Line(text, 1.0, (x, y, patch.shape[1], high), patch, 0, field_box=field)


VALUE = line("sails", 308, 208, field=FIELD)
HINT = line("Search the shop", 308, 208, dark=150)


@pytest.mark.parametrize(
    ("label", "before", "name"),
    [
        (line("What to look for", 300, 180), HINT, "What to look for"),
        (line("Sails and ropes", 140, 208), HINT, "Search the shop"),
        (line("The shop of the harbour", 300, 160, high=22), HINT, "Search the shop"),
        (line("Look for:", 140, 208), HINT, "Look for:"),
        (line("Sails and ropes", 140, 208), None, "Sails and ropes"),
        (line("Sails and ropes", 140, 208), line("masts", 308, 208), "Sails and ropes"),
        (line("How many", 140, 208), line("12", 308, 208, dark=150), "How many"),
        (line("11/30/2026", 180, 208), None, None),
        (line("三", 280, 208), HINT, "Search the shop"),
    ],
)
def test_a_field_is_named_by_its_own_label_or_by_what_it_asks_for(
    label: Line, before: Line | None, name: str | None
) -> None:
    assert name_of(VALUE, before, [(label, label.box)]) == name


@pytest.mark.parametrize(("beside", "name"), [(140, "Amount:"), (232, "Expense")])
def test_a_label_right_above_names_a_field_rather_than_a_heading_far_at_its_side(beside: int, name: str) -> None:
    heading, label = line("Expense", beside, 208), line("Amount:", 300, 176)

    assert name_of(VALUE, None, [(heading, heading.box), (label, label.box)]) == name
