"""What is told where a recording was looked at again: what fields held, where letters came after Tab."""

from typing import Any

import pytest

from core.analysis import Findings, Region, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.looks import Look, LooksByTime, Wanted, moments_of
from core.plans.step_sentences import sentence
from core.recording.input_log import Clicked, InputEvent, InputLog, Pressed, Typed
from core.steps import Step

ENTRY = (Clicked(t_ms=1500, x=160, y=110), Typed(t_ms=2000, until_ms=2600, count=12))
NAME = (110, 100, 110, 20)


def text(words: str, region: Region, t_ms: int = 0, **more: Any) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, region=region, **more)


def log(*events: InputEvent) -> InputLog:
    return InputLog(width=1280, height=720, events=events)


FORM = (text("Name", (40, 100, 50, 20)), text("Terms of use", (40, 300, 60, 20)))


def steps(looks: LooksByTime, *done: InputEvent, found: tuple[Sighting, ...] = FORM) -> list[Step]:
    shown = demonstrated(Findings(timeline=(), sightings=found), log(*done), 10_000, looks)
    return list(shown.steps)[1:]


def plan(looks: LooksByTime, *done: InputEvent) -> list[str]:
    return [sentence(step) for step in steps(looks, *done)]


def test_what_was_seen_by_looking_again_is_told_before_what_was_read_in_lines() -> None:
    looks = {
        1500: Look(field='the "Full name" field', label="Full name", after="Ada Lovelace", later="Ada Lovelace"),
        4000: Look(phrase='the "Terms" check box', label="Terms", mark="check box", is_set=True),
    }

    assert plan(looks, *ENTRY, Clicked(t_ms=4000, x=30, y=310)) == [
        'Type "Ada Lovelace" into the "Full name" field.',
        'Tick the "Terms" check box.',
    ]


@pytest.mark.parametrize(
    ("after", "later", "told"),
    [
        ("Ada Love", "Ada Lovelace", "Ada Lovelace"),
        ("Ada Lovelace", "Thank you all", "Ada Lovelace"),
        ("Ada Lovelace", "", "Ada Lovelace"),
    ],
)
def test_a_value_that_was_still_being_written_is_told_as_it_then_stood(after: str, later: str, told: str) -> None:
    looks = {1500: Look(field='the "Full name" field', label="Full name", after=after, later=later)}

    assert plan(looks, *ENTRY)[0] == f'Type "{told}" into the "Full name" field.'


@pytest.mark.parametrize(
    ("read", "told"), [((), "{Full_name}"), (("Ada Lovelace",), "Ada Lovelace"), (("Ada Love",), "{Full_name}")]
)
def test_a_value_that_two_pictures_tell_differently_is_asked_for_unless_it_was_read_elsewhere(
    read: tuple[str, ...], told: str
) -> None:
    looks = {1500: Look(field='the "Full name" field', label="Full name", after="Ada LovelOac", later="Ada Lovelace")}
    (step,) = steps(looks, *ENTRY, found=(*FORM, *(text(words, NAME, 2600) for words in read)))

    assert sentence(step) == f'Type "{told}" into the "Full name" field.'
    is_asked = 'like "Ada LovelOac", and a moment later like "Ada Lovelace"' in step.doubt
    assert is_asked == ("{" in told)


def test_where_letters_were_typed_after_tab_is_where_a_text_of_as_many_came() -> None:
    done = log(Pressed(t_ms=1900, keys=("tab",)), Typed(t_ms=2000, until_ms=2600, count=12))
    came = (
        text("3.5", (400, 100, 30, 20), 1950),
        text("Ada", (108, 98, 40, 24), 2400),
        text("Ada Lovelace", NAME, 2900),
    )
    found = Findings(timeline=(), sightings=(*FORM, *came))

    assert [(moment.x, moment.y) for moment in moments_of(found, done, 10_000)] == [(114, 110)]


def test_enter_after_letters_that_brought_another_value_is_a_choice_from_a_list() -> None:
    looks = {1500: Look(field='the "Country" field', label="Country", before="Any", after="Any", later="Finland")}
    done = (ENTRY[0], Typed(t_ms=2000, until_ms=2300, count=3), Pressed(t_ms=2600, keys=("enter",)))

    assert plan(looks, *done) == ['Choose "Finland" in the "Country" dropdown.']


def test_what_a_field_holds_is_looked_for_in_a_picture_of_when_all_was_written() -> None:
    (first, second) = moments_of(
        Findings(timeline=(), sightings=()), log(*ENTRY, Clicked(t_ms=2900, x=160, y=160)), 10_000
    )
    *_, after, later = first.wanted

    assert (after.since_ms, after.until_ms) == (2600, 2840)
    assert (later.since_ms, later.until_ms) == (2900, 3800)
    assert second.wanted[2].since_ms == 2900


@pytest.mark.parametrize(
    ("t_ms", "is_dense", "shown"),
    [(2500, False, False), (2500, True, False), (2610, False, False), (2610, True, True), (2700, False, True)],
)
def test_a_picture_from_before_the_last_letter_was_drawn_shows_no_value(t_ms: int, is_dense: bool, shown: bool) -> None:
    assert Wanted(2600, 2840).is_shown_at(t_ms, is_dense=is_dense) == shown
    assert Wanted(0, 2840).is_shown_at(t_ms, is_dense=is_dense)
