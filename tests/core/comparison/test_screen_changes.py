"""Many texts that differ on one screen are one difference."""

from core.analysis import Sighting
from core.comparison.comparing import compare
from core.comparison.values import Patch, Pictures
from tests.fakes.recordings.seen_runs import paired, rows, seen

PAIRS = paired((0, 0), (3000, 3000))
PAGE = [("Prices", 1000, 3000), ("Monthly", 1000, 3000), ("Annual", 1000, 3000), ("Tasks", 1000, 3000)]


def patches(side: str, count: int) -> tuple[Patch, ...]:
    common = {"side": side, "good_ms": 2000, "bad_ms": 2000, "lasted_ms": 900, "share": 0.1}
    return tuple(Patch.model_validate({**common, "region": (10, 12 + 30 * row, 100, 16)}) for row in range(count))


def test_another_screen_is_one_difference_with_its_heading_first() -> None:
    other = seen(
        Sighting(text="Back to the start", t_ms=1000, until_ms=3000, region=(10, 10, 200, 20)),
        Sighting(text="404", t_ms=1000, until_ms=3000, region=(10, 40, 200, 80)),
    )
    pictures = Pictures(pairs=PAIRS, patches=(*patches("good", 4), *patches("bad", 2)))
    (found,) = compare(rows(*PAGE), other, pictures).differences
    assert found.kind == "changed"
    assert found.description == (
        'Another screen stood at 00:02.0: it shows "404", "Back to the start", '
        'not "Prices", "Monthly", "Annual" and 1 further text.'
    )


def test_what_a_screen_shows_that_never_stands_still_is_told_by_its_texts() -> None:
    moving = rows(("Page not found", 1100, 2900))
    (found,) = compare(rows(*PAGE), moving, Pictures(pairs=PAIRS, patches=patches("good", 4))).differences
    assert (found.kind, found.bad) == ("changed", "Page not found")


def test_many_texts_that_are_missing_are_one_difference() -> None:
    (found,) = compare(rows(*PAGE), seen(), Pictures(pairs=PAIRS, patches=patches("good", 4))).differences
    assert found.kind == "gone"
    assert found.description == (
        '"Prices", "Monthly", "Annual" and 1 further text are missing; in the good run they stood there at 00:02.0.'
    )


def test_what_missing_texts_say_is_quoted_as_it_stood() -> None:
    texts = [("Where it stood is unknown", 1000, 3000), *PAGE[1:]]
    (found,) = compare(rows(*texts), seen(), Pictures(pairs=PAIRS, patches=patches("good", 4))).differences
    assert found.description.startswith('"Where it stood is unknown", "Monthly", ')
    assert "and 1 further text are missing; in the good run they stood there" in found.description


def test_few_texts_are_told_one_by_one() -> None:
    found = compare(rows(*PAGE[:3]), seen(), Pictures(pairs=PAIRS, patches=patches("good", 3))).differences
    assert [each.good for each in found] == ["Prices", "Monthly", "Annual"]


def test_a_text_that_is_new_in_one_screen_and_stands_for_another_in_the_next_is_told_once() -> None:
    good, bad = rows(("Pet clinic", 0, None)), rows(("Harbour", 1000, None))
    later = Patch(side="both", good_ms=3500, bad_ms=3500, lasted_ms=900, region=(10, 12, 100, 16), share=0.1)
    alone = later.model_copy(update={"side": "bad", "good_ms": 500, "bad_ms": 2000})
    (found,) = compare(good, bad, Pictures(pairs=PAIRS, patches=(alone, later))).differences
    assert (found.good, found.bad) == ("Pet clinic", "Harbour")


def test_changes_of_the_same_screen_are_told_one_by_one() -> None:
    common = [(f"{name} heading", 0, None) for name in ("North", "South", "East", "West", "Old")]
    prices = [(f"{name} price", 0, None) for name in ("Low", "High", "First", "Last")]
    others = [(f"{name} amount", 0, None) for name in ("Small", "Large", "Early", "Late")]
    places = tuple(
        each.model_copy(update={"side": "both", "good_ms": 500, "bad_ms": 500}) for each in patches("good", 4)
    )
    found = compare(rows(*prices, *common), rows(*others, *common), Pictures(pairs=PAIRS, patches=places)).differences
    assert [each.good for each in found] == [text for text, _, _ in prices]
    (page,) = compare(rows(*prices), rows(*others), Pictures(pairs=PAIRS, patches=places)).differences
    assert page.description.startswith("Another screen stood at 00:00.5")
