"""Which addresses are those of the page."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.video.text.lines import Line, address_of
from adapters.video.text.matching import Match
from adapters.video.text.screen import Draft
from adapters.video.timeline.addresses import bars_of


@pytest.mark.parametrize(("came_ms", "is_bar"), [(1000, True), (9000, False)])
def test_an_address_that_stands_for_a_small_part_of_a_film_is_text_of_a_page(came_ms: int, is_bar: bool) -> None:
    place = (400, 40, 180, 14)
    line = Line("http://localhost:9/rye", 0.99, place, np.zeros((14, 180), np.uint8), came_ms)
    came = Draft(came_ms, came_ms, came_ms, place, first=False, stood=(), match=Match(added=[line]))
    last = Draft(10_000, 10_000, 10_000, (0, 0, 8, 8), first=False, stood=(), match=Match())

    assert bars_of([came, last], 720) == [place] * is_bar


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:5000", "127.0.0.1:5000"),
        ("i 192.168.1.20:8000/admin/", "192.168.1.20:8000/admin/"),
        ("10.0.0.7/status", "10.0.0.7/status"),
        ("\u2190 \u2192 C 1 127.0.0.1:8000/list/", "127.0.0.1:8000/list/"),
        ("The page at http://localhost:9/rye", None),
        ("1127.0.0.1:5500/index.html", "127.0.0.1:5500/index.html"),
        ("127.0.0.1", None),
        ("Version 1.2.3.4", None),
        ("1.2.3.4", None),
    ],
)
def test_a_machines_number_is_an_address_with_a_port_or_a_path(text: str, address: str | None) -> None:
    assert address_of(text) == address
