import base64
import io
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from adapters.models.computer.anthropic_wire import KEPT_PICTURES, MAX_PICTURES, OMITTED
from adapters.models.computer.deciders import anthropic_decider
from adapters.models.computer.model_decider import ModelDecider
from core.actions import Click, Done, Look, Zoom
from core.errors import InvalidCall
from core.runs.deciding import Observation, Outcome
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
from tests.adapters.models.computer.screens import draw_form
from tests.fakes.models.anthropic_checks import HAIKU_45, OPUS_46, OPUS_47, SONNET_5, SONNET_55
from tests.fakes.models.anthropic_messages import KEY, FakeAnthropic, calls, member, says, text

SKIPPED = "Not executed: an earlier computer action in this turn failed."
MODELS = (OPUS_46, OPUS_47, SONNET_5, SONNET_55, HAIKU_45)
OLDER = (OPUS_46, OPUS_47, SONNET_5)
NIGHTLY = [pytest.mark.nightly]
SCREEN = draw_form((1280, 720))


def decider(server: FakeAnthropic, model: str = OPUS_46, **options: Any) -> ModelDecider:
    settings: dict[str, Any] = {"key": lambda: KEY, "prompt": "Use the computer.", "task_prompt": "", "retry": QUICK}
    return anthropic_decider(model=model, base_url=server.url, **(settings | options))


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


def click(x: object = 10, y: object = 20, name: str = "t1") -> dict[str, Any]:
    return calls("computer", {"action": "left_click", "coordinate": [x, y]}, id=name)


def results_in(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in body["messages"][-1]["content"] if part["type"] == "tool_result"]


def words_of(result: dict[str, Any]) -> str:
    return " ".join(part["text"] for part in result["content"] if part["type"] == "text")


def pictures_of(content: list[dict[str, Any]]) -> list[Image.Image]:
    found: list[Image.Image] = []
    for part in content:
        if part["type"] == "image":
            found.append(Image.open(io.BytesIO(base64.b64decode(part["source"]["data"]))))
        elif part["type"] == "tool_result":
            found += pictures_of(part["content"])
    return found


@pytest.mark.parametrize("model", [pytest.param(one, marks=NIGHTLY if one in OLDER else []) for one in MODELS])
def test_every_generation_of_models_fills_in_the_form(model: str) -> None:
    screen = FormScreen()
    with FakeAnthropic() as server, decider(server, model).open(BRIEFING, NoEyes()) as conversation:
        reported = play(conversation, screen, subtask(*FILL_IN))
    assert not server.refusals
    assert screen.state.values == {"name": "Ada Lovelace", "city": "Oslo"}
    assert screen.state.message == "Saved"
    assert reported.done is not None
    assert reported.done.succeeded
    assert reported.decisions[-1].task_memory == "Seen by a fake."
    assert reported.decisions[0].observation == "I see the screen."
    assert reported.decisions[0].usage == {"input_tokens": 123, "output_tokens": 40, "calls": 1}


def test_several_calls_a_turn_are_carried_out_in_order_and_all_answered() -> None:
    screen = FormScreen()
    with FakeAnthropic(batches=True) as server, decider(server, SONNET_55).open(BRIEFING, NoEyes()) as conversation:
        reported = play(conversation, screen, subtask(*FILL_IN))
    assert not server.refusals
    assert screen.state.values == {"name": "Ada Lovelace", "city": "Oslo"}
    assert max(len(decision.proposals) for decision in reported.decisions) > 1


