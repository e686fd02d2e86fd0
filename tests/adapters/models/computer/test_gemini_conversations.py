"""Whole subtasks with Gemini, which sees nothing but the screenshots that it is sent."""

import pytest

from core.actions import Click, Done, Extract
from tests.adapters.models.computer.gemini_helpers import decider
from tests.adapters.models.computer.openai_compatible_helpers import FORM_STEPS, carry_out, seen, step, subtask, talk
from tests.adapters.models.computer.screens import FORM, SIZES
from tests.fakes.models.gemini_computer import MODELS, SPELLINGS, FakeGeminiComputer, Spelling

SMALL = (1280, 720)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_form_is_filled_in_by_sight_in_both_generations_of_actions(spelling: Spelling, together: bool) -> None:
    with FakeGeminiComputer(spelling=spelling, together=together) as server:
        model = decider(server, model=MODELS[spelling])
        with talk(model, SMALL, subtask(*FORM_STEPS)) as conversation:
            state, decisions = carry_out(conversation, SMALL)
    assert (state.values, state.message) == ({"name": "Ada", "city": "Paris"}, "Saved")
    assert isinstance(decisions[-1].proposals[-1].move, Done)
    assert len(decisions) == (4 if together else 6)
    assert all(decision.usage == {"input_tokens": 10, "output_tokens": 7, "calls": 1} for decision in decisions)


@pytest.mark.parametrize("size", [*SIZES[:-1], pytest.param(SIZES[-1], marks=pytest.mark.nightly)])
def test_a_place_is_hit_within_a_pixel_on_every_size_of_screen(size: tuple[int, int]) -> None:
    task = subtask(step("CLICK", 'the "Save" button'))
    with FakeGeminiComputer(whole=False) as server, talk(decider(server), size, task) as conversation:
        move = conversation.decide(seen(size), lambda: None).proposals[0].move
        assert server.pictures[-1].size == size
        [said] = server.said
    assert isinstance(move, Click)
    assert move.at is not None
    assert abs(said["x"] / 1000 * size[0] - move.at.x) <= 1
    assert abs(said["y"] / 1000 * size[1] - move.at.y) <= 1
    assert FORM.place("save", size).contains(move.at)


def test_a_value_is_read_off_the_screen() -> None:
    read = step(
        "EXTRACT",
        'the "Total" line',
        variable_name="extract_0",
        additional_args={"extract_query": "the total"},
    )
    with FakeGeminiComputer() as server, talk(decider(server), SMALL, subtask(read)) as conversation:
        decision = conversation.decide(seen(SMALL), lambda: None)
    assert decision.proposals[0].move == Extract(variable_name="extract_0", query="the total", value="42.50 EUR")
