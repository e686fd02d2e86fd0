import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis import Sighting
from core.comparison.comparing import compare
from core.comparison.values import Comparison, Patch, Pictures, ScreenPair, Seen, Standing, Stay
from core.comparison.varying import masking
from core.errors import InvalidRequest
from tests.fakes.recordings.seen_runs import paired, rows, seen

CUT = {"until_ms": 900}
WORDS = st.text(st.characters(categories=("Lu", "Ll")), min_size=4, max_size=12)


def line(text: str, t_ms: int = 0, confidence: float = 1.0) -> Sighting:
    return Sighting(text=text, t_ms=t_ms, region=(10, 10, 200, 20), confidence=confidence)


def place(side: str = "both", recoloured: int = 0) -> Pictures:
    patch = {"side": side, "good_ms": 500, "bad_ms": 500, "lasted_ms": 900, "region": (20, 12, 100, 16), "share": 0.1}
    return Pictures(patches=(Patch.model_validate({**patch, "recoloured": recoloured}),))


def differ(good: Sighting, bad: Sighting, recoloured: int = 0) -> Comparison:
    return compare(seen(good), seen(bad), place(recoloured=recoloured))


def test_another_text_at_the_same_place_is_changed() -> None:
    (found,) = differ(line("Order accepted"), line("Order rejected")).differences
    assert (found.kind, found.good, found.bad) == ("changed", "Order accepted", "Order rejected")


def test_the_same_text_whose_pixels_differ_looks_different() -> None:
    (found,) = differ(line("Accepted"), line("Accepted"), recoloured=60).differences
    assert found.description == '"Accepted" looks different at 00:00.5.'


def test_a_text_in_its_own_colours_some_pixels_elsewhere_is_unclear() -> None:
    found = differ(line("Accepted"), line("Accepted"), recoloured=4)
    assert found.same
    assert len(found.unclear) == 1


def test_another_colour_behind_a_value_that_differs_from_run_to_run_is_told() -> None:
    found = differ(line("Order 1042"), line("Order 77"), recoloured=90)
    assert [each.description for each in found.differences] == ['"Order 77" looks different at 00:00.5.']
    assert [each.good for each in found.varying] == ["Order 1042"]


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("Session 2026-11-24 14:05", "Session 2026-11-25 09:31"),
        ("Order 1042 is placed", "Order 77 is placed"),
        ("Saved 3 minutes ago", "Saved 1 minute ago"),
        ("Ran in 12.5 ms", "Ran in 13 ms"),
        ("commit 3f9a2c1", "commit 88be01d"),
        ("24 Nov 2026", "1 Dec 2026"),
        ("Session2026-11-2414:05", "Session 2026-11-25 09:31"),
        ("booked 24Nov2026, run # 17", "booked 1 Dec 2026, run #9203"),
        ("run #5913seconds left", "run #5332 seconds left"),
        ("msg1401 (view)", "msg3310 (view)"),
    ],
)
def test_dates_times_and_ids_are_kept_apart(good: str, bad: str) -> None:
    found = differ(line(good), line(bad))
    assert found.same
    assert [each.good for each in found.varying] == [good]


def test_a_price_differs_unless_a_pattern_names_it() -> None:
    runs = seen(line("Total $12.50")), seen(line("Total $19.00"))
    assert not compare(*runs, place()).same
    assert compare(*runs, place(), [r"\$[\d.]+"]).same


def test_what_was_read_with_doubt_or_may_be_misread_is_unclear() -> None:
    for good, bad in ((line("Open", confidence=0.3), line("Shut")), (line("B1ll 0pen"), line("Bill open"))):
        found = differ(good, bad)
        assert found.same
        assert found.unclear


def test_a_half_drawn_page_and_what_has_no_text_in_one_run_alone_are_unclear() -> None:
    half = place(recoloured=60).patches[0].model_copy(update={"mutual": False})
    run = seen(line("Accepted"))
    for patch in (half, half.model_copy(update={"side": "bad", "region": (20, 200, 100, 16)})):
        found = compare(run, run, Pictures(patches=(patch,)))
        assert found.same
        assert len(found.unclear) == 1
    found = compare(run, run, Pictures(patches=(half, place(recoloured=60).patches[0])))
    assert len(found.differences) == 1, "what is certain a screen later is told"


