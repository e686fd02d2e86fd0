"""Two films of one task: other values are no question, one tells what the other could not, the rest is asked."""

from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import task_fields
from core.tasks.learning import merged
from core.tasks.parameters import parametrised
from core.tasks.plan import blocked_question
from core.tasks.questions import QuestionState

GAP = "Do what was done at 00:04 (see the questions)."
ASKED = blocked_question(3, GAP, "it cannot be told from the video alone")


def film(*lines: str, shown: str = "Parcel sent", asked: tuple[str, ...] = ()) -> Heartbeat:
    plan = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    text = f'# Task\nTitle: Send a parcel\nSuccessCriteria:\n- "{shown}" is shown.\nSuggestedPlan:\n{plan}\n'
    document = Heartbeat(f"{text}\n## Questions\n- None.\n")
    return document.with_questions(asked) if asked else document


def lines(document: Heartbeat) -> list[str]:
    return list(task_fields(document)["SuggestedPlan"].items)


OPEN, SEND = 'Open "http://localhost:8000" in the browser.', 'Click "Send".'
ADA, BOB = 'Type "Ada" into the "Name" field.', 'Type "Bob" into the "Name" field.'
TICK = 'Click "Express".'


def test_another_value_is_a_parameter_and_no_question() -> None:
    first, second = (
        film(OPEN, ADA, SEND, shown="Parcel for Ada sent"),
        film(OPEN, BOB, SEND, shown="Parcel for Bob sent"),
    )
    both = merged(first, second)

    assert both == first
    assert [(each.name, each.example) for each in parametrised(both).parameters] == [("Name", "Ada")]


def test_what_one_film_could_not_tell_is_told_by_the_other_and_no_longer_asked() -> None:
    both = merged(film(OPEN, ADA, GAP, SEND, asked=(ASKED,)), film(OPEN, BOB, TICK, SEND))

    assert lines(both) == [OPEN, ADA, TICK, SEND]
    assert [each.state for each in both.questions] == [QuestionState.STALE]
    assert merged(film(OPEN, BOB, TICK, SEND), film(OPEN, ADA, GAP, SEND, asked=(ASKED,))) == film(
        OPEN, BOB, TICK, SEND
    )


def test_a_step_that_only_the_first_film_shows_stays_and_is_asked_about() -> None:
    both = merged(film(OPEN, ADA, TICK, SEND), film(OPEN, BOB, SEND))
    (asked,) = both.questions

    assert lines(both) == [OPEN, ADA, TICK, SEND]
    assert asked.text.startswith('Step 3, “Click "Express".”: only one of the recordings shows it.')


def test_a_step_that_only_the_second_film_shows_is_asked_about_and_not_taken() -> None:
    both = merged(film(OPEN, ADA, SEND), film(OPEN, BOB, TICK, SEND))
    (asked,) = both.questions

    assert lines(both) == [OPEN, ADA, SEND]
    assert (
        'another recording shows one more step. It looks like: Type "Ada" into the "Name" field. Click "Express".'
        in asked.text
    )


def test_merged_twice_it_asks_nothing_more() -> None:
    second = film(OPEN, BOB, TICK, SEND)
    once = merged(film(OPEN, ADA, SEND), second)

    assert merged(once, second) == once


def test_another_way_altogether_is_one_question() -> None:
    both = merged(film(OPEN, ADA, SEND), film('Open the application "mail".', 'Press "Ctrl+N".', 'Type "Hi".'))

    assert [each.text.partition(":")[0] for each in both.questions] == ["The newer recording has another SuggestedPlan"]
