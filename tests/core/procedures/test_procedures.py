"""What is remembered of findings and an input log: what was done, in order, each undertaking by itself."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.analysis import Event, EventKind, Findings, Region, Sighting
from core.memory import Procedure
from core.plans.phrasing import marks
from core.procedures.procedures import procedures_of
from core.recording.input_log import Clicked, Focused, InputEvent, InputLog, Pressed, Typed

BEGAN = datetime(2026, 11, 21, 9, tzinfo=UTC)
DURATION = 300_000


def text(words: str, region: Region, t_ms: int = 0, until_ms: int | None = None, **more: Any) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, until_ms=until_ms, region=region, **more)


def read_reports(
    *sightings: Sighting, timeline: tuple[Event, ...] = (), events: tuple[InputEvent, ...] | None = None, **more: Any
) -> tuple[Procedure, ...]:
    log = None if events is None else InputLog(width=1280, height=720, events=events)
    options: dict[str, Any] = {"video": "segment", "source": "recorder", "started_at": BEGAN, "duration_ms": DURATION}
    return procedures_of(Findings(timeline=timeline, sightings=sightings), log, **{**options, **more})


FIREFOX = Focused(t_ms=0, application="Firefox", title="GitHub settings \u2014 Mozilla Firefox")
NEW_KEY = text("New SSH key", (1000, 100, 100, 20), 0, 2200)
FORM = (
    text("Add new SSH key", (60, 60, 240, 30), 2400, 8400),
    text("Title", (60, 120, 40, 16), 2400, 8400),
    text("Add SSH key", (60, 300, 100, 16), 2400, 8400),
)
NAMED = Event(
    t_ms=4100, until_ms=5200, kind=EventKind.TYPED, text="alxdws2", region=(64, 144, 60, 18), confidence=0.98,
    description='"alxdws2" was typed into "Title".',
)  # fmt: skip
ADDED = text("Key added", (60, 60, 120, 24), 8600)
ADDING = (
    FIREFOX,
    Clicked(t_ms=2100, x=1050, y=110),
    Clicked(t_ms=3600, x=200, y=152),
    Typed(t_ms=4000, until_ms=5100, count=7),
    Clicked(t_ms=8200, x=110, y=308),
)


def test_adding_a_key_is_told_in_steps_that_quote_the_screen() -> None:
    (procedure,) = read_reports(NEW_KEY, *FORM, ADDED, timeline=(NAMED,), events=ADDING)

    assert [step.text for step in procedure.steps] == [
        'Clicked "New SSH key" in Firefox \u2013 GitHub settings, and "Add new SSH key" appeared',
        'Typed "alxdws2" into the "Title" field',
        'Clicked "Add SSH key", and "Key added" appeared',
    ]
    assert not procedure.inferred
    assert procedure.summary == (
        'Typed "alxdws2" into the "Title" field and clicked "Add SSH key" in Firefox \u2013 GitHub settings; '
        '"Key added" appeared'
    )
    assert (procedure.applications, procedure.titles) == (("Firefox",), ("GitHub settings",))
    assert procedure.started_at == datetime(2026, 11, 21, 9, 0, 2, 100_000, tzinfo=UTC)
    assert (procedure.start_ms, procedure.end_ms) == (2100, 9600)
    assert "Key added" in procedure.texts


def test_without_a_log_it_is_told_as_far_as_the_screen_shows_it() -> None:
    shown = Event(t_ms=8600, kind=EventKind.NAVIGATED, text="Key added", confidence=0.9, description="")
    (procedure,) = read_reports(NEW_KEY, *FORM, ADDED, timeline=(NAMED, shown))

    assert procedure.inferred
    assert [step.text for step in procedure.steps] == [
        'Typed "alxdws2" into the "Title" field',
        'The screen changed to "Key added"',
    ]


def test_a_hidden_value_is_nowhere() -> None:
    hidden = NAMED.model_copy(update={"text": None})
    (procedure,) = read_reports(
        text("Password", (60, 120, 80, 16)),
        text("•••••••", (64, 144, 60, 18), 4200),
        timeline=(hidden,),
        events=ADDING[2:4],
    )

    assert [step.text for step in procedure.steps] == ['Typed a hidden value into the "Password" field']
    assert "•" not in procedure.model_dump_json()


def test_nothing_that_was_done_is_no_procedure() -> None:
    assert read_reports(*FORM, events=()) == ()
    assert read_reports(events=None) == ()


def test_another_application_after_a_key_of_the_window_manager_begins_another_undertaking() -> None:
    terminal = (
        Pressed(t_ms=20_000, keys=("alt", "tab")),
        Focused(t_ms=20_100, application="XTerm", title="work"),
        Typed(t_ms=22_000, until_ms=24_000, count=7),
        Pressed(t_ms=24_500, keys=("enter",)),
    )
    first, second = read_reports(NEW_KEY, *FORM, ADDED, timeline=(NAMED,), events=(*ADDING, *terminal))

    assert len(first.steps) == 3
    assert second.steps[0].text == "Opened XTerm \u2013 work"
    assert second.applications == ("XTerm",)


def test_a_value_of_a_field_that_is_called_a_secret_is_told_nowhere() -> None:
    token = "plainword99"
    shown = NAMED.model_copy(update={"text": token})
    again = Event(
        t_ms=9000, until_ms=9900, kind=EventKind.TYPED, text=token, region=(64, 444, 60, 18), confidence=0.98,
        description="",
    )  # fmt: skip
    (procedure,) = read_reports(
        text("API token", (60, 120, 80, 16)),
        text("Repeat it", (60, 420, 80, 16)),
        text("plainw", (64, 144, 30, 18), 4200, 4600),
        text(token, (64, 144, 60, 18), 4600),
        text(f"Your token {token}", (64, 644, 60, 18), 12_400),
        timeline=(shown, again),
        events=(
            Focused(t_ms=0, application="Firefox", title="Tokens"),
            Clicked(t_ms=3600, x=90, y=152),
            Typed(t_ms=4000, until_ms=5100, count=len(token)),
            Clicked(t_ms=8600, x=90, y=452),
            Typed(t_ms=9000, until_ms=9900, count=len(token)),
            Clicked(t_ms=12_000, x=80, y=150),
        ),
    )

    assert [step.text for step in procedure.steps] == [
        'Typed a hidden value into the "API token" field in Firefox \u2013 Tokens',
        'Typed a hidden value into the "Repeat it" field',
        "Clicked at the top left",
    ]
    assert "plainw" not in procedure.model_dump_json()


@pytest.mark.parametrize(
    ("application", "title"),
    [
        ("KeePassXC", "Secrets.kdbx - KeePassXC"),
        ("Firefox", "Secrets \u2014 Mozilla Firefox Private Browsing"),
        ("Chromium", "Vaider - Chromium"),
    ],
)
def test_what_was_done_in_a_window_that_is_nobodys_business_is_not_told(application: str, title: str) -> None:
    (procedure,) = read_reports(
        NEW_KEY,
        *FORM,
        events=(
            FIREFOX,
            Clicked(t_ms=2100, x=1050, y=110),
            Focused(t_ms=20_000, application=application, title=title),
            Clicked(t_ms=22_000, x=110, y=308),
            Typed(t_ms=23_000, until_ms=24_000, count=9),
        ),
    )

    assert [step.t_ms for step in procedure.steps] == [2100]
    assert "Secrets" not in procedure.model_dump_json()


def test_a_pause_of_two_minutes_begins_another_undertaking() -> None:
    later = (Clicked(t_ms=200_000, x=1050, y=110), Clicked(t_ms=205_000, x=1050, y=110))
    menu = text("Menu", (1000, 100, 100, 20), 9000)
    first, second = read_reports(NEW_KEY, *FORM, ADDED, menu, timeline=(NAMED,), events=(*ADDING, *later))

    assert second.start_ms == 200_000
    assert [step.text for step in second.steps] == ['Clicked "Menu" twice in Firefox \u2013 GitHub settings']
    assert first.id != second.id


def test_a_short_trip_to_copy_something_is_part_of_the_undertaking() -> None:
    trip = (
        FIREFOX,
        Clicked(t_ms=2100, x=1050, y=110),
        Focused(t_ms=3000, application="XTerm", title="work"),
        Pressed(t_ms=6000, keys=("ctrl", "shift", "c")),
        Focused(t_ms=8000, application="Firefox", title="Add new SSH key \u2014 Mozilla Firefox"),
        Pressed(t_ms=9000, keys=("ctrl", "v")),
    )
    (procedure,) = read_reports(NEW_KEY, *FORM, events=trip)

    assert [step.text for step in procedure.steps] == [
        'Clicked "New SSH key" in Firefox \u2013 GitHub settings, and "Add new SSH key" appeared',
        "Opened XTerm \u2013 work",
        "Copied with Ctrl+Shift+C",
        "Switched to Firefox \u2013 Add new SSH key",
        "Pasted with Ctrl+V",
    ]
    assert procedure.applications == ("Firefox", "XTerm")


def test_a_form_that_was_saved_is_done_with_when_the_next_one_is_filled_in() -> None:
    again = (Clicked(t_ms=14_000, x=200, y=152), Typed(t_ms=14_500, until_ms=15_500, count=5))
    second_name = NAMED.model_copy(update={"t_ms": 14_600, "until_ms": 15_600, "text": "alice"})
    form = text("Title", (60, 120, 40, 16), 9000)
    first, second = read_reports(NEW_KEY, *FORM, ADDED, form, timeline=(NAMED, second_name), events=(*ADDING, *again))

    assert first.steps[-1].text == 'Clicked "Add SSH key", and "Key added" appeared'
    assert second.steps[0].text == 'Typed "alice" into the "Title" field in Firefox \u2013 GitHub settings'


def test_a_click_on_nothing_that_was_read_is_told_by_its_place_and_what_came_of_it() -> None:
    menu = text("Add new", (1100, 80, 90, 18), 2400)
    shown = Event(t_ms=2400, kind=EventKind.APPEARED, text="Add new", confidence=0.9, description="")
    (procedure,) = read_reports(menu, timeline=(shown,), events=(FIREFOX, Clicked(t_ms=2100, x=1200, y=40)))

    assert [step.text for step in procedure.steps] == [
        'Clicked at the top right in Firefox \u2013 GitHub settings, after which "Add new" appeared'
    ]


def test_a_log_of_another_size_is_brought_to_the_videos() -> None:
    log = InputLog(width=2560, height=1440, events=(Clicked(t_ms=2100, x=2100, y=220),))
    (procedure,) = procedures_of(
        Findings(sightings=(NEW_KEY,)),
        log,
        video="v",
        source="recorder",
        started_at=BEGAN,
        duration_ms=9000,
        size=(1280, 720),
    )

    assert procedure.steps[0].text == 'Clicked "New SSH key"'


def test_an_address_that_was_typed_and_sent_is_a_page_that_was_opened() -> None:
    typed = NAMED.model_copy(update={"text": "example.org/keys", "region": (140, 54, 120, 18)})
    (procedure,) = read_reports(
        timeline=(typed,),
        events=(
            FIREFOX,
            Pressed(t_ms=3000, keys=("ctrl", "l")),
            Typed(t_ms=4000, until_ms=5200, count=16),
            Pressed(t_ms=5600, keys=("enter",)),
            Focused(t_ms=6500, application="Firefox", title="Keys \u2014 Mozilla Firefox"),
        ),
    )

    assert [step.text for step in procedure.steps] == [
        'Opened the page "example.org/keys" in Firefox \u2013 GitHub settings, and "Keys" appeared'
    ]


def test_the_last_switch_of_a_recording_that_goes_on_waits_for_what_it_was_for() -> None:
    events = (*ADDING, Focused(t_ms=20_000, application="XTerm", title="work"))

    assert len(read_reports(NEW_KEY, *FORM, ADDED, timeline=(NAMED,), events=events)) == 2
    assert len(read_reports(NEW_KEY, *FORM, ADDED, timeline=(NAMED,), events=events, complete=False)) == 1


def _sent(*lines: tuple[int, str, str], application: str) -> tuple[tuple[Event, ...], tuple[InputEvent, ...]]:
    """Lines that are typed and sent one after another: when, what, and what stood there before."""
    shown = tuple(
        Event(
            t_ms=t_ms + 100, until_ms=t_ms + 900, kind=EventKind.TYPED, text=f"{before}{line}", before=before,
            region=(20, 40 + t_ms // 500, 200, 18), confidence=0.98, description="",
        )
        for t_ms, line, before in lines
    )  # fmt: skip
    done: list[InputEvent] = [Focused(t_ms=0, application=application, title="work")]
    for t_ms, line, _ in lines:
        letters = len(line)
        done += [Typed(t_ms=t_ms, until_ms=t_ms + 800, count=letters), Pressed(t_ms=t_ms + 1200, keys=("enter",))]
    return shown, tuple(done)


def test_commands_one_after_another_are_one_undertaking_though_one_says_that_it_succeeded() -> None:
    timeline, events = _sent((2000, "make install", "$ "), (9000, "make check", "$ "), application="XTerm")
    installed = text("Successfully installed the boat", (20, 60, 300, 18), 4000)
    (procedure,) = read_reports(installed, timeline=timeline, events=events)

    assert [step.text for step in procedure.steps] == [
        'Ran "make install" in XTerm \u2013 work, and "Successfully installed the boat" appeared',
        'Ran "make check"',
    ]
    assert procedure.summary == (
        'Ran "make install" and "make check" in XTerm \u2013 work; "Successfully installed the boat" appeared'
    )


@pytest.mark.parametrize(
    ("read", "command"),
    [('"uname', "uname"), ("uname", "uname"), ('"./my tool" run', '"./my tool" run')],
    ids=["the cursor was read as a quotation mark", "as it stands", "what is quoted stays so"],
)
def test_a_command_that_only_the_film_shows_is_told_without_the_cursor_before_it(read: str, command: str) -> None:
    timeline, _ = _sent((2000, read, "work: "), application="XTerm")
    (procedure,) = read_reports(timeline=timeline)

    assert [step.text for step in procedure.steps] == [f"Typed {marks(command)}"]


def test_letters_that_nothing_names_are_told_as_typed_only_if_they_were_seen_to_grow() -> None:
    place = (64, 444, 90, 18)
    line = Event(
        t_ms=9000, until_ms=10_000, kind=EventKind.TYPED, text="Sea area", region=place, confidence=0.98, description=""
    )
    grown = [text("Sea area"[:letters], place, 8000 + 500 * letters // 2) for letters in (4, 6, 8)]

    assert [step.text for step in read_reports(*grown, timeline=(line,))[0].steps] == ['Typed "Sea area"']
    assert [step.text for step in read_reports(grown[-1], timeline=(line,))[0].steps] == ['"Sea area" appeared']


def test_the_edge_of_a_field_that_was_read_as_a_bracket_is_no_part_of_what_was_typed() -> None:
    edged = NAMED.model_copy(update={"text": "[alxdws2"})
    (procedure,) = read_reports(NEW_KEY, *FORM, ADDED, timeline=(edged,))

    assert [step.text for step in procedure.steps] == ['Typed "alxdws2" into the "Title" field']


def test_a_command_that_sets_a_secret_is_not_told() -> None:
    timeline, events = _sent((2000, "export API_TOKEN=boat", "$ "), application="XTerm")
    (procedure,) = read_reports(timeline=timeline, events=events)

    assert [step.text for step in procedure.steps] == ["Ran a command that is not told in XTerm \u2013 work"]
    assert "boat" not in procedure.model_dump_json()
