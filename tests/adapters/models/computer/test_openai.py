import base64
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from adapters.models.computer.deciders import openai_decider
from adapters.models.computer.model_decider import ModelDecider
from adapters.models.computer.openai_wire import KEPT_TURNS, MAX_TURNS
from core.actions import Click, Done, Look, Scroll
from core.errors import InvalidCall, InvalidCredentials, ProviderError
from core.runs.deciding import Observation, Outcome, Result, SafetyCheck
from core.screens import Point
from tests.adapters.models.clip_helpers import QUICK
from tests.adapters.models.computer.plays import (
    BRIEFING,
    FILL_IN,
    FormScreen,
    NoEyes,
    never_cancelled,
    opened,
    play,
    results_of,
    step,
    subtask,
)
from tests.adapters.models.computer.screens import FORM, SIZES, draw_form
from tests.fakes.models.openai_responses import (
    KEY,
    MODEL,
    FakeResponses,
    computer,
    function,
    message,
    reasoning,
    says,
)

SCREEN = draw_form((1280, 720))
CHECK = {"id": "cu_sc_1", "code": "malicious_instructions", "message": "The page gives orders."}
CLICK = {"type": "click", "button": "left", "x": 10, "y": 20}


def decider(server: FakeResponses, **options: Any) -> ModelDecider:
    settings: dict[str, Any] = {
        "key": lambda: KEY,
        "prompt": "Use the computer.",
        "task_prompt": "",
        "model": MODEL,
        "retry": QUICK,
    }
    return openai_decider(base_url=server.base_url, **(settings | options))


@pytest.fixture
def server() -> Iterator[FakeResponses]:
    with FakeResponses() as fake:
        yield fake


def outputs_in(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for item in body["input"] if str(item.get("type")).endswith("_output")]


def test_a_form_is_filled_in_turn_by_turn_and_nothing_is_stored_with_openai() -> None:
    screen = FormScreen()
    with FakeResponses() as server, decider(server).open(BRIEFING, NoEyes()) as conversation:
        reported = play(conversation, screen, subtask(*FILL_IN))
    assert not server.refusals
    assert screen.state.values == {"name": "Ada Lovelace", "city": "Oslo"}
    assert screen.state.message == "Saved"
    assert reported.done is not None
    assert reported.done.succeeded
    assert reported.decisions[-1].task_memory == "Seen by a fake."
    assert reported.decisions[0].observation == "I see the screen."
    assert reported.decisions[0].usage == {"input_tokens": 100, "output_tokens": 40, "calls": 1}
    assert all(body["store"] is False and "previous_response_id" not in body for body in server.bodies)


def test_batched_actions_are_carried_out_in_order() -> None:
    screen = FormScreen()
    with FakeResponses(batches=True) as server, decider(server).open(BRIEFING, NoEyes()) as conversation:
        reported = play(conversation, screen, subtask(*FILL_IN))
    assert not server.refusals
    assert screen.state.values == {"name": "Ada Lovelace", "city": "Oslo"}
    assert [len(decision.proposals) for decision in reported.decisions] == [2, 2, 1, 1, 1]


@pytest.mark.parametrize("size", [*SIZES[:-1], pytest.param(SIZES[-1], marks=pytest.mark.nightly)])
def test_a_click_lands_within_a_pixel_of_the_models_picture(size: tuple[int, int]) -> None:
    screen = FormScreen(size)
    with FakeResponses() as server, decider(server).open(BRIEFING, NoEyes()) as conversation:
        play(conversation, screen, subtask(step("CLICK", 'the "Name" field')))
        url = server.bodies[0]["input"][1]["content"][1]["image_url"]
    assert Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).size == size
    (landed,) = screen.clicked
    assert server.calls[0].at == (landed.x, landed.y)
    middle = FORM.place("name", size).centre
    assert max(abs(landed.x - middle.x), abs(landed.y - middle.y)) <= 3


