"""What was done before is offered to every family of models before the request, and taken with one call."""

import contextlib
import json
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from core.actions import ReplayEntry
from core.runs.deciding import Observation, Outcome
from core.runs.ports import Decider
from tests.adapters.models.computer import gemini_helpers, openai_compatible_helpers, test_anthropic, test_openai
from tests.adapters.models.computer.plays import BRIEFING, FILL_IN, NoEyes, never_cancelled, results_of, subtask
from tests.adapters.models.computer.screens import draw_form
from tests.fakes.models import anthropic_messages, gemini_computer, openai_compatible_chat, openai_responses

SCREEN = draw_form((1280, 720))
OPTIONS = '<reload_options>\n[{"cacheId": "reload-7", "label": "Enter Ada"}]\n</reload_options>'
CALL = {"cacheId": "reload-7", "skipIndices": [2]}
FAMILIES = ("anthropic", "openai", "gemini", "tagged")


@contextlib.contextmanager
def family(name: str) -> Generator[tuple[Any, Decider]]:
    """A server whose model takes what is offered, twice, and the decider that asks it."""
    said = json.dumps(CALL)
    if name == "anthropic":
        with anthropic_messages.FakeAnthropic() as server:
            calls = (anthropic_messages.calls("reload_cached", CALL, id=each) for each in ("t1", "t2"))
            server.script = [anthropic_messages.says(call) for call in calls]
            yield server, test_anthropic.decider(server)
    elif name == "openai":
        with openai_responses.FakeResponses() as server:
            functions = (openai_responses.function("reload_cached", said, call=each) for each in ("c1", "c2"))
            server.script = [openai_responses.says(function) for function in functions]
            yield server, test_openai.decider(server)
    elif name == "gemini":
        with gemini_computer.FakeGeminiComputer() as server:
            server.script = [gemini_computer.calls(("reload_cached", CALL), first=each) for each in (0, 1)]
            yield server, gemini_helpers.decider(server)
    else:
        with openai_compatible_chat.FakeOpenAiCompatible() as server:
            call = json.dumps({"name": "reload_cached", "arguments": CALL})
            server.script = [
                openai_compatible_chat.says(f"Action: Do it again.\n<tool_call>\n{call}\n</tool_call>")
            ] * 2
            yield server, openai_compatible_helpers.decider(server)


def sent(server: Any) -> list[str]:
    """The requests that it was sent."""
    return [json.dumps(body) for body in getattr(server, "asked", None) or server.bodies]


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_offered_is_taken_and_the_model_hears_what_came_of_it(name: str) -> None:
    briefing = replace(BRIEFING, reload_options=OPTIONS)
    with family(name) as (server, decider), decider.open(briefing, NoEyes()) as conversation:
        conversation.begin(subtask(*FILL_IN))
        decision = conversation.decide(Observation(SCREEN), never_cancelled)
        (proposal,) = decision.proposals
        conversation.decide(Observation(SCREEN, results=results_of(decision, Outcome.FAILED)), never_cancelled)

    assert proposal.move == ReplayEntry(cache_id="reload-7", skip_indices=(2,))
    first, second = sent(server)
    assert first.index("<reload_options>") < first.index("Enter the person.")
    assert "reload_cached" in first
    assert "so it was" in second


@pytest.mark.parametrize("name", FAMILIES)
def test_without_an_offer_there_is_nothing_to_call(name: str) -> None:
    with family(name) as (server, decider), decider.open(BRIEFING, NoEyes()) as conversation:
        server.script = []
        conversation.begin(subtask(*FILL_IN))
        conversation.decide(Observation(SCREEN), never_cancelled)
    assert "reload" not in sent(server)[0]
