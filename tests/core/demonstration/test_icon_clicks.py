"""What is told of a click on no words: the icon that a look found there, or nothing."""

import pytest

from core.analysis import Action, ActionKind, EventKind, Findings
from core.demonstration.looks import Look, moments_of
from tests.core.demonstration.film_helpers import event, steps, task_of, text

ROWS = (
    text("Hendrix", region=(40, 100, 60, 16)),
    text("Programmer", region=(200, 100, 90, 16)),
    text("Darlan", until_ms=3000, region=(40, 140, 60, 16)),
    text("Programmer", until_ms=3000, region=(200, 140, 90, 16)),
)
GONE = event(EventKind.VANISHED, 3000, "Darlan · Programmer", (40, 140, 250, 16), cause=0)
BIN = Action(t_ms=3000, kind=ActionKind.CLICK, region=(400, 148, 1, 1), confidence=0.5, description="")
PHRASE = 'the last icon in the row of "Darlan"'
SEEN = {3000: Look(phrase=PHRASE)}


def test_an_icon_that_was_found_in_its_row_is_clicked() -> None:
    assert steps(task_of((GONE,), ROWS, (BIN,), looks=SEEN))[-1] == f"Click {PHRASE}."


@pytest.mark.parametrize("why", ["no icon", "another row went", "typed at once", "chosen there"])
def test_what_may_not_be_the_icon_is_asked_about(why: str) -> None:
    gone = GONE.model_copy(update={"region": (40, 100, 250, 16)}) if why == "another row went" else GONE
    typed = event(EventKind.TYPED, 3600, "176", (40, 180, 40, 16), until_ms=4200, cause=1)
    written = Action(t_ms=3600, kind=ActionKind.TYPE, value="176", region=typed.region, confidence=0.95, description="")
    chosen = written.model_copy(update={"kind": ActionKind.CHOOSE, "t_ms": 5000, "region": (390, 140, 40, 16)})
    then = (typed,) if why == "typed at once" else ()
    actions = (BIN, *([written] if then else [chosen] if why == "chosen there" else []))

    left = event(EventKind.APPEARED, 3100, "One person is left", cause=0)
    told = steps(task_of((gone, left, *then), ROWS, actions, looks={} if why == "no icon" else SEEN))

    assert not [step for step in told if "icon" in step]


def test_it_is_looked_for_in_the_row_of_a_text_that_stands_once() -> None:
    (moment,) = moments_of(Findings(timeline=(GONE,), sightings=ROWS, actions=(BIN,)), None, 9000)

    assert (moment.x, moment.y, moment.names) == (400, 148, ("Darlan",))
    assert moment.before_ms < 3000


def test_nothing_is_looked_for_where_nothing_came_of_a_click() -> None:
    alone = GONE.model_copy(update={"cause": None})

    assert not moments_of(Findings(timeline=(alone,), sightings=ROWS, actions=(BIN,)), None, 9000)


def test_what_was_typed_names_its_row_before_other_words() -> None:
    typed = event(EventKind.TYPED, 500, "Darlan", (40, 300, 60, 16), until_ms=900)
    rows = (*ROWS, text("Baker", region=(10, 140, 28, 16)))

    (_, moment) = moments_of(Findings(timeline=(typed, GONE), sightings=rows, actions=(BIN,)), None, 9000)

    assert moment.names == ("Darlan", "Baker")