def test_a_safety_check_is_surfaced_and_acknowledged_only_when_a_person_has(server: FakeResponses) -> None:
    server.script = [
        says(reasoning("rs_1"), computer(CLICK, {"type": "type", "text": "x"}, name="c1", checks=(CHECK,))),
        says(computer(CLICK, name="c2")),
    ]
    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        wanted = SafetyCheck(id="cu_sc_1", code="malicious_instructions", message="The page gives orders.")
        assert [proposal.safety for proposal in first.proposals] == [(wanted,), ()]
        doubtful = results_of(first, Outcome.CONFIRMED, Outcome.CONFIRMED)
        with pytest.raises(ProviderError, match="not been acknowledged"):
            conversation.decide(Observation(SCREEN, results=doubtful), never_cancelled)
        agreed = Result(first.proposals[0], Outcome.CONFIRMED, "", acknowledged=True)
        conversation.decide(Observation(SCREEN, results=(agreed, doubtful[1])), never_cancelled)
    assert "acknowledged_safety_checks" not in outputs_in(server.bodies[1])[0]
    assert outputs_in(server.bodies[2])[0]["acknowledged_safety_checks"] == [CHECK]


def test_what_became_of_the_actions_is_told_in_words_beside_the_screen(server: FakeResponses) -> None:
    server.script = [says(computer(CLICK, CLICK, name="c1")), says(computer(CLICK, name="c2"))]
    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        results = results_of(first, Outcome.CONFIRMED, Outcome.FAILED)
        conversation.decide(Observation(SCREEN, results=results, notice="Something else."), never_cancelled)
    text = str(server.bodies[1]["input"][-1])
    assert "1. left_click" in text
    assert "confirmed" in text
    assert 'failed: "so it was"' in text
    assert "Something else." in text


def test_functions_are_answered_with_words_and_a_picture_beside_them(server: FakeResponses) -> None:
    extract = {"variable_name": "extract_0", "query": "sum", "value": "42.50"}
    server.script = [says(function("extract", json.dumps(extract), call="c1")), says(computer(CLICK, name="c2"))]
    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        conversation.decide(Observation(SCREEN, results=results_of(first, Outcome.CONFIRMED)), never_cancelled)
    (output,) = outputs_in(server.bodies[1])
    assert output == {"type": "function_call_output", "call_id": "c1", "output": 'confirmed: "so it was"'}
    assert server.bodies[1]["input"][-1]["content"][-1]["type"] == "input_image"


def test_a_call_without_actions_is_a_look(server: FakeResponses) -> None:
    server.script = [says(computer(name="c1", checks=(CHECK,)))]
    with opened(decider(server)) as conversation:
        (proposal,) = conversation.decide(Observation(SCREEN), never_cancelled).proposals
    assert proposal.move == Look()
    assert len(proposal.safety) == 1


def test_an_action_that_scrolls_both_ways_is_two_and_both_results_are_its(server: FakeResponses) -> None:
    both = {"type": "scroll", "x": 1, "y": 2, "scroll_x": -150, "scroll_y": 40}
    server.script = [says(computer(both, name="c1"), function("ask", '{"question": "Go on?"}', call="c2")), says()]
    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        results = results_of(first, Outcome.CONFIRMED, Outcome.NO_VISIBLE_EFFECT, Outcome.FAILED)
        with pytest.raises(InvalidCall):
            conversation.decide(Observation(SCREEN, results=results), never_cancelled)
    at = Point(x=1, y=2)
    assert [proposal.move for proposal in first.proposals[:2]] == [
        Scroll(action="scroll", notches=1, at=at),
        Scroll(action="hscroll", notches=-2, at=at),
    ]
    assert outputs_in(server.bodies[1])[1]["output"].startswith("failed")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (says(message("I would click Save.")), "No tool was called.*I would click Save"),
        (says(), "No tool was called"),
        (says(computer(CLICK | {"x": 1280})), "lies outside of the screen, which is 1280x720"),
        (says(computer({"type": "fly"})), "no action.*fly.*click"),
        (says(computer("click")), "JSON object"),
        (says(computer(*[CLICK] * 51)), "No more than 50"),
        (says(function("done", "{")), "no valid JSON"),
        (says(function("done", "{}")), "result"),
        (says(function("launch", "{}")), "no tool.*launch.*done"),
        (says(computer(CLICK), status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "cut off"),
        (says(message("x" * (5 << 20))), "endless"),
        (says(computer(CLICK | {"x": 1280}, checks=(CHECK,))), "lies outside"),
    ],
    ids=["talk", "none", "outside", "verb", "form", "flood", "json", "field", "tool", "cut off", "endless", "checked"],
)
def test_no_usable_call_is_left_out_of_what_is_said_and_asked_for_again(
    server: FakeResponses, wrong: Any, told: str
) -> None:
    server.script = [wrong, says(computer(CLICK, name="c2"))]
    with opened(decider(server)) as conversation:
        with pytest.raises(InvalidCall, match=told) as fault:
            conversation.decide(Observation(SCREEN), never_cancelled)
        decision = conversation.decide(Observation(SCREEN, repair=fault.value.message), never_cancelled)
    assert not server.refusals
    assert decision.proposals[0].move == Click(action="left_click", at=Point(x=10, y=20))
    assert fault.value.message[:40] in server.bodies[1]["input"][-1]["content"][0]["text"]
    assert not outputs_in(server.bodies[1])


