"""What the observer tells of screens on which something happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import EventKind
from tests.fakes.videos.drawn_screens import HEIGHT, WIDTH, Watcher, write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Draw

FRAME_MS = 40


def page(canvas: Draw) -> None:
    canvas.rectangle((0, 0, WIDTH, 50), fill="#24324a")
    write(canvas, 24, 14, "Harbour office", colour="white")
    write(canvas, 40, 90, "Boats in the harbour")
    write(canvas, 40, 130, "Visitors expected")
    write(canvas, 40, 170, "Weather report")


def test_a_toast_of_300_ms_is_one_event_with_its_end(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if 1000 <= t < 1300:
            canvas.rectangle((500, 520, 780, 570), fill="#203040")
            write(canvas, 520, 532, "Order 1042 confirmed", colour="white")

    findings = watcher.see(scene, 2400)
    (event,) = findings.timeline
    assert (event.kind, event.text) == (EventKind.APPEARED, "Order 1042 confirmed")
    assert event.t_ms == 1000
    assert event.until_ms == pytest.approx(1300, abs=FRAME_MS)
    assert '"Order 1042 confirmed" appeared' in event.description


def test_two_texts_100_ms_apart_in_the_same_place_are_two_events(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            write(canvas, 520, 532, "Saving draft" if t < 1100 else "All changes are safe")

    first, second = watcher.see(scene, 2200).timeline
    assert (first.text, first.t_ms) == ("Saving draft", 1000)
    assert (second.text, second.before) == ("All changes are safe", "Saving draft")
    assert second.t_ms == pytest.approx(1100, abs=FRAME_MS)


def test_a_digit_that_changed_is_told_with_what_it_was(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        write(canvas, 40, 260, "Berths free: 17" if t < 1000 else "Berths free: 16")

    (event,) = watcher.see(scene, 2000).timeline
    assert (event.kind, event.t_ms) == (EventKind.CHANGED, 1000)
    assert (event.before, event.text) == ("Berths free: 17", "Berths free: 16")


def test_typing_is_one_event_with_the_whole_text_and_the_field_it_went_into(watcher: Watcher) -> None:
    text = "Ada Byron"

    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        write(canvas, 40, 280, "Full name")
        canvas.rectangle((40, 310, 400, 350), outline="#8090a0")
        letters = text[: max(0, (t - 1000) // 120 + 1)] if t >= 1000 else ""
        write(canvas, 52, 318, letters)
        end = 53 + canvas.textlength(letters, font_size=18)
        if t % 1000 < 500:
            canvas.line((end, 316, end, 340), fill="black")

    (event,) = watcher.see(scene, 3600).timeline
    assert (event.kind, event.text, event.before) == (EventKind.TYPED, text, None)
    assert event.t_ms == pytest.approx(1000, abs=2 * FRAME_MS)
    assert event.until_ms == pytest.approx(1000 + 120 * (len(text) - 1), abs=3 * FRAME_MS)
    assert event.description == '"Ada Byron" was typed into "Full name".'


def test_what_changes_while_something_else_goes_on_beside_it_has_a_time_of_its_own(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            canvas.rectangle((40, 262, 40 + min(t - 960, 640) // 4, 280), fill="#2060c0")
        write(canvas, 40, 292, "Draft of today" if t < 1480 else "Saved at noon")

    events = watcher.see(scene, 3200).timeline
    (saved,) = [event for event in events if event.text == "Saved at noon"]
    assert (saved.before, saved.t_ms) == ("Draft of today", 1480)


def test_a_spinner_is_one_busy_event_and_holds_up_no_toast(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if 800 <= t < 3200:
            canvas.arc((300, 300, 340, 340), t % 360, t % 360 + 90, fill="#2060c0", width=5)
        if t >= 1600:
            write(canvas, 520, 532, "Still working on it")

    busy, toast = watcher.see(scene, 4800).timeline
    assert busy.kind is EventKind.BUSY
    assert busy.t_ms == pytest.approx(800, abs=2 * FRAME_MS)
    assert busy.until_ms == pytest.approx(3200, abs=2 * FRAME_MS)
    assert (toast.kind, toast.text, toast.t_ms) == (EventKind.APPEARED, "Still working on it", 1600)


@pytest.mark.nightly
def test_a_playing_film_is_one_event(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if 600 <= t < 3400:
            for number in range(40):
                x, y = 200 + (number * 37 + t // 3) % 380, 260 + (number * 53 + t // 5) % 220
                canvas.rectangle((x, y, x + 24, y + 24), fill=f"#{(number * 6151 + t * 7) % 0xFFFFFF:06x}")

    (event,) = watcher.see(scene, 4800).timeline
    assert event.kind is EventKind.BUSY
    assert event.t_ms == pytest.approx(600, abs=100)
    assert event.until_ms == pytest.approx(3400, abs=100)


def test_scrolling_is_one_event_and_a_line_that_moved_stays_the_same_sighting(watcher: Watcher) -> None:
    ships = [
        "Aurora",
        "Borealis",
        "Cassiopeia",
        "Dorado",
        "Eridanus",
        "Fornax",
        "Gemini",
        "Hydra",
        "Indus",
        "Lyra",
        "Mensa",
    ]

    def scene(canvas: Draw, t: int) -> None:
        offset = 0 if t < 1000 else min((t - 1000) // 40 * 12 + 12, 120)
        for number, ship in enumerate(ships):
            write(canvas, 40, 80 + 60 * number - offset, f"The ship {ship} arrived at pier {number + 11}")
        canvas.rectangle((0, 0, WIDTH, 50), fill="#24324a")
        write(canvas, 24, 14, "Harbour office", colour="white")

    findings = watcher.see(scene, 2600)
    (event,) = findings.timeline
    assert event.kind is EventKind.SCROLLED
    assert event.t_ms == pytest.approx(1000, abs=FRAME_MS)
    assert "down by 120 pixels" in event.description
    assert "pier 21" in (event.text or "")
    stayed = [one for one in findings.sightings or () if "Dorado" in one.text]
    assert [(one.t_ms, one.until_ms) for one in stayed] == [(0, None)]


def test_a_row_that_goes_is_told_although_the_rows_below_close_the_gap(watcher: Watcher) -> None:
    subjects = (
        "Choir rehearsal moved",
        "Parking permits",
        "Seed swap on Sunday",
        "Recipe for plum cake",
        "Rowing club",
    )

    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((0, 0, WIDTH, 50), fill="#24324a")
        write(canvas, 24, 14, "Letters", colour="white")
        rows = [subject for subject in subjects if t < 1000 or subject != "Parking permits"]
        for number, subject in enumerate(rows):
            write(canvas, 60, 80 + 60 * number, subject)
        if t >= 1000:
            canvas.rectangle((500, 540, 780, 590), fill="#203040")
            write(canvas, 520, 552, "Moved to the archive", colour="white")

    timeline = watcher.see(scene, 2400).timeline
    assert {(event.kind, event.text) for event in timeline} == {
        (EventKind.VANISHED, "Parking permits"),
        (EventKind.APPEARED, "Moved to the archive"),
    }


def test_another_page_is_one_navigation(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((0, 0, WIDTH, 50), fill="#24324a")
        write(canvas, 24, 14, "Harbour office", colour="white")
        lines = ["Orders", "Rope for the ferry", "Paint for the pier", "Nothing else is open"]
        if t >= 1000:
            lines = ["Invoices", "March was paid in April", "June will be paid in July", "Ask the treasurer"]
        for number, line in enumerate(lines):
            write(canvas, 40, 90 + 70 * number, line, size=26 if number == 0 else 18)

    (event,) = watcher.see(scene, 2000).timeline
    assert (event.kind, event.t_ms) == (EventKind.NAVIGATED, 1000)
    assert (event.text or "").startswith("Invoices")


def test_a_dialog_is_one_event_when_it_comes_and_one_when_it_goes(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if 800 <= t < 3600:
            canvas.rectangle((260, 110, 700, 400), fill="#f0f2f6", outline="#506070")
            write(canvas, 300, 140, "Delete all notes?", size=24)
            write(canvas, 300, 220, "This cannot be undone.")
            write(canvas, 320, 340, "Cancel")
            write(canvas, 540, 340, "Delete")

    came, went = watcher.see(scene, 4800).timeline
    assert (came.kind, went.kind) == (EventKind.APPEARED, EventKind.VANISHED)
    assert came.text == "Delete all notes? · This cannot be undone. · Cancel · Delete" == went.text
    assert (came.t_ms, came.until_ms, went.t_ms) == (800, 3600, 3600)


def test_text_that_slides_in_is_one_event_at_its_start_read_when_it_rests(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            step = min((t - 1000) / 400, 1)
            grey = round(255 - 220 * step)
            write(canvas, 480 - 80 * step, 500, "Delivery before noon", colour=f"#{grey:02x}{grey:02x}{grey:02x}")

    findings = watcher.see(scene, 2600)
    (event,) = findings.timeline
    assert (event.kind, event.text) == (EventKind.APPEARED, "Delivery before noon")
    assert event.t_ms == pytest.approx(1000, abs=3 * FRAME_MS)


def test_hidden_characters_are_typed_but_not_quoted(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        write(canvas, 40, 280, "Password")
        canvas.rectangle((40, 310, 400, 350), outline="#8090a0")
        for number in range(max(0, min((t - 1000) // 160 + 1, 8))):
            canvas.ellipse((54 + 11 * number, 327, 60 + 11 * number, 333), fill="black")

    (event,) = watcher.see(scene, 3600).timeline
    assert (event.kind, event.text) == (EventKind.TYPED, None)
    assert event.description == 'Hidden characters were typed into "Password".'


def test_a_large_picture_that_came_is_told_by_its_place(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            canvas.rectangle((320, 120, 720, 440), fill="#406030")
        if t >= 1400:
            canvas.rectangle((40, 400, 80, 440), fill="#602040")

    (event,) = watcher.see(scene, 2400).timeline
    assert (event.kind, event.text, event.t_ms) == (EventKind.CHANGED, None, 1000)
    assert event.region == (320, 120, 400, 320), "and not the small one"


def test_a_bar_that_fills_is_one_busy_event(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        canvas.rectangle((100, 300, 500, 316), fill="#d8dce4")
        canvas.rectangle((100, 300, 100 + max(0, min(t - 1000, 2400)) / 6, 316), fill="#2060c0")

    (event,) = watcher.see(scene, 4800).timeline
    assert event.kind is EventKind.BUSY
    assert event.t_ms == pytest.approx(1000, abs=250)
    assert event.until_ms == pytest.approx(3400, abs=250)


@pytest.mark.parametrize("fps", [2, 10, 60])
def test_slow_and_fast_recordings_tell_the_same(watcher: Watcher, fps: int) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            write(canvas, 520, 532, "Ferry leaves at 14:30")

    (event,) = watcher.see(scene, 3000, fps=fps).timeline
    assert (event.kind, event.text) == (EventKind.APPEARED, "Ferry leaves at 14:30")
    assert event.t_ms == pytest.approx(1000, abs=1000 / fps)


def test_a_dark_screen_is_read_as_well(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 90, "Night watch", colour="#d8dce4")
        if t >= 1000:
            write(canvas, 40, HEIGHT - 60, "Lamp switched on", colour="#9aa4b4")

    findings = watcher.see(scene, 2000, dark=True)
    assert findings.first_screen == ("Night watch",)
    assert [(event.t_ms, event.text) for event in findings.timeline] == [(1000, "Lamp switched on")]


def test_each_text_that_was_typed_and_left_standing_is_told_by_itself(watcher: Watcher) -> None:
    first, second = "open cosmos", "open dydx"
    shown = [first[:length] for length in range(5, len(first) + 1)]
    back = [first[:length] for length in range(len(first) - 1, 4, -1)]
    again = [second[:length] for length in range(6, len(second) + 1)]

    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 24, 14, "Harbour office")
        steps = [*shown, *[first] * 6, *back, *again]
        if t >= 1000:
            write(canvas, 40, 300, steps[min((t - 1000) // 120, len(steps) - 1)])

    typed = [event for event in watcher.see(scene, 5200).timeline if event.kind is EventKind.TYPED]
    assert [event.text for event in typed] == [first, second]


@pytest.mark.nightly
def test_the_sentence_of_a_full_page_is_short_and_its_text_is_whole(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 24, 14, "Harbour office")
        for row in range(12):
            words = (
                f"The ship number {row + 11} waits at the pier" if t < 1000 else f"Crate {row + 31} holds copper nails"
            )
            write(canvas, 40, 90 + 44 * row, words)

    (event,) = watcher.see(scene, 2400).timeline
    assert len(event.description) <= 240
    assert "more lines" in event.description
    assert "Crate 42" in (event.text or "")


def test_a_stopwatch_beside_what_happens_is_not_told(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 24, 14, "Harbour office")
        write(canvas, 600, 200, f"{t // 1000 + 11} s")
        if t >= 2520:
            write(canvas, 40, 300, "Order confirmed")

    assert [event.text for event in watcher.see(scene, 6000).timeline] == ["Order confirmed"]


def test_an_address_that_changes_is_one_statement_with_its_page(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        later = t >= 1000
        canvas.rectangle((0, 0, 800, 50), fill="#e8e8e8")
        write(canvas, 90, 14, "localhost:8080/berths/12" if later else "localhost:8080/login")
        for row in range(6):
            write(
                canvas, 60, 120 + 60 * row, f"Berth {row + 11} is free today" if later else f"Line {row} of the sign-in"
            )

    (event,) = watcher.see(scene, 2400).timeline
    assert (event.kind, event.t_ms) == (EventKind.NAVIGATED, 1000)
    assert event.description.startswith('The page "localhost:8080/berths/12" came; it showed "Berth 11 is free')


@pytest.mark.parametrize("sign", ["x", "7", "12"])
def test_a_sign_or_short_number_that_comes_by_itself_is_a_picture(watcher: Watcher, sign: str) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            write(canvas, 600, 260, sign)

    assert watcher.see(scene, 2400).timeline == ()


def test_a_number_that_takes_the_place_of_another_is_a_count(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        write(canvas, 600, 260, "7" if t >= 1000 else "6")

    (event,) = watcher.see(scene, 2400).timeline
    assert (event.before, event.text) == ("6", "7")


def test_a_panel_that_slides_in_is_one_event_with_what_stands_there_at_rest(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            # It stands for a moment on its way, twice.
            left = 700 if t < 1160 else 560 if t < 1320 else 420
            canvas.rectangle((left, 240, left + 380, 420), fill="#e8edf5")
            write(canvas, left + 20, 260, "Mooring plan for Saturday")
            write(canvas, left + 20, 310, "Berth nine is taken until noon")
            write(canvas, left + 20, 360, "Two guests are on their way")

    (event,) = watcher.see(scene, 2600).timeline
    assert event.kind is EventKind.APPEARED
    assert event.t_ms == pytest.approx(1000, abs=2 * FRAME_MS)
    assert event.text == "Mooring plan for Saturday · Berth nine is taken until noon · Two guests are on their way"


def test_a_mark_that_is_set_is_told_by_the_text_beside_it_and_a_row_that_is_lit_is_not(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        canvas.rectangle((40, 260, 60, 280), outline="#202830", fill="#3050c0" if t >= 1000 else "white")
        write(canvas, 74, 259, "Deck lights")
        canvas.rectangle((30, 330, 330, 354), fill="#dfe8ff" if t >= 1600 else "white")

    (event,) = watcher.see(scene, 2600).timeline
    assert (event.t_ms, event.description) == (1000, 'The mark beside "Deck lights" changed its look.')