def test_what_a_screen_lacks_that_goes_on_to_be_drawn_is_unclear() -> None:
    patch = Patch(side="both", good_ms=1500, bad_ms=1500, lasted_ms=900, region=(10, 12, 100, 16), share=0.1)
    pictures = Pictures(pairs=paired((0, 0), (1000, 1000), (2000, 2000)), patches=(patch,))
    toast, page = ("Saved", 1000, 2000), ("Berths", 1000, None)
    whole = rows(toast, page, ("Footer", 1000, None))
    assert compare(whole, rows(("", 0, 1), page, ("Footer", 2000, None)), pictures).same, "it was half-drawn"
    (gone,) = compare(whole, rows(("", 0, 1), page, ("Footer", 1000, None)), pictures).differences
    assert (gone.kind, gone.good) == ("gone", "Saved")


def test_a_screen_that_came_in_another_order_is_told_with_what_it_shows() -> None:
    moved = place().patches[0].model_copy(update={"good_ms": 500, "bad_ms": 2500})
    (found,) = compare(seen(line("Parameters")), seen(line("Parameters", 2000)), Pictures(moved=(moved,))).differences
    assert (found.kind, found.good) == ("order", "Parameters")


def test_a_toast_of_one_run_alone_is_told_with_its_words() -> None:
    (gone,) = compare(seen(line("Mail was sent")), seen(), place("good")).differences
    assert (gone.kind, gone.good) == ("gone", "Mail was sent")


def test_a_screen_that_settled_in_one_run_alone_is_no_difference_when_both_read_its_texts() -> None:
    assert compare(seen(line("Sending")), seen(line("Sending", 3000)), place("good")).same


def test_a_text_that_stood_a_screen_later_or_sooner_is_not_told_missing_or_new() -> None:
    patches = tuple(
        Patch(side="both", good_ms=t, bad_ms=t, lasted_ms=900, region=(20, 12, 100, 16), share=0.1)
        for t in (1500, 2500)
    )
    pictures = Pictures(pairs=paired((0, 0), (1000, 1000), (2000, 2000)), patches=patches)
    late = seen(Sighting(text="Saving", t_ms=2000, until_ms=3000, region=(10, 10, 200, 20)))
    soon = seen(Sighting(text="Saving", t_ms=1000, until_ms=2000, region=(10, 10, 200, 20)))
    assert compare(soon, late, pictures).same
    assert compare(late, soon, pictures).same
    for good, bad, kind in ((soon, seen(), "gone"), (seen(), soon, "new")):
        assert compare(good, bad, pictures).differences[0].kind == kind


def test_two_texts_that_changed_places_are_told_though_both_runs_have_them() -> None:
    def listed(*texts: str) -> Seen:
        return rows(*((text, 0, None) for text in texts))

    patches = tuple(
        Patch(side="both", good_ms=500, bad_ms=500, lasted_ms=900, region=(10, 10 + 30 * row, 90, 20), share=0.1)
        for row in (0, 1)
    )
    found = compare(listed("Paid", "Open"), listed("Open", "Paid"), Pictures(pairs=paired((0, 0)), patches=patches))
    assert [(each.good, each.bad) for each in found.differences] == [("Paid", "Open"), ("Open", "Paid")]


def test_a_line_that_pushes_others_down_is_the_only_one_that_is_new() -> None:
    good = seen(Sighting(text="Paid", t_ms=0, region=(10, 10, 90, 20)))
    bad = seen(
        Sighting(text="Refused by the bank", t_ms=0, region=(10, 10, 90, 20)),
        Sighting(text="Paid", t_ms=0, region=(10, 40, 90, 20)),
    )
    patch = Patch(side="both", good_ms=500, bad_ms=500, lasted_ms=900, region=(10, 40, 90, 20), share=0.1)
    assert compare(good, bad, Pictures(pairs=paired((0, 0)), patches=(patch,))).same


def timed(good: list[int], bad: list[int], began: int | None = None) -> Pictures:
    """Pairs of screens that took so long one after the other, after a first page that stood from second one on."""
    moments = zip(itertools.accumulate(good, initial=1000), itertools.accumulate(bad, initial=1000), strict=True)
    pairs = [ScreenPair(good=Stay(t_ms=a, until_ms=a + 900), bad=Stay(t_ms=b, until_ms=b + 900)) for a, b in moments]
    if began is not None:
        pairs[-1] = pairs[-1].model_copy(update={"bad": pairs[-1].bad.model_copy(update={"began_ms": began})})
    return Pictures(pairs=tuple(pairs))


