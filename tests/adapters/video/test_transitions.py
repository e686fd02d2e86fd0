"""When a transition began: with what became of it, not with noise that was read on the way."""

import numpy as np
import pytest

from adapters.video.frame import Box
from adapters.video.text.lines import Line
from adapters.video.text.matching import Match
from adapters.video.text.screen import Draft
from adapters.video.timeline.rereadings import without_rereadings
from adapters.video.timeline.transitions import at_rest

_PAGE = (300, 100, 600, 500)


def _line(text: str, score: float, box: Box, t_ms: int) -> Line:
    return Line(text, score, box, np.zeros((box[3], box[2]), np.uint8), t_ms)


def _draft(t_ms: int, box: Box, match: Match) -> Draft:
    return Draft(t_ms, t_ms + 100, t_ms, box, first=False, stood=(), match=match)


@pytest.mark.parametrize(
    ("score", "place", "began_ms"),
    [
        # Two icons that flickered where nothing stands in the end.
        (0.57, (402, 547, 45, 8), 1330),
        # A heading that faded in, and was read badly at first.
        (0.57, (320, 120, 200, 30), 1000),
        # A word that was surely there.
        (0.99, (402, 547, 45, 8), 1000),
    ],
)
def test_noise_that_gives_way_to_a_page_is_not_its_beginning(score: float, place: Box, began_ms: int) -> None:
    passing = _line("Patlents", score, place, 1000)
    heading = _line("Patients", 0.99, (320, 120, 200, 30), 1330)
    drafts = [
        _draft(1000, place, Match(added=[passing])),
        _draft(1330, _PAGE, Match(added=[heading], removed=[passing])),
    ]

    (transition,) = at_rest(drafts, (), ())

    assert (transition.t_ms, [line.text for line in transition.match.coming]) == (began_ms, ["Patients"])


@pytest.mark.parametrize(
    ("stood_ms", "expected"),
    [(100, [("9 lines", "11 lines")]), (200, [("9 lines", "10 lines"), ("10 lines", "11 lines")])],
)
def test_the_steps_of_a_counter_are_one_change(stood_ms: int, expected: list[tuple[str, str]]) -> None:
    place = (320, 120, 80, 18)
    first, second = _line("9 lines", 0.99, place, 0), _line("10 lines", 0.99, place, 1000)
    third = _line("11 lines", 0.99, place, 1000 + stood_ms)
    drafts = [
        _draft(1000, place, Match(changed=[(first, second)])),
        _draft(1000 + stood_ms, place, Match(changed=[(second, third)])),
    ]

    changes = at_rest(drafts, (), ())

    assert [(old.text, new.text) for each in changes for old, new in each.match.changed] == expected


@pytest.mark.parametrize(
    ("between", "stood_ms", "is_told"), [("175", 400, False), ("175", 900, True), ("375", 400, True)]
)
def test_a_pointer_before_a_number_that_it_marks_is_no_digit_of_it(between: str, stood_ms: int, is_told: bool) -> None:
    place, wider = (555, 430, 26, 30), (545, 430, 36, 30)
    first, second = _line("75", 0.99, place, 0), _line(between, 0.99, wider, 1000)
    third = _line("75", 0.99, place, 1000 + stood_ms)
    second.until_ms = third.t_ms
    drafts = [
        _draft(1000, wider, Match(changed=[(first, second)])),
        _draft(third.t_ms, wider, Match(changed=[(second, third)])),
    ]

    without_rereadings(drafts)

    assert any(draft.match.says_anything for draft in drafts) is is_told


@pytest.mark.parametrize(
    ("was", "then", "field", "stood_ms", "is_told"),
    [
        # A pointer hides the first letter, a menu the last ones.
        ("Open", "pen", True, 2000, False),
        ("Builders", "Build", False, 2000, False),
        # Letters that are taken away in a field, or right after they came; another number; another word.
        ("Builders", "Build", True, 2000, True),
        ("Builders", "Build", False, 500, True),
        ("12 lines", "2 lines", False, 2000, True),
        ("Save as", "Save", False, 2000, True),
    ],
)
def test_what_is_left_of_a_word_that_something_covers_is_no_other_text(
    was: str, then: str, stood_ms: int, *, field: bool, is_told: bool
) -> None:
    place, rest = (320, 120, 60, 18), (320 if was.startswith(then) else 334, 120, 46, 18)
    first, second = _line(was, 0.99, place, 0), _line(then, 0.99, rest, stood_ms)
    first.until_ms = stood_ms
    if field:
        second.field_box = (300, 110, 120, 40)
    draft = _draft(stood_ms, place, Match(changed=[(first, second)]))

    without_rereadings([draft])

    assert bool(draft.match.changed) is is_told
