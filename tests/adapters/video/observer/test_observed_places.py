"""What belongs together on a screen where several things happen at once, and what only seems to change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import EventKind
from tests.fakes.videos.drawn_screens import HEIGHT, WIDTH, Watcher, write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Draw


def heading(canvas: Draw) -> None:
    canvas.rectangle((0, 0, WIDTH, 50), fill="#24324a")
    write(canvas, 24, 14, "Harbour office", colour="white")


def test_a_tab_that_replaces_a_panel_is_one_navigation(watcher: Watcher) -> None:
    tabs = {
        "Display": ("Night colours for charts", "Show depth in metres", "Rotate with the compass"),
        "Sound": ("Volume of the anchor alarm", "Read weather reports aloud"),
    }

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 40, 80, "Name of your boat")
        write(canvas, 40, 130, "Display")
        write(canvas, 240, 130, "Sound")
        chosen = "Sound" if t < 1000 else "Display"
        canvas.rectangle(
            (40 if chosen == "Display" else 240, 158, 120 if chosen == "Display" else 320, 162), fill="blue"
        )
        for number, option in enumerate(tabs[chosen]):
            write(canvas, 60, 200 + 70 * number, option)
        write(canvas, 40, 540, "Your first change is saved")

    (event,) = watcher.see(scene, 2200).timeline
    assert (event.kind, event.t_ms) == (EventKind.NAVIGATED, 1000)
    assert (event.text or "").startswith("Night colours")


@pytest.mark.nightly
def test_what_happens_when_a_dialog_closes_is_told_beside_it_and_what_it_covered_is_not(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        is_open, done = 1000 <= t < 3600, t >= 3600
        ink, ground = ("#101418", "#606468") if is_open else ("#202830", "white")
        canvas.rectangle((0, 0, WIDTH, HEIGHT), fill=ground)
        write(canvas, 600, 20, "6 tickets" if done else "7 tickets", colour=ink)
        rows = ("Grease the winch", "Sand the oak rudder", "Varnish the mast", "Replace the deck lamps")
        for number, row in enumerate(rows):
            if not (done and row == "Sand the oak rudder"):
                write(canvas, 40, 80 + 130 * number, row, colour=ink)
        if is_open:
            canvas.rectangle((30, 290, 520, 420), fill="#f0f2f6", outline="#506070")
            write(canvas, 70, 305, "Remove this ticket?", size=24)
            write(canvas, 70, 380, "Remove it now")

    timeline = watcher.see(scene, 4800).timeline
    reported = {(event.kind, event.before, event.text) for event in timeline if event.text}
    dialog = "Remove this ticket? · Remove it now"
    assert reported == {
        (EventKind.APPEARED, None, dialog),
        (EventKind.VANISHED, None, dialog),
        (EventKind.VANISHED, None, "Sand the oak rudder"),
        (EventKind.CHANGED, "7 tickets", "6 tickets"),
    }


@pytest.mark.nightly
def test_no_part_of_a_word_is_quoted_that_a_panel_cuts(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 430, 200, "Nora Lind keeps watch")
        if t >= 1000:
            canvas.rectangle((480, 52, WIDTH, HEIGHT), fill="#b8c4d4")
            write(canvas, 520, 100, "Engine check is overdue")
            write(canvas, 520, 160, "Tide warning for Friday")

    (event,) = watcher.see(scene, 2200).timeline
    assert event.text == "Engine check is overdue · Tide warning for Friday"


@pytest.mark.nightly
def test_a_table_that_is_sorted_is_one_event(watcher: Watcher) -> None:
    boats = [("Aurora", "Byron", 1987), ("Dorado", "Marek", 2015), ("Fornax", "Voss", 1978), ("Hydra", "Reed", 1991)]

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        for number, boat in enumerate(boats if t < 1000 else sorted(boats, key=lambda boat: boat[2])):
            for column, cell in enumerate(boat):
                write(canvas, 40 + 260 * column, 100 + 80 * number, str(cell))

    (event,) = watcher.see(scene, 2200).timeline
    assert event.t_ms == 1000
    assert {"Fornax", "Aurora"} <= set((event.text or "").split())


def test_an_appointment_that_is_moved_is_told_although_a_clock_that_goes_on_is_not(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 700, 14, "10:41" if t < 1500 else "10:42", colour="white")
        write(canvas, 40, 260, "Pilot call at 14:00" if t < 2200 else "Pilot call at 15:00")

    (event,) = watcher.see(scene, 3600).timeline
    assert (event.before, event.text) == ("Pilot call at 14:00", "Pilot call at 15:00")


@pytest.mark.nightly
def test_a_percentage_that_runs_as_text_is_one_busy_event(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        part = min(max(t - 1000, 0) // 160 * 7, 98)
        write(canvas, 40, 300, f"Sending charts {part}%")

    (event,) = watcher.see(scene, 4800).timeline
    assert event.kind is EventKind.BUSY
    assert event.t_ms == pytest.approx(1160, abs=100)
    assert event.until_ms == pytest.approx(1000 + 14 * 160, abs=200)


def test_a_pointer_over_a_word_of_a_slow_recording_changes_no_letter(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        canvas.rectangle((30, 180, 190, 230), fill="#0b5cad")
        write(canvas, 60, 194, "Place order", colour="white")
        x, y = (96, 206) if 1500 <= t < 3000 else (460 + t // 500 * 37 % 200, 300 + t // 500 * 53 % 250)
        # A hand over the button, and an arrow elsewhere: no shape is seen twice.
        shape = [(x, y), (x + 3, y), (x + 3, y + 7), (x + 13, y + 9), (x + 12, y + 20), (x + 2, y + 20), (x, y + 12)]
        arrow = [(x, y), (x, y + 17), (x + 4, y + 13), (x + 11, y + 12)]
        canvas.polygon(shape if 1500 <= t < 3000 else arrow, fill="black", outline="white")

    findings = watcher.see(scene, 5000, fps=2)
    assert findings.timeline == ()
    assert {one.text for one in findings.sightings or ()} == {"Harbour office", "Place order"}


@pytest.mark.nightly
def test_results_that_change_with_every_letter_do_not_hide_what_is_typed(watcher: Watcher) -> None:
    towns = ("Rotterdam", "Rostock", "Rosendal")

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        canvas.rectangle((40, 90, 400, 130), outline="#8090a0")
        letters = "rost"[: max(0, (t - 1000) // 200 + 1)] if t >= 1000 else ""
        write(canvas, 52, 98, letters)
        found = [town for town in towns if letters and town.casefold().startswith(letters)]
        for number, town in enumerate(found):
            write(canvas, 52, 150 + 40 * number, town)

    typed = [event for event in watcher.see(scene, 3000).timeline if event.kind is EventKind.TYPED]
    assert [event.text for event in typed] == ["rost"]


@pytest.mark.nightly
def test_a_wide_table_that_is_moved_sideways_has_scrolled(watcher: Watcher) -> None:
    names = ("Boat", "Skipper", "Monday", "Tuesday", "Wednesday", "Points", "Sponsor", "Insurance")

    def scene(canvas: Draw, t: int) -> None:
        offset = 0 if t < 1000 else min((t - 1000) // 40 * 20 + 20, 300)
        for row in range(7):
            for column, name in enumerate(names):
                write(canvas, 30 + 150 * column - offset, 120 + 60 * row, f"{name} {row * 7 + column * 3 + 11}")
        heading(canvas)

    (event,) = watcher.see(scene, 2800).timeline
    assert event.kind is EventKind.SCROLLED
    assert event.t_ms == pytest.approx(1000, abs=80)
    assert "right by 300 pixels" in event.description


def test_a_box_that_is_ticked_is_told_beside_the_count_that_it_changes(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        canvas.rectangle((40, 120, 64, 144), outline="#405060", fill="#2060c0" if t >= 1000 else "white", width=2)
        write(canvas, 80, 122, "Buy stamps")
        write(canvas, 40, 500, f"{4 if t >= 1000 else 5} things left")

    ticked, counted = sorted(watcher.see(scene, 2200).timeline, key=lambda event: event.region or ())
    assert (ticked.kind, ticked.text, ticked.region) == (EventKind.CHANGED, None, (40, 120, 24, 24))
    assert (counted.before, counted.text) == ("5 things left", "4 things left")


def ledger(canvas: Draw, rows: list[tuple[str, str]], first: int = 150) -> None:
    for number, (name, country) in enumerate(rows):
        write(canvas, 40, first + 60 * number, name)
        write(canvas, 360, first + 60 * number, country)
        write(canvas, 640, first + 60 * number, "Delete")


CUSTOMERS = [
    ("Eastwind Charter", "Ireland"),
    ("Isola Foods", "Italy"),
    ("Nordkapp Tours", "Norway"),
    ("Vesper Hotel", "Greece"),
    ("Ursa Motors", "Greece"),
    ("Mistral Sails", "France"),
    ("Anker Brewery", "Belgium"),
]
OTHERS = [
    ("Casa Marina", "Portugal"),
    ("Delfin Diving", "Croatia"),
    ("Salina Cafe", "Malta"),
    ("Yawl School", "Sweden"),
    ("Kelp and Co", "Wales"),
    ("Pelican Taxi", "Spain"),
]


@pytest.mark.parametrize("gone", [1, 2, 4])
def test_a_row_of_a_full_page_that_goes_is_told_and_the_one_that_takes_the_last_place(
    watcher: Watcher, gone: int
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 40, 90, "25 customers" if t >= 1000 else "26 customers")
        rows = list(CUSTOMERS)
        if t >= 1000:
            del rows[gone]
        ledger(canvas, rows[:6])

    timeline = watcher.see(scene, 3000, fps=2).timeline
    assert {(event.kind, event.before, event.text) for event in timeline} == {
        (EventKind.VANISHED, None, " · ".join(CUSTOMERS[gone])),
        (EventKind.APPEARED, None, " · ".join(CUSTOMERS[6])),
        (EventKind.CHANGED, "26 customers", "25 customers"),
    }


@pytest.mark.nightly
def test_another_page_of_a_table_is_named_by_its_number(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        ledger(canvas, OTHERS if t >= 1000 else CUSTOMERS[:6], first=90)
        write(canvas, 600, 540, "Page 2 of 3" if t >= 1000 else "Page 1 of 3")

    (event,) = watcher.see(scene, 2200).timeline
    assert event.kind is EventKind.NAVIGATED
    assert (event.text or "").startswith("Casa Marina")
    assert (event.text or "").endswith("Page 2 of 3")


def test_a_cell_is_typed_over_when_the_letters_come_not_when_it_opens(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 40, 200, "Rope and tackle")
        if t >= 1000:
            canvas.rectangle((390, 185, 560, 235), outline="#2050c0", width=2)
        typed = "2940"[: max(t - 1600, 0) // 200]
        write(canvas, 400, 200, typed or ("1785" if t >= 1000 else "1,785.00"))

    reported = [(event.kind, event.t_ms, event.before, event.text) for event in watcher.see(scene, 3600).timeline]
    assert reported == [
        (EventKind.CHANGED, 1000, "1,785.00", "1785"),
        (EventKind.TYPED, 1800, "1785", "2940"),
    ]


def test_a_mark_that_goes_on_to_another_row_has_scrolled_nothing(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        for number, (name, country) in enumerate(CUSTOMERS):
            chosen = number == (2 if t < 1000 else 0)
            top = 100 + 44 * number
            if chosen:
                canvas.rectangle((30, top, 770, top + 44), fill="#446688")
            for x, text in ((40, name), (360, country)):
                write(canvas, x, top + 10, text, colour="white" if chosen else "#202830")

    findings = watcher.see(scene, 2600)
    assert [event for event in findings.timeline if event.text or event.kind is not EventKind.CHANGED] == []
    assert all(one.until_ms is None for one in findings.sightings or ())


@pytest.mark.nightly
def test_a_dialog_that_hides_half_a_word_leaves_nothing_behind_when_it_goes(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        ledger(canvas, OTHERS, first=90)
        if 1000 <= t < 3400:
            canvas.rectangle((20, 140, 374, 330), fill="#c4ccd8", outline="#506070")
            write(canvas, 120, 160, "Send it back?", size=24)
            write(canvas, 124, 220, "It goes with the next boat.")
            write(canvas, 120, 280, "Cancel")

    timeline = watcher.see(scene, 4600).timeline
    dialog = "Send it back? · It goes with the next boat. · Cancel"
    assert [(event.kind, event.text) for event in timeline] == [
        (EventKind.APPEARED, dialog),
        (EventKind.VANISHED, dialog),
    ]


@pytest.mark.nightly
def test_a_message_that_lies_over_halves_of_lines_is_read(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 60, 200, "The ferry waits since the morning, and nobody knows until when")
        write(canvas, 60, 230, "it goes again, for the ice on the sound is nine centimetres thick")
        if 1600 <= t < 2300:
            canvas.rectangle((30, 216, 300, 240), fill="#b02020")
            write(canvas, 32, 217, "Connection lost, trying again", colour="white")

    timeline = watcher.see(scene, 4000).timeline
    assert "Connection lost, trying again" in " · ".join(event.text or "" for event in timeline)


@pytest.mark.nightly
def test_a_choice_from_a_list_is_the_new_value_of_its_field(watcher: Watcher) -> None:
    options = ("A bill", "Moving house", "Something leaks")

    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        canvas.rectangle((40, 120, 400, 160), outline="#8090a0")
        write(canvas, 52, 128, "A bill" if t >= 2600 else "Choose one")
        write(canvas, 40, 230, "Attach a file")
        if 1000 <= t < 2600:
            canvas.rectangle((40, 164, 400, 300), fill="#e0e8f4", outline="#405060")
            for number, option in enumerate(options):
                write(canvas, 52, 176 + 42 * number, option)

    opened, chosen = watcher.see(scene, 3800).timeline
    assert (opened.kind, opened.t_ms) == (EventKind.APPEARED, 1000)
    assert (chosen.before, chosen.text) == ("Choose one", "A bill")


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:5000"])
def test_of_a_browser_only_the_address_is_told_and_neither_its_tab_nor_where_a_link_leads(
    watcher: Watcher, host: str
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((0, 0, WIDTH, 70), fill="#dde2ea")
        write(canvas, 40, 8, "Stations" if t < 1000 else "Weather today", size=16)
        write(canvas, 60, 40, f"{host}/stations" if t < 1000 else f"{host}/weather", size=16)
        write(canvas, 60, 120, "Ostend and Leith" if t < 1000 else "Rain in the west, later dry", size=24)
        write(canvas, 60, 220, "Two stations are known" if t < 1000 else "Four degrees in the morning", size=24)
        if t >= 1800:
            write(canvas, 8, HEIGHT - 22, f"{host}/query/", size=14)

    (event,) = watcher.see(scene, 3000).timeline
    assert event.kind is EventKind.NAVIGATED
    assert f"{host}/weather" in event.description
    assert "today" not in event.description


def test_a_command_that_is_edited_is_typed_from_what_stood_to_what_stands(watcher: Watcher) -> None:
    first, second = "forge --chain cosmos", "forge --chain celestia"
    kept = len("forge --chain c")

    def scene(canvas: Draw, t: int) -> None:
        shown = first
        if t >= 2400:
            shown = second[: min(kept + (t - 2400) // 120 + 1, len(second))]
        elif t >= 1000:
            shown = first[: max(kept, len(first) - (t - 1000) // 120 - 1)]
        heading(canvas)
        write(canvas, 40, 120, f"> {shown}")

    (event,) = watcher.see(scene, 4800).timeline
    assert event.kind is EventKind.TYPED
    assert (event.text or "").endswith(second)
    assert (event.before or "").endswith(first)


def test_addresses_that_a_program_puts_one_after_the_other_are_not_typed(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((0, 0, WIDTH, 70), fill="#dde2ea")
        path = "login" if t < 1000 else "" if t < 1200 else "products/4"
        write(canvas, 60, 24, f"http://localhost:8080/#/{path}", size=16)
        write(canvas, 60, 160, "Sign in to the harbour" if t < 1000 else "Four lamps for the mast", size=24)

    assert EventKind.TYPED not in {event.kind for event in watcher.see(scene, 2600).timeline}


@pytest.mark.nightly
def test_how_long_a_test_took_so_far_is_no_event(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        write(canvas, 60, 160, "The basket is filled and paid", size=24)
        if t >= 1000:
            write(canvas, 600, 160, "11ms" if t < 1600 else "613ms", size=24)

    assert watcher.see(scene, 2600).timeline == ()