def test_a_step_that_took_longer_is_told_from_its_moment_on() -> None:
    (slow,) = compare(seen(), seen(), timed([1000, 1500], [1900, 1500])).differences
    assert slow.description == "Slower from 00:01.0 on: the next screen came after 1.9 s instead of 1.0 s."
    assert compare(seen(), seen(), timed([1000, 1500], [1900, 800])).same, "the next step made up for it"
    assert compare(seen(), seen(), timed([1500, 1000], [700, 1900])).same, "the step before had gained it"


def test_less_than_half_a_second_is_told_where_all_other_steps_take_as_long_as_they_did() -> None:
    (slow,) = compare(seen(), seen(), timed([400, 400, 1500, 600], [440, 760, 1500, 560])).differences
    assert "after 0.8 s instead of 0.40 s" in slow.description
    assert compare(seen(), seen(), timed([400, 400, 1500, 600], [540, 760, 1500, 560])).same, "others differ as well"
    assert compare(seen(), seen(), timed([400, 400, 1500, 600], [400, 500, 1500, 600])).same, "two frames"
    assert compare(seen(), seen(), timed([1500, 400], [1500, 760])).same, "too few to say how much they differ"


def test_a_run_that_is_slower_in_all_its_steps_gets_a_warning_and_a_step_beyond_that_is_told() -> None:
    good = [1000, 1500, 1200, 1600]
    found = compare(seen(), seen(), timed(good, [1600, 2400, 1900, 2500]))
    assert found.same
    assert "1.6 times as long in general" in found.warnings[0]
    (slow,) = compare(seen(), seen(), timed(good, [1600, 2400, 4200, 2500])).differences
    assert "after 4.2 s instead of 1.2 s" in slow.description


def test_a_step_is_not_told_slower_where_the_others_differ_by_nearly_as_much() -> None:
    assert compare(seen(), seen(), timed([1000, 1500, 1000, 1500], [2300, 900, 1900, 800])).same


def test_a_first_page_that_moves_alike_in_both_runs_is_there() -> None:
    (slow,) = compare(seen(), seen(), timed([200] * 5 + [600, 1500], [200] * 5 + [1900, 1500])).differences
    assert slow.description.startswith("Slower from 00:02.0 on: the next screen came after 1.9 s")


def test_how_the_first_page_loads_is_no_step() -> None:
    load = timed([1000], [1000]).pairs
    late = load[0].model_copy(update={"bad": Stay(t_ms=100, until_ms=1000)})
    assert compare(seen(), seen(), Pictures(pairs=(late, *load[1:]))).same


def test_a_screen_whose_end_was_drawn_late_came_when_the_change_to_it_began() -> None:
    assert not compare(seen(), seen(), timed([1500], [2100])).same
    assert compare(seen(), seen(), timed([1500], [2100], began=2580)).same


def test_letters_that_look_alike_are_unclear() -> None:
    found = differ(line("Thornton"), line("Thomton"))
    assert found.same
    assert [each.bad for each in found.unclear] == ["Thomton"]


def test_the_same_words_at_other_places_are_no_order() -> None:
    def page(name: str, top: int, t_ms: int) -> Sighting:
        return Sighting(text=name, t_ms=t_ms, region=(10, top, 60, 20))

    good = seen(page("Fields", 40, 1000), page("Text", 200, 3000))
    bad = seen(page("Fields", 40, 3000), page("Text", 500, 1000))
    assert compare(good, bad, Pictures()).same
    moved = seen(page("Fields", 40, 3000), page("Text", 200, 1000))
    assert [each.kind for each in compare(good, moved, Pictures()).differences] == ["order"]


def test_a_bar_of_every_page_that_was_first_read_in_part_is_in_no_order() -> None:
    def bar(text: str, t_ms: int) -> Sighting:
        return Sighting(text=text, t_ms=t_ms, region=(10, 300, 30 * len(text), 20))

    ticket = Sighting(text="Bring a ticket", t_ms=2200, region=(10, 100, 200, 20))
    soon = seen(bar("Search Previous Next", 400), ticket)
    late = seen(bar("Search", 400), ticket, bar("Search Previous Next", 4000))
    for good, bad in ((soon, late), (late, soon)):
        assert "order" not in [each.kind for each in compare(good, bad, Pictures()).differences]


