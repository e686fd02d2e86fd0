"""Which effects a recording suggests, and what they are in the task that is learned of it."""

import pytest

from core.analysis import Event, EventKind, Findings, Region, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.document import draft
from core.recording.input_log import Clicked, Focused, InputEvent, InputLog, Typed
from core.tasks.heartbeat import Heartbeat
from core.tasks.learning_gate import read_extraction
from core.tasks.parameters import parametrised
from core.tasks.workflow import as_workflow

DURATION = 10_000
FIELDS = (("Name", "Ada Lovelace", 100), ("City", "Rome", 140))


def text(words: str, region: Region, t_ms: int = 0, until_ms: int | None = None) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, until_ms=until_ms, region=region)


def typing(value: str, y: int, t_ms: int) -> tuple[Event, Sighting, tuple[InputEvent, ...]]:
    region = (110, y, 10 * len(value), 20)
    event = Event(
        t_ms=t_ms + 100, until_ms=t_ms + 600, kind=EventKind.TYPED, text=value, region=region, confidence=0.98,
        description="",
    )  # fmt: skip
    done = (Clicked(t_ms=t_ms - 500, x=160, y=y + 10), Typed(t_ms=t_ms, until_ms=t_ms + 600, count=len(value)))
    return event, text(value, region, t_ms + 600, 5000), done


def learned(*later: Sighting, fields: tuple[tuple[str, str, int], ...] = FIELDS) -> Heartbeat:
    """A form that is filled in and saved; ``later`` is what the page shows then."""
    entries = [typing(value, y, 2000 + at * 1000) for at, (_, value, y) in enumerate(fields)]
    form = [text(label, (40, y, 50, 20), 0, 5000) for label, _, y in fields]
    save, address = text("Save", (52, 200, 40, 20), 0, 5000), text("localhost:8000/new", (200, 60, 200, 16), 0, 5000)
    events = [event for event, _, _ in entries]
    events.append(Event(t_ms=5200, kind=EventKind.APPEARED, text="Members", confidence=0.98, description=""))
    log = InputLog(
        width=1280,
        height=720,
        events=(
            Focused(t_ms=0, application="Chromium", title="Crew - Chromium"),
            *(each for _, _, done in entries for each in done),
            Clicked(t_ms=5000, x=70, y=210),
        ),
    )
    sightings = (
        *form,
        save,
        address,
        *(seen for _, seen, _ in entries),
        text("Members", (40, 100, 200, 34), 5200),
        *later,
    )
    task = read_extraction(draft(demonstrated(Findings(timeline=tuple(events), sightings=sightings), log, DURATION)))
    assert task.heartbeat is not None
    return task.heartbeat


LIST = (
    text("localhost:8000/members", (200, 60, 200, 16), 5200),
    text("Name", (40, 200, 50, 20), 5200),
    text("CITY", (300, 200, 50, 20), 5200),
    text("Bob", (40, 240, 30, 20), 5200),
    text("Oslo", (300, 240, 30, 20), 5200),
    text("Ada Lovelace", (40, 280, 120, 20), 5200),
    text("Rome", (300, 280, 40, 20), 5200),
)


def proposals(task: Heartbeat) -> list[str]:
    return [each.text for each in task.open_questions if "Shall a run read this itself" in each.text]


def test_the_list_that_was_shown_after_saving_is_proposed_and_an_effect_once_agreed_to() -> None:
    task = learned(*LIST)
    (asked,) = [each for each in task.open_questions if each.text in proposals(task)]

    assert asked.text.endswith(
        'The page "http://localhost:8000/members" has one more row: '
        '"Name" is "Ada Lovelace", "City" is "Rome". Just once.'
    )
    assert not asked.required
    (effect,) = as_workflow(parametrised(task.with_answer(asked.id, "yes"))).effects
    assert effect.expect == {"Name": "{Name}", "City": "{City}"}


def test_what_is_read_of_neighbouring_columns_may_be_one_text() -> None:
    joined = (
        LIST[0],
        text("Name CITY", (40, 200, 300, 20), 5200),
        text("Bob Oslo", (40, 240, 300, 20), 5200),
        text("Ada Lovelace Rome", (40, 280, 300, 20), 5200),
    )
    swapped = (*joined[:1], text("CITY Name", (40, 200, 300, 20), 5200), *joined[2:])

    assert len(proposals(learned(*joined))) == 1
    assert proposals(learned(*swapped)) == []


@pytest.mark.parametrize(
    "left_out",
    ["localhost:8000/members", "Name", "CITY", "Ada Lovelace", "Rome"],
)
def test_what_the_recording_does_not_show_whole_is_not_proposed(left_out: str) -> None:
    assert proposals(learned(*(each for each in LIST if each.text != left_out))) == []


def test_the_file_whose_path_was_typed_is_proposed_with_the_text() -> None:
    task = learned(fields=(("Text", "Dear Bob", 100), ("File name", "~/letter.txt", 140)))

    (asked,) = proposals(task)
    assert asked.endswith('The file "~/letter.txt" is written: "text" is "Dear Bob".')
