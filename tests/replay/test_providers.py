"""The ten-step form through each family of models: only the provider differs, and the order tells how it went."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from adapters.models.computer.anthropic_decider import AnthropicDecider
from adapters.models.computer.gemini_decider import GeminiComputerDecider
from adapters.models.computer.openai_decider import OpenAiDecider
from adapters.models.computer.tagged_decider import TaggedDecider
from config.prompts import load_prompt
from core.runs import RunOutcome
from tests.fakes import anthropic_messages, gemini, openai_responses, tagged_chat
from tests.fakes.anthropic_messages import FakeAnthropic
from tests.fakes.gemini_computer import FakeGeminiComputer
from tests.fakes.openai_responses import FakeResponses
from tests.fakes.replaying import Replays, form_case
from tests.fakes.tagged_chat import FakeTagged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.fakes.replaying import Make

pytestmark = pytest.mark.screen

ADA = {
    "recipient": "Ada Lovelace",
    "street": "Kaivokatu 12 {C}",
    "city": "Helsinki",
    "country": "Finland",
    "weight": "3.5",
    "pickup_date": "2026-12-01",
    "pickup_code": "4711",
    "note": "Ring twice",
}
BO = {
    "recipient": "Bo Nyström",
    "street": "Storgatan 7",
    "city": "Malmö",
    "country": "Sweden",
    "weight": "12",
    "pickup_date": "2027-01-31",
    "pickup_code": "pass {recipient}",
    "note": "",
}


@pytest.fixture(scope="module")
def deciders() -> Iterator[Mapping[str, Make]]:
    """Each family on a server of its own that looks at the screenshots."""
    with ExitStack() as stack:
        anthropic = stack.enter_context(FakeAnthropic(batches=True))
        openai = stack.enter_context(FakeResponses(batches=True))
        google = stack.enter_context(FakeGeminiComputer(together=True))
        tagged = stack.enter_context(FakeTagged())
        prompt = load_prompt("computer_use").text
        yield {
            "anthropic": lambda _: AnthropicDecider(
                key=lambda: anthropic_messages.KEY,
                prompt=prompt,
                model="claude-opus-4-6",
                base_url=anthropic.url,
            ),
            "openai": lambda _: OpenAiDecider(
                key=lambda: openai_responses.KEY,
                prompt=prompt,
                model=openai_responses.MODEL,
                base_url=openai.base_url,
            ),
            "gemini": lambda _: GeminiComputerDecider(
                key=lambda: gemini.KEY, prompt=prompt, model="gemini-3.8-flash", base_url=google.url
            ),
            "tagged": lambda _: TaggedDecider(
                key=lambda: tagged_chat.KEY,
                prompt=load_prompt("computer_use_tagged").text,
                name="tagged",
                model=tagged_chat.MODEL,
                base_url=tagged.base_url,
            ),
        }


@pytest.mark.parametrize(
    ("provider", "values"),
    [("anthropic", ADA), ("openai", ADA), ("gemini", ADA), ("tagged", ADA), ("openai", BO), ("tagged", BO)],
    ids=["anthropic", "openai", "gemini", "tagged", "openai again", "tagged again"],
)
def test_the_form_is_filled_in_by_changing_only_the_provider(
    deciders: Mapping[str, Make], provider: str, values: dict[str, str], tmp_path: Path
) -> None:
    with form_case(tmp_path / "workflows", **values) as case:
        run = Replays(tmp_path, deciders).run(case, provider=provider)
        order = case.await_state()

    assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
    assert run.provider == provider
    assert run.extracts == {"extract_0": "1042"}
    assert order == {
        **{name: values[name] for name in ("recipient", "street", "city", "country", "weight", "note")},
        "date": values["pickup_date"],
        "code": values["pickup_code"],
        "service": "Express",
        "fragile": True,
    }
