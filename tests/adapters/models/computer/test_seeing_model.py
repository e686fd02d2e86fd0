"""The fakes' common eye is what makes their coordinates mean something, so it is tested too."""

import pytest

from adapters.models.computer.briefings import subtask_text
from adapters.models.computer.screenshots import Limits, show
from core.runs.deciding import Subtask
from core.screens import Space
from core.steps import Step, Target
from tests.adapters.models.computer.screens import FORM, SIZES, draw_form
from tests.fakes.models.seeing_model import PERSISTENCE, next_call, read_question


def step(kind: str, target: str, value: str | None = None, **more: object) -> Step:
    fields = {"i": 0, "expected_current_state": "", "intent": "Do - it", "post_action": ("done",)}
    return Step.model_validate(
        {**fields, "action_type": kind, "action_value": value, "target": Target(primary=target), **more}
    )


def asked(*steps: Step) -> tuple[str, list[dict[str, object]]]:
    text = subtask_text(Subtask(0, 2, 'Fill it in. Expected outcome: "Saved".', '"Saved".', steps))
    question = read_question(f"# Task\nX\n\n{text}\n\n# Notice\nnone")
    assert question is not None
    return question


def test_a_question_is_read_as_it_was_asked() -> None:
    text, steps = asked(
        step("TYPE", 'the "Name" field', 'a "quoted" - value\nof two lines'),
        step("EXTRACT", "the total", "extract_0", variable_name="extract_0", additional_args={"extract_query": "sum?"}),
        step("DRAG", "").model_copy(update={"target": Target(primary='the "A" card', fallback='the "B" list')}),
    )
    assert text == 'Fill it in. Expected outcome: "Saved".'
    assert [each["action_type"] for each in steps] == ["TYPE", "EXTRACT", "DRAG"]
    assert steps[0]["action_value"] == 'a "quoted" - value\nof two lines'
    assert (steps[1]["variable_name"], steps[1]["additional_args"]) == ("extract_0", {"extract_query": "sum?"})
    assert steps[2]["target"] == {"primary": 'the "A" card', "fallback": 'the "B" list'}
    assert read_question("hello") is None


@pytest.mark.parametrize("size", SIZES)
def test_it_finds_fields_and_buttons_on_every_size_of_screen(size: tuple[int, int]) -> None:
    shown = show(draw_form(size), Limits(edge=1568, patches=1568))
    for target, name in (
        ('the "Name" field', "name"),
        ('the "City" field', "city"),
        ('the "Save" button', "save"),
        ('the second "Delete" button', "delete_2"),
    ):
        call = next_call(shown.png, *asked(step("CLICK", target)), 0)
        assert call.at is not None
        point = Space(shown.width, shown.height, is_picture=True).point(call.at, size)
        assert FORM.place(name, size).contains(point), f"{target} at {call.at}"


def test_typing_goes_into_its_field_first_and_done_comes_last() -> None:
    shown = show(draw_form((1280, 720)), Limits())
    question = asked(step("TYPE", 'the "Name" field', "Ada"), step("KEYPRESS", "the form", "CTRL+S"))
    calls = [next_call(shown.png, *question, done) for done in range(4)]
    assert [call.kind for call in calls] == ["click", "type", "key", "done"]
    assert [call.text for call in calls[1:3]] == ["Ada", "ctrl+s"]


def test_a_value_is_read_where_it_stands() -> None:
    shown = show(draw_form((1280, 720)), Limits())
    query = step("EXTRACT", 'the "Total" line', "extract_0", variable_name="extract_0")
    call = next_call(shown.png, *asked(query), 0)
    assert (call.kind, call.name, call.text) == ("extract", "extract_0", "42.50 EUR")


def test_what_is_not_there_is_waited_for_then_searched_then_given_up() -> None:
    shown = show(draw_form((1280, 720)), Limits())
    question = asked(step("CLICK", 'the "Publish" button'))
    kinds = [next_call(shown.png, *question, 0, tries=tries) for tries in range(PERSISTENCE + 1)]
    assert [call.kind for call in kinds[:3]] == ["wait", "wait", "scroll"]
    assert not any(call.is_progress for call in kinds[:-1])
    assert (kinds[-1].kind, kinds[-1].succeeded) == ("done", False)
