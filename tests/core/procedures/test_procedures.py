"""What is remembered of findings and an input log: what was done, in order, each undertaking by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from core.analysis import Event, EventKind, Findings, Sighting
from core.input_log import Clicked, Focused, InputEvent, InputLog, Pressed, Typed
from core.procedures.procedures import procedures_of

if TYPE_CHECKING:
    from core.analysis import Region
    from core.memory import Procedure

BEGAN = datetime(2026, 11, 21, 9, tzinfo=UTC)
DURATION = 300_000


def text(words: str, region: Region, t_ms: int = 0, until_ms: int | None = None, **more: Any) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, until_ms=until_ms, region=region, **more)


def told(
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
    (procedure,) = told(NEW_KEY, *FORM, ADDED, timeline=(NAMED,), events=ADDING)

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
    (procedure,) = told(NEW_KEY, *FORM, ADDED, timeline=(NAMED, shown))

    assert procedure.inferred
    assert [step.text for step in procedure.steps] == [
        'Typed "alxdws2" into the "Title" field',
        'The screen changed to "Key added"',
    ]


def test_a_hidden_value_is_nowhere() -> None:
    hidden = NAMED.model_copy(update={"text": None})
    (procedure,) = told(
        text("Password", (60, 120, 80, 16)),
        text("•••••••", (64, 144, 60, 18), 4200),
        timeline=(hidden,),
        events=ADDING[2:4],
    )

    assert [step.text for step in procedure.steps] == ['Typed a hidden value into the "Password" field']
    assert "•" not in procedure.model_dump_json()


def test_nothing_that_was_done_is_no_procedure() -> None:
    assert told(*FORM, events=()) == ()
    assert told(events=None) == ()


def test_another_application_after_a_key_of_the_window_manager_begins_another_undertaking() -> None:
    terminal = (
        Pressed(t_ms=20_000, keys=("alt", "tab")),
        Focused(t_ms=20_100, application="XTerm", title="work"),
        Typed(t_ms=22_000, until_ms=24_000, count=7),
        Pressed(t_ms=24_500, keys=("enter",)),
    )
    first, second = told(NEW_KEY, *FORM, ADDED, timeline=(NAMED,), events=(*ADDING, *terminal))

    assert len(first.steps) == 3
    assert second.steps[0].text == "Opened XTerm \u2013 work"
    assert second.applications == ("XTerm",)