def test_a_long_subtask_is_folded_into_words_in_chunks(server: FakeResponses) -> None:
    pictures: list[int] = []
    with opened(decider(server)) as conversation:
        results = ()
        for number in range(MAX_TURNS + 3):
            server.script = [says(reasoning(f"rs_{number}"), computer(CLICK, name=f"c{number}"))]
            decision = conversation.decide(Observation(SCREEN, results=results), never_cancelled)
            results = results_of(decision, Outcome.CONFIRMED)
            pictures.append(json.dumps(server.bodies[-1]).count("data:image/png"))
    assert not server.refusals
    assert max(pictures) == MAX_TURNS
    assert pictures[MAX_TURNS:] == [KEPT_TURNS, KEPT_TURNS + 1, KEPT_TURNS + 2]
    opening = server.bodies[-1]["input"][0]["content"][0]["text"]
    folded = MAX_TURNS + 1 - KEPT_TURNS - 1
    assert f"\n{folded}. left_click" in opening
    assert f"\n{folded + 1}. left_click" not in opening
    assert f"{MAX_TURNS + 2}. left_click" in str(server.bodies[-1]["input"][-1]), "the numbers go on"


def test_each_subtask_begins_afresh_with_what_is_remembered(server: FakeResponses) -> None:
    server.script = [says(computer(CLICK, name="c1")), says(computer(CLICK, name="c2"))]
    with opened(decider(server)) as conversation:
        conversation.decide(Observation(SCREEN), never_cancelled)
        conversation.begin(subtask(index=1))
        conversation.decide(Observation(SCREEN, task_memory="The order is 17."), never_cancelled)
    assert "The order is 17." in str(server.bodies[1]["input"][0])
    assert len(server.bodies[1]["input"]) == 2


def test_an_aborted_request_leaves_no_trace_in_what_is_said_next(server: FakeResponses) -> None:
    server.script = [says(computer(CLICK, name=f"c{number}")) for number in range(3)]

    def stop() -> None:
        raise KeyboardInterrupt

    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        results = results_of(first, Outcome.CONFIRMED)
        with pytest.raises(KeyboardInterrupt):
            conversation.decide(Observation(SCREEN, results=results), stop)
        conversation.decide(Observation(SCREEN, results=results), never_cancelled)
    assert not server.refusals
    assert [output["call_id"] for output in outputs_in(server.bodies[-1])] == ["c0"]


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        (says(message("I cannot help with that.", kind="refusal")), "refuses to go on.*cannot help"),
        (says(status="incomplete", incomplete_details={"reason": "content_filter"}), "refuses to go on.*filter"),
        (says(status="failed", error={"code": "server_error", "message": "…"}), "failed to answer.*server_error"),
    ],
)
def test_a_refusal_ends_it_in_plain_words(server: FakeResponses, refusal: Any, told: str) -> None:
    server.script = [refusal]
    with opened(decider(server)) as conversation, pytest.raises(ProviderError, match=told) as raised:
        conversation.decide(Observation(SCREEN), never_cancelled)
    assert not isinstance(raised.value, InvalidCall)


def test_a_doubted_done_is_read_as_failed(server: FakeResponses) -> None:
    server.script = [says(function("done", '{"result": "Saved.", "succeeded": true}', call="c1")), says()]
    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        assert first.proposals[0].move == Done(result="Saved.")
        with pytest.raises(InvalidCall):
            conversation.decide(Observation(SCREEN, results=results_of(first, Outcome.FAILED)), never_cancelled)
    assert outputs_in(server.bodies[1])[0]["output"] == 'failed: "so it was"'


def test_what_is_missing_is_said_before_anything_is_sent(server: FakeResponses) -> None:
    without = decider(server, key=lambda: None)
    assert "OPENAI_API_KEY" in (without.unavailable() or "")
    assert "replay_model" in (decider(server, model="").unavailable() or "")
    with pytest.raises(InvalidCredentials), without.open(BRIEFING, NoEyes()):
        pass
    assert not server.requests
