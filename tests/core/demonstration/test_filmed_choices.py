"""What was chosen from a list in a film alone: in which field, and what of it is not asked about."""

import pytest

from core.analysis import Action, ActionKind, EventKind
from tests.core.demonstration.film_helpers import event, steps, task_of, text


def test_what_is_chosen_from_a_menu_is_chosen_in_the_field_of_that_name() -> None:
    menu = event(EventKind.APPEARED, 2000, "None · East pier · Old quay", (257, 411, 65, 90), until_ms=3000)
    came = event(EventKind.CHANGED, 3000, "Old quay", (257, 342, 62, 16), before="None", cause=0)
    choice = Action(
        t_ms=3000, kind=ActionKind.CHOOSE, target="None", value="Old quay", region=came.region, confidence=0.95,
        description="",
    )  # fmt: skip

    task = task_of((menu, came), (text("Pier", region=(200, 342, 40, 16)),), (choice,))

    assert steps(task) == ['Choose "Old quay" in the "Pier" dropdown.']


@pytest.mark.parametrize(("comes_ms", "is_asked"), [(3600, False), (4200, True)])
def test_what_a_choice_brings_and_its_menu_of_which_the_entry_stays_are_not_asked_about(
    comes_ms: int, is_asked: bool
) -> None:
    menu = event(EventKind.APPEARED, 2000, "East pier · Old quay", (257, 411, 65, 90), until_ms=9000)
    place, hint = (257, 342, 62, 16), event(EventKind.APPEARED, comes_ms, "Berths are there", (400, 342, 200, 16))
    choice = Action(
        t_ms=3000, kind=ActionKind.CHOOSE, value="Old quay", region=place, confidence=0.95, description="",
    )  # fmt: skip

    first, *others = steps(task_of((menu, hint), (text("Pier", region=(200, 342, 40, 16)),), (choice,)))

    assert first == 'Choose "Old quay" in the "Pier" dropdown.'
    assert bool(others) is is_asked


def test_what_another_field_holds_names_no_list() -> None:
    typed = event(EventKind.TYPED, 1000, "Title Ladder is loose", (200, 320, 160, 16), until_ms=1900, cause=0)
    done = (
        Action(t_ms=1000, kind=ActionKind.TYPE, value=typed.text, confidence=0.95, description=""),
        Action(
            t_ms=3000,
            kind=ActionKind.CHOOSE,
            value="urgent",
            region=(257, 342, 62, 16),
            confidence=0.95,
            description="",
        ),
    )
    beside = text("Title Ladder is loose", 1900, region=(90, 342, 150, 16))

    assert not [step for step in steps(task_of((typed,), (text("Player"), beside), done)) if "dropdown" in step]


@pytest.mark.parametrize("is_typed", [True, False])
def test_an_entry_that_was_searched_for_is_clicked(is_typed: bool) -> None:
    typed = Action(t_ms=2000, kind=ActionKind.TYPE, value="quay", confidence=0.95, description="")
    came = event(EventKind.CHANGED, 3000, "Old quay", (257, 342, 62, 16), before="quay", cause=0)
    choice = Action(
        t_ms=3000, kind=ActionKind.CHOOSE, target="quay", value="Old quay", region=came.region, confidence=0.95,
        description="",
    )  # fmt: skip

    # Words that only stood there, as a column's, searched for nothing.
    said = steps(task_of((came,), (text("Pier"),), (choice, typed) if is_typed else (choice,)))
    assert (said == ['Click "Old quay".']) is is_typed


def test_a_menu_that_opened_over_other_texts_and_the_entries_that_keys_passed_are_not_asked_about() -> None:
    place, label = (257, 342, 62, 16), text("Kind", region=(200, 342, 40, 16))
    menu = event(EventKind.CHANGED, 2000, "cat \u00b7 dog \u00b7 rabbit", (257, 370, 65, 90), before="Keeper")
    passed = event(EventKind.CHANGED, 2600, "dog", place, before="cat")
    chosen = event(EventKind.CHANGED, 3000, "rabbit", place, before="dog", cause=0)
    choice = Action(
        t_ms=3000, kind=ActionKind.CHOOSE, value="rabbit", region=place, confidence=0.95, description="",
    )  # fmt: skip

    assert steps(task_of((menu, passed, chosen), (label,), (choice,))) == ['Choose "rabbit" in the "Kind" dropdown.']


def test_what_a_field_holds_names_no_list() -> None:
    place = (455, 361, 153, 15)
    choice = Action(
        t_ms=3000, kind=ActionKind.CHOOSE, value="No agent", region=place, confidence=0.95, description="",
    )  # fmt: skip
    # Away from its field a label without a colon names it less than a hint in it.
    beside, held = text("Type", region=(400, 361, 29, 14)), text("No agent", 2000, 9000, region=(449, 360, 160, 16))

    assert steps(task_of((), (beside, held), (choice,))) == ['Choose "No agent" in the "Type" dropdown.']


@pytest.mark.parametrize(("until_ms", "is_asked"), [(2500, False), (9000, True)])
def test_what_a_browser_offers_for_a_field_is_not_asked_about_once_it_goes_as_that_is_typed_into(
    until_ms: int, is_asked: bool
) -> None:
    offer = event(EventKind.APPEARED, 1000, "Saved data · hemp rope", (200, 342, 90, 40))
    typed = event(EventKind.TYPED, 2000, "tar", (196, 320, 30, 16), until_ms=2900, before="Enter your word")
    seen = (
        text("Enter your word", 0, 2000, (196, 320, 120, 16)),
        text("Saved data", 1000, until_ms, (200, 342, 90, 16)),
        text("hemp rope", 1000, until_ms, (200, 362, 90, 16)),
        text("tar", 2900, None, (196, 320, 30, 16)),
    )

    asked = [step for step in steps(task_of((offer, typed), seen)) if "Do what was done" in step]
    assert bool(asked) is is_asked