def test_what_follows_a_failed_call_of_its_turn_is_answered_in_anthropics_words(server: FakeAnthropic) -> None:
    server.script = [
        says(*(member("left_click", {"coordinate": [n, n]}, id=f"t{n}") for n in range(1, 4))),
        says(member("screenshot", {}, id="t9")),
    ]
    with opened(decider(server, SONNET_55)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        results = results_of(first, Outcome.CONFIRMED, Outcome.FAILED, Outcome.FAILED)
        conversation.decide(Observation(SCREEN, results=results), never_cancelled)
    answers = results_in(server.bodies[1])
    assert [answer.get("is_error", False) for answer in answers] == [False, True, True]
    assert [answer["toolset_name"] for answer in answers] == ["computer"] * 3
    assert words_of(answers[0]) == 'confirmed: "so it was"'
    assert words_of(answers[1]) == 'failed: "so it was"'
    assert words_of(answers[2]) == SKIPPED
    assert [len(pictures_of([answer])) for answer in answers] == [0, 0, 1], "the last one shows the screen"


def test_looks_and_zooms_are_answered_with_their_pictures(server: FakeAnthropic) -> None:
    server.script = [
        says(
            calls("computer", {"action": "screenshot"}, id="t1"),
            calls("computer", {"action": "zoom", "region": [400, 140, 800, 280]}, id="t2"),
        ),
        says(click()),
    ]
    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        assert [type(proposal.move) for proposal in first.proposals] == [Look, Zoom]
        results = results_of(first, Outcome.CONFIRMED, Outcome.CONFIRMED, picture=SCREEN)
        conversation.decide(Observation(SCREEN, results=results), never_cancelled)
    look, zoom = results_in(server.bodies[1])
    assert [picture.size for picture in pictures_of([look])] == [(1280, 720)]
    assert [picture.width for picture in pictures_of([zoom])] == [1280], "the part fills the limits"
    assert len(pictures_of(server.bodies[1]["messages"][-1]["content"])) == 2


def test_where_the_pointer_is_is_answered_in_the_models_pixels(server: FakeAnthropic) -> None:
    asked = calls("computer", {"action": "cursor_position"}, id="t2")
    server.script = [says(asked), says(click(100, 50), asked), says(click())]
    big = draw_form((2560, 1440))
    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(big), never_cancelled)
        results = results_of(first, Outcome.CONFIRMED, picture=big)
        second = conversation.decide(Observation(big, results=results), never_cancelled)
        results = results_of(second, Outcome.CONFIRMED, Outcome.CONFIRMED, picture=big)
        conversation.decide(Observation(big, results=results), never_cancelled)
    assert "not seen" in words_of(results_in(server.bodies[1])[0])
    assert words_of(results_in(server.bodies[2])[1]) == "X=100,Y=50"


def test_an_invalid_call_is_answered_as_an_error_to_its_own_block(server: FakeAnthropic) -> None:
    server.script = [says(click(name="t1"), click(1280, 5, "t2")), says(click(name="t3"))]
    with opened(decider(server)) as conversation:
        with pytest.raises(InvalidCall, match=r"\[1280, 5\] lies outside of the screen, which is 1280x720") as wrong:
            conversation.decide(Observation(SCREEN), never_cancelled)
        decision = conversation.decide(Observation(SCREEN, repair=wrong.value.message), never_cancelled)
    answers = results_in(server.bodies[1])
    assert all(answer["is_error"] for answer in answers)
    assert "another call" in words_of(answers[0])
    assert "lies outside" in words_of(answers[1])
    assert not server.refusals
    assert decision.proposals[0].move == Click(action="left_click", at=Point(x=10, y=20))
    assert decision.usage == {"input_tokens": 246, "output_tokens": 80, "calls": 1}, "the first answer's tokens too"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (says(text("I would click Save now.")), "No tool was called.*I would click Save now"),
        (says(), "No tool was called"),
        (says(click(), stop="max_tokens"), "cut off"),
        (says(text("x" * (5 << 20))), "endless"),
        (says(*(click(name=f"t{n}") for n in range(31))), "No more than 30 calls"),
    ],
    ids=["talk", "nothing", "cut off", "endless", "flood"],
)
def test_no_usable_call_is_asked_for_again(server: FakeAnthropic, wrong: Any, told: str) -> None:
    server.script = [wrong, says(click())]
    with opened(decider(server)) as conversation:
        with pytest.raises(InvalidCall, match=told) as fault:
            conversation.decide(Observation(SCREEN), never_cancelled)
        decision = conversation.decide(Observation(SCREEN, repair=fault.value.message), never_cancelled)
    assert decision.proposals
    assert not server.refusals
    assert fault.value.message[:40] in str(server.bodies[1]["messages"][-1])


def test_a_doubted_done_is_an_error_that_the_model_reads(server: FakeAnthropic) -> None:
    server.script = [says(calls("done", {"result": "All saved."}, id="t1")), says(click())]
    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        assert first.proposals[0].move == Done(result="All saved.")
        assert first.proposals[0].tool_call == {"name": "done", "arguments": {"result": "All saved."}}
        conversation.decide(Observation(SCREEN, results=results_of(first, Outcome.FAILED)), never_cancelled)
    answer = results_in(server.bodies[1])[0]
    assert answer["is_error"]
    assert len(pictures_of([answer])) == 1


