"""Whole subtasks, with a model that sees nothing but the screenshots that it is sent."""

import pytest

from core.actions import Done, Extract
from tests.adapters.models.computer.openai_compatible_helpers import (
    FORM_STEPS,
    carry_out,
    decider,
    seen,
    step,
    subtask,
    talk,
)
from tests.fakes.models.openai_compatible_chat import DIALECTS, Dialect, FakeOpenAiCompatible


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_form_is_filled_in_by_sight_in_every_dialect(dialect: Dialect) -> None:
    with (
        FakeOpenAiCompatible(dialect=dialect) as server,
        talk(decider(server), (1280, 720), subtask(*FORM_STEPS)) as conversation,
    ):
        state, decisions = carry_out(conversation, (1280, 720))
    assert (state.values, state.message) == ({"name": "Ada", "city": "Paris"}, "Saved")
    last = decisions[-1].proposals[0].move
    assert isinstance(last, Done)
    assert last.succeeded
    assert all(decision.usage == {"input_tokens": 10, "output_tokens": 5, "calls": 1} for decision in decisions)


@pytest.mark.parametrize("names_values", [True, False])
def test_a_value_that_the_model_does_not_name_is_read_off_the_same_screenshot(names_values: bool) -> None:
    read = step(
        "EXTRACT",
        'the "Total" line',
        "extract_0",
        variable_name="extract_0",
        additional_args={"extract_query": "the total"},
    )
    with (
        FakeOpenAiCompatible(names_values=names_values) as server,
        talk(decider(server), (1280, 720), subtask(read)) as conversation,
    ):
        decision = conversation.decide(seen((1280, 720)), lambda: None)
        pictures = {picture.tobytes() for picture in server.pictures}
        assert len(server.pictures) == (1 if names_values else 2)
    assert decision.proposals[0].move == Extract(variable_name="extract_0", query="the total", value="42.50 EUR")
    assert len(pictures) == 1
    assert decision.usage["calls"] == (1 if names_values else 2)