def test_steps_in_another_order_are_told() -> None:
    good = seen(line("Ada Lovelace", 1000), line("Leeds", 2000))
    bad = seen(line("Ada Lovelace", 2000), line("Leeds", 1000))
    (found,) = compare(good, bad, Pictures()).differences
    assert (found.kind, found.bad) == ("order", "Leeds")


def test_without_pictures_texts_are_compared_and_that_is_said() -> None:
    found = compare(seen(line("Order accepted")), seen(line("Order rejected")), None)
    assert [each.kind for each in found.differences] == ["changed"]
    assert found.warnings


def test_a_wrong_pattern_is_refused_in_a_sentence() -> None:
    with pytest.raises(InvalidRequest, match="regular expression"):
        masking(["("])


@given(st.lists(WORDS, max_size=8), st.booleans())
def test_a_run_is_the_same_as_itself(words: list[str], has_pictures: bool) -> None:
    run = seen(*(line(word, 700 * place) for place, word in enumerate(words)))
    found = compare(run, run, Pictures() if has_pictures else None)
    assert found.same
    assert not found.varying


@given(st.lists(WORDS, unique_by=str.casefold, max_size=6), st.lists(WORDS, unique_by=str.casefold, max_size=6))
def test_nothing_is_told_that_no_run_showed(good: list[str], bad: list[str]) -> None:
    found = compare(seen(*map(line, good)), seen(*map(line, bad)), None)
    for each in (*found.differences, *found.varying, *found.unclear):
        assert each.good is None or each.good in good
        assert each.bad is None or each.bad in bad


@given(WORDS, st.integers(0, 10**6), st.integers(0, 10**6))
def test_two_ids_in_one_sentence_are_masked_alike(word: str, one: int, other: int) -> None:
    mask = masking()
    assert mask(f"{word} order {one}") == mask(f"{word} order {other}")


def test_a_text_that_one_run_did_not_read_again_is_not_missing_where_its_place_looks_the_same() -> None:
    pictures = Pictures(
        patches=(place().patches[0].model_copy(update={"good_ms": 3500, "bad_ms": 3500}),),
        pairs=paired((0, 0), (1000, 1000), (2000, 2000), (3000, 3000)),
        standing=((), (Standing(text=0, t_ms=3000, until_ms=4000),)),
    )
    good, bad = seen(line("Session 2026-11-24 14:05")), seen(line("Session 2026-11-25 09:31").model_copy(update=CUT))
    assert compare(good, bad, pictures).same
    assert not compare(good, bad, pictures.model_copy(update={"standing": ((), ())})).same


def test_a_line_that_only_touches_a_value_that_differs_from_run_to_run_is_not_told_for_being_read_otherwise() -> None:
    beside = {"region": (190, 2, 200, 22)}
    good = seen(line("Session 2026-11-24 14:05"), line("Made with a pen").model_copy(update=beside))
    bad = seen(line("Session 2026-11-25 09:31"), line("e with a pencil").model_copy(update=beside))
    patch = place().patches[0].model_copy(update={"region": (150, 12, 60, 16)})
    assert compare(good, bad, Pictures(patches=(patch,))).same


def test_a_value_that_differs_from_run_to_run_is_so_where_one_run_read_the_line_without_its_beginning() -> None:
    cut = line("026-11-25 09:31").model_copy(update={"region": (90, 10, 120, 20)})
    patch = place().patches[0].model_copy(update={"region": (100, 12, 80, 16)})
    assert compare(seen(line("Session 2026-11-24 14:05")), seen(cut), Pictures(patches=(patch,))).same
    words = line("has ended").model_copy(update={"region": (90, 10, 120, 20)})
    assert not compare(seen(line("Session 2026-11-24 14:05")), seen(words), Pictures(patches=(patch,))).same


def test_a_value_that_stands_on_every_page_is_one_where_it_was_not_read() -> None:
    patch = place(recoloured=20).patches[0]
    later = patch.model_copy(update={"good_ms": 2500, "bad_ms": 2500})
    cut = {"until_ms": 1000}
    good = seen(line("Session 2026-11-24 14:05").model_copy(update=cut))
    bad = seen(line("Session 2026-11-25 09:31").model_copy(update=cut))
    assert compare(good, bad, Pictures(patches=(patch, later))).same
    assert not compare(good, bad, Pictures(patches=(later,))).same
