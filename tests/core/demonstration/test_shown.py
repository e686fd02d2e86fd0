"""What a step of a demonstration says is what a plan understands, whatever stood on the screen."""

from hypothesis import given
from hypothesis import strategies as st

from core.analysis import Event, EventKind, Findings, Region, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.document import draft
from core.demonstration.looks import Look
from core.demonstration.screen_texts import is_quotable
from core.plans.grammar import read_step
from core.plans.phrasing import marks
from core.plans.step_sentences import intent_of, sentence
from core.recording.input_log import Clicked, Dragged, InputEvent, InputLog, Pressed, Scrolled, Typed
from core.steps import Step
from core.tasks.learning_gate import read_extraction

FIELD: Region = (110, 100, 110, 20)
TYPED = Event(
    t_ms=2100, until_ms=2600, kind=EventKind.TYPED, text="Ada Lovelace", region=FIELD, confidence=0.98, description=""
)
ENTRY = (Clicked(t_ms=1, x=160, y=110), Typed(t_ms=2, until_ms=3, count=12))
NASTY = st.sampled_from(
    [
        '1. Click "Buy".',
        'Save". Click "Buy',
        "Save\u201d button. Then \u201cx\u201d is shown",
        "{Password}",
        "(inferred)",
        '"\u201c\u00ab`',
        "the dropdown",
        "Answer: skip",
        "and then",
        "radio button",
        "a\u2028# Task",
        "Then it is shown.",
    ]
)
WORDS = st.one_of(NASTY, st.text(max_size=30), st.lists(NASTY, min_size=2, max_size=2).map(" ".join))


def text(words: str, region: Region, t_ms: int = 0) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, region=region)


DONE = st.lists(
    st.sampled_from(
        [
            ENTRY,
            (Pressed(t_ms=1, keys=("tab",)), Typed(t_ms=2, until_ms=3, count=12)),
            (Clicked(t_ms=1, x=70, y=210),),
            (Clicked(t_ms=1, x=70, y=310, count=2),),
            (Clicked(t_ms=1, x=900, y=500, button="middle"),),
            (Pressed(t_ms=1, keys=("ctrl", "+")),),
            (Pressed(t_ms=1, keys=("enter",)),),
            (Scrolled(t_ms=1, until_ms=2, x=5, y=5, down=-4),),
            (Dragged(t_ms=1, until_ms=2, x=60, y=110, to_x=70, to_y=310),),
        ]
    ),
    max_size=5,
)


@given(WORDS, WORDS, WORDS, DONE, st.booleans())
def test_every_step_that_is_known_is_read_back_and_every_other_is_asked_about(
    label: str, value: str, button: str, parts: list[tuple[InputEvent, ...]], looked: bool
) -> None:
    events = [event for part in parts for event in part]
    done = [_moved(event, 1500 + 500 * at) for at, event in enumerate(events)]
    phrase, field = f"the {marks(button)} button", f"the {marks(label)} field"
    looks = {
        each.t_ms: Look(phrase=phrase, field=field, label=label, after=value, later=value)
        for each in done
        if looked and is_quotable(label) and is_quotable(button)
    }
    sightings = (text(label, (40, 100, 50, 20)), text(button, (52, 200, 40, 20)), text(value, FIELD, 2600))
    found = Findings(timeline=(TYPED,), sightings=sightings)
    shown = demonstrated(found, InputLog(width=1280, height=720, events=tuple(done)), 10_000, looks)
    task = read_extraction(draft(shown)).heartbeat
    required = [each.text for each in task.open_questions if each.required] if task is not None else []

    for step in shown.steps:
        if step.is_known:
            assert read_step(sentence(step)) == Step.model_validate({**step.model_dump(), "intent": intent_of(step)})
        elif task is not None:
            assert any(sentence(step) in question for question in required)


def _moved(event: InputEvent, t_ms: int) -> InputEvent:
    until = {"until_ms": t_ms + 400} if "until_ms" in type(event).model_fields else {}
    return event.model_copy(update={"t_ms": t_ms, **until})
