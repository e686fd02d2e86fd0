"""What is typed, into which field, and what of a field is no part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.text.lines import Line
from adapters.video.timeline.deeds import click_on
from adapters.video.timeline.resting import Rest
from core.analysis import ActionKind, EventKind
from tests.adapters.video.observer.test_observed_actions import along, arrow, form
from tests.adapters.video.observer.test_observed_places import heading
from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fakes.videos.drawn_screens import Watcher


@pytest.mark.nightly
def test_a_text_that_is_written_over_several_lines_is_one_event(watcher: Watcher) -> None:
    text = "The harbour opens at six and closes at nine. Visitors need a berth ticket for every night."
    words = text.split()

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        shown = words[: max(0, (t - 1000) // 120 + 1)] if t >= 1000 else []
        write(canvas, 60, 120, " ".join(shown[:9]))
        write(canvas, 60, 146, " ".join(shown[9:]))

    (event,) = watcher.see(scene, 4800).timeline
    assert event.kind is EventKind.TYPED
    assert event.text == text


@pytest.mark.nightly
@pytest.mark.parametrize(("pitch", "margin"), [(40, 4), (44, 3)])
def test_what_is_typed_into_one_field_and_then_into_that_below_it_is_told_apart(
    watcher: Watcher, pitch: int, margin: int
) -> None:
    values = ("/home/mira/letters/", "/home/mira/backup/")

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        for row, value in enumerate(values):
            y, since = 200 + pitch * row, 1000 + 1900 * row
            has_focus = since <= t + 100 < since + 1900
            edge = ("#2060c0", 2) if has_focus else ("#b0b0b0", 1)
            canvas.rectangle((60 - margin, y - margin, 400, y + 18 + margin), outline=edge[0], width=edge[1])
            write(canvas, 64, y, value[: max(0, (t - since) // 80)], size=15)

    typed = [event.text for event in watcher.see(scene, 6000).timeline if event.kind is EventKind.TYPED]
    assert typed == list(values)


def test_what_is_typed_beside_the_name_below_is_the_value_of_another_field(watcher: Watcher) -> None:
    fields = (("Find:", "lamp", 1000), ("Replace with:", "lantern", 1700))

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        for row, (name, value, since) in enumerate(fields):
            write(canvas, 60, 400 + 26 * row, name, size=14)
            write(canvas, 160, 400 + 26 * row, value[: max(0, (t - since) // 80)], size=14)

    assert [action.value for action in watcher.see(scene, 4500).actions] == ["lamp", "lantern"]


def test_what_was_typed_before_names_no_field(watcher: Watcher) -> None:
    values = ("Balloon flights", "Crew of two")

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 60, 255, "Title")
        for row, value in enumerate(values):
            canvas.rectangle((55, 286 + 40 * row, 500, 318 + 40 * row), outline="#404040")
            write(canvas, 60, 290 + 40 * row, value[: max(0, (t - 1000 - 3400 * row) // 120)])

    typed = [(action.value, action.target) for action in watcher.see(scene, 6800).actions]
    assert typed == [("Balloon flights", "Title"), ("Crew of two", None)]


def test_what_is_typed_has_its_field_and_its_value_apart(watcher: Watcher) -> None:
    word = "Seagull"

    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        write(canvas, 300, 404, "Name of the boat")
        canvas.rectangle((460, 398, 700, 430), outline="#404040")
        typed = word[: max((t - 1000) // 160, 0)]
        write(canvas, 470, 404, typed)

    found = watcher.see(scene, 5000)
    assert [(action.kind, action.target, action.value) for action in found.actions] == [
        (ActionKind.TYPE, "Name of the boat", word)
    ]
    assert [event.cause for event in found.timeline if event.kind is EventKind.TYPED] == [0]


@pytest.mark.parametrize("word", ["Paid in cash.", "Ring twice."])
def test_a_sign_that_is_typed_behind_words_and_read_less_surely_is_part_of_the_value(
    watcher: Watcher, word: str
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        write(canvas, 300, 404, "Name of the boat")
        canvas.rectangle((460, 398, 700, 430), outline="#404040")
        count = min(max((t - 1000) // 120, 0), len(word) - 1) if t < 3600 else len(word)
        write(canvas, 470, 404, word[:count])

    assert [action.value for action in watcher.see(scene, 5000).actions] == [word]


@pytest.mark.nightly
def test_an_icon_that_is_read_as_another_letter_each_time_is_no_part_of_what_is_typed(watcher: Watcher) -> None:
    read = ((1000, "a Filter nodes"), (1200, "o water"), (1400, "Q water te"), (1600, "e water temp"))

    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        canvas.rectangle((440, 398, 700, 430), outline="#404040")
        write(canvas, 450, 404, next((words for until, words in read if t < until), "n water temperature"))

    found = watcher.see(scene, 4000)
    assert [(event.text, event.before) for event in found.timeline if event.kind is EventKind.TYPED] == [
        ("water temperature", "Filter nodes")
    ]


@pytest.mark.parametrize("late_ms", [0, pytest.param(160, marks=pytest.mark.nightly)])
def test_what_a_list_shows_of_the_text_while_it_is_typed_is_an_effect_of_that(watcher: Watcher, late_ms: int) -> None:
    values = ("Gannet", "Kittiwake")

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 60, 300, "Name of the boat")
        canvas.rectangle((260, 294, 700, 326), outline="#404040")
        for row, value in enumerate(values):
            since = 1000 + 2600 * row
            if since <= t < since + 2300:
                write(canvas, 270, 300, value[: max((t - since) // 160, 0)])
            write(canvas, 60, 120 + 40 * row, value[: max((t - since - late_ms) // 160, 0)])

    found = watcher.see(scene, 6600)
    typed = [action for action in found.actions if action.kind is ActionKind.TYPE]
    assert [action.value for action in typed] == list(values)
    if late_ms:
        assert all(action.region is not None and action.region[1] > 280 for action in typed)
    copies = [event for event in found.timeline if event.text in values and event.kind is not EventKind.TYPED]
    assert copies
    assert all(event.cause is not None for event in copies)


@pytest.mark.nightly
def test_what_a_preview_shows_of_the_begin_of_a_text_was_not_typed(watcher: Watcher) -> None:
    value = "Four planks of oak"

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 60, 300, value[: max((t - 1000) // 120, 0)])
        shown = value[: max((t - 1300) // 120, 0)]
        write(canvas, 480, 330, shown if len(shown) < 12 else "Planks")

    found = watcher.see(scene, 5000)
    assert [action.value for action in found.actions if action.kind is ActionKind.TYPE] == [value]


def test_of_two_places_that_begin_at_once_the_one_with_a_label_is_typed_into(watcher: Watcher) -> None:
    value = "ada@pier.example"

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 60, 130, "Ada Brandt")
        write(canvas, 60, 300, "E-mail:")
        canvas.rectangle((150, 294, 700, 326), outline="#404040")
        for place in ((240, 130), (160, 300)):
            write(canvas, *place, value[: max((t - 1400) // 120, 0)])
        arrow(canvas, *along(((0, (500, 500)), (900, (600, 310))), t))

    found = watcher.see(scene, 5000)
    (typed,) = found.actions
    assert (typed.kind, typed.value, typed.target) == (ActionKind.TYPE, value, "E-mail:")


def test_what_a_preview_shows_behind_a_name_was_not_typed(watcher: Watcher) -> None:
    values = ("14 October", "Four planks")

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        for row, (name, value) in enumerate(zip(("First evening: ", "To bring: "), values, strict=True)):
            written = value[: max((t - 1000 - 2600 * row) // 120, 0)]
            write(canvas, 60, 180 + 120 * row, written)
            write(canvas, 480, 200 + 40 * row, name + written if written else "")

    found = watcher.see(scene, 6600)
    typed = [action for action in found.actions if action.kind is ActionKind.TYPE]
    assert [action.value for action in typed] == list(values)
    assert all(action.region is not None and action.region[0] < 100 for action in typed)


def test_of_two_places_the_one_with_the_pointer_is_typed_into(watcher: Watcher) -> None:
    values = ("Linden street 14 B", "Harlingen")

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        began = [1500 + 3000 * row for row in range(2)]
        letters = [value[: max((t - since) // 120, 0)] for since, value in zip(began, values, strict=True)]
        write(canvas, 60, 130, letters[0])
        write(canvas, 480, 440, " ".join(letters).strip())
        for row, (value, since) in enumerate(zip(letters, began, strict=True)):
            canvas.rectangle((250, 234 + 80 * row, 700, 266 + 80 * row), outline="#404040")
            # The first letters in the field are not seen.
            write(canvas, 260, 240 + 80 * row, value if t > since + 500 else "")
        arrow(canvas, *along(((0, (500, 500)), (900, (520, 250)), (3900, (520, 250)), (4300, (520, 330))), t))

    found = watcher.see(scene, 7500)
    typed = [action for action in found.actions if action.kind is ActionKind.TYPE]
    assert [action.value for action in typed] == list(values)
    assert all(action.region is not None and 230 < action.region[1] < 350 for action in typed)


def test_what_is_typed_right_behind_a_name_is_the_value_without_it(watcher: Watcher) -> None:
    value = "10.20.30.44"

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 60, 200, "Host: " + value[: max((t - 1000) // 120, 0)])

    (typed,) = watcher.see(scene, 4000).actions
    assert (typed.value, typed.target) == (value, "Host:")


def test_words_of_which_not_all_were_read_are_no_sure_name() -> None:
    line = Line("A", 0.99, (699, 489, 42, 23), np.zeros((23, 42), np.uint8), 0)
    rest = Rest(1000, 3000, (712, 500), 3000)

    click = click_on(2000, rest, (line,))
    assert click is not None
    assert click.confidence < 0.7


@pytest.mark.parametrize(("score", "named"), [(0.88, "ADD"), (0.99, "ADO")])
def test_a_short_word_that_was_read_better_before_the_pointer_came_is_that(score: float, named: str) -> None:
    before = Line("ADD", 0.99, (630, 321, 22, 9), np.zeros((9, 22), np.uint8), 500, until_ms=1400)
    lit = Line("ADO", score, (614, 310, 53, 30), np.zeros((30, 53), np.uint8), 1400)

    click = click_on(2000, Rest(1400, 3000, (640, 326), 3000), (before, lit))
    assert click is not None
    assert click.target == named


@pytest.mark.nightly
def test_a_sign_alone_is_the_name_of_a_key_and_of_no_icon(watcher: Watcher) -> None:
    def scene(keys: str) -> Callable[[Draw, int], None]:
        def drawn(canvas: Draw, t: int) -> None:
            heading(canvas)
            for place, key in enumerate(keys):
                write(canvas, 100 + 60 * place, 300, key, size=20)
            if t >= 2000:
                write(canvas, 60, 420, "The collection is empty")
            arrow(canvas, *along(((0, (500, 200)), (1500, (108, 312))), t))

        return drawn

    def names(keys: str) -> list[str | None]:
        return [each.target for each in watcher.see(scene(keys), 3600).actions if each.kind is ActionKind.CLICK]

    assert names("0479") == ["0"]
    assert names("0") != ["0"]


@pytest.mark.nightly
def test_what_is_being_written_was_not_clicked_where_its_caret_is_taken_for_a_pointer(watcher: Watcher) -> None:
    text = "Otto brings the blanket and a basket of plums."

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        shown = text[: max(0, (t - 1400) // 210)]
        write(canvas, 60, 200, shown)
        # It is drawn as an arrow, as which a caret is taken in a film of few colours.
        place = 64 + round(canvas.textlength(shown, font_size=18)) if t >= 1400 else 0
        arrow(canvas, *(along(((0, (500, 400)), (1000, (64, 208))), t) if t < 1400 else (place, 208)))
        if t >= 6000:
            write(canvas, 60, 300, "One line was written")

    found = watcher.see(scene, 9000)
    assert not [each for each in found.actions if each.kind is ActionKind.CLICK and "Otto" in (each.target or "")]


def test_what_a_field_asked_for_names_it_though_it_went_before_the_first_letter_came(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 60, 120, "Add a boat", size=22)
        canvas.rectangle((56, 190, 460, 226), outline="#a0a0a0")
        if t < 1000:
            write(canvas, 66, 198, "Its name", colour="#b8b8b8")
        write(canvas, 66, 198, "Aurora"[: max(0, (t - 1000) // 160)])

    (event,) = watcher.see(scene, 3600).timeline
    assert (event.kind, event.text, event.before, event.field) == (EventKind.TYPED, "Aurora", "Its name", "Its name")


def test_what_a_field_asks_for_once_it_is_empty_again_is_not_how_its_value_was_written(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        canvas.rectangle((56, 190, 460, 226), outline="#a0a0a0")
        typed = "directory"[: max(0, (t - 800) // 160)]
        if not typed or t >= 3400:
            write(canvas, 66, 198, "Directory", colour="#b0b0b0")
        else:
            write(canvas, 66, 198, typed)
        if t >= 3400:
            write(canvas, 60, 300, "One folder was made")

    typed = [event for event in watcher.see(scene, 5000).timeline if event.kind is EventKind.TYPED]
    assert [event.text for event in typed] == ["directory"]


@pytest.mark.parametrize(
    ("shown", "is_typed"),
    [
        (("mm/dd/yyyy", "03/dd/yyyy", "03/01/yyyy", "03/01/0020", "03/01/2023"), True),
        (("03/01/2023", "03/01/0020", "03/01/2024"), True),
        (("01/02/2023", "01/03/2023", "01/04/2023"), False),
        (("mm/dd/yyyy", "03/dd/yyyy"), False),
    ],
)
def test_a_date_whose_parts_come_one_after_the_other_was_typed_and_one_that_is_turned_on_was_not(
    watcher: Watcher, shown: tuple[str, ...], *, is_typed: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 60, 168, "Date:")
        canvas.rectangle((56, 190, 360, 226), outline="#a0a0a0")
        write(canvas, 66, 198, shown[min(max((t - 200) // 800, 0), len(shown) - 1)])

    typed = [event for event in watcher.see(scene, 5000).timeline if event.kind is EventKind.TYPED]
    assert [(event.text, event.before, event.field) for event in typed] == (
        [(shown[-1], shown[0], "Date:")] if is_typed else []
    )


@pytest.mark.parametrize("is_answered", [False, True])
def test_what_is_typed_behind_a_text_after_a_long_pause_is_one_typing_unless_something_came_in_between(
    watcher: Watcher, *, is_answered: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, 170, "What to do")
        canvas.rectangle((120, 200, 520, 236), outline="#707070")
        first, later = "Oil the door", " of the shed"
        shown = first[: max((t - 1000) // 120, 0)] + later[: max((t - 6600) // 120, 0)]
        write(canvas, 130, 207, shown)
        if is_answered and t >= 4000:
            write(canvas, 300, 400, "Nobody has done this yet")

    typed = [event.text for event in watcher.see(scene, 9200).timeline if event.kind is EventKind.TYPED]
    assert typed[0] == ("Oil the door" if is_answered else "Oil the door of the shed")
