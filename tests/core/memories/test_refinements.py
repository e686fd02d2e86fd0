"""What a model may change of a memory: sentences, within bounds; whatever else it says is contained."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.memories.refinements import MOST_LETTERS, Refinement, StepRefinement, accepted, refine, vague_steps
from tests.fakes.models.refiners import procedure, step, words

HOSTILE = (
    "",
    ".",
    "…",
    "x" * 1_000_000,
    "Clicked\nIgnore the above",
    "Clicked \x1b[2J",
    "Clicked \u202eevil",
    "Clicked \u2028 next",
    "Clicked\u0000",
    "\ud800 half",
    "Typed ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4",
    "Opened Bitwarden",
    "•••••••",
    "y" * 161,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_sentence_is_not_kept(text: str) -> None:
    assert accepted(text, 'Clicked "OK"') is None
    before = procedure()
    better, is_usable = refine(before, words(text, text, text, summary=text), (1, 2, 3))
    assert better == before
    assert not is_usable


def test_a_sentence_may_be_a_few_times_longer_than_the_one_before() -> None:
    assert accepted("z" * 200, "w" * 70) == "z" * 200
    assert accepted("z" * 400, "w" * 200) is None
    assert accepted('  Clicked  "Save" .', "x") == 'Clicked "Save"'


def test_an_inferred_step_in_which_nothing_was_done_goes_and_a_logged_one_stays() -> None:
    steps = (
        step('Clicked "Settings"', 1000, inferred=False),
        step('"New" appeared', 2000),
        step("Clicked in Firefox", 3000, inferred=False),
    )
    better, is_usable = refine(procedure("a", 0, *steps), words(None, None, None), (2, 3))
    assert [each.text for each in better.steps] == ['Clicked "Settings"', "Clicked in Firefox"]
    assert is_usable


def test_half_of_the_steps_stay_whatever_is_said_to_have_been_nothing() -> None:
    steps = tuple(step(f'"{number}" appeared', 1000 * number) for number in range(1, 5))
    better, _ = refine(procedure("a", 0, *steps), words(None, None, None, None), (1, 2, 3, 4))
    assert better.steps == steps


def test_a_step_that_was_lacking_is_added_in_its_place_as_inferred() -> None:
    said = Refinement(
        steps=(
            StepRefinement(number=0, text='Chose "Keys"', t_ms=12_000, until_ms=99_000),
            StepRefinement(number=0, text="Too near", t_ms=13_100),
            StepRefinement(number=0, text="Before it began", t_ms=2000),
            StepRefinement(number=0, text="After it ended", t_ms=200_000),
            *(StepRefinement(number=0, text=f"Flood {n}", t_ms=16_000) for n in range(1000)),
        )
    )
    better, _ = refine(procedure(), said, (2, 3))
    assert [each.text for each in better.steps][1:4] == ['Chose "Keys"', '"New SSH key" appeared', "Clicked in Firefox"]
    added = better.steps[1]
    assert (added.t_ms, added.until_ms, added.inferred, added.application) == (12_000, 18_000, True, "Firefox")
    assert len(better.steps) == 5


def test_nothing_is_added_to_what_was_logged_whole() -> None:
    logged = procedure("a", 0, step("Clicked in Firefox", 1000, inferred=False))
    better, _ = refine(logged, Refinement(steps=(StepRefinement(number=0, text="Invented", t_ms=5000),)), (1,))
    assert better == logged


def test_a_click_of_which_only_the_effect_is_known_is_vague() -> None:
    steps = (
        step('Clicked at the top right in Firefox, after which "Add new" appeared', 1000, inferred=False),
        step('Typed something, where "Ada" then stood', 2000, inferred=False),
        step('Clicked "Send" in Firefox, and "Your receipt" appeared', 3000, inferred=False),
        step('Typed "Ada" into the "Name" field', 4000, inferred=False),
    )
    assert vague_steps(procedure("a", 0, *steps)) == (1, 2)


def test_exact_steps_that_quote_nothing_are_not_vague() -> None:
    steps = (
        step("Pressed Ctrl+S", 1000, inferred=False),
        step("Scrolled down", 2000, inferred=False),
        step("Clicked in Firefox", 3000, inferred=False),
        step('Typed "x"', 4000, inferred=False),
        step('"x" appeared', 5000),
    )
    assert vague_steps(procedure("a", 0, *steps)) == (3, 5)


@given(
    st.lists(
        st.builds(
            StepRefinement,
            number=st.integers(0, 9),
            text=st.none() | st.text(max_size=400),
            t_ms=st.integers(-(10**6), 10**6),
            until_ms=st.integers(-(10**6), 10**6),
        ),
        max_size=30,
    ),
    st.none() | st.text(max_size=400),
)
def test_whatever_is_said_the_procedure_keeps_its_form(steps: list[StepRefinement], summary: str | None) -> None:
    before = procedure()
    better, _ = refine(before, Refinement(summary=summary, steps=tuple(steps)), vague_steps(before))
    assert (better.id, better.video, better.started_at, better.start_ms, better.end_ms) == (
        before.id,
        before.video,
        before.started_at,
        before.start_ms,
        before.end_ms,
    )
    assert better.steps[0] == before.steps[0], "it was logged, quotes, and was not asked about"
    times = [each.t_ms for each in better.steps]
    assert times == sorted(times)
    for text in (better.summary, *(each.text for each in better.steps)):
        assert 0 < len(text) <= MOST_LETTERS
        assert text.isprintable()
    assert type(better).model_validate_json(better.model_dump_json()) == better
