"""A recorder may write what was drawn last with the next frame: what may only be late is unclear, and no alarm."""

import pytest

from core.analysis import Sighting
from core.comparison.comparing import compare
from core.comparison.values import Patch, Pictures, ScreenPair, Stay
from tests.fakes.recordings.seen_runs import paired, rows, seen

LINE = (10, 12, 100, 16)


def patch(begin: int, side: str = "both", recoloured: int = 0) -> Patch:
    """A place of the first row that differs, in the middle of a second."""
    common = {"good_ms": begin + 500, "bad_ms": begin + 500, "lasted_ms": 900, "region": LINE, "share": 0.1}
    return Patch.model_validate({**common, "side": side, "recoloured": recoloured})


def status(*texts: tuple[str, int]) -> tuple[Sighting, ...]:
    """What stood in the first row, each for a second."""
    return tuple(
        Sighting(text=text, t_ms=begin, until_ms=begin + 1000, region=(10, 10, 200, 20)) for text, begin in texts
    )


def test_a_state_that_one_run_left_out_is_unclear_where_both_come_to_the_same_in_the_end() -> None:
    pairs = paired((0, 0), (1000, 1000), (2000, 2000))
    good = seen(*status(("Draft", 0), ("Sending", 1000), ("Accepted", 2000)))
    late = seen(*status(("Draft", 0), ("Draft", 1000), ("Accepted", 2000)))
    stuck = seen(*status(("Draft", 0), ("Draft", 1000), ("Draft", 2000)))
    found = compare(good, late, Pictures(pairs=pairs, patches=(patch(1000),)))
    assert found.same
    assert [each.good for each in found.unclear] == ["Sending"]
    found = compare(good, stuck, Pictures(pairs=pairs, patches=(patch(1000), patch(2000))))
    assert [(each.good, each.bad) for each in found.differences] == [("Sending", "Draft"), ("Accepted", "Draft")]


def test_a_message_of_one_run_alone_is_unclear_where_the_other_run_stood_half_drawn() -> None:
    pairs = paired((0, 0), (3000, 3000))
    page = ("Berths", 1000, 3500), ("Crane", 1000, 3500)
    whole = rows(("Saved", 1000, 2000), *page, ("Footer", 1000, None))
    half = rows(("", 0, 1), *page, ("Footer", 2900, None))
    found = compare(half, whole, Pictures(pairs=pairs, patches=(patch(1000, "bad"),)))
    assert found.same
    assert [each.bad for each in found.unclear] == ["Saved"]


def test_a_message_of_one_run_alone_is_told_where_the_other_run_stood_half_drawn_for_less_time() -> None:
    pairs = paired((0, 0), (1200, 3000))
    page = ("Berths", 1000, 3500), ("Crane", 1000, 3500)
    whole = rows(("Saved", 1000, 2000), *page, ("Footer", 1000, None))
    half = rows(("", 0, 1), *page, ("Footer", 1150, None))
    found = compare(half, whole, Pictures(pairs=pairs, patches=(patch(1000, "bad"),)))
    assert [each.bad for each in found.differences] == ["Saved"]


def test_a_value_that_varies_is_known_in_a_line_that_reaches_out_of_its_place() -> None:
    def row(words: str, left: int, width: int) -> Sighting:
        return Sighting(text=words, t_ms=0, region=(left, 100, width, 20))

    good = seen(row("Closed", 10, 60), row("2026-01-17 13:56 #5915", 200, 180), row("by Ann", 390, 60))
    bad = seen(row("3 Closed 2026-01-09 14:53 #8084", 10, 370), row("by Ann", 390, 60))
    patch = Patch(
        side="both", good_ms=500, bad_ms=500, lasted_ms=900, region=(205, 100, 170, 20), share=0.01, recoloured=60
    )

    assert compare(good, bad, Pictures(patches=(patch,))).same
    beside = patch.model_copy(update={"region": (12, 102, 56, 16)})
    other = seen(row("Open 2026-01-09 14:53 #8084", 10, 370), row("by Ann", 390, 60))
    assert not compare(good, other, Pictures(patches=(beside, patch))).same


def test_lines_that_were_read_in_other_pieces_are_the_same() -> None:
    one = seen(
        Sighting(text="North", t_ms=0, region=(10, 10, 60, 20)), Sighting(text="Free", t_ms=0, region=(80, 10, 60, 20))
    )
    found = compare(one, rows(("North Free", 0, None)), Pictures(patches=(patch(0),)))
    assert found.same
    assert not found.unclear


def test_another_colour_is_told_of_lines_that_were_read_in_other_pieces() -> None:
    one = seen(
        Sighting(text="North", t_ms=0, region=(10, 10, 60, 20)), Sighting(text="Free", t_ms=0, region=(80, 10, 60, 20))
    )
    (found,) = compare(rows(("NorthFree", 0, None)), one, Pictures(patches=(patch(0, recoloured=60),))).differences
    assert found.description == '"North" and "Free" look different at 00:00.5.'


def test_one_letter_that_is_another_is_told_and_a_caret_beside_it_is_not() -> None:
    def few(left: int) -> Pictures:
        common = {"good_ms": 500, "bad_ms": 500, "lasted_ms": 900, "share": 0.001, "recoloured": 60}
        return Pictures(
            patches=(Patch.model_validate({**common, "side": "both", "few": True, "region": (left, 14, 12, 12)}),)
        )

    cook, rook = (seen(Sighting(text=f"Albert {name}", t_ms=0, region=(10, 10, 110, 20))) for name in ("Cook", "Rook"))
    (found,) = compare(cook, rook, few(80)).differences
    assert (found.good, found.bad) == ("Albert Cook", "Albert Rook")
    beside = compare(cook, rook, few(124))
    assert beside.same
    assert not beside.unclear


def test_another_colour_is_told_where_the_text_was_read_with_doubt() -> None:
    badge = seen(Sighting(text="3+", t_ms=0, region=(10, 10, 24, 12), confidence=0.5))
    (found,) = compare(badge, seen(), Pictures(patches=(patch(0, recoloured=150),))).differences
    assert found.description.endswith("looks different at 00:00.5.")


def first_page(good: tuple[int, int], bad: tuple[int, int]) -> Pictures:
    """The first page began so, and ended with the next one."""
    pages = (ScreenPair(good=Stay(t_ms=good[0], until_ms=good[1]), bad=Stay(t_ms=bad[0], until_ms=bad[1])),)
    return Pictures(pairs=(*pages, *paired((good[1], bad[1]))))


@pytest.mark.parametrize(
    ("good", "bad", "is_slower"),
    [
        ((200, 2200), (300, 3700), True),
        ((0, 2200), (0, 3700), False),
        ((400, 1400), (100, 1400), False),
    ],
    ids=["both pages were seen to come", "the recordings began with it", "it was late"],
)
def test_the_step_from_the_first_page_counts_where_it_was_seen_to_come(
    good: tuple[int, int], bad: tuple[int, int], is_slower: bool
) -> None:
    found = compare(seen(), seen(), first_page(good, bad)).differences
    assert [each.kind for each in found] == ["slower"] * is_slower
