import pytest

from core.errors import InvalidRequest
from core.tasks.heartbeat import Heartbeat
from core.tasks.moments import plan_steps, proposed_answers, with_moments, with_plan

TEXT = """\
# Task
Title: Order a mug
SuccessCriteria:
- "Order confirmed" is shown.
SuggestedPlan:
1. Open what was open when the recording began (see the questions).
2. Type "mug" into the "Search" field. (inferred)
3. Do what was done from 00:03 to 00:09 (see the questions).

4. Click "Place order".
Evidence:
- [00:02-00:02] Step 2 (inferred): Type "mug" into the "Search" field.
- [00:03-00:09] Step 3 (inferred): Do what was done from 00:03 to 00:09 (see the questions).
- [01:14-01:15] Step 4: Click "Place order".

## Questions
- [required] Step 3, "Do what was done from 00:03 to 00:09 (see the questions).": what was clicked or pressed from 00:03 to 00:09, before "At 12:00" appeared, cannot be told from the video alone. What is to be done instead?
- [required] Step 4, "Click \\"Place order\\".": it was not seen. What is to be done instead?
- [ ] Which shop is meant?
"""  # noqa: E501 - as it is written
TWO_READINGS = (
    'Step 2, "Type {Value}.": What was typed at 00:05 looks like "Ada", and a moment later like "Ado". What is {Value}?'
)
TASK = Heartbeat(TEXT.replace('\\"', "'"))


def test_each_step_has_the_moment_that_the_evidence_tells() -> None:
    steps = plan_steps(Heartbeat(TEXT))

    assert [(each.t_ms, each.until_ms) for each in steps] == [
        (0, 0),
        (2000, 2000),
        (3000, 9000),
        (74_000, 75_000),
    ]
    assert [each.inferred for each in steps] == [False, True, False, False]
    assert steps[1].text == 'Type "mug" into the "Search" field.'


def test_a_step_keeps_its_moment_when_it_is_moved_and_one_that_was_reworded_by_its_number() -> None:
    before = [each.text for each in plan_steps(Heartbeat(TEXT))]
    moved = with_plan(Heartbeat(TEXT), [before[1], before[3], "Click the third result."])

    assert [each.t_ms for each in plan_steps(moved)] == [2000, 74_000, 3000]


def test_another_plan_changes_no_other_line() -> None:
    before = [each.text for each in plan_steps(Heartbeat(TEXT))]
    changed = with_plan(Heartbeat(TEXT.replace("\n", "\r\n")), [before[0], before[1], 'Click "Search".', before[3]])

    wanted = TEXT.replace("3. Do what was done from 00:03 to 00:09 (see the questions).\n\n", '3. Click "Search".\n')
    assert changed.text == wanted.replace("\n", "\r\n")


def test_a_task_without_a_plan_gets_one() -> None:
    changed = with_plan(Heartbeat("# Task\nTitle: A\n\n## Questions\n"), ["Press Enter."])

    assert changed.text == "# Task\nTitle: A\nSuggestedPlan:\n1. Press Enter.\n\n## Questions\n"


@pytest.mark.parametrize("steps", [[], ["Press Enter.", "  "], ["x"] * 501])
def test_what_is_no_plan_is_refused(steps: list[str]) -> None:
    with pytest.raises(InvalidRequest, match="A plan has 1 to 500 steps"):
        with_plan(Heartbeat(TEXT), steps)


@pytest.mark.parametrize("step", ["# Task", "- [ ] ```", "Title: B", "1. 2. 3.", "<!-- away"])
def test_what_would_be_read_as_something_else_is_refused_or_stays_a_step(step: str) -> None:
    try:
        changed = with_plan(Heartbeat(TEXT), ["Press Enter.", step])
    except InvalidRequest:
        return
    assert [each.text for each in plan_steps(changed)] == ["Press Enter.", step]
    assert changed.questions[0].text == Heartbeat(TEXT).questions[0].text


def test_a_question_has_its_place_in_the_film() -> None:
    asked = with_moments(Heartbeat(TEXT).questions, plan_steps(Heartbeat(TEXT)))

    assert [each.t_ms for each in asked] == [3000, None, None]
    assert with_moments(TASK.questions, plan_steps(TASK))[0].t_ms == 3000


@pytest.mark.parametrize(
    ("question", "proposed"),
    [
        ("Step 3, \"Press 'a'.\": it was not seen. What is to be done instead?", ("skip",)),
        ('Step 2, "Do it.": unclear. It looks like: Click "Save". What is to be done instead?', ("Yes.", "skip")),
        (
            'Step 2, "Do it.": unclear. It looks like: Press Enter. Or: Click "A. Or: B". What is to be done instead?',
            ("Yes.", 'Click "A. Or: B".', "skip"),
        ),
        ('Step 1, "Open what was open.": it is not seen. What is to be done instead?', ()),
        ('Step 2, "Read the total.": the total: is it “1” or “7”?', ("skip",)),
        (TWO_READINGS, ("Ada", "Ado")),
        ('Is the number in "MP3 is saved" another one each time?', ("Yes.", "No.")),
        ('The newer recording says "Bob" to: Who is told? Which answer holds?', ("Bob",)),
        ('The newer recording adds to SuccessCriteria: "Sent". Shall it be added?', ("Yes.", "No.")),
        ("Is the weekend meant too?", ("Yes.", "No.")),
        ("Is it the left one or the right one?", ()),
        ('Which button says "Is it done?"', ()),
        ("Which delivery is meant?", ()),
    ],
)
def test_answers_are_proposed_where_the_question_names_them(question: str, proposed: tuple[str, ...]) -> None:
    assert proposed_answers(question) == proposed