def test_old_pictures_go_in_chunks_and_what_was_said_stays(server: FakeAnthropic) -> None:
    counts: list[int] = []
    with opened(decider(server, OPUS_47)) as conversation:
        results = ()
        for number in range(MAX_PICTURES + 3):
            server.script = [says(click(name=f"t{number}"))]
            decision = conversation.decide(Observation(SCREEN, results=results), never_cancelled)
            results = results_of(decision, Outcome.CONFIRMED)
            counts.append(sum(len(pictures_of(m["content"])) for m in server.bodies[-1]["messages"]))
    assert max(counts) == MAX_PICTURES
    assert counts[MAX_PICTURES:] == [KEPT_PICTURES, KEPT_PICTURES + 1, KEPT_PICTURES + 2]
    assert str(server.bodies[-1]).count(OMITTED) == MAX_PICTURES + 1 - KEPT_PICTURES
    assert len(server.bodies[-1]["messages"]) == 2 * (MAX_PICTURES + 2) + 1
    assert not server.refusals


def test_where_thinking_is_bound_to_it_nothing_that_was_said_changes() -> None:
    with FakeAnthropic() as server, opened(decider(server, SONNET_55)) as conversation:
        conversation.begin(subtask(*(step("CLICK", 'the "Name" field') for _ in range(30))))
        results = ()
        for _ in range(24):
            decision = conversation.decide(Observation(SCREEN, results=results), never_cancelled)
            results = results_of(decision, Outcome.CONFIRMED)
    assert not server.refusals, "the server compares what stands before each thought"
    assert sum(len(pictures_of(m["content"])) for m in server.bodies[-1]["messages"]) == 24


def test_each_subtask_begins_afresh_with_what_is_remembered(server: FakeAnthropic) -> None:
    server.script = [says(click()), says(click())]
    with opened(decider(server)) as conversation:
        conversation.decide(Observation(SCREEN), never_cancelled)
        conversation.begin(subtask(index=1))
        conversation.decide(
            Observation(SCREEN, task_memory="The order is 17.", extracts={"extract_0": "<b>9</b>"}), never_cancelled
        )
    (message,) = server.bodies[1]["messages"]
    assert "The order is 17." in str(message)
    assert "2 of 2" in str(message)
    assert "<b>" not in str(message), "what was read off a screen opens no tag"


def test_the_cache_is_marked_at_the_instruction_and_the_three_newest_turns(server: FakeAnthropic) -> None:
    with opened(decider(server)) as conversation:
        results = ()
        for number in range(6):
            server.script = [says(click(name=f"t{number}"))]
            results = results_of(
                conversation.decide(Observation(SCREEN, results=results), never_cancelled), Outcome.CONFIRMED
            )
    body = server.bodies[-1]
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    marked = [n for n, message in enumerate(body["messages"]) if "cache_control" in message["content"][-1]]
    assert marked == [6, 8, 10]


def test_an_aborted_request_leaves_no_trace_in_what_is_said_next(server: FakeAnthropic) -> None:
    server.script = [says(click(name="t1")), says(click(name="t2")), says(click(name="t3"))]

    def stop() -> None:
        raise KeyboardInterrupt

    with opened(decider(server)) as conversation:
        first = conversation.decide(Observation(SCREEN), never_cancelled)
        results = results_of(first, Outcome.CONFIRMED)
        with pytest.raises(KeyboardInterrupt):
            conversation.decide(Observation(SCREEN, results=results), stop)
        conversation.decide(Observation(SCREEN, results=results, notice="Look afresh."), never_cancelled)
    assert not server.refusals
    assert [answer["tool_use_id"] for answer in results_in(server.bodies[-1])] == ["t1"]
    assert "Look afresh." in str(server.bodies[-1]["messages"][-1])


def test_a_tool_may_be_named_for_a_model_that_the_table_does_not_know(server: FakeAnthropic) -> None:
    assert decider(server, "claude-next-9").unavailable() is None
    assert "computer_x" not in (decider(server, tool="computer_x").unavailable() or "computer_x")
    server.script = [says(click())]
    with opened(decider(server, SONNET_5, tool="computer_20251124")) as conversation:
        conversation.decide(Observation(SCREEN), never_cancelled)
    assert server.bodies[0]["tools"][0]["type"] == "computer_20251124"
    assert server.requests[0].headers["anthropic-beta"] == "computer-use-2025-11-24"
